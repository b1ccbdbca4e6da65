// Every reported force must obey its law: λ ≥ 0, |R|² + |h|² ≤ (μ_s N)², and friction never supplies power.
#pragma once

#include "force.hpp"

namespace dalembert {

constexpr double LAWFUL = 1e-6;  // tolerance relative to the largest force, for the error of an event's time

// Check the forces at a state on the constraints of its mode, and leave them in the solver. With `always` they are
// computed even if nothing acts. After LAW_BROKEN the solver's row is the contact, or contacts + friction.
template <class M>
HD APART Status lawful(Law<M>& law, double t, const double* y, bool always) {
    const Contacts& k = law.k;
    System<M>& s = law.s;
    if (k.unbound && !always) return DONE;
    s.load(t, y);
    s.laws();
    if (const Status status = s.accelerate(true, true); status != DONE) return status;
    const double* nu = s.solver.nu;
    const double largest = largest_of(nu, law.c.m), tiny = LAWFUL * largest;
    for (int i = 0; i < law.c.contacts; ++i) {
        if (!law.closed(i) || nu[law.contact(i).row] >= -tiny) continue;
        s.solver.row = i;
        return LAW_BROKEN;
    }
    for (int j = 0; j < law.c.frictions; ++j) {
        const FrictionLaw& f = law.friction(j);
        const Friction& one = k.friction[j];
        if (one.mode == OFF || (one.mode == STICK && f.rough)) continue;
        const double N = law.pressing(j, nu);
        const double *slips = nu + f.slip_start, *held = nu + f.held_start;
        const double sum = dot(held, held, f.held_count, dot(slips, slips, f.slip_count));
        double power = 0.0;
        for (int x = 0; one.mode == SLIP && x < f.slip_count; ++x) power += slips[x] * law.slip(j, x);
        const double mu = one.mode == STICK ? law.static_coefficient(j) : law.coefficient(j);
        const double least = 1e3 * TINY * law.slip_scale(j);
        if (sqrt(sum) <= mu * larger(N, 0.0) + tiny && power <= least * largest) continue;
        s.solver.row = law.c.contacts + j;
        return LAW_BROKEN;
    }
    return DONE;
}

}  // namespace dalembert
