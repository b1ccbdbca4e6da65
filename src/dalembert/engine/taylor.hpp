// One step by the Taylor series of the motion, for long and exact motions of small systems.
//
// Jorba and Zou, A software package for the numerical integration of ODEs by means of high-order Taylor methods,
// Experimental Mathematics 14 (2005). The program's jet gives y[k] = y⁽ᵏ⁾/k! up to the order K at the beginning of a
// step. With s_i the size of component i and ε the tolerance, the length is
//
//     h = 0.95 ε^(1/K) min ρ_k over the last four orders,   ρ_k = (max_i |y_i[k]| / s_i)^(−1/k)
//
// The last term kept is then as large as the allowed error, and the terms left out are smaller. Four orders are used
// because some vanish at a symmetric start: a horizontal pendulum at rest has a series in t⁴. No step is rejected,
// because the length is known before the step is made. The series is the interpolant. The slope at the end is computed
// only if another stepper needs it. Guards have their own series. In most steps these show that there is no root, and
// in the others they give its place.
#pragma once

#include "step.hpp"
#include "system.hpp"
#include "tables.hpp"

namespace dalembert::taylor {

constexpr double CAUTION = 0.95;
constexpr int LOOKED_AT = 4;  // the last orders, which determine the length
constexpr double MARGIN = 1.001;  // for the terms left out of a series
constexpr long FIRST = 500;   // steps before series are used automatically: a shorter motion needs no jet
constexpr long PERIOD = 1000, LOOKS = 20;  // of its steps, and the number of them that test for stiffness

HD inline bool has_its_turn(long steps) { return steps >= FIRST && (steps - FIRST) % PERIOD >= LOOKS; }

// log₂ x of a positive number and 2^x to six digits, which is enough for a length. Library functions take longer, and
// do not have the same bits on every machine. A number below 2⁻¹⁰²² counts as one of that size.
HD inline double rough_log2(double x) {
    const long long bits = bits_of(x), fraction = 0x000fffffffffffffLL, half = 0x3fe0000000000000LL;
    const double m = of_bits((bits & fraction) | half), y = (m - 0.70710678) / (m + 0.70710678), w = y * y;
    return static_cast<double>((bits >> 52) - 1022) - 0.5 + y * (2.8853901 + w * (0.9617967 + w * 0.5770780));
}

HD inline double rough_exp2(double x) {
    const double whole = floor(larger(-1000.0, smaller(1000.0, x)) + 0.5), f = 0.69314718 * (x - whole);
    const double series = 1.0 + f * (1.0 + f * (0.5 + f * (0.16666667 + f * (0.041666667 + f * (0.0083333333 + f * 0.0013888889)))));
    return series * of_bits((static_cast<long long>(whole) + 1023) << 52);
}

struct Room {
    int order = 0, guards = 0;
    double reach = 0.0;  // CAUTION ε^(1/K)
    double* jet = nullptr;

    HD static Room in(Block& block, const Counts& c) {
        const long rows = c.jet_order > 0 ? c.jet_order + 1 : 0;
        return {c.jet_order, c.jet_guards, 0.0, block.take<double>(rows * (c.size() + c.jet_guards) + 2)};
    }

    HD void set(double tolerance) { reach = order > 0 ? CAUTION * rough_exp2(rough_log2(tolerance) / order) : 0.0; }
};

// Whether the series of a guard shows that it has no root in a step: |g[p]| > Σ_{k>p} |g[k]| h^(k−p), with the root at
// the beginning of the step divided out p times. With `positive` it must also be positive.
HD inline bool stays(const Step& step, int guard, int power, bool positive) {
    if (step.degree == 0 || guard >= step.shown_count || power > smaller(step.degree, 2)) return false;
    const double *c = step.shown + guard, h = step.length();
    double rest = 0.0;
    for (int k = step.degree; k > power; --k) rest = (rest + fabs(c[k * step.shown_count])) * h;
    const double first = c[power * step.shown_count];
    return (positive ? first : fabs(first)) > MARGIN * rest;
}

// The series of a guard at all nodes of the step in parallel.
HD APART inline void at_nodes(const Step& step, int guard, double* values) {
    const double *c = step.shown + guard, h = step.length();
    double past[NODES];
    for (int j = 0; j < NODES; ++j) past[j] = PLACES[j] * h, values[j] = c[step.degree * step.shown_count];
    for (int k = step.degree - 1; k >= 0; --k)
        for (int j = 0; j < NODES; ++j) values[j] = values[j] * past[j] + c[k * step.shown_count];
}

// The series of a guard at the fraction s of the step, and its derivative with respect to s.
struct Tangent {
    double value, rate;
};

HD APART inline Tangent tangent(const Step& step, int guard, double s) {
    const double *c = step.shown + guard, past = s * step.length();
    Tangent found{c[step.degree * step.shown_count], 0.0};
    for (int k = step.degree - 1; k >= 0; --k) {
        found.rate = found.rate * past + found.value;
        found.value = found.value * past + c[k * step.shown_count];
    }
    return {found.value, found.rate * step.length()};
}

// The length of the step, from the last orders; NaN if one of them has no value.
HD inline double length_of(const Step& step, const Room& room) {
    const int size = step.size, K = room.order;
    double largest[LOOKED_AT], sum = 0.0, fastest = -INF;
    for (int i = 0; i < size; ++i) step.trial[i] = 1.0 / larger(step.largest[i], fabs(step.y[i]));
    for (int j = 0; j < LOOKED_AT; ++j) {
        const double* c = room.jet + (K - j) * size;
        largest[j] = 0.0;
        for (int i = 0; i < size; ++i) {
            const double relative = fabs(c[i]) * step.trial[i];
            largest[j] = larger(largest[j], relative), sum += relative;
        }
    }
    if (!finite(sum)) return NOT_A_NUMBER;
    for (int j = 0; j < LOOKED_AT; ++j)
        if (largest[j] > 0.0) fastest = larger(fastest, rough_log2(largest[j]) / (K - j));  // −log₂ ρ_k
    return fastest == -INF ? INF : room.reach * rough_exp2(-fastest);
}

// Make one step. NOT_CONVERGED means that the series has no value here and another stepper must make the step.
template <class M>
HD APART Status advance(System<M>& system, Step& step, const Room& room) {
    const int size = step.size, K = room.order;
    system.load(step.t, step.y);
    ++system.evaluations;
    system.model->jet(system.x, room.jet);
    if (room.jet[(K + 1) * (size + room.guards)] != 1.0) return NOT_CONVERGED;
    const double far = length_of(step, room);
    if (!(far > 0.0)) return NOT_CONVERGED;
    step.series = room.jet;
    step.degree = K;
    step.shown = room.jet + (K + 1) * size;
    step.shown_count = room.guards;
    double h = smaller(smaller(far, step.h_max), step.stop - step.t);
    if (!(h >= step.shortest())) return NOT_CONVERGED;
    for (int attempt = 0; attempt < 8; ++attempt, h *= 0.5) {
        step.plan(h);
        step.along_series(h, step.y_new);
        for (int i = 0; i < size; ++i) step.unprojected[i] = step.y_new[i];
        if (system.project(step.t_new, step.y_new) && !step.leapt()) {
            step.h = h;
            ++step.steps;
            return DONE;
        }
    }
    return NOT_CONVERGED;
}

}  // namespace dalembert::taylor
