// The loop over steps, with the events, samples and records of each, until it must return to the caller. A smooth
// motion is one without contacts.
#pragma once

#include "contact/course.hpp"
#include "contact/parabola.hpp"
#include "crawl.hpp"
#include "dop853.hpp"
#include "gauss.hpp"
#include "guards.hpp"
#include "kinks.hpp"
#include "radau.hpp"
#include "rk4.hpp"
#include "settings.hpp"
#include "system.hpp"
#include "taylor.hpp"
#include "whole_course.hpp"

namespace dalembert {

// A trial of implicit steps: its beginning and the evaluations before it.
struct Trial {
    double since;
    long evaluations;
    int steps;
};

constexpr double STALLED = 1e-9;        // a motion must advance by this fraction of itself
constexpr long LONGEST_STALL = 20'000;  // in this many steps, or it is stuck

// Checks that a motion with contacts or kinks advances: a cascade without a law of decay may never end.
struct Patience {
    double reached;
    long made;

    HD bool ends(const Step& step) {
        if (step.t - reached > STALLED * (step.end - step.start)) reached = step.t, made = step.steps;
        return step.steps - made > LONGEST_STALL;
    }
};

template <class M>
struct Motion {
    using Kind = M;
    System<M> system;
    Step step;
    Guards guards;
    dop853::Stiffness stiffness;
    gauss::Room gauss_room;
    radau::Room radau_room;
    taylor::Room taylor_room;
    whole_course::Room* course = nullptr;  // of the whole-course description; null: segmented
    double* parabolas = nullptr;  // of steps with constant accelerations
    int stepper;
    bool automatic;
    bool fresh = true;
    int at_once = 0;             // further events at the instant of the last one
    double last_event = -INF;
    int failed_guard = 0;        // the guard whose root ended the motion
    int switches = 0;            // changes of the stepper
    double explicit_rate = 0.0;  // evaluations of the explicit stepper for each unit of time
    Trial trial = {0.0, 0, 0};
    Crawl crawl;
    Patience patience = {-INF, 0};

    HD APART static Motion in(Block& block, const M* model) {
        Motion m;
        m.system = System<M>::in(block, model);
        const int size = model->counts.size();
        m.step = Step::in(block, size, m.system.natural);
        m.guards = Guards::in(block, model->counts.all_guards());
        if constexpr (M::ALL_STEPPERS) {
            m.gauss_room = gauss::Room::in(block, model->counts);
            m.radau_room = radau::Room::in(block, size);
            m.taylor_room = taylor::Room::in(block, model->counts);
        }
        if (model->counts.uniform) m.parabolas = block.take<double>(3 * (size + m.guards.count) + 1);
        return m;
    }

    HD APART void set(const Settings& s, const double* y, const double* natural) {
        step.t = step.t_new = step.start = s.start;
        step.end = s.end;
        step.grid = s.start;
        patience = {s.start, 0};
        step.tolerance = s.tolerance;
        step.h = s.stepper == GAUSS ? s.longest : 0.0;
        step.h_max = step.h_limit = s.longest;
        taylor_room.set(s.tolerance);
        stepper = s.stepper;
        automatic = s.automatic != 0;
        stiffness = dop853::Stiffness::of(s);
        if constexpr (!M::ALL_STEPPERS) stiffness.slips = dop853::STIFF_SLIPS_ALONE;
        for (int i = 0; i < step.size; ++i) {
            step.y[i] = y[i];
            step.largest[i] = FLOOR * natural[i];
        }
        system.measure(natural);
        for (int g = 0; g < guards.count; ++g) guards.greatest[g] = 0.0;
        guards.forget_roots();
    }

    // The state at the fraction s of the step just made, on the constraints.
    HD APART bool state_at(double s, double* out) {
        const double* exact = s >= 1.0 ? step.y_new : s <= 0.0 ? step.y : nullptr;
        if (exact) {
            for (int i = 0; i < step.size; ++i) out[i] = exact[i];
            return true;
        }
        if constexpr (M::ALL_STEPPERS)
            if (stepper == GAUSS) return gauss::symmetric(system, step, gauss_room, step.at(s) - step.t, out) == DONE;
        step.between(s, out);
        return system.project(step.at(s), out);
    }

    // Whether the series of all guards show that none has a root in the step.
    HD APART bool all_stay() {
        for (int g = 0; g < guards.count; ++g) {
            if (!taylor::stays(step, g, guards.power[g], false)) return false;
            guards.greatest[g] = larger(guards.greatest[g], fabs(step.shown[g]));
        }
        guards.hit_count = 0;
        return true;
    }

    // Find the roots of all guards in the step. If there are too many, CONTINUE asks to repeat the step, shorter.
    HD APART Status find_roots() {
        auto guards_at = [&](double s) {
            system.load(step.at(s), step.seen);
            return system.guards();
        };
        auto see = [&](double s) -> const double* {
            if (stepper != GAUSS && s < 1.0) step.between(s, step.seen);
            else if (!state_at(s, step.seen)) return nullptr;
            return guards_at(s);
        };
        auto look = [&](double s, int i) { return state_at(s, step.seen) ? guards_at(s)[i] : NOT_A_NUMBER; };
        const double known = all_stay() ? 1.0 : search(guards, step, see, look);
        if (known >= 1.0) {
            step.widen();
            return DONE;
        }
        --step.steps;
        step.narrow(0.99 * known * step.length());
        return CONTINUE;
    }

    // Project the state at this instant, and record the samples here. False if it cannot be projected.
    HD APART bool set_out(Desk& desk) {
        if (!system.project(step.t, step.y)) return false;
        for (int i = 0; i < step.size; ++i) step.largest[i] = larger(step.largest[i], fabs(step.y[i]));
        sample_here(*this, desk);
        return true;
    }

    // Begin at the start: project the state, record samples at that instant, compute the slope.
    HD APART Status begin(Desk& desk) {
        if (!set_out(desk)) return PROJECTION_FAILED;
        see_guards();
        for (int g = 0; g < guards.count; ++g) guards.power[g] = guards.power[g] || system.at_guards[g] == 0.0;
        return system.slope(step.t, step.y, false, step.k);
    }

    // At a knot of data or an instant of controllers: apply their changes, and compute the slope from here.
    HD APART Status arrive(Desk& desk) {
        for (int g = 0; g < system.counts.guards; ++g) guards.power[g] = 0;
        see_guards();
        for (int g = 0; g < system.counts.guards; ++g) guards.values[g] = system.at_guards[g];
        for (int i = 0; i < step.size; ++i) step.trial[i] = step.y[i];
        const bool jumps = system.arrive(step.t, step.y, false);
        if (jumps && keep_jumps(desk)) return STOPPED_BY_EVENT;
        if constexpr (M::SWITCHED) {  // after a jump other branches may hold
            if (jumps && system.touches()) find_branches(system, step.t, step.y);
            const Status sides = jumps && !system.touches() ? begin_kinks(*this, desk) : DONE;
            if (sides != DONE) return sides;
        }
        radau_room.turn();
        step.grid = step.t, step.before = step.steps;
        if (system.touches()) return go_on_from(*this, desk, jumps);
        if (!set_out(desk)) return PROJECTION_FAILED;
        return system.slope(step.t, step.y, false, step.k);
    }

    // Evaluate the model's guards at the beginning of a step.
    HD void see_guards() {
        if (system.counts.guards == 0) return;
        system.load(step.t, step.y);
        system.guards();
    }

    // Record guards whose sign a jump has changed since guards.values. Returns whether one ends the motion. The state
    // before the jump is in step.trial.
    HD APART bool keep_jumps(Desk& desk) {
        see_guards();
        for (int g = 0; g < system.counts.guards; ++g) {
            const double was = guards.values[g], is = system.at_guards[g];
            guards.power[g] = is == 0.0;
            const int kind = system.model->guard_kinds[g];
            if (!(was * is < 0.0) || kind == FAILS || kind == SWITCHES) continue;
            record(desk, {step.t, 0.0, 0.0, is > 0.0 ? 1.0 : -1.0, CROSSING, g}, step.trial, step.y, step.size);
            if (kind != STOPS) continue;
            failed_guard = g;
            return true;
        }
        return false;
    }

    // Count an event at the present time. Returns the number of those before it at the same instant.
    HD int count_event() {
        at_once = step.t == last_event ? at_once + 1 : 0;
        last_event = step.t;
        return at_once;
    }

    // The end of the step becomes the beginning of the next.
    HD APART void commit(Desk& desk) {
        if (desk.record) {
            double* row = desk.record + desk.recorded++ * (2 + TERMS * step.size);
            row[0] = step.t, row[1] = step.t_new;
            for (int i = 0; i < TERMS * step.size; ++i) row[2 + i] = step.dense[i];
        }
        for (int i = 0; i < step.size; ++i) {
            step.y[i] = step.y_new[i];
            step.k[i] = step.slope(12)[i];
            step.largest[i] = larger(step.largest[i], fabs(step.y_new[i]));
        }
        step.t = step.t_new;
        guards.forget_roots();
    }

    // Whether a step uses the series: if requested, or when its turn comes. Before, in between and if the series has no
    // value, steps of DOP853 test whether the motion is stiff. Records need DOP853's interpolant.
    HD bool goes_by_series(const Desk& desk) const {
        if (taylor_room.order == 0 || !system.is_unbound()) return false;
        return stepper == TAYLOR || (stepper == DOP853 && automatic && !desk.record && taylor::has_its_turn(step.steps));
    }

    HD APART Status make_step(const Desk& desk) {
        const bool stale = step.degree > 0 && step.series == taylor_room.jet;  // a step by the series leaves no slope
        step.degree = 0;
        step.stop = smaller(step.end, system.next_stop());
        if (stepper == RK4) return rk4::advance(system, step);
        if constexpr (M::ALL_STEPPERS) {
            if (course && system.contacts.contact[0].mode == OPEN) return whole_course::advance(system, step, *course);
            if (stepper == GAUSS) return gauss::advance(system, step, gauss_room);
            const bool by_series = goes_by_series(desk);
            if (by_series) {
                const Status status = taylor::advance(system, step, taylor_room);
                if (status != NOT_CONVERGED) return status;
                step.degree = 0;
            }
            if (stale || by_series) {
                if (const Status known = system.slope(step.t, step.y, false, step.k); known != DONE) return known;
            }
            if (stepper == RADAU) {
                const double guess = step.h > 0.0 ? step.h : 0.1 * dop853::first_step(system, step);
                return radau::advance(system, step, radau_room, guess);
            }
        }
        if (goes_in_parabolas(*this, desk)) return parabola(*this);
        const bool always = guards.count > 0 || desk.record;
        const double next = desk.sampled < desk.sample_count ? desk.sample_times[desk.sampled] : INF;
        return dop853::step_of(system, step, stiffness, always ? -INF : next);
    }

    // Continue a stiff motion with Radau, as long as that needs fewer evaluations. An oscillation that only seems stiff
    // must be resolved by either stepper.
    HD void turn_implicit(double length) {
        explicit_rate = 15.0 / length;
        stepper = RADAU;
        radau_room.forget();
        trial = {step.t, system.evaluations, 0};
        ++switches;
    }

    HD void be_explicit() {
        stepper = DOP853;
        stiffness.stiff = 0;
        ++switches;
    }

    HD APART void look_back() {
        if (++trial.steps < 20) return;
        const double rate = static_cast<double>(system.evaluations - trial.evaluations) / (step.t - trial.since);
        if (rate > 2.0 * explicit_rate) {
            be_explicit();
            stiffness.patience = larger(4.0 * stiffness.patience, 1.0);
            step.h = 15.0 / explicit_rate;
        }
        trial = {step.t, system.evaluations, 0};
    }

    HD APART Status run(Desk& desk, long most) {
        if (fresh) {
            system.arrive(step.t, step.y, true);
            Status status = DONE;
            if constexpr (M::SWITCHED)
                if (!system.touches()) status = begin_kinks(*this, desk);
            if (status == DONE) status = system.touches() ? begin_with_contacts(*this, desk) : begin(desk);
            if (status != DONE) return status;
            fresh = false;
        }
        const Counts& c = system.counts;
        const int room = guards.hit_room + 4 * (c.contacts + c.frictions) + c.switches;
        const bool may_stall = system.touches() || c.switches > 0;
        for (long round = 0; round < most; ++round) {
            if (may_stall && patience.ends(step)) return system.touches() ? STUCK : KINK_STUCK;
            if (desk.event_room - desk.event_count < room) return NEED_ROOM;
            if (step.t >= system.next_stop()) {
                if (const Status status = arrive(desk); status != DONE) return status;
            }
            if (step.t >= step.end) return FINISHED;
            if (desk.record && desk.recorded >= desk.record_room) return NEED_ROOM;
            const Status status = make_step(desk);
            if constexpr (M::SWITCHED)
                if (c.switches > 0 && !system.touches() && status != DONE && status != IS_STIFF) {
                    if (const Status beyond = step_over(*this, desk, status); beyond != DONE) return beyond;
                    continue;
                }
            const bool fails = status != DONE && (status != IS_STIFF || !M::ALL_STEPPERS);
            const int row = !fails ? crawl.row(system, step, step.seen) :
                            status <= NOT_CONVERGED ? crawl.row_at_rest(system, step, step.seen) : -1;
            if (row >= 0) {
                system.solver.row = row;
                return ROW_TURNS;
            }
            if (fails) return status;
            const double length = step.length();
            const Status after = follow(*this, desk);
            if (after != DONE && after != CONTINUE) return after;
            if (system.touches()) {
                change_stepper(*this, status == IS_STIFF, length);
            } else if (automatic && after == DONE) {
                if (stepper == RADAU) look_back();
                if (status == IS_STIFF) turn_implicit(length);
            }
        }
        return step.t >= step.end && step.t < system.next_stop() ? FINISHED : CONTINUE;
    }
};

}  // namespace dalembert
