// The natural length of a model's coordinates (scales.hpp), and the size of a row's terms, for motions and their starts.
#pragma once

#include "model.hpp"

namespace dalembert {

HD inline void raise(double& most, double value) {
    if (finite(value) && value > most) most = value;
}

constexpr double USUAL = 1e-2;  // of its natural size: a component counts at least this much

// The size of the terms of row · y; its rounding is relative to it.
HD inline double terms_of(const double* row, const double* y, const double* natural, int n) {
    double sum = 0.0;
    for (int j = 0; j < n; ++j) sum += fabs(row[j]) * larger(fabs(y[j]), USUAL * natural[j]);
    return sum;
}

// The data for natural sizes at one state. `a` and `rates` may be null for the sizes of coordinates alone.
struct Sizing {
    const int* angles;
    const double *y, *F, *rates;  // F of the dynamics, rates of the states
    double* a;
    double duration;
    double* out;  // a size for every component of y
};

// Write the natural sizes of the coordinates into `out`. All that are not angles share one length.
//
// It is 1 if nothing has a length, and for a model of angles alone.
HD APART inline void natural_places(const Counts& c, const Sizing& s) {
    const int n = c.n;
    double q = 0.0, v = 0.0, acceleration = 0.0, mass = 0.0, inertia = 0.0;
    for (int i = 0; i < n; ++i) {
        double& own = s.angles[i] ? inertia : mass;
        own = larger(own, fabs(s.F[c.diagonal(i)]));
        if (s.angles[i]) continue;
        q = larger(q, fabs(s.y[i])), v = larger(v, fabs(s.y[n + i]));
        acceleration = larger(acceleration, s.a ? fabs(s.a[i]) : 0.0);
    }
    double length = 0.0;
    raise(length, q);
    if (mass > 0.0) raise(length, sqrt(inertia / mass));
    if (!(length > 0.0)) {
        raise(length, v * s.duration);
        raise(length, acceleration * (s.duration * s.duration));
    }
    if (!(length > 0.0)) length = 1.0;
    for (int i = 0; i < n; ++i) s.out[i] = larger(s.angles[i] ? 1.0 : length, 1e-300);
}

}  // namespace dalembert
