// The side of a state at each kink: branches from the signs of guards, and the guards that are at their zeros.
#pragma once

#include "contact/happen.hpp"

namespace dalembert {

constexpr double BROKEN = 1e-9;    // relative to its terms: a larger rate violates a constraint

// The scale for the rounding of a kink's guard (or of its rate, with `rate`), at the loaded state.
template <class M>
HD double kink_scale(const System<M>& s, int i, bool rate) {
    const int n = s.counts.n, degree = s.model->switches[i].degree;
    const double* row = s.branches.row(i, n);
    if (degree == 0) return fabs(row[1]) * larger(fabs(s.x[0]), 1e-300);
    const int first = rate || degree == 1 ? n : 0;
    return terms_of(row + 3, s.x + 1 + first, s.natural + first, n);
}

template <class M>
HD bool at_zero(const System<M>& s, int i) {
    const double tiny = s.model->switches[i].degree == 1 ? TINY : TOUCHING;
    return fabs(s.branches.row(i, s.counts.n)[0]) <= tiny * kink_scale(s, i, false);
}

// Mark the kinks at their zeros, at the loaded state, with their rows and both values of their branches.
template <class M>
HD APART void mark_near(System<M>& s) {
    Branches& k = s.branches;
    s.model->kinks(s.x, k.rows);
    for (int i = 0; i < k.switches; ++i) {
        Kink& one = k.kink[i];
        const Switch& w = s.model->switches[i];
        const double value = s.branch(i);
        one.plus = w.kind == SIDE ? 1.0 : value;
        one.minus = w.kind == SIDE ? -1.0 : w.kind == FALLS ? value - 1.0 : value + 1.0;
        one.left = one.still = false;
        one.near = k.slides(i) || at_zero(s, i);
    }
}

// Set the branches of kinks from the signs of their guards at the loaded state, inner kinks first. Unless `all`, kinks
// at their zeros keep theirs.
template <class M>
HD APART void place_sides(System<M>& s, bool all = false) {
    Branches& k = s.branches;
    for (int i = 0; i < k.switches; ++i) {
        const Switch& w = s.model->switches[i];
        s.model->kinks(s.x, k.rows);
        if (w.kind == RISES || (!all && ((w.degree == 2 && k.kink[i].near) || at_zero(s, i)))) continue;
        const double g = k.row(i, s.counts.n)[0];
        k.kink[i].near = false;
        s.branch(i) = w.kind == FALLS ? s.branch(i) + floor(g) : g >= 0.0 ? 1.0 : -1.0;
    }
}

// Set all branches at a state from which nothing is known.
template <class M>
HD APART void find_branches(System<M>& s, double t, const double* y) {
    Branches& k = s.branches;
    s.load(t, y);
    k.sliding_count = 0;
    for (int i = 0; i < k.switches; ++i) {
        k.kink[i] = Kink{};
        if (s.model->switches[i].kind == FALLS) s.branch(i) = 0.0;
    }
    place_sides(s, true);
}

// Whether forces jump at a kink: d differs on its two sides.
template <class M>
HD APART bool jumps_at(System<M>& s, int i) {
    Branches& k = s.branches;
    const Counts& c = s.counts;
    s.on_sides(&i, 1, [&](int j) { return s.model->dynamics(s.x, j < 0 ? k.base : k.other), DONE; });
    const double *before = k.base + c.at_d(), *after = k.other + c.at_d();
    return any_of(c.n, [&](int i) { return fabs(after[i] - before[i]) > BROKEN * (fabs(after[i]) + fabs(before[i])); });
}

}  // namespace dalembert
