// One step by the Taylor series of the motion, for long and exact motions of small systems.
//
// Jorba and Zou, A software package for the numerical integration of ODEs by means of high-order Taylor methods,
// Experimental Mathematics 14 (2005). The program's jet gives y[k] = y⁽ᵏ⁾/k! up to the order K at the beginning of a
// step. With s_i the size of component i and ε the tolerance, the length is
//
//     h = 0.95 ε^(1/K) min ρ_k over the last four orders,   ρ_k = (max_i |y_i[k]| / s_i)^(−1/k)
//
// so that the last term kept is as large as the error allowed, and those left out are smaller. Four orders are looked at
// because a symmetric start makes some vanish: a pendulum at rest that lies level is a series in t⁴. There is nothing to
// reject: the length is known before the step is made. The series is the interpolant.
#pragma once

#include "control.hpp"
#include "step.hpp"
#include "system.hpp"

namespace dalembert::taylor {

constexpr double CAUTION = 0.95;
constexpr int LOOKED_AT = 4;  // orders, the last ones

struct Room {
    int order;
    double *jet, *series;

    HD static Room in(Block& block, const Counts& c) {
        const long rows = c.jet_order > 0 ? c.jet_order + 1 : 0;
        return {c.jet_order, block.take<double>(rows * c.size() + 2), block.take<double>(rows * c.size() + 1)};
    }
};

// The radius of convergence as the coefficients of one order show it; infinity where they vanish.
HD inline double radius(const Step& step, const double* coefficients, int order) {
    double largest = 0.0;
    for (int i = 0; i < step.size; ++i) {
        const double relative = step.tolerance * fabs(coefficients[i]) / step.scale(i, step.y[i]);
        if (!(relative <= largest)) largest = relative;  // lets NaN through
    }
    return largest > 0.0 ? exp(-log(largest) / order) : largest == 0.0 ? INF : 0.0;
}

// The series with powers of h in it, the end of the step, and the slope there.
HD APART inline void sum_up(Step& step, const Room& room, double h) {
    const int size = step.size, K = room.order;
    double power = 1.0;
    for (int k = 0; k <= K; ++k) {
        for (int i = 0; i < size; ++i) room.series[k * size + i] = power * room.jet[k * size + i];
        power *= h;
    }
    double* slope = step.slope(12);
    for (int i = 0; i < size; ++i) {
        const double* c = room.series + i;
        double value = c[K * size], rate = K * c[K * size];
        for (int k = K - 1; k >= 1; --k) value += c[k * size], rate += k * c[k * size];
        step.y_new[i] = c[0] + value;
        slope[i] = rate / h;
    }
    step.series = room.series;
    step.degree = K;
}

// One step; NOT_CONVERGED where the series has no value here, and another stepper has to make it.
template <class M>
HD APART Status advance(System<M>& system, Step& step, const Room& room) {
    const int size = step.size, K = room.order;
    system.load(step.t, step.y);
    ++system.evaluations;
    system.model->jet(system.x, room.jet);
    if (room.jet[(K + 1) * size] != 1.0) return NOT_CONVERGED;
    double near = INF;
    for (int k = K - LOOKED_AT + 1; k <= K; ++k) near = smaller(near, radius(step, room.jet + k * size, k));
    const double share = CAUTION * exp(log(step.tolerance) / K);
    double h = smaller(smaller(share * near, step.h_max), step.stop - step.t);
    if (!(h >= step.shortest())) return NOT_CONVERGED;
    for (int attempt = 0; attempt < 8; ++attempt, h *= 0.5) {
        const bool last = is_last(step.t, h, step.stop);
        if (last) h = step.stop - step.t;
        sum_up(step, room, h);
        step.t_new = last ? step.stop : step.t + h;
        for (int i = 0; i < size; ++i) step.unprojected[i] = step.y_new[i];
        if (system.project(step.t_new, step.y_new) && !step.leapt()) {
            step.h = h;
            ++step.steps;
            return DONE;
        }
    }
    return NOT_CONVERGED;
}

}  // namespace dalembert::taylor
