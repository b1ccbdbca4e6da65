// One step of DOP853 with step control, stiffness test and dense output.
//
// Hairer, Nørsett, Wanner, Solving Ordinary Differential Equations I, section II.10. Departures: the end of an accepted
// step is projected before its slope is taken; a stage without a value shrinks the step instead of ending the motion;
// an error counts against the largest value that its component has had.
//
// SIZE is the number of components where it is known to the compiler, else 0.
#pragma once

#include "control.hpp"
#include "dop853_table.hpp"
#include "step.hpp"

namespace dalembert::dop853 {

// Σ_j A[S][j] k_j, component i.
template <int S, int J = 0>
HD inline double weighted(const double* k, int size, double sum = 0.0) {
    if constexpr (J == S) {
        return sum;
    } else if constexpr (A[S][J] == 0.0) {
        return weighted<S, J + 1>(k, size, sum);
    } else {
        return weighted<S, J + 1>(k, size, sum + A[S][J] * k[J * size]);
    }
}

// Slopes k[S … LAST−1] of a step of h from y.
template <int SIZE, int S, int LAST, class System>
HD inline Status stages(System& system, const Step& step, double h) {
    if constexpr (S == LAST) {
        return DONE;
    } else {
        const int size = SIZE ? SIZE : step.size;
        for (int i = 0; i < size; ++i) step.stage[i] = step.y[i] + h * weighted<S>(step.k + i, size);
        const Status status = system.slope(step.t + C[S] * h, step.stage, true, step.slope(S));
        return status != DONE ? status : stages<SIZE, S + 1, LAST>(system, step, h);
    }
}

// The end of the step as the new state, and its error in units of the tolerance.
template <int SIZE>
HD inline double error_of(const Step& step, double h) {
    const int size = SIZE ? SIZE : step.size;
    double fifth = 0.0, third = 0.0;
    for (int i = 0; i < size; ++i) {
        double move = 0.0, five = 0.0, three = 0.0;
        const double* k = step.k + i;
        for (int s = 0; s < STAGES; ++s) {
            if (s > 0 && s < 5) continue;  // stages two to five serve the others alone
            move += B[s] * k[s * size], five += E5[s] * k[s * size], three += E3[s] * k[s * size];
        }
        const double end = step.y[i] + h * move;
        step.y_new[i] = end;
        const double scale = step.scale(i, end);
        fifth += square(five / scale), third += square(three / scale);
    }
    const double below = fifth + 0.01 * third;
    return below <= 0.0 ? 0.0 : fabs(h) * fifth / sqrt(below * size);
}

// Hairer's guess of the first step, from the sizes of y, ẏ and a difference of slopes.
template <class System>
HD double first_step(System& system, const Step& step) {
    const int size = step.size;
    const double span = step.end - step.t, least = 1e-6 * span;
    double y_size = 0.0, f_size = 0.0, change = 0.0;
    for (int i = 0; i < size; ++i) {
        const double scale = step.scale(i, 0.0);
        y_size += square(step.y[i] / scale), f_size += square(step.k[i] / scale);
    }
    double h = f_size <= 1e-10 / square(span) || y_size <= 1e-10 ? least : 0.01 * sqrt(y_size / f_size);
    h = smaller(smaller(h, span), step.h_max);
    for (int i = 0; i < size; ++i) step.stage[i] = step.y[i] + h * step.k[i];
    if (system.slope(step.t + h, step.stage, true, step.slope(1)) != DONE) return 0.01 * h;
    for (int i = 0; i < size; ++i) change += square((step.slope(1)[i] - step.k[i]) / step.scale(i, 0.0));
    const double steepest = larger(sqrt(change) / h, sqrt(f_size)) / sqrt(static_cast<double>(size));
    // in units of the span, so that the guess does not depend on the unit of time
    const double h1 = steepest * span <= 1e-15 ? larger(least, h * 1e-3)
                                               : span * eighth_root_of_inverse(100.0 * steepest * span);
    return smaller(smaller(100.0 * h, h1), smaller(span, step.h_max));
}

// Whether all slopes of the step have the same accelerations: then it is a parabola, as in free flight.
HD inline bool uniform(const Step& step, int n) {
    for (int s = 1; s <= STAGES; ++s)
        for (int i = n; i < step.size; ++i)
            if (step.slope(s)[i] != step.k[i]) return false;
    return true;
}

// The three further slopes and the coefficients of the interpolant.
template <int SIZE, class System>
HD Status prepare_dense(System& system, const Step& step, double h) {
    const int size = SIZE ? SIZE : step.size;
    const bool curved = !uniform(step, system.counts.n);
    if (curved) {
        const Status status = stages<SIZE, STAGES + 1, 16>(system, step, h);
        if (status != DONE) return status;
    }
    for (int i = 0; i < size; ++i) {
        const double* k = step.k + i;
        const double change = step.y_new[i] - step.y[i];
        step.term(0)[i] = change;
        step.term(1)[i] = h * k[0] - change;
        step.term(2)[i] = 2.0 * change - h * (k[STAGES * size] + k[0]);
        step.term(7)[i] = step.y[i];
        for (int r = 0; r < 4; ++r) {
            double entry = 0.0;
            if (curved)
                for (int s = 0; s < 16; ++s) {
                    if (s > 0 && s < 5) continue;
                    entry += D[r][s] * k[s * size];
                }
            step.term(3 + r)[i] = h * entry;
        }
    }
    return DONE;
}

// Counts of steps at the border of stability.
struct Stiffness {
    int stiff = 0, calm = 0;
    double patience = INF;  // steps that a stiff motion may still need before it is told
};

// Hairer's test, with f at the end against the last stage: |h λ| beyond the border of stability again and again.
HD inline bool is_stiff(const Step& step, const double* last_stage, double h, Stiffness& state) {
    double above = 0.0, below = 0.0;
    for (int i = 0; i < step.size; ++i) {
        above += square(step.slope(STAGES)[i] - step.slope(STAGES - 1)[i]);
        below += square(step.unprojected[i] - last_stage[i]);
    }
    if (below > 0.0 && h * sqrt(above / below) > 6.1) {
        state.calm = 0;
        ++state.stiff;
    } else if (++state.calm == 6) {
        state.stiff = 0;
    }
    return state.stiff >= 15 && (step.end - step.t) / h > state.patience;
}

// One accepted step, its slope at the end in k[12]; with dense output where it ends after `dense_before`.
template <int SIZE, class System>
HD Status advance(System& system, Step& step, Stiffness& stiffness, double dense_before) {
    if (step.h <= 0.0) step.h = first_step(system, step);
    const double t = step.t, shortest = step.shortest();
    bool rejected = false;
    Status reason = UNDERFLOW_OF_STEP;
    while (true) {
        double h = smaller(step.h, step.h_max);
        const bool last = is_last(t, h, step.end);
        if (last) h = step.end - t;
        if (h < shortest && !last) return reason;
        Status status = stages<SIZE, 1, STAGES>(system, step, h);
        const double error = status == DONE ? error_of<SIZE>(step, h) : INF;
        if (error < 1.0) {
            step.t_new = last ? step.end : t + h;
            double big = 0.0;
            for (int i = 0; i < step.size; ++i) {
                step.unprojected[i] = step.y_new[i];
                big = larger(big, fabs(step.y_new[i]) / larger(step.natural[i], 1e-300));
            }
            if (big > TOO_LARGE) return BLOW_UP;
            if (!system.project(step.t_new, step.y_new) || step.leapt()) status = PROJECTION_FAILED;
            bool stiff = false;
            if (status == DONE) {
                for (int i = 0; i < step.size; ++i) step.trial[i] = step.stage[i];
                status = system.slope(step.t_new, step.y_new, false, step.slope(STAGES));
                stiff = status == DONE && is_stiff(step, step.trial, h, stiffness);
            }
            if (status == DONE && dense_before < step.t_new) status = prepare_dense<SIZE>(system, step, h);
            if (status == DONE) {
                const double factor = growth(error, rejected);
                if (!last || factor < 1.0) step.h = h * factor;
                ++step.steps;
                return stiff ? IS_STIFF : DONE;
            }
        }
        rejected = true;
        ++step.rejected;
        reason = status != DONE ? status : UNDERFLOW_OF_STEP;
        step.h = status != DONE ? 0.25 * h : h * shrinkage(error);
    }
}

template <class System>
HD Status step_of(System& system, Step& step, Stiffness& stiffness, double dense_before) {
    switch (step.size) {
        case 2: return advance<2>(system, step, stiffness, dense_before);
        case 4: return advance<4>(system, step, stiffness, dense_before);
        case 6: return advance<6>(system, step, stiffness, dense_before);
        case 8: return advance<8>(system, step, stiffness, dense_before);
        case 10: return advance<10>(system, step, stiffness, dense_before);
        case 12: return advance<12>(system, step, stiffness, dense_before);
        case 16: return advance<16>(system, step, stiffness, dense_before);
        default: return advance<0>(system, step, stiffness, dense_before);
    }
}

}  // namespace dalembert::dop853
