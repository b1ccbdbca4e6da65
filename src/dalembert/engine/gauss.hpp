// One step of the Gauss collocation method with three stages (order 6) and symmetric projection. It is time-reversible.
//
// Hairer, Lubich, Wanner, Geometric Numerical Integration, II.1.3 and V.4.1:
//
//     ŷ₀ = y₀ + G(y₀)ᵀ μ,   ŷ₁ = Φ_h(ŷ₀),   y₁ = ŷ₁ + G(y₁)ᵀ μ,   g(y₁) = 0
//
// with g = (φ, ψ). The multipliers of φ act on q, those of ψ on v. All equations are iterated to rounding.
#pragma once

#include "step.hpp"
#include "system.hpp"

namespace dalembert::gauss {

constexpr double ROOT15 = 3.872983346207417;
TABLE double NODE[3] = {0.5 - ROOT15 / 10, 0.5, 0.5 + ROOT15 / 10};
TABLE double WEIGHT[3] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
TABLE double MATRIX[3][3] = {{5.0 / 36, 2.0 / 9 - ROOT15 / 15, 5.0 / 36 - ROOT15 / 30},
                             {5.0 / 36 + ROOT15 / 24, 2.0 / 9, 5.0 / 36 - ROOT15 / 24},
                             {5.0 / 36 + ROOT15 / 30, 2.0 / 9 + ROOT15 / 15, 5.0 / 36}};
constexpr double KICK = 0.25;   // of a step's move, and of the speeds: a larger kick is refused
constexpr double SEEN = 1e-12;  // of the coordinates: smaller changes are rounding

// Multipliers of the symmetric projection, of φ and of ψ.
struct Room {
    double* mu[2];

    HD static Room in(Block& block, const Counts& c) {
        const int most = larger(larger(c.m, c.holonomic), larger(c.n, 1));
        return {{block.take<double>(most), block.take<double>(most)}};
    }
};

// out = Φ_h(start), with slopes in k[13 … 15], by fixed-point iteration to rounding. `start` may be `out`.
template <class M>
HD APART Status collocate(System<M>& system, const Step& step, double t, double h, const double* start, double* out) {
    const int size = step.size;
    double* guess[3] = {step.term(0), step.term(1), step.term(2)};
    Status status = system.slope(t, start, true, step.slope(13));
    if (status != DONE) return status;
    for (int s = 0; s < 3; ++s)
        for (int i = 0; i < size; ++i) guess[s][i] = step.slope(13)[i];
    double before = INF;
    bool grows = false;
    for (int round = 0; round < 100; ++round) {
        double change = 0.0;
        for (int s = 0; s < 3; ++s) {
            for (int i = 0; i < size; ++i)
                step.stage[i] = start[i] + h * sum_of(3, [&](int j) { return MATRIX[s][j] * guess[j][i]; });
            status = system.slope(t + NODE[s] * h, step.stage, true, step.slope(13 + s));
            if (status != DONE) return grows || (round > 0 && status == NONFINITE) ? NOT_CONVERGED : status;
        }
        for (int s = 0; s < 3; ++s)
            for (int i = 0; i < size; ++i) {
                const double now = step.slope(13 + s)[i];
                const double scale = larger(larger(fabs(start[i]), fabs(h * now)), step.natural[i]);
                const double relative = fabs(h * (now - guess[s][i])) / larger(scale, 1e-300);
                if (!(relative <= change)) change = relative;
                guess[s][i] = now;
            }
        if (!finite(change) || (round > 60 && change > 1e-12)) return NOT_CONVERGED;
        if (change == 0.0 || (change <= 1e-14 && change >= before)) break;
        grows = change > before;  // if it grows, a stage without a value is far from any solution
        before = change;
    }
    for (int i = 0; i < size; ++i)
        out[i] = start[i] + h * (WEIGHT[0] * guess[0][i] + WEIGHT[1] * guess[1][i] + WEIGHT[2] * guess[2][i]);
    return DONE;
}

// target += G(at)ᵀ μ for the positions, then for the speeds.
template <class M>
HD APART void kick(System<M>& system, const Room& room, double t, const double* at, double* target) {
    const int n = system.counts.n;
    for (int rates = 0; rates < 2; ++rates) {
        const int count = system.row_count(rates != 0);
        if (count > 0) system.residuals(t, at, rates != 0);
        for (int j = 0; j < (count > 0 ? n : 0); ++j)
            target[rates * n + j] += column_dot(system.solver.J, j, room.mu[rates], count);
    }
}

// μ −= (G Gᵀ)⁺ g / 2 at y. Returns the residual before the update.
template <class M>
HD APART Residual update_multipliers(System<M>& system, const Room& room, double t, const double* y, bool rates) {
    const int n = system.counts.n, count = system.row_count(rates);
    if (count == 0) return {0.0, 0.0};
    Solver& s = system.solver;
    const Residual before = system.residuals(t, y, rates);
    for (int i = 0; i < count; ++i) s.residual[i] *= -0.5;
    const int limit = rates ? system.rank_psi : system.rank_phi;
    const int rank = least_norm({s.J, s.residual, count, n, s.left_row_at, s.left_col_at}, limit, s.G, s.change);
    system.residuals(t, y, rates);
    for (int j = 0; j < n; ++j) {  // solve Gᵀ μ = δ
        for (int i = 0; i < count; ++i) s.W(j, i) = s.J(i, j);
        s.residual[j] = s.change[j];
    }
    least_norm({s.W, s.residual, n, count, s.left_row_at, s.left_col_at}, rank, s.G, s.change);
    for (int i = 0; i < count; ++i) room.mu[rates][i] += s.change[i];
    return before;
}

// Whether the kick at the end takes the step to another branch of the mechanism.
HD APART inline bool leapt(const Step& step, int n, double h, const double* out) {
    double kick_q = 0.0, kick_v = 0.0, speed = 0.0, place = 0.0;  // each relative to its natural size
    for (int i = 0; i < n; ++i) {
        const double q = larger(step.natural[i], 1e-300), v = larger(step.natural[n + i], 1e-300);
        kick_q = larger(kick_q, fabs(out[i] - step.trial[i]) / q);
        kick_v = larger(kick_v, fabs(out[n + i] - step.trial[n + i]) / v);
        speed = larger(speed, larger(fabs(step.y[n + i]), fabs(out[n + i])) / v);
        place = larger(place, fabs(out[i]) / q);
    }
    const double move = largest_of(n, [&](int i) {
        return fabs(h) * larger(fabs(step.y[n + i]), fabs(out[n + i])) / larger(step.natural[i], 1e-300);
    });
    return kick_v > KICK * speed || kick_q > KICK * move + SEEN * place;
}

// Make the projected step of length h from the old state, into out.
template <class M>
HD APART Status symmetric(System<M>& system, const Step& step, const Room& room, double h, double* out) {
    const double t = step.t;
    const int size = step.size, count = system.rows.count;
    for (int rates = 0; rates < 2; ++rates)
        for (int i = 0; i < system.row_count(rates != 0); ++i) room.mu[rates][i] = 0.0;
    double best = INF;
    Status status = DONE;
    for (int round = 0; round < 30; ++round) {
        for (int i = 0; i < size; ++i) step.trial[i] = step.y[i];
        kick(system, room, t, step.y, step.trial);
        status = collocate(system, step, t, h, step.trial, step.trial);
        if (status != DONE && round > 0) return PROJECTION_FAILED;  // without a kick the step was possible
        if (status != DONE || count == 0) break;
        for (int i = 0; i < size; ++i) out[i] = step.trial[i];
        for (int inner = 0; inner < 30; ++inner) {  // y₁ = ŷ₁ + G(y₁)ᵀ μ by iteration; μ is small
            for (int i = 0; i < size; ++i) step.unprojected[i] = step.trial[i];
            kick(system, room, t + h, out, step.unprojected);
            double change = 0.0;
            for (int i = 0; i < size; ++i) {
                change = larger(change, fabs(step.unprojected[i] - out[i]));
                out[i] = step.unprojected[i];
            }
            if (change == 0.0) break;
        }
        const Residual phi = update_multipliers(system, room, t + h, out, false);
        const Residual psi = update_multipliers(system, room, t + h, out, true);
        const double worst = larger(phi.relative, psi.relative);
        if (worst <= 2e-16 || (worst < 0.1 * KEPT && worst >= 0.5 * best)) {
            system.residual = larger(system.residual, phi.worst);
            system.rate_residual = larger(system.rate_residual, psi.worst);
            return leapt(step, system.counts.n, h, out) ? PROJECTION_FAILED : DONE;
        }
        best = smaller(best, worst);
    }
    if (count == 0)
        for (int i = 0; i < size; ++i) out[i] = step.trial[i];
    else if (status == DONE)
        status = PROJECTION_FAILED;
    return status;
}

// Whether the accelerations in the step are far from smooth: the parabola through those of the stages, continued to the
// ends, misses the accelerations there by a large fraction of the largest one.
//
// For cos ωt it misses by (hω)³/120. Beyond a pole it misses by as much as the values themselves.
HD APART inline bool is_torn(const Step& step, int n) {
    constexpr double LARGE = 0.3, STILL = 1e-3;  // of the largest; of the natural accelerations, the least that counts
    // weights at an end, the nearest stage first: products of (1 − c_j)/(c_i − c_j)
    const double near = (5.0 + ROOT15) / 6, middle = -2.0 / 3, far = (5.0 - ROOT15) / 6;
    double missed = 0.0, largest = 0.0;
    for (int i = n; i < 2 * n; ++i) {
        const double size = larger(step.natural[i], 1e-300);
        const double a = step.slope(13)[i], b = step.slope(14)[i], c = step.slope(15)[i];
        missed = larger(missed, fabs(near * a + middle * b + far * c - step.k[i]) / size);
        missed = larger(missed, fabs(far * a + middle * b + near * c - step.slope(12)[i]) / size);
        largest = larger(largest, larger(fabs(a), larger(fabs(b), fabs(c))) / size);
        largest = larger(largest, STILL * step.natural[i] / larger(step.natural[i - n], 1e-300));
    }
    return missed > LARGE * largest;
}

// Make one step of fixed length. The last one ends at the stop, and counting begins again there.
template <class M>
HD APART Status advance(System<M>& system, Step& step, const Room& room) {
    const double h = smaller(step.h, step.h_max);
    const bool last = step.t + 1.001 * h >= step.stop;
    step.t_new = last ? step.stop : step.grid + (step.steps - step.before + 1) * h;
    Status status = symmetric(system, step, room, step.t_new - step.t, step.y_new);
    if (status == DONE) {
        ++step.steps;
        status = system.slope(step.t_new, step.y_new, false, step.slope(12));
    }
    return status == DONE && is_torn(step, system.counts.n) ? UNDERFLOW_OF_STEP : status;
}

}  // namespace dalembert::gauss
