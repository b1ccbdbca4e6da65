// The C interface on the processor: plain structs and C functions for ctypes (library.py), with a checked version.
#include "motion.hpp"
#include "start.hpp"

using namespace dalembert;

#ifndef DALEMBERT_SOURCES
#define DALEMBERT_SOURCES "unknown"
#define DALEMBERT_INTERFACE "unknown"
#endif

using Native = Motion<Model>;

// A hash of the sources that this file was built from.
DOOR const char* dalembert_sources() { return DALEMBERT_SOURCES; }

// A mark of the structs and functions of the interface (interface.py).
DOOR const char* dalembert_interface() { return DALEMBERT_INTERFACE; }

// Bytes that a motion of this model needs.
DOOR long dalembert_memory(const Model* model) {
    return bytes_of([&](Block& block) { block.take<Native>(1), Native::in(block, model); });
}

DOOR Native* dalembert_motion(void* memory, const Model* model) {
    Block block{static_cast<char*>(memory), 0};
    Native* place = block.take<Native>(1);
    *place = Native::in(block, model);
    return place;
}

DOOR void dalembert_set(Native* motion, const Settings* settings, const double* y, const double* natural) {
    motion->set(*settings, y, natural);
}

DOOR int dalembert_run(Native* motion, Desk* desk, long most) { return motion->run(*desk, most); }

struct Report {
    double t, h, residual, rate_residual;
    long steps, evaluations, rejected;
    int row, stepper, switches, failed_guard;
    const double *y, *slope, *bad;
    int sliding;  // kinks that the motion slides along
};

DOOR void dalembert_report(const Native* m, Report* report) {
    *report = {m->step.t, m->step.h, m->system.residual, m->system.rate_residual, m->step.steps,
               m->system.evaluations, m->step.rejected, m->system.solver.row, m->stepper, m->switches,
               m->failed_guard, m->step.y, m->step.k, m->system.bad,
               m->system.branches.sliding_count};
}

// Bytes for a start of this model.
DOOR long dalembert_start_memory(const Model* model) {
    return bytes_of([&](Block& block) { Start<Model>::in(block, model, nullptr); });
}

// Accelerations and multipliers at one state x. `ranks` receives the ranks of A and R, and the failed row.
DOOR int dalembert_solve(Native* motion, const double* x, double* a, double* nu, int* ranks) {
    System<Model>& s = motion->system;
    for (int i = 0; i < s.counts.inputs(); ++i) s.x[i] = x[i];
    find_branches(s, x[0], x + 1);
    const Status status = s.accelerate(false, true);
    for (int i = 0; i < s.counts.n; ++i) a[i] = s.solver.a[i];
    for (int i = 0; i < s.counts.reactions; ++i) nu[i] = s.solver.nu[i];
    ranks[0] = s.solver.rank, ranks[1] = s.solver.left_rank, ranks[2] = s.solver.row;
    return status;
}

// The present statuses of contacts, then of frictions.
DOOR void dalembert_modes(Native* motion, int* mode) { mark_mode(Law<Model>(motion->system), mode); }

// Bytes for the whole-course description of a model.
DOOR long dalembert_course_memory(const Model* model, const whole_course::Auxiliary* parts) {
    using Room = whole_course::Room;
    return bytes_of([&](Block& block) { block.take<Room>(1), Room::in(block, model->counts, parts); });
}

// Follow this motion by the whole-course description, in that memory.
DOOR void dalembert_describe(Native* motion, const whole_course::Auxiliary* parts, void* memory) {
    Block block{static_cast<char*>(memory), 0};
    motion->course = block.take<whole_course::Room>(1);
    *motion->course = whole_course::Room::in(block, motion->system.counts, parts);
}
