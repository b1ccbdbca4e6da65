// Events: impacts, cascades that end, slips that stop, and the mode that follows.
#pragma once

#include "impact.hpp"
#include "watch.hpp"
#include "../desk.hpp"
#include "../whole_course.hpp"

namespace dalembert {

template <class M>
HD int first_involved(const Law<M>& law) {
    for (int i = 0; i < law.c.contacts; ++i)
        if (law.k.contact[i].involved) return i;
    return -1;
}

// Apply the impact of the contacts involved to the speeds in y, which was surveyed, and record it unless `inelastic`.
template <class Motion>
HD APART Status collide(Motion& m, Desk& desk, double* y, bool inelastic) {
    Law<typename Motion::Kind> law(m.system);
    Contacts& k = law.k;
    const int n = law.c.n, size = m.step.size;
    if (inelastic) law.forget_restitution();
    double energy = 0.0;
    Status status = impact(law, energy);
    if (status != DONE) return status;
    for (int i = 0; i < size; ++i) k.event[i] = y[i];
    for (int i = 0; i < n; ++i) y[n + i] += k.change[i];
    const bool turning = turns(law, m.step.t, y);
    if (turning) {
        if (status = pass_through(law, m.step.t, y); status != DONE) return status;
        energy = gained(m.system, k.event, y);
    }
    double level = 0.0, strongest = 0.0, rounding = 0.0;
    for (int i = 0; i < law.c.contacts; ++i) {
        const double impulse = k.contact[i].impulse;
        level = larger(level, fabs(impulse * k.rates[law.contact(i).row]));
        strongest = larger(strongest, impulse);
    }
    const ConeProblem& p = k.problem;
    for (int f = 0; f < p.size; ++f)
        if (p.row[f] >= 0) rounding += TINY * fabs(p.total[f] * p.unit[f]) * law.rate_scale(p.row[f]);
    if (energy > 1e-9 * level + rounding && !turning && !governed_by(law, ZHANG_MEI)) {
        m.system.solver.row = first_involved(law);
        return ENERGY_GAIN;
    }
    if constexpr (Motion::Kind::ALL_STEPPERS)
        if (!inelastic && m.course) status = whole_course::cross(m.system, *m.course, m.step.t, k.event, y);
    if (status != DONE) return status;
    for (int i = 0; i < (inelastic ? 0 : law.c.contacts); ++i)
        if (k.contact[i].impulse > TINY * strongest)
            record(desk, {m.step.t, k.contact[i].impulse, energy, 0.0, IMPACT, i}, k.event, y, size);
    return DONE;
}

// Bring a slip with |c| = ε to rest: find the short time δ and impulse P with c + ċδ + W(P + μNδ ĉ) = 0, |P| = μNδ.
template <class Motion>
HD APART Status stop_planar_slip(Motion& m, double* y, int j) {
    constexpr double ONE_WAY = 1e-12;  // of (tr W)²: if det W is smaller, only one slip direction is free
    Law<typename Motion::Kind> law(m.system);
    Contacts& k = law.k;
    System<typename Motion::Kind>& s = m.system;
    const int n = law.c.n, row = law.friction(j).slip_start;
    s.load(m.step.t, y);
    Status status = s.accelerate(false, true);
    if (status != DONE) return status;
    const double length = law.slip_size(j);
    if (length == 0.0) return DONE;
    const double pull = sqrt(sum_of_squares(s.solver.nu + row, 2)), c0 = law.slip(j, 0), c1 = law.slip(j, 1);
    s.dynamics();  // the solve may have changed F
    double rate[2];
    for (int x = 0; x < 2; ++x)
        rate[x] = dot(s.F + law.c.at_A() + (row + x) * n, s.solver.a, n, -s.F[law.c.at_b() + row + x]);
    for (int i = 0; i < n; ++i) k.change[i] = s.solver.a[i];
    copy_dynamics(law);
    k.base_count = s.rows.count;
    for (int i = 0; i < k.base_count; ++i) k.base[i] = k.active[i];
    k.problem.begin();
    k.problem.add_group(row, 2, -1, -1);
    if (status = responses(law, false); status != DONE) return status;
    const Matrix& W = k.problem.W;
    // the rate of the slip without this friction's pull
    rate[0] += pull * (W(0, 0) * c0 + W(0, 1) * c1) / length, rate[1] += pull * (W(1, 0) * c0 + W(1, 1) * c1) / length;
    const double det = W(0, 0) * W(1, 1) - W(0, 1) * W(1, 0), trace = W(0, 0) + W(1, 1);
    if (!(trace > 0.0)) return DONE;
    double p0 = -c0 / trace, p1 = -c1 / trace, r0 = -rate[0] / trace, r1 = -rate[1] / trace;
    if (det > ONE_WAY * trace * trace) {  // otherwise every possible slip is along c, and W c = (tr W) c
        p0 = (W(0, 1) * c1 - W(1, 1) * c0) / det, p1 = (W(1, 0) * c0 - W(0, 0) * c1) / det;
        r0 = (W(0, 1) * rate[1] - W(1, 1) * rate[0]) / det, r1 = (W(1, 0) * rate[0] - W(0, 0) * rate[1]) / det;
    }
    const double square_ = r0 * r0 + r1 * r1 - pull * pull, cross = p0 * r0 + p1 * r1, rest = p0 * p0 + p1 * p1;
    const double root = cross * cross - square_ * rest;
    if (root < 0.0 || square_ >= 0.0) return DONE;  // it cannot stop; the next mode decides
    const double delta = (-cross - sqrt(root)) / square_;
    for (int i = 0; i < n; ++i) {
        double change = delta * k.change[i];
        change += k.U(1, i) * (p0 + r0 * delta + pull * delta * c0 / length);
        change += k.U(2, i) * (p1 + r1 * delta + pull * delta * c1 / length);
        y[i] += delta * (y[n + i] + 0.5 * change);
        y[n + i] += change;
    }
    m.step.t += delta;
    return DONE;
}

// Stop planar slips that are almost zero when one of them stops, as at a table's legs: all stop together, by the
// smallest change of speeds. False if it stops alone.
template <class Motion>
HD APART bool stop_together(Motion& m, double* y, int first) {
    constexpr double AS_GOOD = 10.0;  // times the size at which a slip stops: below this, a slip stops too
    Law<typename Motion::Kind> law(m.system);
    law.survey(m.step.t, y);
    bool several = false;
    for (int j = 0; j < law.c.frictions; ++j) {
        Friction& one = law.k.friction[j];
        one.was = one.mode;
        const bool slow = law.slips_in_plane(j) && law.slip_size(j) <= AS_GOOD * one.still;
        if (j != first && slow) one.resting = several = true;
    }
    if (several) {
        for (int j = 0; j < law.c.frictions; ++j)
            if (law.k.friction[j].resting && law.friction(j).slip_count == 2) law.k.friction[j].mode = STICK;
        law.enter_mode();
        m.system.correct(m.step.t, y, true);
        for (int j = 0; j < law.c.frictions; ++j) law.k.friction[j].mode = law.k.friction[j].was;
        law.enter_mode();
    }
    return several;
}

// Whether a planar slip leaves its cone without acceleration. It does if the kinetic friction equals the static one.
//
// Then ċ = s κ d, with s the time since. Near c = 0 the direction c/|c| is as stiff as 1/s², so d is the direction of ċ
// until the slip is large enough. The directions of c and ċ differ by a term of order s, which changes c by order s³.
template <class M>
HD bool creeps(const Law<M>& law, int j) {
    const bool left = law.friction(j).slip_count == 2 && law.k.friction[j].left;
    return left && !(law.static_coefficient(j) > (1.0 + 1e-9) * law.coefficient(j));
}

// The acceleration |w| of a planar slip that begins from rest, if it is small compared with μ N W; otherwise 0.
//
// From c = 0 the direction obeys s dθ/ds = −(μ N W/|w|) θ, with s the time since. For small |w| this is stiff on every
// scale, and no explicit step is short enough. Such a slip begins like one that creeps. Below FAINT, |w| is rounding: the
// slip may have begun and stopped within a first step.
template <class M>
HD APART double slow_start(const Law<M>& law, int j) {
    constexpr double SMALL = 0.2;  // of μ N W: above this, explicit steps are stable
    const ConeProblem& p = law.k.problem;
    for (int g = 0; g < p.groups && law.friction(j).slip_count == 2; ++g) {
        const Group& one = p.best[g];
        if (one.who != j || one.mode != SLIP) continue;
        const int i = one.start;
        const double N = dot(one.press, p.best_force, p.size, p.group[g].normal);
        const double w = sqrt(sum_of_squares(p.best_answer + i, 2));
        return w < SMALL * one.kinetic * fabs(N) ? larger(w, FAINT) * p.rate[i] : 0.0;
    }
    return 0.0;
}

// Record events for changes of the mode, and note the guards that are zero at the beginning of the next step.
template <class Motion>
HD APART void note_changes(Motion& m, Desk& desk, const double* y) {
    constexpr double CREEP = 1e-6;  // fraction of a step in which a slip creeps out of its cone
    constexpr double FIRST = 1e-8;  // of its terms: size of a slow slip after its first step
    Law<typename Motion::Kind> law(m.system);
    const double t = m.step.t, shortest = CREEP * m.step.h;
    const bool struck = first_involved(law) >= 0;
    for (int i = 0; i < law.c.contacts; ++i) {
        const Contact& one = law.k.contact[i];
        const bool begins = one.mode == OPEN && (one.was == CLOSED || one.involved);
        m.guards.power[law.c.guards + i] = !begins ? 0 : one.candidate || one.leaves ? 3 : 1;
        if (one.mode != one.was)
            record(desk, {t, 0.0, 0.0, 0.0, one.mode == CLOSED ? CONTACT_MADE : LIFTOFF, i}, y, y, m.step.size);
    }
    for (int j = 0; j < law.c.frictions; ++j) {
        Friction& one = law.k.friction[j];
        const bool starts = one.mode == SLIP && one.resting;
        const bool creeps_on = one.from_rest == CREEPS && one.was == SLIP && one.mode == SLIP && !one.resting && !struck;
        int& power = m.guards.power[law.c.guards + law.c.contacts + j];
        power = 0;
        if (!creeps_on) one.from_rest = MOVING, one.turning = 0.0;
        if (one.mode == SLIP) one.still = STOPPED * TINY * law.slip_scale(j);
        if (starts) {
            power = one.was == SLIP ? 1 : 2, one.from_rest = STARTED;
            const double slow = slow_start(law, j);
            if (creeps(law, j)) one.from_rest = CREEPS, m.step.h = shortest;
            else if (slow > 0.0) {
                const double first = FIRST * law.slip_scale(j) / slow;
                one.from_rest = CREEPS, power = 1, m.step.h = m.step.h > 0.0 ? smaller(m.step.h, first) : first;
            }
        }
        if (one.mode != OFF && (one.mode != one.was || starts))
            record(desk, {t, 0.0, 0.0, one.along[0], one.mode == STICK ? STICKS : SLIPS, j}, y, y, m.step.size);
    }
}

// Find the directions of creeping slips at a state, with the forces of the present mode. If these have no solution, the
// directions of the last step remain.
template <class Motion>
HD APART void find_directions(Motion& m, const double* y) {
    Law<typename Motion::Kind> law(m.system);
    if (!any_of(law.c.frictions, [&](int j) { return law.slips(j) && law.k.friction[j].from_rest == CREEPS; })) return;
    law.survey(m.step.t, y);
    if (m.system.accelerate(false, false) != DONE) return;
    for (const Group& g : law.k.problem.all_groups())
        for (int x = 0; x < 2 && cone::turns(g); ++x) law.k.friction[g.who].along[x] = g.along[x];
}

// Find the mode after an event, and record the changes.
template <class Motion>
HD APART Status go_on(Motion& m, Desk& desk, double* y) {
    Law<typename Motion::Kind> law(m.system);
    Contacts& k = law.k;
    find_directions(m, y);
    law.survey(m.step.t, y);
    for (int i = 0; i < law.c.contacts; ++i) {
        Contact& one = k.contact[i];
        one.was = one.mode;
        one.candidate = (one.mode == CLOSED || one.involved) && !one.leaves && law.rate(i) <= law.slow(i);
    }
    for (int j = 0; j < law.c.frictions; ++j) {
        Friction& one = k.friction[j];
        one.was = one.mode;
        one.resting = one.resting || law.rests(j);
    }
    if (k.margin_left) law.survey(k.ahead_time, k.ahead);
    Status status = settle(law);
    if (status != DONE) return status;
    if (k.margin_left) {
        law.survey(m.step.t, y);
        if (status = settle_again(law); status != DONE) return status;
        for (int j = 0; j < law.c.frictions; ++j)
            k.friction[j].left = k.friction[j].left || (k.friction[j].was == STICK && k.friction[j].mode == SLIP);
    }
    note_changes(m, desk, y);
    return DONE;
}

}  // namespace dalembert
