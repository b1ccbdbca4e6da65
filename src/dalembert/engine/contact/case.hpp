// One case of a problem of contact: which contacts press, which frictions stick or slip, and in which direction.
//
//     w_i = 0 (closed),  λ_i = 0 (open),  w_g = 0 (sticks),  R_g + μ N_g d_g = 0 or R_g + S_g d_g = 0 (slips)
//
// If these equations leave a null space of forces, f = f₀ + Z u, forces inside all cones are sought. The largest margin
// decides whether there are any, and the forces of least norm are taken. Newton's method finds the directions of planar
// slips that begin, and the pulls S that share a cone with held rows, together with the forces:
//     w_g × d_g = 0 (or the value that a turning slip needs),   S_g² + |h_g|² = (μ N_g)²
#pragma once

#include "../solve.hpp"
#include "problem.hpp"

namespace dalembert::cone {

HD inline bool turns(const Group& g) { return g.mode == SLIP && g.dim == 2 && !g.forced; }

HD inline bool shares(const Group& g) { return g.mode == SLIP && g.held > 0; }

// The number of unknowns in addition to the forces: angles and pulls.
HD inline int further(const ConeProblem& p) {
    int count = 0;
    for (const Group& g : p.all_groups()) count += turns(g) + shares(g);
    return count;
}

// Write w_i = 0, for the change of forces, into row r of the equations.
HD inline void rests(const ConeProblem& p, int r, int i) {
    for (int k = 0; k < p.size; ++k) p.M(r, k) = p.W(i, k);
    p.b[r] = -p.answer[i];
}

// The equations of the case for a change of the forces, and of angles and pulls if `width` is larger. Returns how many.
HD APART inline int equations(const ConeProblem& p, int width) {
    const bool all = width > p.size;
    int rows = 0, next = p.size;
    for (int r = 0; r < width; ++r)
        for (int k = 0; k < width; ++k) p.M(r, k) = 0.0;
    for (int i = 0; i < p.contacts; ++i, ++rows) {
        if (p.closed[i]) {
            rests(p, rows, i);
        } else {
            p.M(rows, i) = 1.0, p.b[rows] = -p.force[i];
        }
    }
    for (const Group& g : p.all_groups()) {
        const double N = p.pressing(g), size = g.held > 0 ? g.pull : g.kinetic * g.sign * N;
        const int angle = all && turns(g) ? next++ : -1, pull = all && shares(g) ? next++ : -1;
        for (int c = 0; c < g.dim; ++c, ++rows) {
            const int i = g.start + c;
            if (g.mode == STICK) {
                rests(p, rows, i);
                continue;
            }
            p.M(rows, i) = 1.0, p.b[rows] = -p.force[i];
            if (g.mode != SLIP) continue;
            p.b[rows] -= size * g.along[c];
            for (int k = 0; k < (g.held > 0 ? 0 : p.size); ++k)
                p.M(rows, k) += g.kinetic * g.sign * g.along[c] * g.press[k];
            if (angle >= 0) p.M(rows, angle) = size * (c == 0 ? -g.along[1] : g.along[0]);
            if (pull >= 0) p.M(rows, pull) = g.along[c];
        }
        if (angle >= 0) {
            const double *w = p.answer + g.start, *d = g.along;
            for (int k = 0; k < p.size; ++k) p.M(rows, k) = p.W(g.start, k) * d[1] - p.W(g.start + 1, k) * d[0];
            p.M(rows, angle) = w[0] * d[0] + w[1] * d[1];
            p.b[rows++] = w[1] * d[0] - w[0] * d[1] - g.bend;
        }
        if (pull >= 0) {
            const double steep = square(g.kinetic) * N;
            p.b[rows] = 0.5 * (steep * N - square(g.pull));
            for (int k = 0; k < p.size; ++k) p.M(rows, k) = -steep * g.press[k];
            for (int c = 0; c < g.held; ++c) {
                const double h = p.holding(g, c);
                p.b[rows] -= 0.5 * h * h;
                for (int k = 0; k < p.size; ++k) p.M(rows, k) += h * g.grip[c][k];
            }
            p.M(rows++, pull) = g.pull;
        }
    }
    return rows;
}

// Forces that satisfy the equations for the present directions, and the null space; false if there are none. With
// limit >= 0 that rank is kept: between states on the constraints, redundancy holds only to the error of the step.
HD APART inline bool linear(ConeProblem& p, int limit) {
    bool consistent = true;
    for (int round = 0; round < 2; ++round) {  // the second round removes rounding errors
        if (round == 0)
            for (int k = 0; k < p.size; ++k) p.force[k] = 0.0;
        p.respond();
        const int rows = equations(p, p.size);
        const int rank = reduce({p.M, p.b, rows, p.size, p.row_at, p.col_at}, limit);
        for (int i = 0; i < rank; ++i) p.force[p.col_at[i]] += p.b[i];
        for (int i = rank; i < rows && limit < 0; ++i) consistent = consistent && fabs(p.b[i]) <= 1e-9;
        p.nullity = p.size - rank;
        for (int u = 0; u < p.nullity; ++u) {
            for (int k = 0; k < p.size; ++k) p.Z(k, u) = 0.0;
            for (int i = 0; i < rank; ++i) p.Z(p.col_at[i], u) = -p.M(i, rank + u);
            p.Z(p.col_at[rank + u], u) = 1.0;
        }
        if (!consistent) return false;
    }
    p.respond();
    return true;
}

// Newton's method for forces, angles and pulls together; false if it does not converge.
HD APART inline bool aim(ConeProblem& p) {
    const int width = p.size + further(p);
    double before = INF;
    for (int round = 0; round < 60; ++round) {
        const int rows = equations(p, width);
        const int rank = reduce({p.M, p.b, rows, width, p.row_at, p.col_at});
        for (int k = 0; k < width; ++k) p.change[k] = 0.0;
        for (int i = 0; i < rank; ++i) p.change[p.col_at[i]] = p.b[i];
        double turned = 0.0;
        int next = p.size;
        for (const Group& g : p.all_groups()) {
            if (turns(g)) turned = larger(turned, fabs(p.change[next++]));
            next += shares(g);
        }
        const double most = largest_of(p.change, width);
        if (!finite(most)) return false;
        const double part = turned > 0.3 ? 0.3 / turned : 1.0;
        for (int k = 0; k < p.size; ++k) p.force[k] += part * p.change[k];
        next = p.size;
        for (Group& g : p.all_groups()) {
            if (turns(g)) {
                const double turn = part * p.change[next++];
                const double d0 = g.along[0] - turn * g.along[1], d1 = g.along[1] + turn * g.along[0];
                const double length = sqrt(d0 * d0 + d1 * d1);
                g.along[0] = d0 / length, g.along[1] = d1 / length;
            }
            if (shares(g)) g.pull = larger(g.pull + part * p.change[next++], 0.0);
        }
        p.respond();
        if (most <= 4.0 * EPSILON || (most < 1e-12 && most >= 0.5 * before)) return true;
        before = most;
    }
    return before < 1e-9;
}

// √(|R|² + |h|²) of a group.
HD inline double reaction(const ConeProblem& p, const Group& g) {
    double sum = dot(p.force + g.start, p.force + g.start, g.dim);
    for (int c = 0; c < g.held; ++c) sum += square(p.holding(g, c));
    return sqrt(sum);
}

HD inline double static_cone(const Group& g) { return g.left == LEFT_TOGETHER ? (1.0 - FAINT) * g.fixed : g.fixed; }

HD APART inline bool friction_fits(const ConeProblem& p, const Group& g, double tiny) {
    if (g.mode == OFF) return true;
    const double N = p.pressing(g);
    if (g.mode == STICK) return g.rough || reaction(p, g) <= static_cone(g) * (g.two_sided ? fabs(N) : N) + tiny;
    if (!g.side && g.sign * N < -tiny) return false;  // while it changes to a new side, N is zero but for rounding
    if (g.forced) return true;
    return dot(p.answer + g.start, g.along, g.dim) >= -(g.left ? FAINT : FITS);
}

// Whether forces and answers satisfy all conditions that the case did not impose.
HD inline bool fits(const ConeProblem& p, double tiny) {
    auto contact_fits = [&](int i) { return p.closed[i] ? p.force[i] >= -tiny : p.answer[i] >= -FITS; };
    return all_of(p.contacts, contact_fits) && all_of(p.groups, [&](int j) { return friction_fits(p, p.group[j], tiny); });
}

}  // namespace dalembert::cone
