// A small convex programme over cones, by a primal–dual interior-point method.
//
//     minimize ½ xᵀP x + qᵀx   where   s = h − G x  lies in a product of cones  {s₀ ≥ |s₁…|}
//
// P is symmetric and positive semidefinite. A cone of one entry is s₀ ≥ 0. The duals z lie in the same cones, with
//     P x + q + Gᵀz = 0,   sᵀz = 0
// so −½ xᵀP x − hᵀz is a lower bound of the minimum, which certifies an answer. The steps are those of Mehrotra in the
// scaling of Nesterov and Todd (SIAM J. Optim. 8 (1998) 324), as in Vandenberghe's coneqp.
#pragma once

#include "../solve.hpp"

namespace dalembert {

constexpr int WIDEST = 5;  // entries of the widest cone: a pressing force, two slips, two held rows

struct Programme {
    int count = 0;   // entries of x
    int cones = 0;
    int rows = 0;    // rows of G
    Matrix P, G, H;
    double *q, *h;
    int *start, *width;              // of each cone
    double *x, *s, *z;               // the answer
    double* best;                    // x with the smallest gap so far
    double *dx, *ds, *dz, *rx, *rz;  // of a step; residuals
    double *scaled, *u, *spare;        // W z = W⁻¹ s; right-hand sides
    double *turn, *size;               // the scaling's direction and size
    double gap = INF;                // the larger of sᵀz and the residuals

    HD APART static Programme in(Block& block, int most, int most_rows, int most_cones) {
        Programme p;
        matrices(block, most, most, p.P, p.H);
        p.G = matrix(block, most_rows, most);
        block.each(most, p.q, p.x, p.dx, p.rx, p.best);
        block.each(most_rows, p.h, p.s, p.z, p.ds, p.dz, p.rz, p.scaled, p.u, p.spare, p.turn);
        block.each(most_cones, p.size, p.start, p.width);
        return p;
    }

    HD void begin(int variables) {
        count = variables, cones = rows = 0;
        for (int i = 0; i < count; ++i) {
            q[i] = 0.0;
            for (int j = 0; j < count; ++j) P(i, j) = 0.0;
        }
    }

    // Add a cone with this many rows, all zero. Returns its first row.
    HD APART int cone(int entries) {
        const int first = rows;
        start[cones] = first, width[cones] = entries;
        ++cones, rows += entries;
        for (int r = first; r < rows; ++r) {
            h[r] = 0.0;
            for (int j = 0; j < count; ++j) G(r, j) = 0.0;
        }
        return first;
    }
};

namespace programme {

// Σ a_i b_i without the first entries.
HD inline double rest(const double* a, const double* b, int width) { return dot(a + 1, b + 1, width - 1); }

// v₀² − |v₁…|², without the cancellation of squares.
HD inline double hyperbolic(const double* v, int width) {
    const double length = sqrt(rest(v, v, width));
    return (v[0] - length) * (v[0] + length);
}

// The scaling of every cone and the point W z = W⁻¹ s; false if a point has left its cone.
HD APART inline bool scaling(Programme& p) {
    for (int c = 0; c < p.cones; ++c) {
        const int a = p.start[c], k = p.width[c];
        const double *s = p.s + a, *z = p.z + a;
        double *w = p.turn + a, *l = p.scaled + a;
        const double ss = hyperbolic(s, k), zz = hyperbolic(z, k);
        if (!(ss > 0.0 && zz > 0.0 && s[0] > 0.0 && z[0] > 0.0)) return false;
        const double rs = sqrt(ss), rz = sqrt(zz);
        p.size[c] = sqrt(rs / rz);
        double product = 0.0;
        for (int i = 0; i < k; ++i) product += s[i] / rs * (z[i] / rz);
        const double g = sqrt(0.5 * (1.0 + product));
        for (int i = 0; i < k; ++i) w[i] = (s[i] / rs + (i == 0 ? z[i] : -z[i]) / rz) / (2.0 * g);
        if (k == 1) w[0] = 1.0;
        const double along = rest(w, z, k);
        l[0] = p.size[c] * (w[0] * z[0] + along);
        for (int i = 1; i < k; ++i) l[i] = p.size[c] * (z[i] + w[i] * (z[0] + along / (1.0 + w[0])));
    }
    return true;
}

// v ← W v (or W⁻¹ v with `inverse`), for every cone.
HD APART inline void apply(const Programme& p, double* v, bool inverse) {
    for (int c = 0; c < p.cones; ++c) {
        const int k = p.width[c];
        double* e = v + p.start[c];
        const double* w = p.turn + p.start[c];
        const double side = inverse ? -1.0 : 1.0, factor = inverse ? 1.0 / p.size[c] : p.size[c];
        const double along = rest(w, e, k);
        const double first = e[0];
        e[0] = factor * (w[0] * first + side * along);
        for (int i = 1; i < k; ++i) e[i] = factor * (e[i] + w[i] * (side * first + along / (1.0 + w[0])));
    }
}

// u ← x such that scaled ∘ x = u.
HD APART inline void divide(const Programme& p, double* u) {
    for (int c = 0; c < p.cones; ++c) {
        const int k = p.width[c];
        const double* l = p.scaled + p.start[c];
        double* v = u + p.start[c];
        const double along = rest(l, v, k);
        const double first = (l[0] * v[0] - along) / hyperbolic(l, k);
        for (int i = 1; i < k; ++i) v[i] = (v[i] - first * l[i]) / l[0];
        v[0] = first;
    }
}

// The longest fraction of a step, at most one, that stays in the cones.
HD APART inline double reach(const Programme& p, const double* v, const double* d) {
    double longest = 1.0;
    for (int c = 0; c < p.cones; ++c) {
        const int k = p.width[c];
        const double *a = v + p.start[c], *b = d + p.start[c];
        if (a[0] + longest * b[0] < 0.0) longest = -a[0] / b[0];
        if (k == 1) continue;
        double cross = a[0] * b[0];
        for (int i = 1; i < k; ++i) cross -= a[i] * b[i];
        const double first = hyperbolic(a, k), last = b[0] * b[0] - rest(b, b, k);
        const double root = cross * cross - first * last;
        if (root < 0.0) continue;
        const double below = -cross + sqrt(root);  // first/below is the smaller positive root
        if (below > 0.0 && first < longest * below) longest = first / below;
    }
    return longest;
}

// H = P + Gᵀ W⁻² G, factored as L Δ Lᵀ (`definite_again`). Singular directions are left out.
HD APART inline void factor(Programme& p) {
    const int n = p.count;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j <= i; ++j) p.H(j, i) = p.P(i, j);
    for (int c = 0; c < p.cones; ++c) {
        const int a = p.start[c], k = p.width[c];
        const double* w = p.turn + a;
        const double least = 1.0 / square(p.size[c]);
        for (int i = 0; i < n; ++i) {
            double turned = -w[0] * p.G(a, i);
            for (int r = 1; r < k; ++r) turned += w[r] * p.G(a + r, i);
            for (int j = 0; j <= i; ++j) {  // W⁻² = (2 (Jw)(Jw)ᵀ − J)/β²
                double other = -w[0] * p.G(a, j), flat = -p.G(a, i) * p.G(a, j);
                for (int r = 1; r < k; ++r) other += w[r] * p.G(a + r, j), flat += p.G(a + r, i) * p.G(a + r, j);
                p.H(j, i) += k == 1 ? -flat * least : least * (2.0 * turned * other + flat);
            }
        }
    }
    factored(p.H, n, 1e-14, true);
}

// dx, ds, dz for the right-hand side u of W dz + W⁻¹ ds = u.
HD APART inline void direction(Programme& p) {
    const int n = p.count;
    for (int r = 0; r < p.rows; ++r) p.spare[r] = p.rz[r];
    apply(p, p.spare, true);
    for (int r = 0; r < p.rows; ++r) p.spare[r] += p.u[r];
    apply(p, p.spare, true);  // W⁻¹(W⁻¹ rz + u)
    for (int i = 0; i < n; ++i) p.dx[i] = -column_dot(p.G, i, p.spare, p.rows, p.rx[i]);
    definite_again(p.H, p.dx, n);
    for (int r = 0; r < p.rows; ++r) {
        const double entry = dot(p.G.row(r), p.dx, n);
        p.ds[r] = -p.rz[r] - entry;
        p.dz[r] = entry;
    }
    apply(p, p.dz, true);
    apply(p, p.dz, true);  // W⁻² G dx
    for (int r = 0; r < p.rows; ++r) p.dz[r] += p.spare[r];
}

// Residuals of the equations into rx and rz. Returns the largest.
HD APART inline double residuals(Programme& p) {
    for (int i = 0; i < p.count; ++i)
        p.rx[i] = column_dot(p.G, i, p.z, p.rows, dot(p.P.row(i), p.x, p.count, p.q[i]));
    for (int r = 0; r < p.rows; ++r) p.rz[r] = dot(p.G.row(r), p.x, p.count, p.s[r] - p.h[r]);
    return larger(largest_of(p.rx, p.count), largest_of(p.rz, p.rows));
}

// The right-hand side of the second step into u: −λ − λ \ ((W⁻¹ ds) ∘ (W dz) − centre e).
HD APART inline void correction(Programme& p, double centre) {
    apply(p, p.ds, true);
    apply(p, p.dz, false);
    for (int c = 0; c < p.cones; ++c) {
        const int k = p.width[c];
        const double *a = p.ds + p.start[c], *b = p.dz + p.start[c];
        double* u = p.u + p.start[c];
        u[0] = dot(a, b, k, -centre);
        for (int i = 1; i < k; ++i) u[i] = a[0] * b[i] + b[0] * a[i];
    }
    divide(p, p.u);
    for (int r = 0; r < p.rows; ++r) p.u[r] = -p.scaled[r] - p.u[r];
}

}  // namespace programme

// Solve from x = 0; true if the answer is correct to `accuracy`. All data should be of order one. Rounding can make the
// last rounds worse, so the best x is kept.
HD APART inline bool minimize(Programme& p, double accuracy) {
    p.gap = INF;
    for (int i = 0; i < p.count; ++i) p.x[i] = p.best[i] = 0.0;
    for (int c = 0; c < p.cones; ++c) {
        const int a = p.start[c], k = p.width[c];
        for (int i = 0; i < k; ++i) p.s[a + i] = p.h[a + i], p.z[a + i] = i == 0 ? 1.0 : 0.0;
        const double inside = p.s[a] - sqrt(programme::rest(p.s + a, p.s + a, k));
        if (inside < 1.0) p.s[a] += 1.0 - inside;
    }
    for (int round = 0; round < 80; ++round) {
        const double left = programme::residuals(p);
        const double product = dot(p.s, p.z, p.rows);
        if (!finite(product)) break;
        const double gap = larger(product, left);
        for (int i = 0; gap < p.gap && i < p.count; ++i) p.best[i] = p.x[i];
        p.gap = smaller(p.gap, gap);
        if (p.gap <= 1e-15 || (p.gap <= accuracy && gap > 100.0 * p.gap) || !programme::scaling(p)) break;
        programme::factor(p);
        for (int r = 0; r < p.rows; ++r) p.u[r] = -p.scaled[r];
        programme::direction(p);
        const double part = smaller(programme::reach(p, p.s, p.ds), programme::reach(p, p.z, p.dz));
        double ahead = 0.0;
        for (int r = 0; r < p.rows; ++r) ahead += (p.s[r] + part * p.ds[r]) * (p.z[r] + part * p.dz[r]);
        const double share = product > 0.0 ? larger(ahead, 0.0) / product : 0.0;
        programme::correction(p, share * share * share * product / p.cones);
        programme::direction(p);
        double step = smaller(programme::reach(p, p.s, p.ds), programme::reach(p, p.z, p.dz));
        double size = 0.0;
        for (int i = 0; i < p.count; ++i) size += fabs(p.dx[i]);
        for (int r = 0; r < p.rows; ++r) size += fabs(p.ds[r]) + fabs(p.dz[r]);
        if (!(step > 1e-9) || !finite(size)) break;
        step = smaller(1.0, 0.995 * step);
        for (int i = 0; i < p.count; ++i) p.x[i] += step * p.dx[i];
        for (int r = 0; r < p.rows; ++r) p.s[r] += step * p.ds[r], p.z[r] += step * p.dz[r];
    }
    for (int i = 0; i < p.count; ++i) p.x[i] = p.best[i];
    return p.gap <= accuracy;
}

}  // namespace dalembert
