// Natural sizes of a motion's components, so that no tolerance is a number of metres.
//
// An angle, a coordinate inside a sine or cosine, has the natural size 1. All others share one length L: the largest
// of |q|, and of the radius of gyration √(I/m) between angles and lengths. A model at rest at its origin has none of
// them; then |v| T and |a| T² count, T the duration. Speeds have the size of a coordinate times one rate ω, the largest
// of |v|/L, √(|a|/L) and, if the system is at rest, 1/T. A first-order state has its own size at the start, or |ṡ|/ω.
// The same problem in other units has the same sizes in those.
#pragma once

#include "system.hpp"

namespace dalembert {

HD inline void raise(double& most, double value) {
    if (finite(value) && value > most) most = value;
}

// The length that all coordinates share that are no angles. F is of the dynamics at y.
HD APART inline double natural_length(const Counts& c, const int* angles, const double* y, const double* F, const double* a,
                                double duration) {
    const int n = c.n;
    double q = 0.0, v = 0.0, acceleration = 0.0, mass = 0.0, inertia = 0.0;
    for (int i = 0, place = 0; i < n; ++i) {
        double& own = angles[i] ? inertia : mass;
        own = larger(own, fabs(F[place]));
        place += c.symmetric ? n - i : n + 1;
        if (angles[i]) continue;
        q = larger(q, fabs(y[i])), v = larger(v, fabs(y[n + i])), acceleration = larger(acceleration, fabs(a[i]));
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

constexpr double HELD_STILL = 1e-9;  // of the free acceleration: where reactions hold all still, less is rounding

// The largest |d_i| / D_ii: what forces alone would do.
HD inline double free_acceleration(const Counts& c, const double* F) {
    double found = 0.0;
    int place = 0;
    for (int i = 0; i < c.n; ++i) {
        if (F[place] > 0.0) found = larger(found, fabs(F[c.at_d() + i]) / F[place]);
        place += c.symmetric ? c.n - i : c.n + 1;
    }
    return found;
}

// Of every component of y into `out`, with the accelerations that the constraints leave at t; those of a system with
// contacts count if there are any. The system is as it was made, and its own sizes are not touched.
template <class M>
HD APART Status natural_sizes(System<M>& system, double t, const double* y, double duration, double* out) {
    const Counts& c = system.counts;
    const int n = c.n;
    system.load(t, y);
    system.dynamics();
    double* a = system.solver.a;
    const Status status = accelerations(system.F, c, system.rows, false, system.solver, a, system.solver.nu, false);
    if (status != DONE && !system.touches()) {
        for (int i = 0; i < c.inputs(); ++i) system.bad[i] = system.x[i];
        return status;
    }
    const double least = HELD_STILL * free_acceleration(c, system.F);
    for (int i = 0; i < n; ++i)
        if (status != DONE || !finite(a[i]) || fabs(a[i]) <= least) a[i] = 0.0;
    const int* angles = system.model->angles;
    bool lengths = false;
    for (int i = 0; i < n; ++i) lengths = lengths || !angles[i];
    const double length = lengths ? natural_length(c, angles, y, system.F, a, duration) : 1.0;
    double rate = 0.0;
    for (int i = 0; i < n; ++i) {
        const double size = angles[i] ? 1.0 : length;
        raise(rate, fabs(y[n + i]) / size);
        raise(rate, sqrt(fabs(a[i]) / size));
    }
    if (!(rate > 0.0)) rate = duration > 0.0 ? 1.0 / duration : 1.0;
    for (int i = 0; i < n; ++i) {
        const double size = larger(angles[i] ? 1.0 : length, 1e-300);
        out[i] = size, out[n + i] = rate * size;
    }
    for (int i = 2 * n; i < 2 * n + c.extra; ++i) out[i] = larger(fabs(y[i]), 1.0);
    if (c.states == 0) return DONE;
    double* sizes = out + 2 * n + c.extra;
    system.model->rates(system.x, sizes);
    for (int i = 0; i < c.states; ++i) {
        const double own = fabs(y[2 * n + c.extra + i]), found = own > 0.0 ? own : fabs(sizes[i]) / rate;
        sizes[i] = finite(found) && found > 0.0 ? found : 1.0;
    }
    return DONE;
}

}  // namespace dalembert
