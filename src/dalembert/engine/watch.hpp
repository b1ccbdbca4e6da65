// Quantities watched over every step of a motion: largest and smallest values, and first crossings of a level.
//
// A quantity is evaluated at Chebyshev points of the step's interpolant, and the step is halved until the polynomial
// through them follows the quantity. Extrema that may exceed the present ones are refined on the motion by Brent's
// method (Algorithms for Minimization without Derivatives, 1973, chapter 5). Crossings are isolated by Bernstein's sign
// rule and refined. The state of the stepper does not change.
#pragma once

#include "guards.hpp"
#include "system.hpp"

namespace dalembert {

constexpr double GOLDEN = 0.3819660112501051;
constexpr double FLAT = 1e-13;   // of a quantity's size: smaller changes are rounding
constexpr double SHARP = 1e-8;   // accuracy of an extremum's place, in steps: its value is then exact to rounding

enum WatchKind : int { GREATEST = 0, LEAST = 1, PASSES = 2 };

// A question about a quantity.
struct Wish {
    double level;   // the level that a crossing passes
    int kind;       // a `WatchKind`
    int place;      // among the values of the watched function
    int direction;  // of a crossing; 0: both
};

// Functions of x, accelerations and multipliers.
struct Quantities {
    Code code;
    int count;
    int inputs;
    int forces;       // whether they need accelerations or multipliers
    const int* rows;  // places of their multipliers among those of the engine
};

// The watched quantities, and memory to evaluate them.
struct Watching {
    const Wish* wishes = nullptr;
    int count = 0;
    Quantities quantities = {};
    double *x, *out, *y;
    double* values;  // values of every watch at the nodes
    Span* spans;
    Isolation isolation;

    HD APART static Watching in(Block& block, const Quantities& quantities, const Wish* wishes, int count, int size) {
        Watching w;
        w.wishes = wishes, w.count = count, w.quantities = quantities;
        w.x = block.take<double>(quantities.inputs + 1);
        w.out = block.take<double>(quantities.count + 1);
        w.y = block.take<double>(size + 1);
        w.values = block.take<double>(count * NODES + 1);
        w.spans = block.take<Span>(DEPTH);
        w.isolation = Isolation::in(block);
        return w;
    }

    HD double* of(int watch) const { return values + watch * NODES; }
};

// A state at a time, with its accelerations and multipliers if they were kept.
struct StateAt {
    double t;
    const double *y, *known;
};

// x and, if needed, the accelerations and multipliers at a state; false if they cannot be solved.
template <class M>
HD APART bool extend(System<M>& system, const Quantities& q, bool fixed, const StateAt& state, double* x) {
    const auto& [t, y, known] = state;
    const Counts& c = system.counts;
    const int inputs = c.inputs();
    system.load(t, y);
    for (int i = 0; i < inputs; ++i) x[i] = system.x[i];
    if (!q.forces) return true;
    if (!known && system.accelerate(fixed, true) != DONE) return false;
    const double* a = known ? known : system.solver.a;
    const double* nu = known ? known + c.n : system.solver.nu;
    for (int i = 0; i < c.n; ++i) x[inputs + i] = a[i];
    for (int i = 0; i < q.inputs - inputs - c.n; ++i)
        x[inputs + c.n + i] = i < c.extra ? y[2 * c.n + i] : nu[q.rows[i]];
    return true;
}

// One step for a watcher. `best` holds the extremum so far, or the time of the crossing, of every watch.
template <class M>
struct Watcher {
    System<M>& system;
    const Watching& w;
    Step step;  // t, t_new, its end and its interpolant
    double* best;

    // All watched quantities at a state; NaN if they have no value.
    HD void look_at(double t, const double* y) {
        if (extend(system, w.quantities, true, {t, y, nullptr}, w.x))
            w.quantities.code(w.x, w.out);
        else
            for (int i = 0; i < w.quantities.count; ++i) w.out[i] = NOT_A_NUMBER;
    }

    // The same at the fraction s of the step, on the constraints if `exact`.
    HD APART void look_between(double s, bool exact) {
        if (s >= 1.0) {
            for (int i = 0; i < step.size; ++i) w.y[i] = step.y_new[i];
        } else {
            step.between(s, w.y);
            if (exact && !system.touches()) system.project(step.at(s), w.y);
        }
        look_at(step.at(s), w.y);
    }

    HD double value(const Wish& wish) const { return w.out[wish.place] - wish.level; }

    HD double value_at(const Wish& wish, double s) {
        look_between(s, true);
        return value(wish);
    }

    // Compare the present values, at an end of a step, with the extrema.
    HD void count_in() {
        for (int i = 0; i < w.count; ++i) {
            const double now = w.out[w.wishes[i].place];
            const int kind = w.wishes[i].kind;
            if ((kind == GREATEST && now > best[i]) || (kind == LEAST && now < best[i])) best[i] = now;
        }
    }

    HD void begin(double t, const double* y) {
        for (int i = 0; i < w.count; ++i) {
            const int kind = w.wishes[i].kind;
            best[i] = kind == GREATEST ? -INF : kind == LEAST ? INF : NOT_A_NUMBER;
        }
        look_at(t, y);
        count_in();
    }

    // The maximum of sign × a quantity between two fractions of the step, by parabolas with golden-section safeguards.
    HD APART double summit(const Wish& wish, double sign, double low, double high) {
        double x = low + GOLDEN * (high - low), fx = -sign * value_at(wish, x);
        double second = x, v = x, f_second = fx, fv = fx, move = 0.0, before = 0.0;
        for (int round = 0; round < 80; ++round) {
            const double middle = 0.5 * (low + high), sharp = SHARP * (1e-3 + fabs(x)) + 1e-12;
            if (fabs(x - middle) <= 2.0 * sharp - 0.5 * (high - low)) break;
            bool golden = true;
            if (fabs(before) > sharp) {
                const double r = (x - second) * (fx - fv);
                double q = (x - v) * (fx - f_second);
                double p = (x - v) * q - (x - second) * r;
                q = 2.0 * (q - r);
                p = q > 0.0 ? -p : p;
                q = fabs(q);
                if (fabs(p) < fabs(0.5 * q * before) && p > q * (low - x) && p < q * (high - x)) {
                    before = move, move = p / q, golden = false;
                    if (x + move - low < 2.0 * sharp || high - x - move < 2.0 * sharp) move = x < middle ? sharp : -sharp;
                }
            }
            if (golden) {
                before = (x < middle ? high : low) - x;
                move = GOLDEN * before;
            }
            const double u = x + (fabs(move) >= sharp ? move : move > 0.0 ? sharp : -sharp);
            const double fu = -sign * value_at(wish, u);
            if (fu <= fx) {
                (u >= x ? low : high) = x;
                v = second, second = x, x = u, fv = f_second, f_second = fx, fx = fu;
            } else {
                (u < x ? low : high) = u;
                if (fu <= f_second || second == x)
                    v = second, second = u, fv = f_second, f_second = fu;
                else if (fu <= fv || v == x || v == second)
                    v = u, fv = fu;
            }
        }
        return -sign * fx;
    }

    // Refine a possible new extremum in a span of the step.
    HD APART void extremum(int i, const Span& span) {
        const Wish& wish = w.wishes[i];
        const double sign = wish.kind == GREATEST ? 1.0 : -1.0;
        const double* values = w.of(i);
        const Range range = range_of(values);
        const double spread = range.high - range.low;
        double most = sign * best[i];
        if (!(spread > FLAT * range.largest())) return;  // constant but for rounding
        for (int k = 0; k < NODES; ++k) {
            const int first = larger(k - 1, 0), last = smaller(k + 1, NODES - 1);
            const double here = sign * values[k];
            if (!(here >= sign * values[first] && here >= sign * values[last])) continue;
            const int m = smaller(larger(k, 1), NODES - 2);
            // the parabola through three nodes
            const double s0 = PLACES[m - 1], s1 = PLACES[m], s2 = PLACES[m + 1];
            const double v0 = sign * values[m - 1], v1 = sign * values[m], v2 = sign * values[m + 1];
            const double slope = (v1 - v0) / (s1 - s0), bend = ((v2 - v1) / (s2 - s1) - slope) / (s2 - s0);
            double at = NOT_A_NUMBER, height = v1;
            if (bend < 0.0) {
                at = 0.5 * (s0 + s1) - 0.5 * slope / bend;
                height = v0 + slope * (at - s0) + bend * (at - s0) * (at - s1);
            }
            const bool inside = at > PLACES[first] && at < PLACES[last];
            if (!inside && (k == 0 || k == NODES - 1)) continue;  // no extremum inside; ends are counted
            if (!(larger(height, here) + 0.5 * fabs(height - here) + 1e-7 * spread > most)) continue;
            const double found = summit(wish, sign, span.at(PLACES[first]), span.at(PLACES[last]));
            if (sign * found > most) most = sign * found, best[i] = found;
        }
    }

    // The time of the first root of a watch in its direction, in a span of the step.
    HD APART void crossing(int i, const Span& span, bool first) {
        const Wish& wish = w.wishes[i];
        const double* values = w.of(i);
        if (!(range_of(values).largest() > 0.0)) return;
        const bool zero = first && values[0] == 0.0;
        const int found = isolate(values, zero, w.isolation);
        for (int r = 0; r < found; ++r) {
            const Span& b = w.isolation.found[r];
            Change c{span.at(b.left), 0.0, span.at(b.right), 0.0};
            c.at_b = value_at(wish, c.b);
            const bool rises = c.at_b >= 0.0;
            c.at_a = zero && c.a == 0.0 ? -c.at_b : value_at(wish, c.a);
            if ((c.at_a >= 0.0) == rises || (wish.direction != 0 && rises != (wish.direction > 0))) continue;
            best[i] = step.at(refine([&](double s) { return value_at(wish, s); }, step.t, step.length(), c));
            return;
        }
    }

    // Evaluate all watches at the nodes of a span. Returns whether the polynomials through them follow the quantities.
    HD APART bool see_nodes(const Span& span) {
        for (int k = 0; k < NODES; ++k) {
            look_between(span.at(PLACES[k]), false);
            for (int i = 0; i < w.count; ++i) w.of(i)[k] = value(w.wishes[i]);
        }
        bool follows = true;
        for (int i = 0; i < w.count; ++i) {
            double* values = w.of(i);
            if (w.wishes[i].kind == PASSES) {
                follows = follows && (best[i] == best[i] || resolved(values));
            } else if (finite(best[i])) {  // as for a root: only values above the extremum so far count
                for (int k = 0; k < NODES; ++k) values[k] -= best[i];
                follows = follows && resolved(values);
                for (int k = 0; k < NODES; ++k) values[k] += best[i];
            }
        }
        return follows;
    }

    // Watch the step up to the fraction `end`; `first` means that it begins the motion.
    HD APART void watch(double end, bool first) {
        const int ranks[] = {system.rank_phi, system.rank_psi, system.solver.rank, system.solver.left_rank};
        const double residual = system.residual, rate_residual = system.rate_residual;
        // The end of the step before was seen from the left: data or a controller may have jumped there.
        const bool jumps = system.counts.signals + system.counts.clocks > 0;
        w.spans[0] = {0.0, end};
        int top = 1;
        while (top > 0) {
            const Span span = w.spans[--top];
            if (!see_nodes(span) && halve(span, NARROWEST * end, w.spans, top)) continue;
            if (jumps && span.left == 0.0) {
                look_between(0.0, false);
                count_in();
            }
            for (int i = 0; i < w.count; ++i) {
                if (w.wishes[i].kind != PASSES)
                    extremum(i, span);
                else if (!(best[i] == best[i]))
                    crossing(i, span, first && span.left == 0.0);
            }
        }
        look_between(end, true);
        count_in();
        system.rank_phi = ranks[0], system.rank_psi = ranks[1];
        system.solver.rank = ranks[2], system.solver.left_rank = ranks[3];
        system.residual = residual, system.rate_residual = rate_residual;
    }
};

}  // namespace dalembert
