// One step: its beginning, its slopes, its end, and the interpolant between. Every stepper fills the same struct.
#pragma once

#include "control.hpp"
#include "status.hpp"

namespace dalembert {

constexpr int SLOPES = 16;  // slopes of DOP853 with dense output, the most of all steppers
constexpr int TERMS = 8;    // terms of the interpolant
constexpr double FLOOR = 1e-3;       // of its natural size: for a smaller component the error is absolute
constexpr double TOO_LARGE = 1e100;
constexpr double LEAP = 1e3;         // times the error: how far a projection may move the end of a step

// The meaning of an error of one in every component.
template <class R>
struct Sizes {
    double tolerance;
    const R* largest;  // largest value of each component so far, at least `FLOOR` of its natural size

    HD R scale(int i, const R& value) const {
        return tolerance * larger(largest[i], size_of(value));
    }
};

// Whether the projection moved the end of the step by far more than the step's error, onto another branch.
template <int SIZE, class R>
HD inline typename NumberOf<R>::Mask has_leapt(int size, const R* y_new, const R* unprojected, const Sizes<R>& sizes) {
    typename NumberOf<R>::Mask stays = NumberOf<R>::of(0.0) == NumberOf<R>::of(0.0);
    UNROLL for (int i = 0; i < (SIZE ? SIZE : size); ++i)
        stays = stays & (size_of(y_new[i] - unprojected[i]) <= LEAP * sizes.scale(i, unprojected[i]));
    return opposite(stays);
}

// The shortest valid step from t in a motion of this duration.
template <class R>
HD inline R shortest_step(const R& t, double duration) {
    return larger(16.0 * EPSILON * size_of(t), NumberOf<R>::of(1e-15 * duration));
}

// The interpolant at the fraction s, from its terms.
template <int SIZE>
HD inline void interpolant(int dynamic, const double* dense, double s, double* out) {
    const int size = SIZE ? SIZE : dynamic;
    const double rest = 1.0 - s;
    UNROLL
    for (int i = 0; i < size; ++i) {
        const double* c = dense + i;
        const double entry = ((c[6 * size] * s + c[5 * size]) * rest + c[4 * size]) * s;
        out[i] = c[7 * size] + ((((entry + c[3 * size]) * rest + c[2 * size]) * s + c[size]) * rest + c[0]) * s;
    }
}

struct Step {
    int size;
    double t, t_new;
    double start, end;  // of the motion
    double stop = INF;  // a step ends here at the latest: the end, or an instant before it
    double grid = 0.0;  // the time from which equal steps are counted, and the number of steps before it
    long before = 0;
    double h;           // length to try next; 0: not known
    double h_max, h_limit;
    double tolerance;
    double *y, *y_new;
    double *largest, *natural;  // see `Sizes`
    double *k, *dense;
    double *stage, *unprojected, *seen, *trial;
    long steps = 0, rejected = 0;
    int narrowed = 0;  // repetitions because a guard was not followed
    const double* series = nullptr;  // coefficients of a Taylor step by powers of time: its interpolant
    int degree = 0;                  // of the series; 0: `dense` is the interpolant
    const double* shown = nullptr;   // series of the first guards, of the same degree
    int shown_count = 0;

    HD static Step in(Block& block, int size, double* natural) {
        Step s;
        s.size = size;
        s.natural = natural;
        block.each(size + 1, s.y, s.y_new, s.largest, s.stage, s.unprojected, s.seen, s.trial);
        s.k = block.take<double>(SLOPES * size + 1);
        s.dense = block.take<double>(TERMS * size + 1);
        return s;
    }

    HD double length() const { return t_new - t; }
    HD double at(double s) const { return t + s * (t_new - t); }
    HD double* slope(int s) const { return k + s * size; }
    HD double* term(int r) const { return dense + r * size; }

    // Plan a step of length h, which ends at the stop if hardly more is left. Returns whether it does.
    HD bool plan(double& h) {
        const bool last = is_last(t, h, stop);
        if (last) h = stop - t;
        t_new = last ? stop : t + h;
        return last;
    }

    // Make steps at most this long from here, and after each one twice as long again.
    HD void narrow(double length) { h_max = length, grid = t, before = steps; }
    HD void widen() {
        if (h_max >= h_limit) return;
        h_max = smaller(2.0 * larger(h_max, length()), h_limit);
        grid = t_new, before = steps;
    }

    HD Sizes<double> sizes() const { return {tolerance, largest}; }
    HD double scale(int i, double value) const { return sizes().scale(i, value); }

    // The interpolant at the fraction s.
    HD void between(double s, double* out) const {
        if (degree == 0) return interpolant<0>(size, dense, s, out);
        along_series(s * length(), out);
    }

    // The series at a time after the beginning of the step, four components side by side.
    HD void along_series(double past, double* out) const {
        int i = 0;
        for (; i + 4 <= size; i += 4) {
            double values[4] = {0.0, 0.0, 0.0, 0.0};
            for (int k = degree; k >= 0; --k)
                UNROLL for (int j = 0; j < 4; ++j) values[j] = values[j] * past + series[k * size + i + j];
            UNROLL for (int j = 0; j < 4; ++j) out[i + j] = values[j];
        }
        for (; i < size; ++i) {
            out[i] = 0.0;
            for (int k = degree; k >= 0; --k) out[i] = out[i] * past + series[k * size + i];
        }
    }

    // A cubic as the interpolant: through both ends with both slopes.
    HD void hermite(const double* slope_before, const double* slope_after) {
        const double h = length();
        for (int i = 0; i < size; ++i) {
            const double change = y_new[i] - y[i];
            term(0)[i] = change;
            term(1)[i] = h * slope_before[i] - change;
            term(2)[i] = 2.0 * change - h * (slope_after[i] + slope_before[i]);
            term(7)[i] = y[i];
            for (int r = 3; r < 7; ++r) term(r)[i] = 0.0;
        }
    }

    HD bool is_too_large() const {
        return any_of(size, [&](int i) { return !(fabs(y_new[i]) <= TOO_LARGE * larger(natural[i], 1e-300)); });
    }
    HD bool leapt() const { return has_leapt<0>(size, y_new, unprojected, sizes()); }
    HD double shortest() const { return shortest_step(t, end - start); }
};

}  // namespace dalembert
