// Natural sizes of a motion's components, so that no tolerance depends on units.
//
// An angle (it turns a body, or is inside a sine or cosine) has the natural size 1. All other coordinates share one
// length L: the largest of |q|, and of the radius of gyration √(I/m) between angles and lengths. If a model at rest at
// its origin has none of these, |v| T and |a| T² are used, with T the duration. The size of a speed is that of its
// coordinate times one rate ω, the largest of |v|/L, √(|a|/L) and, if the system is at rest, 1/T. The size of a
// first-order state is its value at the start, or |ṡ|/ω. In other units the same problem has the same sizes, in those
// units.
#pragma once

#include "lengths.hpp"
#include "system.hpp"

namespace dalembert {

constexpr double HELD_STILL = 1e-9;  // of the free acceleration: if reactions hold the system still, less is rounding

// d_i / D_ii: the acceleration by forces alone; 0 if there is no mass.
HD inline double free_acceleration(const Counts& c, const double* F, int i) {
    const double mass = F[c.diagonal(i)];
    return mass > 0.0 ? F[c.at_d() + i] / mass : 0.0;
}

// The largest of them for coordinates of these sizes, in 1/s².
HD inline double largest_free_acceleration(const Counts& c, const double* F, const double* sizes) {
    double found = 0.0;
    for (int i = 0; i < c.n; ++i) raise(found, fabs(free_acceleration(c, F, i)) / sizes[i]);
    return found;
}

// The square of the largest rate at which speeds and forces alone would change coordinates of these sizes, or 1.
HD inline double free_rate(const Counts& c, const double* y, const double* F, const double* sizes) {
    double found = largest_free_acceleration(c, F, sizes);
    for (int i = 0; i < c.n; ++i) raise(found, square(y[c.n + i] / sizes[i]));
    return found > 0.0 ? found : 1.0;
}

// The natural sizes of all components. Accelerations that are rounding are set to zero.
HD APART inline void natural_sizes(const Counts& c, const Sizing& s) {
    const int n = c.n;
    natural_places(c, {s.angles, s.y, s.F, nullptr, nullptr, s.duration, s.out});
    const double least = HELD_STILL * largest_free_acceleration(c, s.F, s.out);
    for (int i = 0; i < n; ++i)
        if (!finite(s.a[i]) || fabs(s.a[i]) <= least * s.out[i]) s.a[i] = 0.0;
    natural_places(c, s);
    double rate = 0.0;
    for (int i = 0; i < n; ++i) {
        raise(rate, fabs(s.y[n + i]) / s.out[i]);
        raise(rate, sqrt(fabs(s.a[i]) / s.out[i]));
    }
    if (!(rate > 0.0)) rate = s.duration > 0.0 ? 1.0 / s.duration : 1.0;
    for (int i = 0; i < n; ++i) s.out[n + i] = larger(rate * s.out[i], 1e-300);
    for (int i = 2 * n; i < 2 * n + c.extra; ++i) s.out[i] = larger(fabs(s.y[i]), 1.0);
    for (int i = 0; i < c.states; ++i) {
        const int place = 2 * n + c.extra + i;
        const double own = fabs(s.y[place]), found = own > 0.0 ? own : fabs(s.rates[i]) / rate;
        s.out[place] = finite(found) && found > 0.0 ? found : 1.0;
    }
}

// The same with the accelerations under the constraints at t. In a system with contacts they are used only if they can
// be solved. The system is as it was made, and its own sizes do not change.
template <class M>
HD APART Status natural_sizes(System<M>& system, double t, const double* y, double duration, double* out) {
    const Counts& c = system.counts;
    const int n = c.n;
    system.load(t, y);
    system.dynamics();
    const int* angles = system.model->angles;
    natural_places(c, {angles, y, system.F, nullptr, nullptr, duration, out});
    Solver& solver = system.solver;
    double* a = solver.a;
    const double* sizes = solver.sizes;
    solver.sizes = out;
    solver.slow = free_rate(c, y, system.F, out);
    const Status status = accelerations({system.F, c, system.rows, false}, solver, a, nullptr);
    solver.sizes = sizes;
    if (status != DONE && !system.touches()) {
        for (int i = 0; i < c.inputs(); ++i) system.bad[i] = system.x[i];
        return status;
    }
    for (int i = 0; i < (status == DONE ? 0 : n); ++i) a[i] = 0.0;
    double* rates = out + 2 * n + c.extra;
    if (c.states > 0) system.model->rates(system.x, rates);
    natural_sizes(c, {angles, y, system.F, rates, a, duration, out});
    return DONE;
}

}  // namespace dalembert
