// Accelerations and forces in a mode: pulls of slips, for every kind of pressing force, and reactions of the active
// rows.
//
//     R = −μ N d along the slip rows T:   N given: d −= μ N Tᵀd;   N = λ of a row: that row's column of R loses μ Tᵀd
//
// If forces are not unique, share a cone with held rows, or turn with a slip that creeps out of its cone, cone.hpp
// finds them. Forces of slips are in the places of their rows, so generalized reactions are Aᵀν in every mode. Every
// reported force must obey its law: λ ≥ 0, |R|² + |h|² ≤ (μ_s N)², and friction never supplies power.
#pragma once

#include "cone.hpp"
#include "response.hpp"
#include "steady.hpp"

namespace dalembert {

constexpr double LAWFUL = 1e-6;  // tolerance relative to the largest force, for the error of an event's time

// Put the pulls of slips into d and R of F. Returns whether a column of R differs from its row of A.
template <class M>
HD APART bool pull(const Law<M>& law) {
    const Counts& c = law.c;
    const int n = c.n, m = c.m;
    double *F = law.s.F, *R = F + c.at_R();
    const bool bends = any_of(c.frictions, [&](int j) { return law.slips(j) && law.friction(j).presser != GIVEN; });
    for (int i = 0; i < (bends ? n : 0); ++i)
        for (int r = 0; r < m; ++r) R[i * m + r] = F[c.at_A() + r * n + i];
    for (int j = 0; j < c.frictions; ++j) {
        if (!law.slips(j)) continue;
        const FrictionLaw& f = law.friction(j);
        const int column = f.presser == BY_CONTACT ? law.contact(f.pressed_by).row : f.pressed_by;
        const double mu = law.coefficient(j);
        for (int i = 0; i < n; ++i) {
            double tangent = 0.0;
            for (int x = 0; x < f.slip_count; ++x) tangent += law.along(j, x) * F[c.at_A() + (f.slip_start + x) * n + i];
            if (f.presser == GIVEN) {
                F[c.at_d() + i] -= mu * larger(law.given_normal(j), 0.0) * tangent;
            } else {
                R[i * m + column] -= mu * (f.presser == BY_CONTACT ? 1.0 : law.k.friction[j].sign) * tangent;
            }
        }
    }
    return bends;
}

// Solve by one constrained solve. This is possible if pulls do not depend on a choice of forces.
template <class M>
HD APART Status directly(const Law<M>& law, bool fixed, bool wanted) {
    Solver& s = law.s.solver;
    ActiveRows rows = law.s.rows;
    rows.general = law.k.slides && pull(law);
    const Status status = accelerations({law.s.F, law.c, rows, fixed}, s, s.a, wanted ? s.nu : nullptr);
    if (status != DONE || !wanted) return status;
    for (int j = 0; j < law.c.frictions; ++j) {
        const FrictionLaw& f = law.friction(j);
        if (!law.slips(j)) continue;
        const double size = law.coefficient(j) * law.pressing(j, s.nu);
        for (int x = 0; x < f.slip_count; ++x) s.nu[f.slip_start + x] = -size * law.along(j, x);
    }
    return DONE;
}

// Pose the problem of the present mode: closed contacts, active frictions, slips along their directions.
template <class M>
HD APART Status pose_mode(const Law<M>& law, bool fixed) {
    Contacts& k = law.k;
    ConeProblem& p = k.problem;
    begin_problem(law);
    for (int i = 0; i < p.contacts; ++i) p.closed[i] = 1;
    if (const Status status = accelerated_responses(law, fixed); status != DONE) return status;
    press(law, true);
    normalize(p);
    for (Group& one : p.all_groups()) {
        const Friction& friction = k.friction[one.who];
        one.mode = friction.mode, one.sign = friction.sign;
        one.forced = friction.mode == SLIP && friction.from_rest != CREEPS;
        one.bend = one.forced || friction.mode != SLIP ? 0.0 : friction.turning * law.slip_size(one.who) / p.rate[one.start];
        for (int x = 0; x < (friction.mode == SLIP ? one.dim : 0); ++x) one.along[x] = one.given[x] = law.along(one.who, x);
    }
    return DONE;
}

// Accelerations and multipliers from the problem's forces, into the solver.
template <class M>
HD APART void gather(const Law<M>& law, const double* force) {
    const Contacts& k = law.k;
    const ConeProblem& p = k.problem;
    Solver& s = law.s.solver;
    for (int i = 0; i < law.c.n; ++i) s.a[i] = k.U(0, i);
    for (int i = 0; i < law.c.m; ++i) s.nu[i] = k.NU(0, i);
    for (int f = 0; f < p.size; ++f) {
        const double size = force[f] * p.unit[f];
        for (int i = 0; i < (p.row[f] >= 0 ? law.c.n : 0); ++i) s.a[i] += size * k.U(1 + f, i);
        for (int i = 0; i < law.c.m; ++i) s.nu[i] += size * (p.row[f] >= 0 ? k.NU(1 + f, i) : k.loose(f, i));
    }
    for (int f = 0; f < p.size; ++f)
        if (p.row[f] >= 0) s.nu[p.row[f]] = force[f] * p.unit[f];
}

// Solve by cone.hpp. The ranks of the direct solve are restored afterwards.
template <class M>
HD APART Status by_forces(const Law<M>& law, bool fixed) {
    Contacts& k = law.k;
    Solver& s = law.s.solver;
    const int rank = s.rank, left = s.left_rank;
    const Status status = pose_mode(law, fixed);
    ConeProblem& p = k.problem;
    if (status == DONE) {
        if (!cone::attempt(p, fixed ? p.size - k.nullity : -1, false)) return NONFINITE;
        if (!fixed) k.nullity = p.nullity;
        k.largest_margin = k.margin ? p.energy * cone::largest_margin(p) : INF;
        gather(law, p.force);
    }
    s.rank = rank, s.left_rank = left;
    return status;
}

template <class M>
HD APART Status accelerate_in_mode(System<M>& system, bool fixed, bool wanted) {
    const Law<M> law(system);
    Contacts& k = law.k;
    const int asked = asked_for(fixed, wanted);
    if (k.slides) system.laws();
    const bool cones = k.bent || (wanted && k.nullity > 0);
    const Status status = cones ? by_forces(law, fixed) : directly(law, fixed, wanted);
    if (!k.kept) return status;
    const Solver& s = system.solver;
    k.kept->known = status == DONE ? k.kept->known | asked : 0;
    for (int i = 0; i < law.c.n; ++i) k.kept->a[i] = s.a[i];
    for (int i = 0; i < (wanted ? law.c.m : 0); ++i) k.kept->nu[i] = s.nu[i];
    k.kept->rank = s.rank, k.kept->left = s.left_rank;
    return status;
}

// Find which forces of the mode are not unique, at a state on its constraints. Call `accelerate` afterwards.
template <class M>
HD APART Status analyse(const Law<M>& law) {
    Contacts& k = law.k;
    ConeProblem& p = k.problem;
    law.share_nothing();
    if (k.kept) k.kept->known = 0;
    k.bent = any_of(law.c.frictions, [&](int j) {
        return law.slips(j) && (law.friction(j).held_count > 0 || k.friction[j].from_rest == CREEPS);
    });
    if (k.unbound) return DONE;
    if (const Status status = pose_mode(law, false); status != DONE) return status;
    cone::linear(p, -1);
    k.nullity = p.nullity;
    if (p.nullity == 0) return DONE;
    for (int i = 0; i < p.contacts; ++i) {
        k.contact[p.which[i]].shared = cone::moves(p, i);
        k.margin = k.margin || cone::moves(p, i);
    }
    for (const Group& one : p.all_groups()) {
        const bool moves = cone::moves_friction(p, one);
        k.friction[one.who].shared = moves;
        k.margin = k.margin || (moves && !(one.mode == STICK && one.rough));
        k.bent = k.bent || (one.mode == SLIP && cone::moves_along(p, one.press));
    }
    return DONE;
}

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
