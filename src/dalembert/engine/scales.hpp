// Natural sizes of a motion's components, so that no tolerance is a number of metres.
//
// An angle, a coordinate inside a sine or cosine, has the natural size 1. All others share one length L: the largest
// of |q|, and of the radius of gyration √(I/m) between angles and lengths. A model at rest at its origin has none of
// them; then |v| T and |a| T² count, T the duration. Speeds have the size of a coordinate times one rate ω, the largest
// of |v|/L, √(|a|/L) and, if the system is at rest, 1/T. The same problem in other units has the same sizes in those.
#pragma once

#include "system.hpp"

namespace dalembert {

HD inline void raise(double& most, double value) {
    if (finite(value) && value > most) most = value;
}

// What sizes are found from, at one state. Of the accelerations, those that count are left.
struct Sizing {
    const int* angles;
    const double *y, *F;  // F of the dynamics
    double* a;
    double duration;
    double* out;  // a size for every component of y
};

// The length that all coordinates share that are no angles.
HD APART inline double natural_length(const Counts& c, const Sizing& s) {
    const int n = c.n;
    double q = 0.0, v = 0.0, acceleration = 0.0, mass = 0.0, inertia = 0.0;
    for (int i = 0, place = 0; i < n; ++i) {
        double& own = s.angles[i] ? inertia : mass;
        own = larger(own, fabs(s.F[place]));
        place += c.symmetric ? n - i : n + 1;
        if (s.angles[i]) continue;
        q = larger(q, fabs(s.y[i])), v = larger(v, fabs(s.y[n + i])), acceleration = larger(acceleration, fabs(s.a[i]));
    }
    double found = 0.0;
    raise(found, q);
    if (mass > 0.0) raise(found, sqrt(inertia / mass));
    if (!(found > 0.0)) {
        raise(found, v * s.duration);
        raise(found, acceleration * (s.duration * s.duration));
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

HD APART inline void natural_sizes(const Counts& c, const Sizing& s) {
    const int n = c.n;
    const double least = HELD_STILL * free_acceleration(c, s.F);
    bool lengths = false;
    for (int i = 0; i < n; ++i) {
        if (!finite(s.a[i]) || fabs(s.a[i]) <= least) s.a[i] = 0.0;
        lengths = lengths || !s.angles[i];
    }
    const double length = lengths ? natural_length(c, s) : 1.0;
    double rate = 0.0;
    for (int i = 0; i < n; ++i) {
        const double size = s.angles[i] ? 1.0 : length;
        raise(rate, fabs(s.y[n + i]) / size);
        raise(rate, sqrt(fabs(s.a[i]) / size));
    }
    if (!(rate > 0.0)) rate = s.duration > 0.0 ? 1.0 / s.duration : 1.0;
    for (int i = 0; i < n; ++i) {
        const double size = larger(s.angles[i] ? 1.0 : length, 1e-300);
        s.out[i] = size, s.out[n + i] = rate * size;
    }
    for (int i = 2 * n; i < c.size(); ++i) s.out[i] = larger(fabs(s.y[i]), 1.0);
}

// The same with the accelerations that the constraints leave at t; those of a system with contacts count if there are
// any. The system is as it was made, and its own sizes are not touched.
template <class M>
HD APART Status natural_sizes(System<M>& system, double t, const double* y, double duration, double* out) {
    const Counts& c = system.counts;
    system.load(t, y);
    system.dynamics();
    double* a = system.solver.a;
    const Status status = accelerations(system.F, c, system.rows, false, system.solver, a, system.solver.nu, false);
    if (status != DONE && !system.touches()) {
        for (int i = 0; i < c.inputs(); ++i) system.bad[i] = system.x[i];
        return status;
    }
    for (int i = 0; i < (status == DONE ? 0 : c.n); ++i) a[i] = 0.0;
    natural_sizes(c, {system.model->angles, y, system.F, a, duration, out});
    return DONE;
}

}  // namespace dalembert
