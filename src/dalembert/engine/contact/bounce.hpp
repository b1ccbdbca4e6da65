// Motions with contacts, one in each thread: steps of lean.hpp in a mode, and the events that are usual.
//
// M has the programs of every mode that is written out (motions/bouncing.py), and the present one:
//
//     mode, along, side             the mode's number; direction and side of every friction; `rebound` 1, or 0 for an
//                                   impact without restitution
//     slopes, correct_…             as in lean.hpp, in the present mode
//     seen(x, out)                  the model's own guards, those of the mode (watch.hpp), then 1.0 if they are valid
//     survey(x, out)                see programs/modes.py: what decides which mode follows
//     series(x, out)                with constant accelerations (QUADRATIC): a, and every guard in time, see programs/modes.py
//     strike(contact, x, out)       Δv, the gap's row, its rate, 1.0 if valid (programs/impacts.py); false if there is none
//     THE_STATUSES                  a table: for every mode, the statuses of its contacts, then of its frictions
//
// Usual events are the impact of one contact while all others are open, with its cascade, the end of a contact, and a slip
// on a line that begins or stops while no other friction acts. At anything else, and at any doubt, the motion is handed
// over to the full loop as it was at the beginning of the step. It comes back when it is in a written mode again.
#pragma once

#include "../books.hpp"
#include "../lean.hpp"
#include "cascade.hpp"
#include "search.hpp"

namespace dalembert {

constexpr int MOST_CROSSINGS = 6;   // of the model's own guards in one step
constexpr int MOST_AT_ONCE = 20;    // events at one instant
constexpr double CLOSE_CALL = 1e-9; // of the forces: a cone this near to its border is left to the full loop

template <class M, class Thread>
struct Bouncing {
    static constexpr int N = M::PLACES, SIZE = 2 * N, C = M::CONTACTS, F = M::FRICTIONS, OWN = M::OWN;
    static constexpr int GUARDS = OWN + C + 3 * F;

    M model;
    Thread lean;
    Contact contact[C + 1];
    Friction friction[F + 1];
    int power[GUARDS + 1];  // as in `Guards`
    double values[GUARDS + 1][NODES], seen[GUARDS + 1], known[2 * C + 6 * F + 1];
    double stack[DEPTH][NODES + 2];
    Span brackets[NODES];
    double h_limit, last_event = -INF;
    int narrowed = 0, at_once = 0;
    // the decisive root of a step, and the crossings of the model's own guards
    double at, root_side;
    int which;
    bool together;
    Hit crossing[MOST_CROSSINGS];
    int crossings;
    Event event[4];
    int events;

    HD bool planar(int j) const { return THE_FRICTIONS[j].slip_count == 2; }
    HD bool touches(int j) const {
        return THE_FRICTIONS[j].presser != BY_CONTACT || contact[THE_FRICTIONS[j].pressed_by].mode == CLOSED;
    }
    HD void note(double t, int kind, int index, double side = 0.0) { event[events++] = {t, 0.0, 0.0, side, kind, index}; }

    // The present mode is that of the statuses; false if it is not written out.
    HD bool enter() {
        ROLLED for (int m = 0; m < M::MODES; ++m) {
            if (!is_mode(THE_STATUSES + m * (C + F), contact, C, friction, F)) continue;
            model.mode = m;
            for (int j = 0; j < F; ++j) model.along[j] = friction[j].along[0], model.side[j] = friction[j].sign;
            return true;
        }
        return false;
    }

    // Everything that decides about a mode, at a state; false if the mode has no valid solution there.
    HD bool survey(double t, const double* y) {
        lean.load(t, y);
        model.survey(lean.x.at, known);
        return known[2 * C + 6 * F] == 1.0;
    }
    HD double guard(int g) const { return known[g]; }
    HD double slip(int j) const { return known[C + 3 * F + j]; }
    HD double force(int j) const { return known[C + 4 * F + j]; }
    HD double slip_scale(int j) const { return known[C + 5 * F + j]; }
    HD double gap_scale(int i) const { return known[C + 6 * F + i]; }
    HD bool rests(int j) const {
        const double size = planar(j) ? sqrt(slip(j)) : fabs(slip(j));
        return size <= TINY * slip_scale(j);
    }

    // Whether the forces of the present mode obey their laws at the surveyed state.
    HD bool is_lawful() const {
        bool lawful = true;
        for (int i = 0; i < C; ++i) lawful = lawful && (contact[i].mode == OPEN || guard(i) > 0.0);
        for (int j = 0; j < F; ++j) {
            const bool starts = friction[j].mode == SLIP && power[OWN + C + j] > 0;
            lawful = lawful && (starts || guard(C + j) > 0.0) && guard(C + F + j) > 0.0 && guard(C + 2 * F + j) > 0.0;
        }
        return lawful;
    }

    // Guards at the fraction s of the step.
    HD bool look(double s) {
        double* y = lean.stage();
        if (s >= 1.0) {
            UNROLL for (int i = 0; i < SIZE; ++i) y[i] = lean.y_new[i];
        } else {
            interpolant<SIZE>(SIZE, lean.dense.at, s, y);
        }
        lean.x[0] = lean.t + s * (lean.t_new - lean.t);
        model.seen(lean.x.at, seen);
        double sum = seen[GUARDS] - 1.0;
        for (int g = 0; g < GUARDS; ++g) sum += seen[g];
        for (int j = 0; j < F; ++j)
            if (planar(j) && friction[j].mode == SLIP) seen[OWN + C + j] -= square(friction[j].still);
        return finite(sum) && seen[GUARDS] == 1.0;
    }

    // The roots at the beginning of a step have been used.
    HD void forget_roots() {
        for (int g = 0; g < GUARDS; ++g) power[g] = 0;
    }

    // Find the roots of one guard, as `roots_in_step`; false if the full loop must look at it.
    HD APART bool search(int g) {
        double* v = values[g];
        const bool own = g < OWN, gap = !own && g < OWN + C && contact[g - OWN].mode == OPEN;
        const int used = power[g];
        auto see = [&](double s, double& value) {
            const bool known = look(s);
            value = seen[g];
            return known;
        };
        for (int k = 1; k < (used > 1 ? NODES : 0); ++k) v[k] /= divisor(PLACES[k], used);
        const Isolation room{stack, brackets};
        const int found = isolate(v, used > 0, room);
        double earliest = INF, turns_to = -1.0;
        for (int r = 0; r < found; ++r) {
            Change c;
            if (!ends_of(v, used, brackets[r], see, c)) return false;
            if ((c.at_a >= 0.0) == (c.at_b >= 0.0) || (!own && c.at_b >= 0.0)) continue;
            const double side = c.at_b >= 0.0 ? 1.0 : -1.0, outer = larger(fabs(c.at_a), fabs(c.at_b));
            const double s = refine([&](double place) { return look(place) ? seen[g] : NOT_A_NUMBER; }, lean.t,
                                    lean.t_new - lean.t, c);
            if (own && look(s) && fabs(seen[g]) > outer) continue;  // a pole
            if (own && THE_GUARD_KINDS[g] == RECORDED_ONLY) {
                if (crossings == MOST_CROSSINGS) return false;
                crossing[crossings++] = {s, g, side};
                continue;
            }
            if (s < earliest) earliest = s, turns_to = side;
        }
        if (found == 0 && used == 0 && !own && !gap && v[0] < 0.0) return false;  // it began outside
        for (int k = 1; gap && k < NODES && PLACES[k] < earliest; ++k) {
            if (v[k] >= 0.0) continue;
            survey(lean.t, lean.y.at);
            if (v[k] < -PASSED * gap_scale(g - OWN)) return false;
        }
        if (earliest <= 1.0) {
            together = which >= 0 && fabs(earliest - at) <= ONE_INSTANT ? true : earliest < at ? false : together;
            if (earliest < at) at = earliest, which = g, root_side = turns_to;
        }
        return true;
    }

    enum Roots { KNOWN, REPEAT, LEAVE };

    HD Roots shorter() {
        const double h = lean.t_new - lean.t;
        if (narrowed >= 12 || h <= 1e-13 * fabs(lean.t_new)) return LEAVE;
        ++narrowed;
        lean.h_max = lean.h = 0.4 * h;
        return REPEAT;
    }

    // Find all roots of all guards in the step just made.
    HD APART Roots find() {
        at = 2.0, which = -1, together = false, crossings = 0;
        const Shown nodes = see_nodes(values[0], GUARDS, {0.0, 1.0}, [&](double s) { return look(s) ? seen : nullptr; });
        auto follows = [&](int g) { return resolved(values[g]); };
        if (nodes == NOTHING_SHOWN || (nodes == VALUES && !all_of(GUARDS, follows))) return shorter();
        narrowed = 0;
        lean.h_max = smaller(2.0 * larger(lean.h_max, lean.t_new - lean.t), h_limit);
        for (int g = 0; g < GUARDS; ++g)
            if (!search(g)) return LEAVE;
        return together ? LEAVE : KNOWN;
    }

    HD bool hit(int i, double t, const double* y, double rebound, double* out) {
        lean.load(t, y);
        model.rebound = rebound;
        return model.strike(i, lean.x.at, out) && out[2 * N + 1] == 1.0;
    }

    HD APART bool strike(int i, double t, double* y) {
        double out[2 * N + 2];
        if (!survey(t, y)) return false;
        for (int j = 0; j < C; ++j)
            if (j != i && (contact[j].mode == CLOSED || fabs(guard(j)) <= NEAR * gap_scale(j))) return false;
        if (!hit(i, t, y, 1.0, out)) return false;
        const double rate = out[2 * N], *row = out + N;
        const double most = terms_of(row, lean.largest.at + N, lean.natural.at + N, N);
        const double ending = accumulates(contact[i], t, rate, gap_scale(i), most);
        note(t, IMPACT, i);
        if (ending < INF) {
            if (!hit(i, t, y, 0.0, out)) return false;
            note(ending, CHATTER, i);
            contact[i].decays = 0;
        }
        double after = rate;
        for (int k = 0; k < N; ++k) y[N + k] += out[k], after += row[k] * out[k];
        const double scale = terms_of(row, y + N, lean.natural.at + N, N);
        const bool stays = after <= TINY * scale;
        if (stays && after < -TINY * scale) return false;
        contact[i].mode = stays ? CLOSED : OPEN, power[OWN + i] = stays ? 0 : 1;
        if (stays) note(t, CONTACT_MADE, i);
        return slide_on(t, y);
    }

    // The modes of frictions after speeds have changed.
    HD APART bool slide_on(double t, const double* y) {
        int active = 0, open = -1;
        survey(t, y);
        for (int j = 0; j < F; ++j) {
            Friction& one = friction[j];
            const int was = one.mode;
            if (!touches(j)) {
                one.mode = OFF;
                continue;
            }
            ++active;
            one.from_rest = MOVING;
            const bool rest = rests(j);
            if (THE_FRICTIONS[j].rough) {
                if (!rest) return false;
                one.mode = STICK;
            } else if (!rest) {
                one.mode = SLIP, one.still = STOPPED * TINY * slip_scale(j);
                if (!planar(j)) one.along[0] = slip(j) < 0.0 ? -1.0 : 1.0;
            } else {
                if (planar(j) || open >= 0) return false;
                open = j;
                continue;
            }
            if (one.mode != was) note(t, one.mode == STICK ? STICKS : SLIPS, j, one.along[0]);
        }
        return open < 0 || (active == 1 && decide(open, t, y));
    }

    // The mode of a friction on a line that is at rest, if exactly one is possible.
    HD APART bool decide(int j, double t, const double* y) {
        Friction& one = friction[j];
        const int was = one.mode;
        int possible = 0, mode = OFF;
        double along = 1.0;
        one.mode = STICK, power[OWN + C + j] = 0;
        if (!enter()) return false;
        if (survey(t, y)) {
            if (fabs(guard(C + j)) <= CLOSE_CALL * square(force(j))) return false;
            if (is_lawful()) ++possible, mode = STICK;
        }
        one.mode = SLIP, power[OWN + C + j] = 1;
        for (int way = 0; way < 2; ++way) {
            one.along[0] = way == 0 ? 1.0 : -1.0;
            if (!enter()) return false;
            if (survey(t, y) && force(j) * one.along[0] > 0.0 && is_lawful()) ++possible, mode = SLIP, along = one.along[0];
        }
        one.mode = mode, one.along[0] = along;
        power[OWN + C + j] = mode == SLIP ? (was == SLIP ? 1 : 2) : 0;
        if (possible != 1) return false;
        if (mode == SLIP || mode != was) note(t, mode == STICK ? STICKS : SLIPS, j, along);
        return true;
    }

    HD bool lift(int i, double t) {
        contact[i].mode = OPEN, power[OWN + i] = 3;
        for (int j = 0; j < F; ++j)
            if (!touches(j)) friction[j].mode = OFF;
        note(t, LIFTOFF, i);
        return true;
    }

    // A friction on a line leaves its cone, against its last force.
    HD bool begin_slip(int j, double t, const double* y) {
        if (!survey(t, y)) return false;
        friction[j].mode = SLIP, power[OWN + C + j] = 2;
        friction[j].along[0] = force(j) > 0.0 ? -1.0 : 1.0;
        friction[j].still = STOPPED * TINY * slip_scale(j);
        note(t, SLIPS, j, friction[j].along[0]);
        return true;
    }

    HD bool apply(double t, double* y) {
        const int g = which - OWN;
        forget_roots();
        if (g < C) return contact[g].mode == OPEN ? strike(g, t, y) : lift(g, t);
        const int j = F > 0 ? (g - C) % F : 0;
        if (g - C >= F || planar(j)) return false;
        if (friction[j].mode == STICK) return begin_slip(j, t, y);
        int active = 0;
        for (int f = 0; f < F; ++f) active += friction[f].mode != OFF;
        return active == 1 && decide(j, t, y);
    }

    // Enter the new mode at a state: on its rows, with forces that obey their laws, and with its slope.
    HD bool arrive(double t, double* y) {
        bool failed = false;
        if (!enter()) return false;
        lean.project(t, y, true, failed);
        if (failed || !survey(t, y) || !is_lawful()) return false;
        lean.load(t, y);
        lean.take_slope(1, failed);
        return !failed;
    }

    // The state at the decisive root of the step; false if it cannot be brought onto the constraints.
    HD bool state_at_root(double* y) {
        bool failed = false;
        UNROLL for (int i = 0; i < SIZE; ++i) y[i] = lean.y_new[i];
        if (at < 1.0) {
            interpolant<SIZE>(SIZE, lean.dense.at, at, y);
            lean.project(time_of_root(), y, true, failed);
        }
        return !failed;
    }
    HD double time_of_root() const { return lean.t + at * (lean.t_new - lean.t); }

    HD void move_to(double t, const double* y) {
        UNROLL for (int i = 0; i < SIZE; ++i) {
            lean.y[i] = y[i];
            lean.largest[i] = larger(lean.largest[i], size_of(y[i]));
        }
        lean.t = t;
    }

    // Apply the event at the state y. False, with nothing changed, if the full loop must do it.
    HD APART bool happen(double t, double* y, Books& books, const Plan& plan) {
        Contact contacts[C + 1];
        Friction frictions[F + 1];
        int powers[GUARDS + 1];
        if (t == last_event ? ++at_once > MOST_AT_ONCE : (at_once = 0)) return false;
        for (int i = 0; i < C; ++i) contacts[i] = contact[i];
        for (int j = 0; j < F; ++j) frictions[j] = friction[j];
        for (int g = 0; g < GUARDS; ++g) powers[g] = power[g];
        events = 0;
        if (!(apply(t, y) && arrive(t, y))) {
            for (int i = 0; i < C; ++i) contact[i] = contacts[i];
            for (int j = 0; j < F; ++j) friction[j] = frictions[j];
            for (int g = 0; g < GUARDS; ++g) power[g] = powers[g];
            enter();
            return false;
        }
        for (int e = 0; e < events; ++e) books.note(event[e], plan, OWN);
        move_to(t, y);
        last_event = t;
        return true;
    }

    // End the step at its decisive root and apply the event.
    HD bool break_off(Books& books, const Plan& plan) {
        double y[SIZE];
        const double t = time_of_root(), past = t - lean.t, begun = lean.t, length = lean.t_new - lean.t;
        if (!state_at_root(y) || !happen(t, y, books, plan)) return false;
        keep_crossings(books, plan, at, begun, length);
        if (at < FAR) lean.h = smaller(lean.h, larger(4.0 * past, SHORTEST * h_limit));
        UNROLL for (int i = 0; i < SIZE; ++i) lean.k[i] = lean.slope(1)[i];
        lean.rejected = false;
        return true;
    }

    // Record the crossings of the model's own guards up to a fraction of the step.
    HD void keep_crossings(Books& books, const Plan& plan, double until, double begun, double length) {
        for (int r = 0; r < crossings; ++r)
            if (crossing[r].at <= until) {
                const double time = begun + crossing[r].at * length;
                books.note({time, 0.0, 0.0, crossing[r].side, CROSSING, crossing[r].guard}, plan, OWN);
                if (until - crossing[r].at <= ONE_INSTANT) power[crossing[r].guard] = 1;
            }
    }

    // The time after which c₀ + c₁ τ + c₂ τ² falls to zero, infinity if it does not, NaN at a close call. With a power, c₀
    // is the rounding of a root at the beginning.
    HD static double falls(double c0, double c1, double c2, int power) {
        if (power > 0) return c1 > 0.0 ? (c2 < 0.0 ? -c1 / c2 : INF) : NOT_A_NUMBER;
        if (!(c0 > 0.0)) return NOT_A_NUMBER;
        const double apart = c1 * c1 - 4.0 * c0 * c2;
        if (fabs(apart) < CLOSE_CALL * c1 * c1) return NOT_A_NUMBER;
        if (c1 > 0.0 ? !(c2 < 0.0) : !(apart > 0.0)) return INF;
        const double sum = sqrt(apart) + fabs(c1);
        return c1 > 0.0 ? -0.5 * sum / c2 : sum > 0.0 ? 2.0 * c0 / sum : INF;
    }

    // With constant accelerations every guard is a parabola: go on to the next event, or to the end. False, with nothing
    // changed, if the full loop must do it.
    HD bool leap(Books& books, const Plan& plan) {
        double out[N + 3 * (C + F) + 1], y[SIZE];
        lean.load(lean.t, lean.y.at);
        model.series(lean.x.at, out);
        const double span = smaller(lean.end - lean.t, h_limit);
        double tau = INF;
        bool clear = out[N + 3 * (C + F)] == 1.0, apart = true;
        which = -1;
        UNROLL for (int g = 0; g < C + F; ++g) {
            const double *c = out + N + 3 * g, found = falls(c[0], c[1], c[2], power[OWN + g]);
            clear = clear && found == found;
            apart = found < tau ? !(tau - found <= ONE_INSTANT * span) : apart && !(found - tau <= ONE_INSTANT * span);
            if (found < tau) tau = found, which = g;
        }
        const bool ends = !(tau <= span);
        if (!clear || (!ends && !apart)) return false;
        const double h = ends ? span : tau, t = ends && span < h_limit ? lean.end : lean.t + h;
        UNROLL for (int i = 0; i < N; ++i) {
            const double v = lean.y[N + i], a = out[i];
            y[i] = lean.y[i] + h * (v + 0.5 * h * a), y[N + i] = v + h * a;
        }
        bool failed = false;
        lean.project(t, y, true, failed);
        if (failed) return false;
        if (!ends) return happen(t, y, books, plan);
        forget_roots();
        move_to(t, y);
        return true;
    }

    // The first mode, if nothing touches and every friction moves on a line.
    HD bool begin() {
        for (int j = 0; j < F; ++j) {
            if (planar(j) || THE_FRICTIONS[j].presser == BY_CONSTRAINT) return false;
            friction[j].mode = touches(j) ? SLIP : OFF;
        }
        if (!enter()) return false;
        survey(lean.t, lean.y.at);
        for (int i = 0; i < C; ++i)
            if (!(guard(i) > TOUCHING * gap_scale(i))) return false;
        for (int j = 0; j < F; ++j) {
            if (friction[j].mode == OFF) continue;
            if (THE_FRICTIONS[j].rough || rests(j)) return false;
            friction[j].along[0] = slip(j) < 0.0 ? -1.0 : 1.0;
        }
        return begin_steps();
    }

    // Begin in the mode of the statuses: the first slope and step length.
    HD bool begin_steps() {
        if (!enter()) return false;
        lean.begin();
        return !lean.lost && survey(lean.t, lean.y.at) && is_lawful();
    }

    // Continue a motion in the mode that it was carried in. At its start the length of the first step is not known.
    HD bool resume(const Carried& carried) {
        if (!(carried.length() > 0.0)) return begin_steps();
        lean.t = carried.time(), lean.h = carried.length();
        lean.fresh = false;
        double y[SIZE];
        UNROLL for (int i = 0; i < SIZE; ++i) y[i] = lean.y[i], lean.largest[i] = carried.largest[i];
        if (!arrive(lean.t, y)) return false;
        UNROLL for (int i = 0; i < SIZE; ++i) lean.y[i] = y[i], lean.k[i] = lean.slope(1)[i];
        return true;
    }

    // Follow the motion to its end, or as far as its events are usual.
    HD int run(Carried& carried, const Plan& plan) {
        dop853::Stiffness stiffness = dop853::Stiffness::of(plan.settings);
        for (int i = 0; i < C; ++i) contact[i] = carried.contact[i];
        for (int j = 0; j < F; ++j) friction[j] = carried.friction[j];
        for (int g = 0; g < GUARDS; ++g) power[g] = carried.power[g];
        if (!(carried.begun() == 0.0 ? begin() : resume(carried))) return HANDED_OVER;
        carried.begun() = 1.0;
        int status = FINISHED;
        if constexpr (M::QUADRATIC) {
            ROLLED while (lean.t < lean.end && status == FINISHED)
                if (!leap(carried.books, plan)) status = HANDED_OVER;
            lean.here = lean.h;
        }
        ROLLED while (!M::QUADRATIC && lean.t < lean.end && status == FINISHED) {
            lean.try_step();
            if (!lean.lost && !lean.taken) continue;
            if (!lean.lost) lean.interpolate();
            const Roots roots = lean.lost ? LEAVE : find();
            if (roots == REPEAT) continue;
            const double h = lean.t_new - lean.t;
            const bool stiff = roots == KNOWN && stiffness.counts(lean.beyond, (lean.end - lean.t) / h, dop853::STIFF_STEPS);
            if (roots == LEAVE || stiff) {
                status = HANDED_OVER;
            } else if (which >= OWN) {
                if (!break_off(carried.books, plan)) status = HANDED_OVER;
            } else if (which >= 0) {
                status = stop_here(carried.books, plan) ? STOPPED_BY_EVENT : HANDED_OVER;
            } else {
                forget_roots();
                keep_crossings(carried.books, plan, 1.0, lean.t, h);
                lean.commit();
            }
        }
        carried.time() = lean.t, carried.length() = status == HANDED_OVER ? lean.here : lean.h;
        UNROLL for (int i = 0; i < SIZE; ++i) carried.largest[i] = lean.largest[i];
        for (int i = 0; i < C; ++i) carried.contact[i] = contact[i];
        for (int j = 0; j < F; ++j) carried.friction[j] = friction[j];
        for (int g = 0; g < GUARDS; ++g) carried.power[g] = power[g];
        return status;
    }

    // End the motion at a crossing of a guard that stops it.
    HD bool stop_here(Books& books, const Plan& plan) {
        double y[SIZE];
        const double t = time_of_root();
        if (!state_at_root(y)) return false;
        keep_crossings(books, plan, at, lean.t, lean.t_new - lean.t);
        books.note({t, 0.0, 0.0, root_side, CROSSING, which}, plan, OWN);
        UNROLL for (int i = 0; i < SIZE; ++i) lean.y[i] = y[i];
        lean.t = t;
        return true;
    }
};

}  // namespace dalembert
