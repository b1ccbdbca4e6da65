// A motion with contacts and frictions: the functions that the loop over steps calls.
//
// A motion stays in a mode until a guard of that mode falls to zero. All roots of every guard inside a step are
// isolated, and the earliest ends the step. If a guard is zero just after an event (the gap after an impact, a slip
// that starts), that root is divided out of the guard in the next step, so that it does not trigger again.
#pragma once

#include "cascade.hpp"
#include "../kinks.hpp"
#include "creep.hpp"
#include "search.hpp"

namespace dalembert {

constexpr int SAME_INSTANT = 200;  // events at one instant after which a motion counts as stuck
constexpr double CLEARLY = 1e-5;   // relative to the forces: a margin this far below zero separates slips from sticks

// Record one sample, whose state is already written: its mode, and its forces (NaN where a smooth motion has none).
template <class Motion>
HD APART Status sampled(Motion& m, Desk& desk, double t) {
    Law<typename Motion::Kind> law(m.system);
    const int n = law.c.n, count = n + law.c.reactions;
    const double* y = desk.samples + desk.sampled * m.step.size;
    double* forces = desk.forces ? desk.forces + desk.sampled * count : nullptr;
    bool known = true;
    Status status = DONE;
    if (m.system.touches()) {
        mark_mode(law, desk.modes + desk.sampled * (law.c.contacts + law.c.frictions));
        status = lawful(law, t, y, forces != nullptr);
    } else if (forces) {
        m.system.load(t, y);
        known = m.system.accelerate(false, true) == DONE;
    }
    ++desk.sampled;
    const Solver& s = m.system.solver;
    for (int i = 0; forces && i < count; ++i) forces[i] = !known ? NOT_A_NUMBER : i < n ? s.a[i] : s.nu[i - n];
    return status;
}

// Record the samples of the step just made, up to `until`. A sample at a stop waits until the motion has arrived there.
template <class Motion>
HD APART Status sample_up_to(Motion& m, Desk& desk, double until, bool inclusive) {
    while (desk.sampled < desk.sample_count) {
        const double at = desk.sample_times[desk.sampled];
        if (at > until || (at == until && !inclusive) || m.system.is_behind_stop(at)) return DONE;
        const double s = at >= m.step.t_new ? 1.0 : (at - m.step.t) / m.step.length();
        if (!m.state_at(s, desk.samples + desk.sampled * m.step.size)) return PROJECTION_FAILED;
        if (const Status status = sampled(m, desk, at); status != DONE) return status;
    }
    return DONE;
}

// Bounds for the differences of speeds in difference quotients: a small fraction of every planar slip.
template <class Motion>
HD APART void refine_differences(Motion& m) {
    constexpr double PART = 1e-3;
    Law<typename Motion::Kind> law(m.system);
    const int n = law.c.n;
    for (int i = 0; i < n; ++i) law.k.finest[n + i] = INF;
    if (!any_of(law.c.frictions, [&](int j) { return law.slips_in_plane(j); })) return;
    law.survey(m.step.t, m.step.y);
    for (int j = 0; j < law.c.frictions; ++j) {
        const FrictionLaw& f = law.friction(j);
        if (!law.slips_in_plane(j) || law.k.friction[j].from_rest == CREEPS) continue;
        for (int i = 0; i < n; ++i) {
            const double* entry = m.system.F + law.c.at_A() + f.slip_start * n + i;
            const double most = largest_of(2, [&](int x) { return fabs(entry[x * n]); });
            const double least = 1e-14 * larger(fabs(m.step.y[n + i]), USUAL * m.step.natural[n + i]);
            if (most > 0.0) law.k.finest[n + i] = smaller(law.k.finest[n + i], larger(PART * law.slip_size(j) / most, least));
        }
    }
}

// Record the samples at this instant, unless inputs still change at it.
template <class Motion>
HD APART Status sample_here(Motion& m, Desk& desk) {
    const Step& step = m.step;
    Status status = DONE;
    const bool changes = step.t >= m.system.next_stop();
    while (status == DONE && !changes && desk.sampled < desk.sample_count && desk.sample_times[desk.sampled] <= step.t) {
        for (int i = 0; i < step.size; ++i) desk.samples[desk.sampled * step.size + i] = step.y[i];
        status = sampled(m, desk, step.t);
    }
    return status;
}

// Enter the new mode: project the state, compute its slope, check its forces, and record the samples at this instant.
template <class Motion>
HD APART Status resume(Motion& m, Desk& desk) {
    Law<typename Motion::Kind> law(m.system);
    Step& step = m.step;
    law.enter_mode();
    if (!m.system.project(step.t, step.y)) return PROJECTION_FAILED;
    for (int i = 0; i < step.size; ++i) step.largest[i] = larger(step.largest[i], fabs(step.y[i]));
    Status status = DONE;
    if (const KeptMode* kept = law.k.kept; !(kept && kept->unique && kept->known == EVERYTHING)) {
        law.survey(step.t, step.y);
        status = analyse(law);
    }
    m.radau_room.forget();
    if (m.automatic && m.stepper != 0) m.be_explicit();
    if (status == DONE) status = m.system.slope(step.t, step.y, false, step.k);
    if (status == DONE && m.stepper != 0) refine_differences(m);
    if (status == DONE) status = lawful(law, step.t, step.y, false);
    if (status == DONE) note_mode(law);
    return status == DONE ? sample_here(m, desk) : status;
}

// Record the model's own events up to the first root that ends the step. Returns that root's place among the hits, or
// the number of hits. Crossings at the instant of a kink are recorded too.
template <class Motion>
HD APART int record_crossings(Motion& m, Desk& desk) {
    const Guards& g = m.guards;
    int first = g.hit_count;
    for (int r = 0; r < g.hit_count; ++r) {
        const Hit& hit = g.hits[r];
        if (first < r && hit.at - g.hits[first].at > ONE_INSTANT) break;
        if (hit.guard >= m.system.counts.guards) return smaller(first, r);
        const int kind = m.system.model->guard_kinds[hit.guard];
        if (kind == FAILS && hit.side > 0.0) continue;
        if (kind == SWITCHES) {
            first = smaller(first, r);
            continue;
        }
        if (kind != FAILS) {
            double* y = m.step.seen;
            m.state_at(hit.at, y);
            record(desk, {m.step.at(hit.at), 0.0, 0.0, hit.side, CROSSING, hit.guard}, y, y, m.step.size);
        }
        if (kind != RECORDED_ONLY) return r;
    }
    return first;
}

// Find a state shortly after s, still in the mode that ends there, whose forces have clearly left their cones.
template <class Motion>
HD APART void look_ahead(Motion& m, double s) {
    Law<typename Motion::Kind> law(m.system);
    Contacts& k = law.k;
    for (double moment = 1e-6; moment < 0.2; moment *= 10.0) {
        m.step.between(s + moment, k.ahead);
        k.ahead_time = m.step.at(s + moment);
        if (!m.system.project(k.ahead_time, k.ahead)) continue;
        m.system.load(k.ahead_time, k.ahead);
        if (m.system.accelerate(true, true) == DONE && k.largest_margin < -CLEARLY * k.problem.energy) return;
    }
}

// Mark the meaning of the roots at one instant. Returns the status of a failure.
template <class Motion>
HD APART Status read_hits(Motion& m, int first) {
    Law<typename Motion::Kind> law(m.system);
    Contacts& k = law.k;
    for (int r = first; r < m.guards.end_of_instant(first); ++r) {
        const Watched w(law.c, m.guards.hits[r].guard);
        if (w.contact >= 0) (k.contact[w.contact].mode == OPEN ? k.contact[w.contact].involved : k.contact[w.contact].leaves) = true;
        if (w.friction < 0) continue;
        Friction& one = k.friction[w.friction];
        if (w.part == 0) {
            one.resting = true;
            if (one.mode == STICK) {
                one.left = true;
            } else if (law.slips_in_plane(w.friction) && !stop_together(m, m.step.y, w.friction)) {
                if (const Status status = stop_planar_slip(m, m.step.y, w.friction); status != DONE) return status;
            }
        } else if (w.part == 1) {
            one.side = one.sign < 0.0 ? 1 : -1;
        } else {
            m.system.solver.row = w.friction;
            return HELD_BROKEN;
        }
    }
    return DONE;
}

// Whether frictions at rest also hold a kink that slides: then nothing determines the share that each of them carries.
template <class M>
HD APART bool held_by_frictions(const Law<M>& law, int kink) {
    const Counts& c = law.c;
    Solver& s = law.s.solver;
    int all = 0;
    auto put = [&](const double* row) {
        for (int i = 0; i < c.n; ++i) s.J(all, i) = row[i];
        s.residual[all++] = 0.0;
    };
    auto rank = [&](bool with_frictions, bool with_kink) {
        all = 0;
        for (int i = 0; i < law.s.rows.count; ++i)
            if (law.k.active[i] < c.bilateral + c.contacts) put(law.s.F + c.at_A() + law.k.active[i] * c.n);
        const int base = all;
        for (int j = 0; with_frictions && j < c.frictions; ++j)
            if (law.k.friction[j].mode != OFF && law.rests(j))
                for (int i = 0; i < law.friction(j).slip_count; ++i)
                    put(law.s.F + c.at_A() + (law.friction(j).slip_start + i) * c.n);
        if (with_frictions && all == base) return -1;
        if (with_kink) put(law.s.branches.row(kink, c.n) + 3);
        return reduce({s.J, s.residual, all, c.n, s.left_row_at, s.left_col_at});
    };
    const int resting = rank(true, false);
    return resting >= 0 && rank(true, true) == resting && rank(false, true) > rank(false, false);
}

// Decide kinks and contacts in turns until neither changes, because a sliding kink and the mode depend on each other.
// With `jumped` the speeds may have changed the sides of kinks.
template <class Motion>
HD APART Status with_kinks(Motion& m, Desk& desk, bool jumped) {
    constexpr int TURNS = 12;
    Law<typename Motion::Kind> law(m.system);
    Branches& k = m.system.branches;
    if (k.switches == 0) return DONE;
    int which = 0;
    bool settled = false;
    for (int i = 0; i < m.step.size; ++i) k.event[i] = m.step.y[i];
    keep_branches(k);
    for (int turn = 0; turn < TURNS && !settled; ++turn) {
        law.enter_mode();
        law.survey(m.step.t, m.step.y);
        Status status = analyse(law);
        if (status != DONE) return status;
        if (jumped && turn == 0) {
            k.sliding_count = 0;
            for (int i = 0; i < k.switches; ++i) k.kink[i].near = false;
            place_sides(m.system), mark_near(m.system);
        }
        law.s.load(m.step.t, m.step.y);
        status = decide(m.system, which);
        m.failed_guard = law.c.first_switch() + which;
        if (status != DONE) return status;
        law.survey(m.step.t, m.step.y);
        for (int i = 0; i < k.switches; ++i)
            if (k.kink[i].near && m.system.model->switches[i].degree == 1 && jumps_at(m.system, i) && held_by_frictions(law, i))
                return KINK_TOUCHED;
        const bool changed = any_of(k.count, [&](int i) { return k.value[i] != k.before[i]; });
        if (!changed && k.sliding_count == 0) return DONE;
        if (turn > 0 && k.sliding_count == 0) break;
        clear_marks(law);
        if (status = go_on(m, desk, m.step.y); status != DONE) return status;
        settled = all_of(law.c.contacts, [&](int i) { return law.k.contact[i].mode == law.k.contact[i].was; }) &&
                  all_of(law.c.frictions, [&](int j) { return law.k.friction[j].mode == law.k.friction[j].was; });
        if (turn == TURNS - 1 && !settled) return KINK_TOUCHED;
    }
    note_kinks(m, desk, false);
    note_beginnings(m);
    return DONE;
}

// A kink in a system with contacts: contacts that its new branch bends collide or open, and the mode is decided again.
template <class Motion>
HD APART Status over_kink(Motion& m, Desk& desk, int first) {
    Law<typename Motion::Kind> law(m.system);
    Status status = turn(m, desk, first);
    if (status == DONE) status = read_hits(m, first);
    if (status != DONE) return status;
    law.survey(m.step.t, m.step.y);
    for (int i = 0; i < law.c.contacts; ++i) {
        Contact& one = law.k.contact[i];
        const double gap = m.system.gap(i), torn = TORN * law.gap_scale(i);
        if (gap < -torn) return KINK_JUMPS;
        if (one.mode != CLOSED && !law.is_touching(i)) continue;
        one.involved = one.involved || law.rate(i) < -law.slow(i);
        one.leaves = one.leaves || (one.mode == CLOSED && (law.rate(i) > law.slow(i) || gap > torn));
    }
    const bool jumps = first_involved(law) >= 0;
    status = happen(m, desk, m.step.y);
    if (status == DONE) status = with_kinks(m, desk, jumps);
    return status == DONE ? resume(m, desk) : status;
}

// End the step at its first decisive root and apply its event.
template <class Motion>
HD APART Status break_off(Motion& m, Desk& desk, int first) {
    Law<typename Motion::Kind> law(m.system);
    Step& step = m.step;
    const Hit hit = m.guards.hits[first];
    const double t = step.at(hit.at);
    const bool own = hit.guard < law.c.guards;
    const int kind = own ? m.system.model->guard_kinds[hit.guard] : RECORDED_ONLY;
    Status status = sample_up_to(m, desk, t, own);
    if (status != DONE) return status;
    if (!m.state_at(hit.at, step.seen)) return PROJECTION_FAILED;
    clear_marks(law);
    const int end = m.guards.end_of_instant(first);
    for (int r = first; r < end; ++r)
        law.k.margin_left = law.k.margin_left || Watched(law.c, m.guards.hits[r].guard).margin;
    if (law.k.margin_left) look_ahead(m, hit.at);
    for (int i = 0; i < step.size; ++i) step.y_new[i] = step.seen[i];
    if (m.system.touches() && hit.at < FAR)  // so early in a step, rounding of the whole step hides the event
        step.h = smaller(step.h, larger(4.0 * (t - step.t), SHORTEST * step.h_limit));
    m.commit(desk);
    step.t = t;
    if constexpr (Motion::Kind::SWITCHED)
        if (kind == SWITCHES) {
            for (int r = first; r < end; ++r)
                if (m.guards.hits[r].guard < law.c.guards)
                    m.guards.power[m.guards.hits[r].guard] = 1;  // crossings at this instant are already recorded
            return m.system.touches() ? over_kink(m, desk, first) : turn(m, desk, first);
        }
    if (own) {
        m.failed_guard = hit.guard;
        return kind == FAILS ? MASS_NEGATIVE : STOPPED_BY_EVENT;
    }
    status = read_hits(m, first);
    if (status == DONE) status = happen(m, desk, step.y);
    if constexpr (Motion::Kind::SWITCHED)
        if (status == DONE) status = with_kinks(m, desk, true);
    return status == DONE ? resume(m, desk) : status;
}

// After a knot of data or an instant of controllers: find the mode that follows a jump, the slope and the samples.
template <class Motion>
HD APART Status go_on_from(Motion& m, Desk& desk, bool jumps) {
    Law<typename Motion::Kind> law(m.system);
    if (jumps) clear_marks(law);
    const Status status = jumps ? go_on(m, desk, m.step.y) : m.system.slope(m.step.t, m.step.y, false, m.step.k);
    return status != DONE ? status : jumps ? resume(m, desk) : sample_here(m, desk);
}

// Begin a motion: its first mode, impacts at the start, samples of that instant.
template <class Motion>
HD Status begin_with_contacts(Motion& m, Desk& desk) {
    if constexpr (Motion::Kind::SWITCHED) find_branches(m.system, m.step.t, m.step.y);
    Status status = first_mode(m, desk);
    const long told = desk.event_count;
    if constexpr (Motion::Kind::SWITCHED)
        if (status == DONE) status = with_kinks(m, desk, true);
    desk.event_count = told;
    return status == DONE ? resume(m, desk) : status;
}

// Very small planar slips are stiff: their directions adjust at once. Steps are then implicit; after a number of them
// explicit steps are tried again.
template <class Motion>
HD APART void change_stepper(Motion& m, bool stiff, double length) {
    constexpr int FEWEST = 100, MOST = 2000, IN_VAIN = 40;
    Contacts& k = m.system.contacts;
    if (m.stepper != 0) refine_differences(m);
    if (!m.automatic) return;
    if (m.stepper == 0 && stiff) {
        refine_differences(m);
        k.implicit_steps = m.step.steps - k.explicit_since < IN_VAIN ? smaller(2 * k.implicit_steps, MOST) : FEWEST;
        m.turn_implicit(length);
    } else if (m.stepper != 0 && ++m.trial.steps >= k.implicit_steps) {
        k.explicit_since = m.step.steps;
        m.be_explicit();
    }
}

// After a step: find its roots, record samples and events, and find the mode or the side that follows. DONE and CONTINUE
// mean that the motion goes on; after CONTINUE the step is repeated, or a new smooth piece begins.
template <class Motion>
HD APART Status follow(Motion& m, Desk& desk) {
    Law<typename Motion::Kind> law(m.system);
    const bool touches = m.system.touches();
    Status status = DONE;
    if (touches) {
        Watch<Motion> watch(m, needs_forces(law));
        status = find_roots(watch);
    } else if (m.guards.count > 0) {
        status = m.find_roots();
    }
    if (status != DONE) return status;
    if constexpr (Motion::Kind::SWITCHED) {
        status = law.c.switches > 0 ? correct_sides(m, desk) : DONE;
        if (status == CONTINUE && touches) {
            status = with_kinks(m, desk, false);
            return status == DONE ? resume(m, desk) : status;
        }
        if (status == CONTINUE) --m.step.steps;
        if (status != DONE) return status;
    }
    const int first = record_crossings(m, desk);
    if (first < m.guards.hit_count) {
        status = break_off(m, desk, first);
        if (!touches) return status == DONE ? CONTINUE : status;
        const int before = m.count_event();
        return status == DONE && before > SAME_INSTANT ? STUCK : status;
    }
    if (status = sample_up_to(m, desk, m.step.t_new, true); status != DONE) return status;
    const double h = m.step.length();
    m.commit(desk);
    return creep_on(m, h);
}

}  // namespace dalembert
