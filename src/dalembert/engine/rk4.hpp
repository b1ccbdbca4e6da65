// The Runge–Kutta method of order four with steps of equal length. It has no error estimate.
#pragma once

#include "step.hpp"

namespace dalembert::rk4 {

constexpr int STAGES = 4;

HD inline double node(int s) { return s == 0 ? 0.0 : s == 3 ? 1.0 : 0.5; }
HD inline double ahead(int s) { return s == 2 ? 1.0 : 0.5; }
HD inline double weight(int s) { return s == 0 || s == 3 ? 1.0 / 6.0 : 1.0 / 3.0; }

// The state at the beginning of a step and the slope of a stage; the sum of all stages, and the state of the next one.
template <class R>
struct StageSum {
    const R *y, *k;
    R *sum, *next;
};

// Add stage s to the sum, and compute the state of the next stage.
template <int SIZE, class R>
HD inline void take(int dynamic, int s, double h, const StageSum<R>& stage) {
    const int size = SIZE ? SIZE : dynamic;
    UNROLL for (int i = 0; i < size; ++i) {
        stage.sum[i] = stage.sum[i] + (weight(s) * h) * stage.k[i];
        stage.next[i] = stage.y[i] + (ahead(s) * h) * stage.k[i];
    }
}

// Make one step of the requested length: project its end, compute the slope there into k[12], and a cubic in between.
template <class System>
HD APART Status advance(System& system, Step& step) {
    double h = step.h_max;
    step.plan(h);
    for (int i = 0; i < step.size; ++i) step.trial[i] = step.stage[i] = step.y[i];
    for (int s = 0; s < STAGES; ++s) {
        const Status status = system.slope(step.t + node(s) * h, step.stage, true, step.slope(1));
        if (status != DONE) return status;
        take<0>(step.size, s, h, StageSum<double>{step.y, step.slope(1), step.trial, step.stage});
    }
    for (int i = 0; i < step.size; ++i) step.y_new[i] = step.trial[i];
    if (step.is_too_large()) return BLOW_UP;
    if (!system.project(step.t_new, step.y_new)) return PROJECTION_FAILED;
    const Status status = system.slope(step.t_new, step.y_new, false, step.slope(12));
    if (status != DONE) return status;
    step.hermite(step.k, step.slope(12));
    ++step.steps;
    return DONE;
}

}  // namespace dalembert::rk4
