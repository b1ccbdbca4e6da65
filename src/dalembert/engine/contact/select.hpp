// The choice among the forces that satisfy a case's equations, f = f₀ + Z u.
//
//     margin:  max τ with λ_i ≥ τ, μ_s N_g − |(R_g, h_g)| ≥ τ, ±N_g ≥ τ     for everything that Z moves, τ ≤ 1
//     forces:  min |f|² over the same cones with τ = min(margin, 0)
//
// The first programme always has a solution. A margin below zero proves that no forces lie inside all cones; its duals
// are the motion that the cones cannot prevent. The second programme has one solution, which changes continuously.
#pragma once

#include "case.hpp"

namespace dalembert::cone {

// Whether the null space changes the force k, a pressing force, or any force of a friction.
HD inline bool moves(const ConeProblem& p, int k) {
    return any_of(p.nullity, [&](int u) { return fabs(p.Z(k, u)) > MOVES; });
}
HD inline double lever(const ConeProblem& p, const double* row, int u) { return column_dot(p.Z, u, row, p.size); }
HD inline bool moves_along(const ConeProblem& p, const double* row) {
    return any_of(p.nullity, [&](int u) { return fabs(lever(p, row, u)) > MOVES; });
}
HD APART inline bool moves_friction(const ConeProblem& p, const Group& g) {
    if (g.mode == OFF || moves_along(p, g.press)) return g.mode != OFF;
    return any_of(g.dim, [&](int c) { return moves(p, g.start + c); }) ||
           any_of(g.held, [&](int c) { return moves_along(p, g.grip[c]); });
}

// Row r of the programme: s_r = factor (value + row · Z u).
HD inline void put(ConeProblem& p, int r, double factor, double value, const double* row) {
    p.programme.h[r] = factor * value;
    for (int u = 0; u < p.nullity; ++u) p.programme.G(r, u) = -factor * lever(p, row, u);
}
HD inline void put_force(ConeProblem& p, int r, int k) {
    p.programme.h[r] = p.force[k];
    for (int u = 0; u < p.nullity; ++u) p.programme.G(r, u) = -p.Z(k, u);
}

// The cones that Z moves, each reduced by τ: the variable after u, or the number `less`.
HD APART inline void cones(ConeProblem& p, bool variable, double less) {
    Programme& q = p.programme;
    for (int i = 0; i < p.contacts; ++i) {
        if (!p.closed[i] || !moves(p, i)) continue;
        const int r = q.cone(1);
        put_force(p, r, i);
        variable ? q.G(r, p.nullity) = 1.0 : q.h[r] -= less;
    }
    for (const Group& g : p.all_groups()) {
        if (!moves_friction(p, g) || (g.mode == STICK && g.rough)) continue;
        const int r = q.cone(g.mode == STICK ? 1 + g.dim + g.held : 1);
        const double N = p.pressing(g), sign = g.mode == STICK && g.two_sided ? (N < 0.0 ? -1.0 : 1.0) : g.sign;
        put(p, r, sign * (g.mode == STICK ? static_cone(g) : 1.0), N, g.press);
        variable ? q.G(r, p.nullity) = 1.0 : q.h[r] -= less;
        if (g.mode != STICK) continue;
        for (int c = 0; c < g.dim; ++c) put_force(p, r + 1 + c, g.start + c);
        for (int c = 0; c < g.held; ++c) put(p, r + 1 + g.dim + c, 1.0, p.holding(g, c), g.grip[c]);
    }
}

// The forces of least norm, in the model's own units, that satisfy the equations, without the cones.
HD APART inline void shortest(ConeProblem& p) {
    const double largest = largest_of(p.unit, p.size);
    Programme& q = p.programme;
    q.begin(p.nullity);
    for (int u = 0; u < p.nullity; ++u)
        for (int k = 0; k < p.size; ++k) {
            const double weighted = square(p.unit[k] / largest) * p.Z(k, u);
            q.q[u] += weighted * p.force[k];
            for (int v = 0; v < p.nullity; ++v) q.P(u, v) += weighted * p.Z(k, v);
        }
}

HD inline void move(ConeProblem& p) {
    for (int k = 0; k < p.size; ++k)
        for (int u = 0; u < p.nullity; ++u) p.force[k] += p.Z(k, u) * p.programme.x[u];
    p.respond();
}

HD inline void move_to_shortest(ConeProblem& p) {
    shortest(p);
    minimize(p.programme, 1e-9);
    move(p);
}

// The largest margin of the forces inside the cones that Z moves; infinite if it moves none.
HD APART inline double largest_margin(ConeProblem& p) {
    Programme& q = p.programme;
    q.begin(p.nullity + 1);
    q.q[p.nullity] = -1.0;
    cones(p, true, 0.0);
    if (q.cones == 0) return INF;
    const int r = q.cone(1);
    q.h[r] = 1.0, q.G(r, p.nullity) = 1.0;
    minimize(q, 1e-9);
    return q.gap <= 1e-7 ? q.x[p.nullity] : NOT_A_NUMBER;
}

// Move to the forces of least norm inside all cones, or those that the margin reduces; false if there is no margin.
HD APART inline bool settle_inside(ConeProblem& p) {
    p.drawn = false;
    if (p.nullity == 0) return true;
    move_to_shortest(p);
    if (fits(p, FITS)) return true;
    p.margin = largest_margin(p);
    if (!(p.margin < INF)) return p.margin == INF;
    shortest(p);
    cones(p, false, smaller(p.margin, 0.0) - 1e-12);
    if (!minimize(p.programme, 1e-6)) largest_margin(p);  // hardly more than one point fits: take the margin's own
    move(p);
    p.drawn = true;
    return true;
}

// Forces inside all cones, starting from those of `linear` or `aim`; false if there are none.
HD inline bool choose(ConeProblem& p) {
    p.margin = INF;
    return settle_inside(p) && p.margin >= -1e-10 && fits(p, p.drawn ? 1e-9 : FITS);
}

}  // namespace dalembert::cone
