// The full loop on a GPU: motions with contacts, with events and watched quantities, and those that `steps` gave up.
//
// Threads claim motions one by one. A thread keeps its data in local memory, which a GPU interleaves. Samples are in
// memory that the caller provides.
#include "grid.hpp"
#include "keep.hpp"

using namespace dalembert;

HD void at_values(double* out, const double* in, void*) { values_of(in, out); }
HD void at_watched(double* out, const double* in, void*) { watched_of(in, out); }
HD void at_energies(double* out, const double* in, void*) { energies_of(in, out); }

#if CARRIES
// Follow the motions that were handed over, until each is finished or can go back to `bounce`.
KERNEL go_on(const Plan* given, const Motions* motions, const double* natural, char* carriage) {
    alignas(16) char room[KEEPER_ROOM];
    Plan plan = *given;
    plan.values.code = {at_values, nullptr};
    plan.watched.code = {at_watched, nullptr};
    plan.energies = {at_energies, nullptr};
    Inlined model;
    model.parameters = motions->parameters;
    Block block{room, 0};
    Keeper<Inlined> keeper = Keeper<Inlined>::in(block, &model, &plan);
    const int size = model.counts.size(), parameters = model.counts.parameters;
    while (true) {
        const long long which = next_of(motions->claimed);
        if (which >= motions->count) break;
        if (motions->status[which] != HANDED_OVER) continue;
        model.parameters = motions->parameters + which * parameters;
        Block own{carriage + which * CARRIED_ROOM, 0};
        Carried carried = Carried::in(own, model.counts, plan);
        const long long status = keeper.follow(&model, carried.books, motions->states + which * size, *motions, &carried,
                                               natural + which * size);
        keeper.close(carried.books, *motions, which, status);
    }
}
#else
KERNEL follow(const Plan* given, const Motions* motions, char* shelves) {
    alignas(16) char room[KEEPER_ROOM];
    Plan plan = *given;
    plan.values.code = {at_values, nullptr};
    plan.watched.code = {at_watched, nullptr};
    plan.energies = {at_energies, nullptr};
    Inlined model;
    model.parameters = motions->parameters;
    Block block{room, 0}, shelf{shelves + THREAD * BOOKS_ROOM, 0};
    Keeper<Inlined> keeper = Keeper<Inlined>::in(block, &model, &plan);
    Books books = Books::in(shelf, model.counts, plan);
    const int size = model.counts.size(), parameters = model.counts.parameters;
    while (true) {
        const long long which = next_of(motions->claimed);
        if (which >= motions->count) break;
        if (motions->status[which] != WAITING) continue;
        model.parameters = motions->parameters + which * parameters;
        const long long status = keeper.follow(&model, books, motions->states + which * size, *motions);
        keeper.close(books, *motions, which, status);
    }
}
#endif
