// The natural length of a model's coordinates (scales.hpp), and the size of a row's terms, for motions and their starts.
#pragma once

#include "memory.hpp"

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

// The length shared by all coordinates that are not angles. F is the dynamics at y. `a` may be null.
//
// It is 1 if nothing has a length, and for a model of angles alone.
HD APART inline double natural_length(int n, bool symmetric, const int* angles, const double* y, const double* F,
                                      const double* a, double duration) {
    double q = 0.0, v = 0.0, acceleration = 0.0, mass = 0.0, inertia = 0.0;
    for (int i = 0, place = 0; i < n; ++i) {
        double& own = angles[i] ? inertia : mass;
        own = larger(own, fabs(F[place]));
        place += symmetric ? n - i : n + 1;
        if (angles[i]) continue;
        q = larger(q, fabs(y[i])), v = larger(v, fabs(y[n + i])), acceleration = larger(acceleration, a ? fabs(a[i]) : 0.0);
    }
    double found = 0.0;
    raise(found, q);
    if (mass > 0.0) raise(found, sqrt(inertia / mass));
    if (!(found > 0.0)) {
        raise(found, v * duration);
        raise(found, acceleration * (duration * duration));
    }
    return found > 0.0 ? found : 1.0;
}

// Write the natural sizes of the coordinates into `out`.
HD inline void natural_places(int n, bool symmetric, const int* angles, const double* y, const double* F, const double* a,
                              double duration, double* out) {
    const double length = natural_length(n, symmetric, angles, y, F, a, duration);
    for (int i = 0; i < n; ++i) out[i] = larger(angles[i] ? 1.0 : length, 1e-300);
}

}  // namespace dalembert
