// The change of speeds in an impact.
//
// Errata to ZhangMei (2.1): v⁺ = v⁻ + Δv, M Δv = CᵀΛ, with B v⁺ = 0 for bilateral and held rows, 0 ≤ Λ ⊥ γ⁺ + e γ⁻ ≥ 0
// for a contact, r⁺ = −e r⁻ for the rates that it reverses, and Coulomb's cone for its slip. A friction pressed by a
// given, finite force has no impulse. One pressed by a constraint keeps rolling inside its cone. Poisson's law:
// compression with e = 0, then at least e Λ again. The paper's law keeps every slip at its value before the impact.
//
// If constraints, slips or reversed rates are not linear in the speeds, C(v) turns while v goes from v⁻ to v⁺, and one
// linear problem is not enough (errata to ZhangMei (2.10)). The laws and the rates to be reversed keep their values from
// before the impact. dv/ds is the change that the linear problem at v gives, with s from 0 to 1.
#pragma once

#include "../rk4.hpp"
#include "mode.hpp"

namespace dalembert {

constexpr int PATH = 256;  // steps through an impact

template <class M>
HD bool governed_by(const Law<M>& law, int which) {
    return any_of(law.c.contacts, [&](int i) { return law.k.contact[i].involved && law.contact(i).law == which; });
}

// Rows of the problem: contacts, the rates that they reverse, their slips, and frictions that roll under a constraint.
template <class M>
HD APART void impact_rows(const Law<M>& law, bool paper) {
    Contacts& k = law.k;
    ConeProblem& p = k.problem;
    p.begin();
    for (int i = 0; i < law.c.contacts; ++i)
        if (k.contact[i].involved) p.add_contact(law.contact(i).row, i);
    const int contacts = p.contacts;
    for (int at = 0; at < contacts; ++at) {
        const ContactLaw& one = law.contact(p.which[at]);
        for (int x = 0; x < one.reverses_count; ++x) p.add_group(one.reverses_start + x, 1, at, -1 - p.which[at]);
    }
    for (int j = 0; j < (paper ? 0 : law.c.frictions); ++j) {
        const FrictionLaw& f = law.friction(j);
        const int owner = f.presser == BY_CONTACT ? p.place_of(f.pressed_by) : -1;
        if (f.presser == BY_CONTACT ? owner < 0 : f.presser != BY_CONSTRAINT || k.friction[j].mode != STICK) continue;
        p.add_group(f.slip_start, f.slip_count, owner, j);
    }
}

// The restitution of a row of an impact; 0 for slips.
template <class M>
HD double rebound(const Law<M>& law, int force) {
    const ConeProblem& p = law.k.problem;
    if (force < p.contacts) return law.restitution(p.which[force]);
    for (const Group& g : p.all_groups())
        if (g.who < 0 && g.start == force) return law.restitution(-1 - g.who);
    return 0.0;
}

// Poisson's second phase: e times the impulses of compression again, and more if a contact still closes. The sum of
// impulses is in the problem's `total`, scaled.
template <class M>
HD APART int expand(const Law<M>& law) {
    ConeProblem& p = law.k.problem;
    for (int i = 0; i < p.size; ++i) p.w0[i] = p.best_answer[i];
    for (int f = 0; f < p.size; ++f) {
        const double again = p.total[f] * rebound(law, f);
        for (int i = 0; i < p.size; ++i) p.w0[i] += p.W(i, f) * again;
        for (Group& g : p.all_groups())  // the share of the contact presses its friction too
            if (g.who >= 0 && g.owner >= 0) g.normal += g.press[f] * again;
        p.bound[f] = again;
    }
    for (Group& one : p.all_groups()) {
        if (one.who < 0) one.rough = false, one.left = LEFT_ALONE;  // it gets its share of impulse and no more
        if (one.who >= 0) one.owner = -1;
    }
    for (int f = 0; f < p.size; ++f) p.total[f] += p.bound[f];
    return search(p);
}

// The mean of a row's rates before and after the impact.
template <class M>
HD double mean_rate(const Law<M>& law, int row) {
    return law.k.rates[row] + 0.5 * dot(law.k.F + law.c.at_A() + row * law.c.n, law.k.change, law.c.n);
}

// The impact of the contacts involved: Δv into k.change, and the impulses. The energy is the work of the impulses at
// the mean of the rates before and after. For walls at rest it is the change of the kinetic energy. With `once`
// Poisson's law has no second phase.
template <class M>
HD APART Status impact(const Law<M>& law, double& energy, bool once = false) {
    Contacts& k = law.k;
    ConeProblem& p = k.problem;
    const Counts& c = law.c;
    const bool paper = governed_by(law, ZHANG_MEI), poisson = !once && governed_by(law, POISSON);
    copy_dynamics(law);
    base_rows(law, paper);
    for (int i = 0; i < c.n; ++i) k.F[c.at_d() + i] = 0.0;
    for (int i = 0; i < c.m; ++i) k.F[c.at_b() + i] = i < c.bilateral ? -k.rates[i] : 0.0;
    impact_rows(law, paper);
    Status status = DONE;
    if (!answered_before(law)) {
        if (status = responses(law, false); status != DONE) return status;
        note_responses(law);
    }
    press(law, false);
    for (int i = 0; i < p.size; ++i)
        if (p.row[i] >= 0) p.w0[i] += k.rates[p.row[i]] * (1.0 + (poisson ? 0.0 : rebound(law, i)));
    status = status_of(solve(p));
    if (status != DONE && status != SEVERAL_STATES) return status;
    for (int f = 0; f < p.size; ++f) p.total[f] = p.best_force[f];
    if (poisson) {
        status = status_of(expand(law));
        if (status != DONE && status != SEVERAL_STATES) return status;
        for (int f = 0; f < p.size; ++f) p.total[f] += p.best_force[f];
    }
    for (int i = 0; i < c.n; ++i) {
        k.change[i] = k.U(0, i);
        for (int f = 0; f < p.size; ++f)
            if (p.row[f] >= 0) k.change[i] += p.total[f] * p.unit[f] * k.U(1 + f, i);
    }
    energy = 0.0;
    for (int i = 0; i < c.contacts; ++i) k.contact[i].impulse = 0.0;
    for (int f = 0; f < p.size; ++f) {
        const double impulse = p.total[f] * p.unit[f];
        if (p.row[f] >= 0) energy += impulse * mean_rate(law, p.row[f]);
        if (f < p.contacts) k.contact[p.which[f]].impulse = impulse;
    }
    for (int j = 0; j < (paper ? c.frictions : 0); ++j)  // slips that the paper's law keeps while they move (φᵀμ)
        for (int x = 0; x < law.friction(j).slip_count; ++x) {
            const int row = law.friction(j).slip_start + x;
            double impulse = k.NU(0, row);
            for (int f = 0; f < p.size; ++f)
                if (p.row[f] >= 0) impulse += p.total[f] * p.unit[f] * k.NU(1 + f, row);
            energy += impulse * mean_rate(law, row);
        }
    return DONE;
}

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
            rk4::take<0>(n, stage, LENGTH, rk4::StageSum<double>{speeds, k.change, sum, y + n});
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
