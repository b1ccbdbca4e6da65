// Guards of a step: the watched functions, and all places in the step where one of them crosses zero.
//
// A guard is evaluated at Chebyshev points of the step's interpolant. If the polynomial through them does not follow
// it, the step is searched in halves. All roots of the polynomial are isolated and then located on the motion itself to
// the rounding of time. A sign change at which the guard grows without bound is a pole, not a root.
#pragma once

#include "roots.hpp"
#include "step.hpp"

namespace dalembert {

constexpr double NARROWEST = 1.0 / 4096;  // shorter fractions of a step are not halved
constexpr double ONE_INSTANT = 1e-14;     // fractions of a step at which events are one
constexpr double NOTHING = 1e-13;         // of a guard's largest value so far: smaller values are zero

// A root: the fraction of the step, the guard, and the side to which it crosses.
struct Hit {
    double at;
    int guard;
    double side;
};

// Put both halves of a span onto the stack of spans to be searched; false if it is too short.
HD inline bool halve(const Span& span, double shortest, Span* spans, int& top) {
    if (!(span.length() > shortest) || top + 2 > DEPTH) return false;
    const double middle = span.at(0.5);
    spans[top++] = {middle, span.right};
    spans[top++] = {span.left, middle};
    return true;
}

struct Guards {
    int count;
    double* values;    // NODES for each guard
    double* greatest;  // largest size so far
    int* power;        // how often its root at the beginning of the step, which an earlier event used, is divided out
    Hit* hits;
    int hit_count = 0, hit_room;
    Span* spans;
    Isolation isolation;

    HD APART static Guards in(Block& block, int count) {
        Guards g;
        g.count = count;
        g.hit_room = 2 * count * NODES + 1;
        g.values = block.take<double>(count * NODES + 1);
        block.each(count + 1, g.greatest, g.power);
        g.hits = block.take<Hit>(g.hit_room);
        g.spans = block.take<Span>(DEPTH);
        g.isolation = Isolation::in(block);
        return g;
    }

    HD void forget_roots() {
        for (int g = 0; g < count; ++g) power[g] = 0;
    }

    // The end of the hits that are at the instant of the first one.
    HD int end_of_instant(int first) const {
        int end = first;
        while (end < hit_count && hits[end].at - hits[first].at <= ONE_INSTANT) ++end;
        return end;
    }

    HD double* of(int guard) const { return values + guard * NODES; }

    HD void add(const Hit& hit) {
        if (hit_count >= hit_room) return;
        int place = hit_count++;
        for (; place > 0 && hits[place - 1].at > hit.at; --place) hits[place] = hits[place - 1];
        hits[place] = hit;
    }
};

// What the nodes of a span show: nothing, because a guard has no value at one of them, polynomials, or values.
enum Shown : int { NOTHING_SHOWN, POLYNOMIALS, VALUES };

// Evaluate guards at the nodes of a span, NODES `values` for each. `see(s)` evaluates them on the interpolant at s and
// returns a pointer to them, or null if they have no value there. Every second node is enough for polynomials.
template <class See>
HD APART Shown see_nodes(double* values, int count, const Span& span, See&& see) {
    for (int first = 0; first < 2; ++first) {
        ROLLED for (int k = first; k < NODES; k += 2) {
            const double* seen = see(span.at(PLACES[k]));
            if (!seen) return NOTHING_SHOWN;
            for (int g = 0; g < count; ++g) values[g * NODES + k] = seen[g];
        }
        if (first == 0 && all_of(count, [&](int g) { return filled(values + g * NODES); })) return POLYNOMIALS;
    }
    return VALUES;
}

// Roots of one guard in a span. `look(s, i)` is guard i on the motion itself.
template <class Look>
HD APART void roots_of(Guards& g, int i, const Span& span, double t, double h, Look&& look) {
    double* values = g.of(i);
    const double size = range_of(values).largest();
    g.greatest[i] = larger(g.greatest[i], size);
    if (!(size > NOTHING * g.greatest[i])) return;  // zero throughout: its signs are rounding
    const bool begins = span.left == 0.0 && g.power[i] > 0;
    const int found = isolate(values, begins, g.isolation);
    for (int r = 0; r < found; ++r) {
        const Span& bracket = g.isolation.found[r];
        Change c{span.at(bracket.left), 0.0, span.at(bracket.right), 0.0};
        c.at_b = look(c.b, i);
        if (begins && c.a == 0.0) {  // its root there was divided out: only the side after it counts
            c.at_a = -c.at_b;
            c.a = smaller(1e-3 * c.b, 1e-9);
        } else {
            c.at_a = look(c.a, i);
        }
        if ((c.at_a >= 0.0) == (c.at_b >= 0.0)) {  // the polynomial and the guard disagree: the nodes decide
            int k = 0;
            for (int node = 1; node < NODES; ++node) {
                const bool holds = span.at(PLACES[node - 1]) <= c.a && c.b <= span.at(PLACES[node]);
                if (holds && (values[node - 1] >= 0.0) != (values[node] >= 0.0)) k = node;
            }
            if (k == 0) continue;
            c = {span.at(PLACES[k - 1]), values[k - 1], span.at(PLACES[k]), values[k]};
        }
        const double side = c.at_b >= 0.0 ? 1.0 : -1.0;
        const double outside = larger(fabs(c.at_a), fabs(c.at_b));
        const double s = refine([&](double at) { return look(at, i); }, t, h, c);
        if (smaller(fabs(c.at_a), fabs(c.at_b)) > outside) continue;  // a pole
        g.add({s, i, side});
    }
}

// Find all roots of all guards in the step, in order, into g.hits. Returns the fraction of the step up to which they
// are known. It is less than one if there are too many roots.
template <class See, class Look>
HD APART double search(Guards& g, const Step& step, See&& see, Look&& look) {
    g.hit_count = 0;
    g.spans[0] = {0.0, 1.0};
    int top = 1;
    while (top > 0) {
        const Span span = g.spans[--top];
        if (g.hit_count + g.count * NODES > g.hit_room) return span.left;
        const bool known = see_nodes(g.values, g.count, span, see) != NOTHING_SHOWN;
        const bool follows = known && all_of(g.count, [&](int i) { return resolved(g.of(i)); });
        if ((!follows && halve(span, NARROWEST, g.spans, top)) || !known) continue;
        for (int i = 0; i < g.count; ++i) roots_of(g, i, span, step.t, step.length(), look);
    }
    return 1.0;
}

}  // namespace dalembert
