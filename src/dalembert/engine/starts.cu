// Consistent starts on a GPU, one for each thread. The text of a model comes before this text (motions/inlined.py).
#include "grid.hpp"
#include "start.hpp"

using namespace dalembert;

// Programs that are called by an address.
HD void at_position(double* out, const double* in, void*) { Inlined().position(in, out); }
HD void at_velocity(double* out, const double* in, void*) { Inlined().velocity(in, out); }
HD void at_dynamics(double* out, const double* in, void*) { Inlined().dynamics(in, out); }

// Consistent states replace the given ones. Each has a status, and the residuals if it failed.
KERNEL starts(const Constraints* given, const Starts* all) {
    EACH(i, all->count) {
        alignas(16) char room[START_ROOM];
        Constraints problem = *given;
        problem.position = {at_position, nullptr};
        problem.velocity = {at_velocity, nullptr};
        problem.dynamics = {at_dynamics, nullptr};
        Block block{room, 0};
        Start start = Start::in(block, &problem);
        all->run(start, i);
    }
}
