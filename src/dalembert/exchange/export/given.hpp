// Inputs of an exported model: each reads its data until it is set from outside. Then it keeps the value that was set.
namespace dalembert {

constexpr int SIGNALS = static_cast<int>(sizeof THE_SIGNALS / sizeof *THE_SIGNALS) - 1;

struct Given {
    Signal own[SIGNALS + 1];
    double held[SIGNALS + 1];

    void forget() {
        for (int i = 0; i < SIGNALS; ++i) own[i] = THE_SIGNALS[i];
    }

    // The signal of a parameter, or −1.
    static int at(int parameter) {
        for (int i = 0; i < SIGNALS; ++i)
            if (THE_SIGNALS[i].place == parameter) return i;
        return -1;
    }

    // A signal without knots has its first value.
    void hold(int i, double value) {
        held[i] = value;
        own[i].count = 0, own[i].cubics = held + i;
    }

    bool holds(int i) const { return own[i].count == 0; }
};

}  // namespace dalembert
