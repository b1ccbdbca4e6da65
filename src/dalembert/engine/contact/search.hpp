// All roots of all guards of a mode in the step just made.
#pragma once

#include "../taylor.hpp"
#include "watch.hpp"

namespace dalembert {

constexpr int ROUNDS_OF_NEWTON = 4;  // iterations on the series, from the secant between two nodes

// Whether all guards that may have roots in the step have series. In a flight the guards of frictions are not needed.
template <class Motion>
HD bool shown_by_series(const Watch<Motion>& watch) {
    return watch.m.step.degree > 0 && watch.m.step.shown_count >= watch.law.c.guards + watch.law.c.contacts;
}

// Locate the root of guard g in a bracket of fractions of the step, to the rounding of time.
template <class Motion>
HD double located(Watch<Motion>& watch, int g, Change c, bool forces) {
    const Step& step = watch.m.step;
    auto value = [&](double s) { return watch.look(s, forces) == DONE ? watch.seen[g] : NOT_A_NUMBER; };
    if (shown_by_series(watch)) {  // the root of the series, corrected once by the value on the motion
        double s = c.a + (c.b - c.a) * c.at_a / (c.at_a - c.at_b);
        taylor::Tangent at = taylor::tangent(step, g, s);
        for (int round = 0; round < ROUNDS_OF_NEWTON; ++round) s -= at.value / at.rate, at = taylor::tangent(step, g, s);
        s -= value(s) / at.rate;
        const double least = rounding_of_time(step.t, step.length(), s);
        if (c.a < s - least && s + least < c.b && (value(s - least) >= 0.0) == (c.at_a >= 0.0) &&
            (value(s + least) >= 0.0) == (c.at_b >= 0.0))
            return s + least;
    }
    return refine(value, step.t, step.length(), c);
}

// The node between a and b before which the sign changes, or 0.
HD inline int sign_change(const double* values, int first, double a, double b) {
    for (int k = first + 1; k < NODES; ++k)
        if (PLACES[k - 1] >= a && PLACES[k] <= b && (values[k - 1] >= 0.0) != (values[k] >= 0.0)) return k;
    return 0;
}

// The node at which the values fall below zero for good, or 0. The margin is a concave function of the forces. It has
// corners, often at its zero, where no polynomial follows it. There the signs at the nodes are enough.
HD inline int falls_once(const double* values) {
    int place = 0;
    for (int k = 1; k < NODES; ++k) {
        if ((values[k - 1] >= 0.0) == (values[k] >= 0.0)) continue;
        if (place > 0 || values[k] >= 0.0) return 0;
        place = k;
    }
    return place;
}

// Whether a guard that was below zero by rounding as the step began stays below: such a guard has no root.
HD inline bool outside(const double* values) {
    return range_of(values).high < 0.0 && values[NODES - 1] < GROWN * values[0];
}

// A guard with a root of this power at the beginning of the step is divided by this.
HD inline double divisor(double s, int power) { return power < 2 ? 1.0 : power == 2 ? s : s * s; }

// The ends of a bracket with the guard's values: two nodes if its sign changes between them, otherwise the bracket's
// own ends, at which `look(s, value)` evaluates the guard. False if it cannot be evaluated.
template <class Look>
HD APART bool ends_of(const double* values, int power, const Span& bracket, Look&& look, Change& c) {
    c = {bracket.left, 0.0, bracket.right, 0.0};
    if (const int k = sign_change(values, power > 0 ? 1 : 0, c.a, c.b); k > 0) {
        const double s = PLACES[k - 1], next = PLACES[k];
        c = {s, values[k - 1] * divisor(s, power), next, values[k] * divisor(next, power)};
        return true;
    }
    if (!look(c.b, c.at_b)) return false;
    c.at_a = -c.at_b;  // if the root at the beginning was divided out
    return (c.a == 0.0 && power > 0) || look(c.a, c.at_a);
}

// Find the roots of one guard. Only falling roots count, except for the model's own guards.
template <class Motion>
HD APART void roots_in_step(Watch<Motion>& watch, int g) {
    Guards& guards = watch.m.guards;
    const Watched w(watch.law.c, g);
    double* values = guards.of(g);
    const int power = guards.power[g];
    const bool begins = power > 0, forces = watch.forces && watch.of_reactions(w);
    auto look = [&](double s, double& value) {
        const bool known = watch.look(s, forces) == DONE;
        value = watch.seen[g];
        return known;
    };
    for (int k = 1; k < (power > 1 ? NODES : 0); ++k) values[k] /= divisor(PLACES[k], power);
    const int falls = w.margin ? falls_once(values) : 0;
    if (falls > 0) {
        const Change c{PLACES[falls - 1], values[falls - 1], PLACES[falls], values[falls]};
        guards.add({located(watch, g, c, forces), g, -1.0});
        return;
    }
    double earliest = INF;
    const int found = isolate(values, begins, guards.isolation);
    for (int r = 0; r < found; ++r) {
        Change c;
        if (!ends_of(values, power, guards.isolation.found[r], look, c)) continue;
        if ((c.at_a >= 0.0) == (c.at_b >= 0.0) || (!w.own && c.at_b >= 0.0)) continue;
        const double side = c.at_b >= 0.0 ? 1.0 : -1.0, outer = larger(fabs(c.at_a), fabs(c.at_b));
        const double s = located(watch, g, c, forces);
        if (w.own && watch.look(s, forces) == DONE && fabs(watch.seen[g]) > outer) continue;  // a pole
        guards.add({s, g, side});
        earliest = smaller(earliest, s);
    }
    if (((w.friction >= 0 && w.part == 0) || w.margin) && found == 0 && !begins && outside(values))
        guards.add({PLACES[1], g, -1.0});  // at the very beginning no time would pass, and the cause could come again
    if (!watch.is_gap(w)) return;
    int k = 1;  // a gap that begins below zero has no root
    while (k < NODES && !(values[k] < -PASSED * watch.law.gap_scale(w.contact))) ++k;
    if (k < NODES && earliest > PLACES[k])
        guards.add({located(watch, g, {0.0, 1.0, PLACES[k], values[k]}, false), g, -1.0});
}

// Whether the step must be repeated, shorter, because a guard's polynomial does not follow it. At a corner it never
// does, so the number of repetitions is limited. Afterwards steps may grow again.
HD APART inline bool shortened(Step& step, bool followed) {
    const double h = step.length();
    if (followed || step.narrowed >= 12 || h <= 1e-13 * fabs(step.t_new)) {
        step.narrowed = 0;
        step.widen();
        return false;
    }
    ++step.narrowed;
    step.h = 0.4 * h;
    step.narrow(step.h);
    return true;
}

// Find all roots in the step, in order, into the guards' hits. CONTINUE means that the step must be repeated.
template <class Motion>
HD APART Status find_roots(Watch<Motion>& watch) {
    Guards& guards = watch.m.guards;
    guards.hit_count = 0;
    const bool shown = shown_by_series(watch);
    const int count = shown ? watch.m.step.shown_count : guards.count;
    auto stays = [&](int g) {  // the series shows that it has no root
        return shown && taylor::stays(watch.m.step, g, guards.power[g], g >= watch.law.c.guards);
    };
    Shown nodes = VALUES;
    bool followed = true;
    if (!shown) {
        Status status = DONE;
        nodes = see_nodes(guards.values, count, {0.0, 1.0}, [&](double s) -> const double* {
            status = watch.look(s, watch.forces);
            return status == DONE ? watch.seen : nullptr;
        });
        if (status != DONE) return shortened(watch.m.step, false) ? CONTINUE : status;  // a step far beyond a root
    }
    for (int g = 0; g < (nodes == POLYNOMIALS ? 0 : count); ++g) {
        if (stays(g)) continue;
        if (shown) taylor::at_nodes(watch.m.step, g, guards.of(g));
        const double* values = guards.of(g);
        const bool signs = Watched(watch.law.c, g).margin && (range_of(values).low >= 0.0 || falls_once(values) > 0);
        // far outside all cones the margin of forces has no values
        followed = followed && (g < watch.law.c.guards || all_finite(values, NODES)) &&
                   (signs || resolved(values) || watch.quiet(g) || watch.faint(g));
    }
    if (shortened(watch.m.step, followed)) return CONTINUE;
    for (int g = 0; g < count; ++g)
        if (!stays(g) && !watch.quiet(g)) roots_in_step(watch, g);
    return DONE;
}

}  // namespace dalembert
