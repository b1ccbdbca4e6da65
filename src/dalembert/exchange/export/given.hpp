// Inputs of a model that leaves: each reads its data, until it is set from outside. Then it holds what was set.
namespace dalembert {

struct Given {
    Signal* own;
    double* held;

    void forget() {
        for (int i = 0; i < SIGNALS; ++i) own[i] = the_signal(i);
    }

    // The signal that is a parameter; −1 if none is.
    static int at(int parameter) {
        for (int i = 0; i < SIGNALS; ++i)
            if (the_signal(i).place == parameter) return i;
        return -1;
    }

    // A signal without knots has the value that stands first.
    void hold(int i, double value) {
        held[i] = value;
        own[i].count = 0, own[i].cubics = held + i;
    }

    bool holds(int i) const { return own[i].count == 0; }
};

}  // namespace dalembert
