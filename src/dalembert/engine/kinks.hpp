// Kinks as events: a step ends at the zero of a kink's guard, and the side or slide that follows is decided there.
//
// Crossings that follow each other ever faster end in a slide once the path between two of them is within the
// tolerance. If a guard was zero as a step began, its side at the end of the step is checked against the decision.
#pragma once

#include "decide.hpp"
#include "strike.hpp"

namespace dalembert {

constexpr double REBOUND = 1e-6;   // of the last interval: a shorter one is a rebound of the same strike
constexpr int IN_A_ROW = 8;        // crossings, each sooner than the last, after which a kink may be rested on
constexpr int MOST_TOLD = 100;     // crossings in a row that are recorded
constexpr int KINKS_AT_ONCE = 50;  // turns at one instant after which a motion counts as stuck

// Resolve a kink: sides and slides, and impacts of the constraints that they bend. Speeds in y may change.
template <class M>
HD APART Status resolve(System<M>& s, double t, double* y, bool& jumps, int& which) {
    for (int round = 0; round < 8; ++round) {
        s.load(t, y);
        Status status = decide(s, which);
        if (status == DONE && s.branches.sliding_count == 0)
            for (int i = 0; i < s.branches.switches; ++i)  // it was not rested on
                if (s.branches.kink[i].still) s.branches.kink[i].still = false, status = CONTINUE;
        if (status == CONTINUE) continue;
        bool struck = false;
        if (status == DONE) status = strike(s, t, y, struck);
        jumps = jumps || struck || any_of(s.branches.switches, [&](int i) { return s.branches.kink[i].still; });
        if (status != DONE || !struck) return status;
        s.load(t, y);
        place_sides(s);
    }
    return KINK_STUCK;
}

// Record events for branches and slides that have changed since `before`. Of crossings in a row, each sooner than the
// last, only the first are recorded, and the slide in which they end.
template <class Motion>
HD APART void note_kinks(Motion& m, Desk& desk, bool jumps) {
    const Branches& k = m.system.branches;
    double energy = NOT_A_NUMBER;
    if (jumps) {
        m.system.load(m.step.t, m.step.y);
        m.system.model->dynamics(m.system.x, m.system.F);
        energy = gained(m.system, k.event, m.step.y);
    }
    for (int i = 0; i < k.switches; ++i) {
        const int branch = m.system.model->switches[i].branch;
        const bool slid = k.kink[i].slid, slides = k.slides(i);
        if (!k.kink[i].near || (slid == slides && (slides || k.before[branch] == k.value[branch]))) continue;
        if (!slides && k.kink[i].passes > MOST_TOLD) continue;
        const double side = slides ? 0.0 : m.system.is_above(i) ? 1.0 : -1.0;
        record(desk, {m.step.t, 0.0, energy, side, KINK, i}, k.event, jumps ? m.step.y : k.event, m.step.size);
    }
}

// Note the guards that are zero at the beginning of the next step: kinks that are near, and slides that have hardly
// begun, whose guard is the distance of the weight from the ends of [0, 1].
template <class Motion>
HD void note_beginnings(Motion& m) {
    const Branches& k = m.system.branches;
    for (int i = 0; i < k.switches; ++i) {
        const double w = k.kink[i].weight;
        m.guards.power[m.system.counts.first_switch() + i] = k.kink[i].near && (!k.slides(i) || w * (1.0 - w) <= INSIDE);
    }
}

// Decide sides and slides from the marks at step.y, then project the state and compute its slope.
template <class Motion>
HD APART Status go_over(Motion& m, Desk& desk, bool told) {
    auto& s = m.system;
    Branches& k = s.branches;
    Step& step = m.step;
    bool jumps = false;
    int which = 0;
    for (int i = 0; i < step.size; ++i) k.event[i] = step.y[i];
    Status status = resolve(s, step.t, step.y, jumps, which);
    if (status != DONE) {
        m.failed_guard = s.counts.first_switch() + which;
        return status;
    }
    if (!s.touches() && !s.project(step.t, step.y)) return PROJECTION_FAILED;
    if (told) note_kinks(m, desk, jumps);
    note_beginnings(m);
    if constexpr (Motion::Kind::ALL_STEPPERS) m.radau_room.forget();
    return s.touches() ? DONE : s.slope(step.t, step.y, false, step.k);
}

HD inline void keep_branches(Branches& k) {
    for (int i = 0; i < k.count; ++i) k.before[i] = k.value[i];
    for (int i = 0; i < k.switches; ++i) k.kink[i].slid = k.slides(i);
}

// Before a decision at step.y: keep the branches, and mark the kinks that are near.
template <class Motion>
HD void begin_decision(Motion& m) {
    m.system.load(m.step.t, m.step.y);
    keep_branches(m.system.branches);
    mark_near(m.system);
}

// Mark a kink whose guard has reached zero: the side it goes to, or that it has left its slide.
template <class Motion>
HD APART void mark_hit(Motion& m, int i, double side) {
    auto& s = m.system;
    Branches& k = s.branches;
    Kink& one = k.kink[i];
    const Switch& w = s.model->switches[i];
    one.near = true;
    if (k.slides(i) || w.degree == 0) {
        one.left = true;
        s.take_side(i, k.slides(i) ? one.weight > 0.5 : side > 0.0);
        return;
    }
    const double interval = m.step.t - one.last, *row = k.row(i, s.counts.n);
    if (one.passes == 0) {
        one.passes = 1, one.last = m.step.t;
    } else if (one.passes == 1 || interval > REBOUND * one.interval) {
        one.passes = one.passes == 1 || interval < one.interval ? one.passes + 1 : 2;
        one.interval = interval, one.last = m.step.t;
    }
    double within = 0.0;
    for (int j = 0; j < s.counts.n; ++j) within += fabs(row[3 + j]) * m.step.scale(j, 0.0);
    one.still = w.degree == 2 && one.passes >= IN_A_ROW && fabs(row[1]) * one.interval <= within;
}

// Handle the kinks whose guards were hit at the present instant, from the first of these hits on.
template <class Motion>
HD APART Status turn(Motion& m, Desk& desk, int first) {
    auto& s = m.system;
    const Guards& g = m.guards;
    begin_decision(m);
    for (int r = first; r < g.end_of_instant(first); ++r)
        if (g.hits[r].guard >= s.counts.first_switch() && g.hits[r].guard < s.counts.guards)
            mark_hit(m, g.hits[r].guard - s.counts.first_switch(), g.hits[r].side);
    m.failed_guard = g.hits[first].guard;
    return m.count_event() > KINKS_AT_ONCE ? KINK_STUCK : go_over(m, desk, true);
}

// Cross a kink after a step failed because it could not be evaluated beyond the kink, as for a root of a negative
// number. Returns the step's own status if no kink is that near.
template <class Motion>
HD APART Status step_over(Motion& m, Desk& desk, Status failed) {
    constexpr double RIGHT_BEFORE = 1e-9;
    auto& s = m.system;
    Branches& k = s.branches;
    begin_decision(m);
    bool some = false;
    for (int i = 0; i < k.switches; ++i) {
        const double* row = k.row(i, s.counts.n);
        const bool before = row[0] * row[1] < 0.0 && fabs(row[0]) <= RIGHT_BEFORE * kink_scale(s, i, false);
        if (s.model->switches[i].degree == 2 && before && !k.slides(i)) k.kink[i].near = some = true;
    }
    if (!some || ++m.at_once > KINKS_AT_ONCE) return failed;
    m.step.h = 0.0;
    return go_over(m, desk, true);
}

// Decide the first sides and slides, at the start.
template <class Motion>
HD APART Status begin_kinks(Motion& m, Desk& desk) {
    if (m.system.branches.switches == 0) return DONE;
    find_branches(m.system, m.step.t, m.step.y);
    mark_near(m.system);
    return go_over(m, desk, false);
}

// Check whether a guard that was zero as the step began has left to the wrong side; DONE if none has. Otherwise the
// side is changed, and CONTINUE asks to repeat the step.
template <class Motion>
HD APART Status correct_sides(Motion& m, Desk& desk) {
    auto& s = m.system;
    Branches& k = s.branches;
    const Guards& g = m.guards;
    const int first = s.counts.first_switch();
    s.load(m.step.t_new, m.step.y_new);
    s.guards();
    s.model->kinks(s.x, k.rows);
    for (int i = 0; i < k.switches; ++i) {
        const bool hit = any_of(g.hit_count, [&](int r) { return g.hits[r].guard == first + i; });
        const double sign = s.model->switches[i].kind == SIDE && !k.slides(i) ? s.branch(i) : 1.0;
        const double least = k.slides(i) ? INSIDE : TINY * kink_scale(s, i, false);
        if (hit || !(sign * s.at_guards[first + i] < -least)) continue;
        if (g.power[first + i] == 0) {
            m.step.h = 0.3 * m.step.length();
            return CONTINUE;
        }
        if (++m.at_once > KINKS_AT_ONCE) {
            m.failed_guard = first + i;
            return KINK_STUCK;
        }
        begin_decision(m);
        Kink& one = k.kink[i];
        one.near = one.left = true;
        s.take_side(i, k.slides(i) ? one.weight > 0.5 : !s.is_above(i));
        const Status status = go_over(m, desk, true);
        return status == DONE ? CONTINUE : status;
    }
    return DONE;
}

}  // namespace dalembert
