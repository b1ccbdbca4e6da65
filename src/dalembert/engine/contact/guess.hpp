// A guess of the state of contacts and frictions by convex programmes (see cone.hpp).
#pragma once

#include "cone.hpp"

namespace dalembert::cone {

// The coefficient that bounds a friction in the guess: the static one until the friction has been seen to slip.
HD inline double bounding(const Group& g) {
    if (g.rough) return ROUGH;
    const double mu = g.mode == SLIP || g.left == LEFT_ALONE ? g.kinetic : g.fixed;
    return g.left ? (1.0 - 10.0 * FAINT) * mu : mu;
}

HD inline bool pressed_by_owner(const Group& g) { return g.owner >= 0 && g.held == 0 && !g.forced; }

// The programme for the slips, pulls and bounds of the last guess, which are in p.answer and p.force.
HD APART inline void pose(ConeProblem& p) {
    Programme& q = p.programme;
    q.begin(p.size);
    for (int i = 0; i < p.size; ++i) {
        q.q[i] = p.w0[i];
        for (int k = 0; k < p.size; ++k) q.P(i, k) = 0.5 * (p.W(i, k) + p.W(k, i));
        if (p.row[i] < 0) q.P(i, i) = 1.0, q.q[i] = 0.0;  // loose: no row answers it
    }
    for (const Group& g : p.all_groups()) {
        const double slip = g.length(p.answer + g.start);
        for (int k = 0; k < (pressed_by_owner(g) && !g.rough ? p.size : 0); ++k)
            q.q[k] += bounding(g) * slip * g.press[k];
        const bool known = g.forced || bounding(g) == 0.0;  // the pull is known from the last guess, or zero
        for (int c = 0; c < (known ? g.dim : 0); ++c) {
            const int at = g.start + c;
            const double R = g.forced ? -g.bound * g.given[c] : 0.0;
            for (int i = 0; i < p.size; ++i) {
                if (i != at) q.q[i] += q.P(i, at) * R;
                q.P(i, at) = q.P(at, i) = 0.0;
            }
            q.P(at, at) = 1.0, q.q[at] = -R;
        }
    }
    for (int i = 0; i < p.contacts; ++i) {
        const int r = q.cone(1);
        q.G(r, i) = -1.0;
    }
    for (const Group& g : p.all_groups()) {
        if (g.forced || bounding(g) == 0.0 || (g.rough && g.owner < 0)) continue;
        const int r = q.cone(1 + g.dim);
        if (pressed_by_owner(g)) {
            q.h[r] = bounding(g) * g.normal;
            for (int k = 0; k < p.size; ++k) q.G(r, k) = -bounding(g) * g.press[k];
        } else {
            q.h[r] = larger(g.bound, 1e-9);
        }
        for (int c = 0; c < g.dim; ++c) q.G(r + 1 + c, g.start + c) = -1.0;
    }
}

// Bounds from the present forces: the part of each cone that held rows leave.
HD APART inline void bound(ConeProblem& p) {
    for (Group& g : p.all_groups()) {
        const double N = p.pressing(g);
        double rest = square(g.rough ? ROUGH : bounding(g)) * (g.two_sided ? N * N : N * larger(N, 0.0));
        for (int c = 0; c < g.held; ++c) rest -= square(p.holding(g, c));
        g.bound = sqrt(larger(rest, 0.0));
    }
}

// Read the case from the guess; slips and separations below `still` count as rest, and so do separations that are not
// larger than the force, where nothing presses and nothing separates. Before the fixed point is reached, contacts that
// press seem to separate, because the cone is dilated. If `still` is negative, a friction slips if it
// moves by more than this fraction of its distance from its cone: just after a cone was left, slips are that small.
HD APART inline void read_guess(ConeProblem& p, double still) {
    for (int i = 0; i < p.contacts; ++i) p.closed[i] = p.force[i] > 1e-7 || p.answer[i] <= larger(still, 2.0 * p.force[i]);
    for (Group& g : p.all_groups()) {
        const double *w = p.answer + g.start, *R = p.force + g.start, slip = g.length(w), pull = g.length(R);
        g.sign = g.side ? g.side : g.two_sided && p.pressing(g) < 0.0 ? -1.0 : 1.0;
        const double least = still < 0.0 ? -still * fabs(g.bound - pull) : still;
        g.mode = g.owner >= 0 && !p.closed[g.owner] ? OFF
                 : g.forced || (slip > least && !g.rough) || (g.left == LEFT_ALONE && !g.rough) ? SLIP : STICK;
        if (g.mode != SLIP) continue;
        for (int c = 0; c < 2; ++c) {
            const double along = still < 0.0 && pull > 0.0 ? -R[c] / pull : slip > 0.0 ? w[c] / slip : 1.0;
            g.along[c] = c >= g.dim ? 0.0 : g.forced ? g.given[c] : along;
        }
    }
}

HD inline double digest(const ConeProblem& p) {  // a number for a case, to compare cases
    double sum = 0.0;
    for (int i = 0; i < p.contacts; ++i) sum = 2.0 * sum + p.closed[i];
    for (const Group& g : p.all_groups())
        sum = 6.0 * sum + 2.0 * g.mode + (g.mode == SLIP && g.dim == 1 && g.along[0] < 0.0);
    return sum;
}

// Guess and solve until a case holds; false if none is found.
HD APART inline bool guess(ConeProblem& p) {
    double last = -1.0;
    for (int k = 0; k < p.size; ++k) p.force[k] = p.answer[k] = 0.0;
    for (Group& g : p.all_groups()) g.mode = STICK;
    for (int round = 0; round < 30; ++round) {
        bound(p);
        pose(p);
        minimize(p.programme, 1e-9);
        double change = 0.0;
        for (int k = 0; k < p.size; ++k) {
            change = larger(change, fabs(p.programme.x[k] - p.force[k]));
            p.force[k] = p.programme.x[k];
        }
        if (!finite(change)) return false;
        p.respond();
        for (int k = 0; k < p.size; ++k) p.best_force[k] = p.force[k], p.best_answer[k] = p.answer[k];
        for (int look = 0; look < 4; ++look) {
            read_guess(p, look == 0 ? 1e-8 : look == 1 ? 1e-5 : look == 2 ? -1.0 : -0.1);
            const double now = digest(p);
            if (now == last && change > 1e-9 && round % 4 != 3) continue;  // directions may improve first
            last = now;
            if (attempt(p, -1, true)) {
                keep(p);
                return true;
            }
            for (int k = 0; k < p.size; ++k) p.force[k] = p.best_force[k], p.answer[k] = p.best_answer[k];
        }
        if (change <= 1e-10) break;
        read_guess(p, 1e-8);
    }
    return false;
}

// Whether the problem is a convex programme with unique answers: no pressing force depends on friction.
HD inline bool convex(const ConeProblem& p) {
    return all_of(p.groups, [&](int j) {
        const Group& g = p.group[j];
        return g.owner < 0 && !g.two_sided && g.held == 0 && !(g.fixed > g.kinetic);
    });
}

}  // namespace dalembert::cone

namespace dalembert {

// Find the state: NONE, ONE, SEVERAL, or TOO_MANY (not found, and too many cases to try). The case, the forces and the
// answers are left in `best…`, in the scales of `normalize`.
HD APART inline int search(ConeProblem& p) {
    double cases = 1.0;
    for (int d = 0; d < p.contacts + p.groups; ++d) {
        p.base[d] = d < p.contacts ? 2 : cone::cases_of(p.group[d - p.contacts]);
        cases *= p.base[d];
    }
    const bool guessed = cases > 2.0 && cone::guess(p);
    if (guessed && (cases > cone::FEW || cone::convex(p))) return ONE;
    if (cases <= cone::FEW) return cone::enumerate(p, guessed);
    return cases <= cone::MOST_CASES ? cone::enumerate(p, false) : TOO_MANY;
}

HD inline int solve(ConeProblem& p) {
    normalize(p);
    return search(p);
}

}  // namespace dalembert
