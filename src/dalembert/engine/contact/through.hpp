// Impacts whose rows turn with the speeds: constraints, slips or reversed rates that are not linear in the speeds.
//
// C(v) turns while v goes from v⁻ to v⁺, so one linear problem is not enough (errata to ZhangMei (2.10)). The laws and
// the rates to be reversed keep their values from before the impact. dv/ds is the change that the linear problem at v
// gives, with s from 0 to 1.
#pragma once

#include "../rk4.hpp"
#include "impact.hpp"

namespace dalembert {

constexpr int PATH = 256;  // steps through an impact

// Whether the rates after an impact, at y, differ from those of its linear problem.
template <class M>
HD APART bool turns(const Law<M>& law, double t, const double* y) {
    const Contacts& k = law.k;
    const int n = law.c.n;
    law.s.load(t, y);
    law.s.velocity();
    return any_of(law.c.m, [&](int r) {
        double rate = k.rates[r], scale = fabs(k.rates[r]);
        for (int i = 0; i < n; ++i) {
            const double entry = k.F[law.c.at_A() + r * n + i], change = entry * k.change[i];
            rate += change;
            scale += fabs(change) + 1e-3 * fabs(entry) * larger(fabs(y[n + i]), USUAL * law.s.natural[n + i]);
        }
        return fabs(law.s.at_velocity[r] - rate) > 1e-10 * scale;
    });
}

// The speeds after the impact into y, by the Runge–Kutta method of order four. Impulses are averaged along the path.
template <class M>
HD APART Status pass_through(Law<M>& law, double t, double* y) {
    Contacts& k = law.k;
    const int n = law.c.n;
    double *speeds = k.path, *sum = k.path + n, *impulse = k.path + 2 * n;
    constexpr double LENGTH = 1.0 / PATH;
    for (int r = 0; r < law.c.m; ++r) k.path_rates[r] = r >= law.c.bilateral ? k.rates[r] : 0.0;
    for (int i = 0; i < law.c.laws(); ++i) k.path_laws[i] = law.s.at_laws[i];
    for (int i = 0; i < n; ++i) sum[i] = k.event[n + i];
    for (int i = 0; i < law.c.contacts; ++i) impulse[i] = 0.0;
    for (int step = 0; step < PATH; ++step) {
        for (int i = 0; i < n; ++i) y[n + i] = speeds[i] = sum[i];
        for (int stage = 0; stage < rk4::STAGES; ++stage) {
            law.survey(t, y);
            for (int r = 0; r < law.c.m; ++r) k.rates[r] = k.path_rates[r];
            for (int i = 0; i < law.c.laws(); ++i) law.s.at_laws[i] = k.path_laws[i];
            double energy = 0.0;
            if (const Status status = impact(law, energy); status != DONE) return status;
            for (int i = 0; i < law.c.contacts; ++i) impulse[i] += rk4::weight(stage) * LENGTH * k.contact[i].impulse;
            rk4::take<0>(n, stage, LENGTH, rk4::Stage<double>{speeds, k.change, sum, y + n});
        }
    }
    for (int i = 0; i < n; ++i) y[n + i] = sum[i];
    for (int i = 0; i < law.c.contacts; ++i) k.contact[i].impulse = impulse[i];
    return DONE;
}

// The gain of kinetic energy since the state `before`, with D in F: ½ Δvᵀ D (v⁺ + v⁻).
template <class M>
HD APART double gained(System<M>& s, const double* before, const double* y) {
    const int n = s.counts.n;
    double sum = 0.0;
    unpack(s.F, n, s.counts.symmetric, s.solver.D);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            sum += 0.5 * s.solver.D(i, j) * (y[n + i] - before[n + i]) * (y[n + j] + before[n + j]);
    return sum;
}

}  // namespace dalembert
