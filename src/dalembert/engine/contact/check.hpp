// Every reported force must obey its law: λ ≥ 0, |R|² + |h|² ≤ (μ_s N)², and friction never supplies power.
#pragma once

#include "force.hpp"

namespace dalembert {

constexpr double LAWFUL = 1e-6;  // tolerance relative to the largest force, for the error of an event's time

// Check the forces at a state on the constraints of its mode, and leave them in the solver. With `always` they are
// computed even if no contact or friction acts. After LAW_BROKEN the solver's row is the contact, or contacts +
// friction.
template <class M>
HD APART Status lawful(Law<M>& law, double t, const double* y, bool always) {
    const Contacts& k = law.k;
    System<M>& s = law.s;
    bool on = always;
    for (int i = 0; i < law.c.contacts; ++i) on = on || k.contact[i].mode == CLOSED;
    for (int j = 0; j < law.c.frictions; ++j) on = on || k.friction[j].mode != OFF;
    if (!on) return DONE;
    s.load(t, y);
    s.laws();
    const Status status = s.accelerate(true, true);
    if (status != DONE) return status;
    const double* nu = s.solver.nu;
    double largest = 0.0;
    for (int i = 0; i < law.c.m; ++i) largest = larger(largest, fabs(nu[i]));
    const double tiny = LAWFUL * largest;
    for (int i = 0; i < law.c.contacts; ++i) {
        if (k.contact[i].mode == OPEN || nu[law.contact(i).row] >= -tiny) continue;
        s.solver.row = i;
        return LAW_BROKEN;
    }
    for (int j = 0; j < law.c.frictions; ++j) {
        const FrictionLaw& f = law.friction(j);
        const Friction& one = k.friction[j];
        if (one.mode == OFF || (one.mode == STICK && f.rough)) continue;
        const double N = law.pressing(j, nu);
        double sum = 0.0, power = 0.0;
        for (int x = 0; x < f.slip_count; ++x) {
            sum += square(nu[f.slip_start + x]);
            if (one.mode == SLIP) power += nu[f.slip_start + x] * law.slip(j, x);
        }
        for (int x = 0; x < f.held_count; ++x) sum += square(nu[f.held_start + x]);
        const double mu = one.mode == STICK ? law.static_coefficient(j) : law.coefficient(j);
        const double least = 1e3 * TINY * law.slip_scale(j);
        if (sqrt(sum) <= mu * larger(N, 0.0) + tiny && power <= least * largest) continue;
        s.solver.row = law.c.contacts + j;
        return LAW_BROKEN;
    }
    return DONE;
}

}  // namespace dalembert
