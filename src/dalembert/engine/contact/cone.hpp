// The state of contacts and frictions: the search over cases.
//
// First, a convex programme gives a guess (Acary, Cadoux, Lemaréchal, Malick, ZAMM 91 (2011) 155). For given s_g =
// |w_g|,
//     min ½ fᵀW f + fᵀ(w₀ + Σ μ_g s_g L_gᵀ)   over the cones   λ ≥ 0, |R_g| ≤ μ_g N_g
// has Coulomb's law as its optimality conditions, and s is found as a fixed point. With given normal forces there is
// nothing to iterate, and a solution always exists. The case that the guess shows is then solved to rounding
// (`case.hpp`), so the accuracy of an answer does not depend on the guess.
//
// If there are few cases, all are tried. If none holds, no state exists. If two hold with different contacts, there are
// several states (Painlevé).
#pragma once

#include "select.hpp"

namespace dalembert::cone {

constexpr int FEW = 300;            // up to this number all cases are tried, whatever the guess shows
constexpr double MOST_CASES = 2e4;  // up to this number all cases are tried if the guess has failed
constexpr double ROUGH = 1e3;       // the coefficient that stands for an unlimited one in a guess

// First directions of slips that begin: opposite to the forces that sticking would need.
HD APART inline void first_directions(ConeProblem& p) {
    bool some = false;
    for (Group& g : p.all_groups())
        if (turns(g)) g.mode = STICK, g.along[0] = 2.0, some = true;
    if (!some) return;
    const bool solved = linear(p, -1);
    if (solved && p.nullity > 0) move_to_shortest(p);
    for (Group& g : p.all_groups()) {
        if (g.mode != STICK || g.along[0] != 2.0) continue;
        const double *R = p.force + g.start, length = g.length(R);
        const bool known = solved && length > 0.0;
        g.mode = SLIP, g.along[0] = known ? -R[0] / length : 1.0, g.along[1] = known ? -R[1] / length : 0.0;
    }
}

// Largest residual of the equations for directions and pulls.
HD APART inline double astray(const ConeProblem& p) {
    double most = 0.0;
    for (const Group& g : p.all_groups()) {
        const double* w = p.answer + g.start;
        if (turns(g)) most = larger(most, fabs(w[0] * g.along[1] - w[1] * g.along[0] + g.bend));
        if (!shares(g)) continue;
        double rest = square(g.kinetic * p.pressing(g)) - square(g.pull);
        for (int c = 0; c < g.held; ++c) rest -= square(p.holding(g, c));
        most = larger(most, fabs(rest));
    }
    return most;
}

// Solve the case as it stands. With `strict` the forces must lie inside all cones. Otherwise they come as near as they
// can, as in a mode that is about to end.
HD APART inline bool attempt(ConeProblem& p, int limit, bool strict) {
    const bool more = further(p) > 0;
    for (Group& g : p.all_groups())
        if (shares(g)) g.pull = 0.0;
    if (!linear(p, limit) && !more && strict) return false;
    if (!more) return strict ? choose(p) : settle_inside(p);
    for (Group& g : p.all_groups())
        if (shares(g)) g.pull = g.kinetic * fabs(p.pressing(g));
    for (int round = 0; round < 20; ++round) {
        if (!aim(p)) {
            if (strict) return false;
            for (Group& g : p.all_groups()) {
                if (turns(g)) g.along[0] = g.given[0], g.along[1] = g.given[1];
                if (shares(g)) g.pull = 0.0;  // held rows need more than the cone, so no pull is left
            }
            linear(p, limit);
            return settle_inside(p);
        }
        if ((!linear(p, limit) && strict) || !(strict ? choose(p) : settle_inside(p))) return false;
        if (p.nullity == 0 || astray(p) < 1e-12) break;
    }
    return astray(p) < 1e-9;
}

HD inline int cases_of(const Group& g) {
    const int plain = g.rough || g.forced ? 1 : g.dim == 1 ? 3 : 2;
    return g.two_sided ? 2 * plain : plain;
}

// Read the case from the digits; false if it is contradictory. Digit 0 means closed, or sticking.
HD APART inline bool read_case(ConeProblem& p) {
    bool together = false, all_stick = true;
    for (int i = 0; i < p.contacts; ++i) p.closed[i] = p.digit[i] == 0;
    for (int j = 0; j < p.groups; ++j) {
        Group& g = p.group[j];
        const int plain = g.two_sided ? cases_of(g) / 2 : cases_of(g);
        const bool other_side = p.digit[p.contacts + j] >= plain;
        const int digit = p.digit[p.contacts + j] - (other_side ? plain : 0);
        g.sign = other_side ? -1.0 : 1.0;
        if (g.owner >= 0 && !p.closed[g.owner]) {
            g.mode = OFF;
            if (digit != 0 || other_side) return false;
        } else if (g.forced) {
            g.mode = SLIP, g.along[0] = g.given[0], g.along[1] = g.given[1];
        } else if (digit == 0) {
            g.mode = STICK;
            if (other_side || g.left == LEFT_ALONE) return false;  // a sticking friction has no side
        } else {
            g.mode = SLIP;
            if (g.dim == 1) g.along[0] = digit == 1 ? 1.0 : -1.0, g.along[1] = 0.0;
        }
        if (g.mode == SLIP && g.side * g.sign < 0.0) return false;  // it has just left that side
        if (g.left == LEFT_TOGETHER) together = true, all_stick = all_stick && g.mode == STICK;
    }
    return !(together && all_stick);
}

HD inline bool next_case(ConeProblem& p) {
    for (int d = 0; d < p.contacts + p.groups; ++d) {
        if (++p.digit[d] < p.base[d]) return true;
        p.digit[d] = 0;
    }
    return false;
}

HD inline void keep(ConeProblem& p) {
    for (int k = 0; k < p.size; ++k) p.best_force[k] = p.force[k], p.best_answer[k] = p.answer[k];
    for (int i = 0; i < p.contacts; ++i) p.best_closed[i] = p.closed[i];
    for (int j = 0; j < p.groups; ++j) p.best[j] = p.group[j];
}

// Whether a solution differs from the one kept: a contact separates in one of them and not in the other. Frictions are
// not compared. If sticking is possible it is taken, although slipping from rest below the static friction may satisfy
// the equations too. And if loads can be shared in many ways, an open contact may keep touching.
HD inline bool another(const ConeProblem& p) {
    const double *is = p.answer, *was = p.best_answer;
    return any_of(p.contacts, [&](int i) { return larger(is[i], was[i]) > 1e-7 && smaller(is[i], was[i]) < 1e-9; });
}

// Try all cases in turn.
HD APART inline int enumerate(ConeProblem& p, bool found) {
    for (int d = 0; d < p.contacts + p.groups; ++d) p.digit[d] = 0;
    do {
        if (!read_case(p)) continue;
        if (found && all_of(p.contacts, [&](int i) { return p.closed[i] == p.best_closed[i]; })) continue;
        first_directions(p);
        if (!attempt(p, -1, true)) continue;
        if (found && another(p)) return SEVERAL;
        if (!found) keep(p);
        found = true;
    } while (next_case(p));
    return found ? ONE : NONE;
}

}  // namespace dalembert::cone
