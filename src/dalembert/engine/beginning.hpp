// The beginning of motions that a kernel steps in registers: natural sizes, and states on the constraints.
#pragma once

#include "plan.hpp"
#include "scales.hpp"

using namespace dalembert;

HD void at_values(double* out, const double* in, void*) { values_of(in, out); }

// Accelerations of these kernels are written out; those of a mode are solved by the full loop alone.
namespace dalembert {
template <>
HD Status accelerate_in_mode(System<Inlined>&, bool, bool) {
    return UNDECIDED;
}
}  // namespace dalembert

// A motion's system in the memory of a thread.
struct Alone {
    alignas(16) char room[SYSTEM_ROOM];
    Inlined model;
    System<Inlined> system;

    HD Alone(const Motions& motions, long long i) {
        model.parameters = motions.parameters + i * model.counts.parameters;
        Block block{room, 0};
        system = System<Inlined>::in(block, &model);
    }
};

// Natural sizes of every waiting motion, and its state on the constraints. Without them the full loop takes it.
KERNEL sizes(const Plan* plan, const Motions* motions, double* natural) {
    EACH(i, motions->count) {
        if (motions->status[i] == WAITING) {
            Alone a(*motions, i);
            const int size = a.model.counts.size();
            const Settings& s = plan->settings;
            double *state = motions->states + i * size, *own = natural + i * size;
            const Status found = natural_sizes(a.system, s.start, state, s.end - s.start, own);
            a.system.measure(own);
            if (found != DONE || !a.system.project(s.start, state)) own[0] = NOT_A_NUMBER;
        }
    }
}

// Columns of a motion that has ended: values at its samples and at its end.
HD void fill_columns(const Plan& given, const Motions& motions, long long i, const double* samples) {
    Alone a(motions, i);
    Plan plan = given;
    plan.values.code = {at_values, nullptr};
    double x[VALUE_INPUTS + 1], out[VALUE_COUNT + 1];
    const int size = a.model.counts.size();
    const long long taken = samples ? plan.sample_count : 0;
    Filler<Inlined> filler{a.system, plan, x, out, motions.values + i * plan.column_count};
    filler.fill_all(samples + i * taken * size, nullptr, taken, {motions.ends[i], motions.states + i * size, nullptr});
}
