// The beginning of motions that a kernel steps in registers: natural sizes, and states on the constraints.
#pragma once

#include "grid.hpp"
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

// Natural sizes of every waiting motion, and its state on the constraints. A motion without them is left to the full
// loop.
KERNEL sizes(const Plan* plan, const Motions* motions, double* natural) {
    EACH(i, motions->count) {
        if (motions->status[i] == WAITING) {
            alignas(16) char room[SYSTEM_ROOM];
            Inlined model;
            model.parameters = motions->parameters + i * model.counts.parameters;
            Block block{room, 0};
            System<Inlined> system = System<Inlined>::in(block, &model);
            const int size = model.counts.size();
            const Settings& s = plan->settings;
            const Status found =
                natural_sizes(system, s.start, motions->states + i * size, s.end - s.start, natural + i * size);
            system.measure(natural + i * size);
            if (found != DONE || !system.project(s.start, motions->states + i * size)) natural[i * size] = NOT_A_NUMBER;
        }
    }
}
