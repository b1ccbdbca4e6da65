// The full loop on a GPU: motions with contacts, with events and watched quantities, and those that the loop in
// registers gave up.
//
// Threads claim motions one by one. A thread keeps its data in local memory, which a GPU interleaves. Samples are in
// memory that the caller provides.
#include "keep.hpp"

using namespace dalembert;

HD void at_values(double* out, const double* in, void*) { values_of(in, out); }
HD void at_watched(double* out, const double* in, void*) { watched_of(in, out); }
HD void at_energies(double* out, const double* in, void*) { energies_of(in, out); }

// A thread's keeper, and the motion that it has claimed.
struct Hand {
    Plan plan;
    const Motions& motions;
    Inlined model;
    Keeper<Inlined> keeper;
    long long which;

    HD Hand(const Plan& given, const Motions& every, char* room) : plan(given), motions(every) {
        plan.values.code = {at_values, nullptr};
        plan.watched.code = {at_watched, nullptr};
        plan.energies = {at_energies, nullptr};
        model.parameters = motions.parameters;
        Block block{room, 0};
        keeper = Keeper<Inlined>::in(block, &model, &plan);
    }

    HD bool claim(long long status) {
        which = motions.claim(status);
        if (which < 0) return false;
        model.parameters = motions.parameters + which * model.counts.parameters;
        return true;
    }

    HD void follow(Books& books, Carried* carried = nullptr, const double* natural = nullptr) {
        const int size = model.counts.size();
        const double* sizes = natural ? natural + which * size : nullptr;
        const long long status = keeper.follow(&model, books, motions.states + which * size, motions, carried, sizes);
        keeper.close(books, motions, which, status);
    }
};

// Follow the motions that wait, from their start to their end.
KERNEL follow(const Plan* plan, const Motions* motions, char* shelves) {
    alignas(16) char room[KEEPER_ROOM];
    Hand hand(*plan, *motions, room);
    Block shelf{shelves + THREAD * BOOKS_ROOM, 0};
    Books books = Books::in(shelf, hand.model.counts, *plan);
    while (hand.claim(WAITING)) hand.follow(books);
}

// Follow the motions that were handed over, until each is finished or can go back to `bounce`.
KERNEL go_on(const Plan* plan, const Motions* motions, const double* natural, char* carriage) {
    alignas(16) char room[KEEPER_ROOM];
    Hand hand(*plan, *motions, room);
    while (hand.claim(HANDED_OVER)) {
        Block own{carriage + hand.which * CARRIED_ROOM, 0};
        Carried carried = Carried::in(own, hand.model.counts, *plan);
        hand.follow(carried.books, &carried, natural);
    }
}
