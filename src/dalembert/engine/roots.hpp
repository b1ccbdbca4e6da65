// All roots of a guard inside a step, isolated on a polynomial through many nodes by Bernstein's sign rule.
//
// The number of sign changes of the Bernstein coefficients bounds the number of roots and has its parity. No change
// means no root, and one change means one root. Otherwise the interval is split (de Casteljau) until each piece has at
// most one. A guard that only touches zero has no sign change.
#pragma once

#include "memory.hpp"
#include "tables.hpp"

namespace dalembert {

constexpr double UNRESOLVED = 1e-5;  // largest last coefficients, relative to the guard's range, of a valid polynomial
constexpr double SPLIT = 0.4871;     // not a half, where a symmetric guard would have its root
constexpr int DEPTH = 80;

// A part of a step, by fractions.
struct Span {
    double left, right;

    HD double length() const { return right - left; }
    HD double at(double part) const { return left + part * (right - left); }
};

// Memory for `isolate`: Bernstein coefficients of the parts still to be searched, and the brackets found.
struct Isolation {
    double (*stack)[NODES + 2];
    Span* found;

    HD static Isolation in(Block& block) {
        return {reinterpret_cast<double (*)[NODES + 2]>(block.take<double>(DEPTH * (NODES + 2))),
                block.take<Span>(NODES)};
    }
};

// The largest of the last three Chebyshev coefficients, in multiples, of the values at every node or every second one.
// With x = cos θ at the nodes, the last coefficients are alternating sums of v, v x and v cos 2θ.
HD APART inline double tail_of(const double* values, int every) {
    double plain = 0.0, first = 0.0, second = 0.0;
    for (int j = 0; j < NODES; j += every) {
        const double x = 1.0 - 2.0 * PLACES[j], half = j == 0 || j == NODES - 1 ? 0.5 : 1.0;
        const double value = j / every % 2 == 0 ? half * values[j] : -half * values[j];
        plain += value, first += value * x, second += value * (2.0 * x * x - 1.0);
    }
    return larger(fabs(plain), larger(fabs(first), fabs(second)));
}

// A bound of the errors of a guard's values. For a smooth guard the last Chebyshev coefficients are such errors.
HD inline double rounding_of(const double* values) { return 10.0 * tail_of(values, 1); }

struct Range {
    double low, high;

    HD double largest() const { return larger(fabs(low), fabs(high)); }
};

// The smallest and the largest value at the nodes.
HD inline Range range_of(const double* values) {
    Range found{INF, -INF};
    for (int k = 0; k < NODES; ++k) found = {smaller(found.low, values[k]), larger(found.high, values[k])};
    return found;
}

// Whether the values are so close together that none can be zero between them: the polynomial stays within three times
// their spread, because the Lebesgue constant of these nodes is 2.7.
HD inline bool clear_of_zero(const double* values) {
    const Range range = range_of(values);
    return 2.0 * range.low > range.high || 2.0 * range.high < range.low;
}

// Brackets of the roots in (0, 1] into room.found, in order. Returns their number. With `deflate` the root at s = 0 is
// divided out first: it belongs to the event at which this motion began.
HD APART inline int isolate(const double* values, bool deflate, const Isolation& room) {
    if (!deflate && clear_of_zero(values)) return 0;
    auto stack = room.stack;
    const int p = deflate ? NODES - 2 : NODES - 1;
    for (int i = 0; i <= p; ++i) {
        const double* weights = TO_BERNSTEIN[i + deflate] + deflate;
        const double entry = dot(weights, values + deflate, p + 1);
        stack[0][i] = deflate ? entry * (NODES - 1) / (i + 1) : entry;  // s g has the coefficients (i + 1)/(p + 1) g_i
    }
    // if the root at the beginning was a double one, this coefficient is only rounding
    if (deflate && fabs(stack[0][0]) <= rounding_of(values) / PLACES[1]) stack[0][0] = stack[0][1];
    stack[0][NODES] = 0.0, stack[0][NODES + 1] = 1.0;
    int top = 1, count = 0;
    while (top > 0) {
        --top;
        double* c = stack[top];
        const double left = c[NODES], right = c[NODES + 1];
        int changes = 0;
        for (int i = 0; i < p; ++i) changes += (c[i] >= 0.0) != (c[i + 1] >= 0.0);
        if (changes == 0) continue;
        if (changes > 1 && (right - left < 1e-13 || top + 2 >= DEPTH)) {
            if ((c[0] >= 0.0) == (c[p] >= 0.0)) continue;
            changes = 1;
        }
        if (changes == 1) {
            if (count < NODES) room.found[count++] = {left, right};
            continue;
        }
        // the right part stays at `top`; the left part goes above it and comes first
        const double middle = left + SPLIT * (right - left);
        double* other = stack[top + 1];
        other[0] = c[0];
        for (int level = 1; level <= p; ++level) {
            for (int i = 0; i <= p - level; ++i) c[i] += SPLIT * (c[i + 1] - c[i]);
            other[level] = c[0];
        }
        c[NODES] = middle, c[NODES + 1] = right;
        other[NODES] = left, other[NODES + 1] = middle;
        top += 2;
    }
    return count;
}

// Whether the polynomial through the nodes represents the guard: its last coefficients are small, or no root is near.
HD APART inline bool resolved(const double* values) {
    const Range range = range_of(values);
    const double tail = rounding_of(values) / NODES;
    double nearest = INF;
    for (int k = 0; k < NODES; ++k) nearest = smaller(nearest, fabs(values[k]));
    return tail <= UNRESOLVED * (range.high - range.low) || nearest > 10.0 * tail;
}

// Whether every second node gives a polynomial to rounding. If so, its values at the other nodes are filled in.
HD APART inline bool filled(double* values) {
    const double largest = largest_of(HALF, [&](int j) { return fabs(values[2 * j]); });
    if (!(tail_of(values, 2) <= 1e-14 * largest)) return false;
    for (int i = 0; i < HALF - 1; ++i)
        values[2 * i + 1] = sum_of(HALF, [&](int j) { return TO_OTHERS[i][j] * values[2 * j]; });
    return true;
}

// Two places between which a guard's sign changes, and its values there.
struct Change {
    double a, at_a, b, at_b;
};

// The rounding of time at the fraction s of a step of length h from t, as a fraction.
HD inline double rounding_of_time(double t, double h, double s) {
    return 1.1e-16 * larger(larger(fabs(t) / h, 1e-3), 1.1 * s);
}

// The root between two places, to the rounding of time. `value(s)` is the guard at the fraction s of a step of h from
// t.
//
// Chandrupatla 1997: a secant first, then the inverse quadratic through three places if it is monotonic, otherwise the
// middle. It keeps so far from the ends that the bracket can close from both sides. Afterwards `c` holds the last
// bracket, which shows whether the root is a pole.
template <class Value>
HD APART double refine(Value&& value, double t, double h, Change& c) {
    double x1 = c.b, f1 = c.at_b, x2 = c.a, f2 = c.at_a, x3 = c.a, f3 = c.at_a;
    for (int round = 0; round < 200; ++round) {
        if (f1 == 0.0 || f2 == 0.0) break;
        const double least = rounding_of_time(t, h, larger(x1, x2));
        double part = 0.5;
        if (x3 == x2) {
            part = f1 / (f1 - f2);
        } else {
            const double xi = (x1 - x2) / (x3 - x2), phi = (f1 - f2) / (f3 - f2);
            if (phi * phi < xi && (1.0 - phi) * (1.0 - phi) < 1.0 - xi)
                part = f1 / (f2 - f1) * f3 / (f2 - f3) + (x3 - x1) / (x2 - x1) * f1 / (f3 - f1) * f2 / (f3 - f2);
        }
        const double edge = least / fabs(x2 - x1);
        const double s = x1 + smaller(larger(part, edge), 1.0 - edge) * (x2 - x1);
        if (fabs(x2 - x1) <= 2.1 * least || s == x1 || s == x2) break;
        const double found = value(s);
        if (!(found == found)) break;
        if ((found >= 0.0) == (f1 >= 0.0)) {
            x3 = x1, f3 = f1;
        } else {
            x3 = x2, f3 = f2, x2 = x1, f2 = f1;
        }
        x1 = s, f1 = found;
    }
    c = x1 < x2 ? Change{x1, f1, x2, f2} : Change{x2, f2, x1, f1};
    return f1 == 0.0 ? x1 : f2 == 0.0 ? x2 : c.b;
}

}  // namespace dalembert
