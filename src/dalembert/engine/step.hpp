// One step: where it began, its slopes, where it ended, and the interpolant between. Every stepper fills the same one.
#pragma once

#include "memory.hpp"
#include "status.hpp"

namespace dalembert {

constexpr int SLOPES = 16;  // of DOP853 with dense output, the most of all steppers
constexpr int TERMS = 8;    // of the interpolant
constexpr double FLOOR = 1e-3;       // of its natural size: a smaller component is held to an absolute error
constexpr double TOO_LARGE = 1e100;
constexpr double LEAP = 1e3;         // errors by which a projection may move the end of a step

struct Step {
    int size;
    double t, t_new;
    double start, end;  // of the motion
    double h;           // to try next; 0: not known
    double h_max, h_limit;
    double tolerance;
    double *y, *y_new;
    double* largest;  // that each component has been
    double* natural;  // the system's sizes of the components
    double *k, *dense;
    double *stage, *unprojected, *seen, *trial, *fifth, *third;
    long steps = 0, rejected = 0;
    int narrowed = 0;  // steps made again because a guard was not followed

    HD static Step in(Block& block, int size, double* natural) {
        Step s;
        s.size = size;
        s.natural = natural;
        double** vectors[] = {&s.y, &s.y_new, &s.largest, &s.stage, &s.unprojected, &s.seen, &s.trial, &s.fifth, &s.third};
        for (double** v : vectors) *v = block.take<double>(size + 1);
        s.k = block.take<double>(SLOPES * size + 1);
        s.dense = block.take<double>(TERMS * size + 1);
        return s;
    }

    HD double length() const { return t_new - t; }
    HD double at(double s) const { return t + s * (t_new - t); }
    HD double* slope(int s) const { return k + s * size; }
    HD double* term(int r) const { return dense + r * size; }

    // What an error of one means in component i.
    HD double scale(int i, double value) const {
        return tolerance * larger(larger(largest[i], fabs(value)), FLOOR * natural[i]);
    }

    // The interpolant at the fraction s.
    HD void between(double s, double* out) const {
        const double rest = 1.0 - s;
        const double *c0 = term(0), *c1 = term(1), *c2 = term(2), *c3 = term(3);
        const double *c4 = term(4), *c5 = term(5), *c6 = term(6), *c7 = term(7);
        for (int i = 0; i < size; ++i) {
            const double entry = ((c6[i] * s + c5[i]) * rest + c4[i]) * s;
            out[i] = c7[i] + ((((entry + c3[i]) * rest + c2[i]) * s + c1[i]) * rest + c0[i]) * s;
        }
    }

    // A cubic in place of the interpolant: through both ends with both slopes.
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

    // Whether the projection moved the end of the step by far more than the step's error: onto another branch.
    HD bool leapt() const {
        for (int i = 0; i < size; ++i)
            if (!(fabs(y_new[i] - unprojected[i]) <= LEAP * scale(i, unprojected[i]))) return true;
        return false;
    }

    // The shortest step that is still one.
    HD double shortest() const { return larger(16.0 * EPSILON * fabs(t), 1e-15 * (end - start)); }
};

}  // namespace dalembert
