// The whole-course description: one auxiliary motion through all impacts, without resets (ZhangMei section 3).
//
//     state Y = (q*, π*),  with s = sgn q₁* and σ = sgn q̇₁ constant in a step:
//     q₁ = s q₁*,   ψ_gap = s (1 − kσ) π₁*,   ψ_reversed = s (1 − kθ) π*,   ψ_B = π*,   Zᵀ D q̇ = π*    (3.1)–(3.3)
//     RHS* = s^V ∘ RHS
//
// k = (1 − e)/(1 + e): Ivanov's substitution, trivial for e = 1. Other reversed rates need a factor that is 1 ± k at the
// impact and continuous in flight: θ = q̇₁/√(q̇₁² + 2α q₁), in a fall with the acceleration α linear in time. Z is a
// basis of ker C, with C the rows of the gap, of the reversed rates and of the kept rates B: Zᵀ D q̇ are the entries of
// D q̇ − Cᵀ μ in the free places, where μ makes those in the dependent places zero.
//
// Here this is a stepper: between events the loop has y = (q, q̇), and a step goes from Y to Y. It ends at q̇₁ = 0,
// where σ changes. At q₁* = 0 the auxiliary state continues unchanged and is read with the other sign. The impact law is
// computed as well, for the impulse and the energy of the event, and the two must agree.
#pragma once

#include "dop853.hpp"
#include "guards.hpp"
#include "lengths.hpp"
#include "system.hpp"

namespace dalembert::whole_course {

constexpr double SAME_SPEEDS = 1e-8;  // allowed difference of the speeds after an impact from those of the impact law
constexpr double NO_RATE = 1e-11;     // relative to its terms: a smaller rate of the gap counts as zero

// The auxiliary system of a model. Rows are those of A: the gap's, the reversed ones, then those that an impact keeps.
struct Auxiliary {
    Code rates;            // Ȧ of the rows, Ḋ in the order of the dynamics, b of the rows
    const int* rows;
    const int* frictions;  // the friction that must roll for a row to be kept, or −1
    int row_count, reversed;
    int place;  // the coordinate that the gap replaces; the gap is linear in it
    double k;   // Ivanov's constant
};

struct Room {
    const Auxiliary* parts;
    double s = 1.0, sigma = -1.0, alpha = 0.0;
    double turned = NOT_A_NUMBER;  // the time at which the gap's rate was last zero at the end of a step
    int count = 0;                 // rows of C
    int *kept, *active, *dependent, *free, *row_at, *col_at;  // kept: places among the parts' rows; active: rows of A
    double *y, *still, *slope, *values, *offset, *momentum, *moved, *mu, *mu_rate, *right, *rates, *F;
    Matrix D, work;
    Solver solver;
    Step step;
    Guards guards;
    double* natural;

    HD APART static Room in(Block& block, const Counts& c, const Auxiliary* parts) {
        Room r;
        r.parts = parts;
        const int most = larger(parts->row_count, c.n) + 1, size = 2 * c.n;
        block.each(most, r.kept, r.active, r.dependent, r.free, r.row_at, r.col_at);
        block.each(most, r.offset, r.momentum, r.moved, r.mu, r.mu_rate, r.right);
        block.each(size, r.y, r.still, r.slope, r.natural);
        r.values = block.take<double>(HALF * size);
        r.rates = block.take<double>(parts->row_count * (c.n + 1) + c.mass_entries());
        r.F = block.take<double>(c.at_R());
        r.D = matrix(block, c.n, c.n), r.work = matrix(block, most, most);
        r.solver = Solver::in(block, c, c.m);
        r.step = Step::in(block, size, r.natural);
        r.guards = Guards::in(block, 1);
        return r;
    }
};

// The auxiliary system in the form that a stepper integrates.
template <class M>
struct Course {
    static constexpr int SIZE = 0;
    System<M>& system;
    Room& r;
    const Counts& c;
    const struct { int n; } counts = {0};  // no component of Y is the slope of another

    HD Course(System<M>& model, Room& room) : system(model), r(room), c(model.counts) {}

    HD bool slips() const { return false; }
    HD const double* row(int i) const { return r.F + c.at_A() + r.active[i] * c.n; }
    HD double product(const double* a, const double* b) const { return dot(a, b, c.n); }

    // D, the rows, and ψ at q̇ = 0, at a position.
    HD APART void see(double t, const double* q) {
        for (int i = 0; i < c.n; ++i) r.still[i] = q[i], r.still[c.n + i] = 0.0;
        system.load(t, r.still);
        system.dynamics();
        system.velocity();
        for (int i = 0; i < c.at_R(); ++i) r.F[i] = system.F[i];
        for (int i = 0; i < r.count; ++i) r.offset[i] = system.at_velocity[r.active[i]];
        unpack(r.F, c.n, c.symmetric, r.D);
    }

    // The rank of the first rows of `kept`. Their order of elimination is in row_at and col_at.
    HD APART int rank_of(int count) {
        for (int i = 0; i < count; ++i) {
            r.active[i] = r.parts->rows[r.kept[i]], r.right[i] = 0.0;
            for (int j = 0; j < c.n; ++j) r.work(i, j) = row(i)[j];
        }
        return reduce({r.work, r.right, count, c.n, r.row_at, r.col_at});
    }

    // Choose independent rows and the dependent places. They only rename the same motion. With `rolling`, the rows of
    // rolling contacts are among those that an impact keeps.
    HD APART Status choose(double t, const double* y, bool rolling) {
        const Auxiliary& parts = *r.parts;
        r.count = 0;
        see(t, y);
        int candidates = 0;
        for (int i = parts.reversed; i < parts.row_count; ++i) {
            const int friction = parts.frictions[i];
            if (friction < 0 || (rolling && system.contacts.friction[friction].mode == STICK)) r.kept[candidates++] = i;
        }
        const int independent = rank_of(candidates);
        for (int i = 0; i < independent; ++i) r.dependent[i] = r.kept[r.row_at[i]];
        for (int i = 0; i < parts.reversed; ++i) r.kept[i] = i;
        for (int i = 0; i < independent; ++i) r.kept[parts.reversed + i] = r.dependent[i];
        r.count = parts.reversed + independent;
        if (rank_of(r.count) < r.count) {
            system.solver.row = 0;
            return CONTRADICTS;
        }
        for (int i = 0; i < r.count; ++i) r.dependent[i] = r.col_at[i];
        for (int j = r.count; j < c.n; ++j) r.free[j - r.count] = r.col_at[j];
        return DONE;
    }

    // μ with (Cᵀ μ)_i = g_i in the dependent places.
    HD APART bool balance(const double* g, double* mu) {
        for (int i = 0; i < r.count; ++i) {
            r.right[i] = g[r.dependent[i]];
            for (int j = 0; j < r.count; ++j) r.work(i, j) = row(j)[r.dependent[i]];
        }
        const int rank = reduce({r.work, r.right, r.count, r.count, r.row_at, r.col_at});
        for (int i = 0; i < rank; ++i) mu[r.col_at[i]] = r.right[i];
        return rank == r.count;
    }

    // 1 − kθ; NaN if a step went too far beyond the impact.
    HD double factor(double gap, double rate) const {
        const double k = r.parts->k, length = square(rate) + 2.0 * r.alpha * gap;
        return k == 0.0 ? 1.0 : length > 0.0 ? 1.0 - k * rate / sqrt(length) : NOT_A_NUMBER;
    }

    // y = (q, q̇) from Y.
    HD APART Status decode(double t, const double* Y, double* y) {
        const int n = c.n, p = r.parts->place;
        const double k = r.parts->k, gap = r.s * Y[p], rate = r.s * (1.0 - k * r.sigma) * Y[n], fall = factor(gap, rate);
        for (int i = 0; i < n; ++i) y[i] = r.still[i] = Y[i], r.still[n + i] = 0.0;
        r.still[p] = 0.0;
        system.load(t, r.still);
        system.position();
        const double slope = system.at_position[c.holonomic + c.bilateral_holonomic * n + p];
        y[p] = (gap - system.gap(0)) / slope;
        see(t, y);
        for (int i = 0; i < n; ++i) r.F[c.at_d() + i] = 0.0;
        for (int j = r.count; j < n; ++j) r.F[c.at_d() + r.free[j - r.count]] = Y[n + j];
        for (int i = 0; i < r.count; ++i) {
            const double psi = i == 0 ? rate : i < r.parts->reversed ? r.s * fall * Y[n + i] : Y[n + i];
            r.F[c.at_b() + r.active[i]] = psi - r.offset[i];
        }
        const ActiveRows rows = {r.active, r.count, r.active, r.count, false};
        r.solver.measure(system.natural, n);
        const Status status = accelerations({r.F, c, rows, false}, r.solver, y + n, nullptr);
        return status == DONE && !finite(fall) && r.parts->reversed > 1 ? NONFINITE : status;
    }

    // Y from y = (q, q̇), with the present s and σ.
    HD APART Status encode(double t, const double* y, double* Y) {
        const int n = c.n;
        const double* v = y + n;
        see(t, y);
        system.position();
        const double gap = system.gap(0), rate = product(row(0), v) + r.offset[0], fall = factor(gap, rate);
        for (int i = 0; i < n; ++i) Y[i] = y[i], r.momentum[i] = product(r.D.row(i), v);
        Y[r.parts->place] = r.s * gap;
        Y[n] = r.s * rate / (1.0 - r.parts->k * r.sigma);
        for (int i = 1; i < r.count; ++i)
            Y[n + i] = (product(row(i), v) + r.offset[i]) * (i < r.parts->reversed ? r.s / fall : 1.0);
        if (!balance(r.momentum, r.mu)) return SINGULAR;
        for (int j = r.count; j < n; ++j) {
            Y[n + j] = r.momentum[r.free[j - r.count]];
            for (int i = 0; i < r.count; ++i) Y[n + j] -= row(i)[r.free[j - r.count]] * r.mu[i];
        }
        return DONE;
    }

    HD double* stage() { return r.step.stage; }
    template <int>
    HD bool plain_slope(double, double*) { return false; }

    // RHS*.
    HD APART Status slope(double t, const double* Y, bool fixed, double* out) {
        const int n = c.n, rows = r.parts->row_count;
        const double *v = r.y + n, *a = r.slope + n, k = r.parts->k;
        Status status = decode(t, Y, r.y);
        if (status == DONE) status = system.slope(t, r.y, fixed, r.slope);
        if (status != DONE) return status;
        r.parts->rates(system.x, r.rates);
        const double *A_rate = r.rates, *D_rate = r.rates + rows * n, *b = D_rate + c.mass_entries();
        auto turned = [&](int i) { return A_rate + r.kept[i] * n; };
        auto psi_rate = [&](int i) { return product(row(i), a) - b[r.kept[i]]; };
        for (int i = 0; i < n; ++i) r.momentum[i] = product(r.D.row(i), v), r.moved[i] = product(r.D.row(i), a);
        unpack(D_rate, n, c.symmetric, r.D);
        for (int i = 0; i < n; ++i) r.moved[i] += product(r.D.row(i), v);
        const double gap = r.s * Y[r.parts->place], rate = product(row(0), v) + r.offset[0], first = psi_rate(0);
        for (int i = 0; i < n; ++i) out[i] = v[i];
        out[r.parts->place] = r.s * rate;
        out[n] = r.s * first / (1.0 - k * r.sigma);
        const double fall = factor(gap, rate), length = square(rate) + 2.0 * r.alpha * gap;
        const double theta_rate = k == 0.0 ? 0.0 : r.alpha * (2.0 * gap * first - square(rate)) / (length * sqrt(length));
        for (int i = 1; i < r.count; ++i) {
            out[n + i] = psi_rate(i);
            if (i < r.parts->reversed) out[n + i] = (r.s * out[n + i] + k * theta_rate * Y[n + i]) / fall;
        }
        if (!balance(r.momentum, r.mu)) return SINGULAR;
        for (int i = 0; i < r.count; ++i)
            for (int j = 0; j < n; ++j) r.moved[j] -= turned(i)[j] * r.mu[i];
        if (!balance(r.moved, r.mu_rate)) return SINGULAR;
        for (int j = r.count; j < n; ++j) {
            out[n + j] = r.moved[r.free[j - r.count]];
            for (int i = 0; i < r.count; ++i) out[n + j] -= row(i)[r.free[j - r.count]] * r.mu_rate[i];
        }
        return all_finite(out, 2 * n) ? DONE : NONFINITE;
    }

    HD bool project(double t, double* Y) {
        if (system.kept_rows(true) == 0) return true;
        return decode(t, Y, r.y) == DONE && system.project(t, r.y) && encode(t, r.y, Y) == DONE;
    }

    // The sizes of the components of Y, from those of y.
    HD APART void measure(const double* Y) {
        const int n = c.n;
        const double *sizes = system.natural, *rates = sizes + n;
        auto terms = [&](const double* entries, const double* of) {
            return sum_of(n, [&](int j) { return fabs(entries[j]) * of[j]; });
        };
        const double most = largest_of(n, [&](int i) { return terms(r.D.row(i), rates); });
        for (int i = 0; i < n; ++i) r.natural[i] = sizes[i];
        r.natural[r.parts->place] = terms(row(0), sizes);
        for (int i = 0; i < n; ++i) {
            const double own = i < r.count ? terms(row(i), rates) : terms(r.D.row(r.free[i - r.count]), rates);
            r.natural[n + i] = own > 0.0 ? own : most;
        }
        for (int i = 0; i < 2 * n; ++i) r.step.largest[i] = larger(FLOOR * r.natural[i], fabs(Y[i]));
    }

    // Begin a step at y: choose σ, and α if this is the first step. Returns whether the gap's rate is zero here.
    HD APART bool begin(double t, const double* y, const double* acceleration) {
        system.load(t, y);
        system.velocity();
        system.position();
        system.dynamics();
        const int gap = r.parts->rows[0];
        const double *own = system.F + c.at_A() + gap * c.n, rate = system.at_velocity[gap];
        const double terms = terms_of(own, y + c.n, system.natural + c.n, c.n);
        const double change = product(own, acceleration) - system.F[c.at_b() + gap], place = system.gap(0);
        const bool turns = t == r.turned || fabs(rate) <= NO_RATE * terms;
        r.sigma = t == r.turned ? -r.sigma : (turns ? change : rate) > 0.0 ? 1.0 : -1.0;
        if (r.alpha == 0.0) r.alpha = fabs(change);
        if (r.alpha == 0.0) r.alpha = square(rate) / (place != 0.0 ? 2.0 * place : 1.0);
        if (r.alpha == 0.0) r.alpha = 1.0;
        return turns;
    }
};

// Make one accepted step of the auxiliary motion.
template <class M>
HD APART Status advance(System<M>& system, Step& step, Room& r) {
    Course<M> course(system, r);
    Step& own = r.step;
    const int n = system.counts.n, size = 2 * n;
    const bool turns = course.begin(step.t, step.y, step.k + n);
    Status status = course.choose(step.t, step.y, false);
    if (status == DONE) status = course.encode(step.t, step.y, own.y);
    if (status != DONE) return status;
    if (turns) own.y[n] = 0.0;
    course.measure(own.y);
    own.t = step.t, own.start = step.start, own.end = step.end, own.stop = step.stop;
    own.h = step.h, own.h_max = step.h_max, own.tolerance = step.tolerance;
    if (status = course.slope(own.t, own.y, false, own.k); status != DONE) return status;
    dop853::Stiffness never;
    const long rejected = own.rejected;
    if (status = dop853::advance<0>(course, own, never, -INF); status != DONE) return status;
    double end = 1.0;
    if (r.parts->k > 0.0) {
        auto see = [&](double s) -> const double* {
            own.between(s, own.seen);
            return own.seen + n;
        };
        r.guards.power[0] = turns;
        search(r.guards, own, see, [&](double s, int) { return *see(s); });
        if (r.guards.hit_count > 0) end = r.guards.hits[0].at;
    }
    step.t_new = end < 1.0 ? own.at(end) : own.t_new;
    if (end < 1.0) r.turned = step.t_new;
    for (int k = 1; k < HALF; ++k) {
        const double s = end * PLACES[2 * k];
        own.between(s, own.seen);
        status = course.decode(own.at(s), s < 1.0 ? own.seen : own.y_new, r.values + k * size);
        if (status != DONE) return status;
    }
    for (int i = 0; i < size; ++i) r.values[i] = step.y[i], step.y_new[i] = r.values[(HALF - 1) * size + i];
    if (!system.project(step.t_new, step.y_new)) return PROJECTION_FAILED;
    for (int i = 0; i < size; ++i) {
        r.values[(HALF - 1) * size + i] = step.y_new[i];
        for (int term = 0; term < TERMS; ++term)
            step.term(term)[i] = sum_of(HALF, [&](int k) { return TO_TERMS[term][k] * r.values[k * size + i]; });
    }
    step.h = own.h, step.rejected += own.rejected - rejected, ++step.steps;
    return system.slope(step.t_new, step.y_new, false, step.slope(12));
}

// Read the auxiliary state at an impact with the other sign, from the state before. The speeds in `after` are those of
// the impact law. They are replaced, or NOT_REVERSED is returned if the two differ.
template <class M>
HD APART Status cross(System<M>& system, Room& r, double t, const double* before, double* after) {
    Course<M> course(system, r);
    const int n = system.counts.n;
    const double *was = before + n, *found = r.step.seen + n;
    double* is = after + n;
    const double largest = largest_of(n, [&](int i) { return fabs(was[i]) + fabs(is[i]); });
    r.turned = NOT_A_NUMBER;
    for (int rolling = 0; rolling < 2; ++rolling) {
        r.sigma = -1.0;
        Status status = course.choose(t, before, rolling != 0);
        if (status == DONE) status = course.encode(t, before, r.step.y);
        r.step.y[r.parts->place] = 0.0;
        r.s = -r.s, r.sigma = 1.0;
        if (status == DONE) status = course.decode(t, r.step.y, r.step.seen);
        if (status != DONE) return status;
        const bool same = all_of(n, [&](int i) { return fabs(found[i] - is[i]) <= SAME_SPEEDS * largest; });
        for (int i = 0; i < (same ? n : 0); ++i) is[i] = found[i];
        if (same) return DONE;
        r.s = -r.s;
    }
    system.solver.row = 0;
    return NOT_REVERSED;
}

}  // namespace dalembert::whole_course
