// One step of Radau IIA with five stages (order 9), for stiff motions.
//
// Hairer, Wanner, Solving Ordinary Differential Equations II, sections IV.5 and IV.8; Stiff differential equations solved
// by Radau methods, J. Comput. Appl. Math. 111 (1999). With Z = stages − y:
//
//     Z = h (A ⊗ I) f(y + Z),     W = (T⁻¹ ⊗ I) Z:   one real and two complex systems of the size of y for each iteration
//
// Tolerances are tight here. If a stiff motion contains a slow one, the number of steps is about that of an explicit
// method of order 8 for the slow motion alone.
//
// The Jacobian is computed by differences and kept while Newton's method converges. The end of a step is projected onto
// the constraints, as in the explicit steppers. The interpolant is the collocation polynomial.
#pragma once

#include "radau_table.hpp"
#include "step.hpp"
#include "system.hpp"

namespace dalembert::radau {

constexpr int ITERATIONS = 15;
constexpr double WELL = 0.3;  // the rate of convergence for which the next step is chosen
constexpr double POWER = 1.0 / (STAGES + 1);  // exponent of the error in the choice of steps

struct Complex {
    double re, im;
};
HD inline Complex operator-(const Complex& a, const Complex& b) { return {a.re - b.re, a.im - b.im}; }
HD inline Complex operator*(const Complex& a, const Complex& b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
HD inline double size_of(const Complex& a) { return fabs(a.re) + fabs(a.im); }
HD inline Complex inverse(const Complex& a) {
    const double length = square(a.re) + square(a.im);
    return {a.re / length, -a.im / length};
}
HD inline Complex quotient(const Complex& a, const Complex& b) { return a * inverse(b); }
HD inline void swap(Complex& a, Complex& b) { const Complex c = a; a = b; b = c; }
using dalembert::inverse, dalembert::quotient, dalembert::size_of, dalembert::swap;

// Work space, and data carried from step to step.
struct Room {
    Matrix J, real;                        // the Jacobian, and the factors of REAL/h − J
    MatrixOf<Complex> pair[PAIRS];         // those of (RE + i IM)/h − J
    Complex* of_pair;                      // a right-hand side
    double *Z, *W, *f, *dW;                // a row for each stage
    double *rest, *error;
    int *order, *order_complex[PAIRS];
    bool has_jacobian = false, fresh = false;  // J is known, and was computed for this step
    double h_factored = 0.0;                   // the length for which the factors are valid; 0: they are not
    double h_before = 0.0, error_before = 0.0;  // of the last step, whose interpolant may be continued; 0: there is none

    HD APART static Room in(Block& block, int size) {
        Room r;
        matrices(block, size, size, r.J, r.real, r.pair[0], r.pair[1]);
        block.each(STAGES * size, r.Z, r.W, r.f, r.dW);
        block.each(size, r.of_pair, r.rest, r.error, r.order, r.order_complex[0], r.order_complex[1]);
        return r;
    }

    // Discard all data of earlier steps, because the state jumped or the system changed.
    HD void forget() { has_jacobian = fresh = false, h_factored = h_before = error_before = 0.0; }

    // The slope has a kink here: discard the last error and the interpolant.
    HD void turn() { fresh = false, h_before = error_before = 0.0; }
};

// M = L U in place with partial pivoting, for real and complex numbers; false if M is singular.
template <class T>
HD APART bool factorize(const MatrixOf<T>& M, int* order, int n) {
    for (int k = 0; k < n; ++k) {
        int at = k;
        for (int i = k + 1; i < n; ++i)
            if (size_of(M(i, k)) > size_of(M(at, k))) at = i;
        order[k] = at;
        if (!(size_of(M(at, k)) > 0.0)) return false;
        for (int j = 0; at != k && j < n; ++j) swap(M(k, j), M(at, j));
        const T pivot = inverse(M(k, k));
        for (int i = k + 1; i < n; ++i) {
            const T factor = M(i, k) = M(i, k) * pivot;
            if (size_of(factor) == 0.0) continue;
            for (int j = k + 1; j < n; ++j) M(i, j) = M(i, j) - factor * M(k, j);
        }
    }
    return true;
}

template <class T>
HD APART void substitute(const MatrixOf<T>& M, const int* order, int n, T* b) {
    for (int k = 0; k < n; ++k)
        if (order[k] != k) swap(b[k], b[order[k]]);
    for (int i = 1; i < n; ++i)
        for (int j = 0; j < i; ++j) b[i] = b[i] - M(i, j) * b[j];
    for (int i = n - 1; i >= 0; --i) {
        for (int j = i + 1; j < n; ++j) b[i] = b[i] - M(i, j) * b[j];
        b[i] = quotient(b[i], M(i, i));
    }
}

// ∂f/∂y by differences relative to the natural sizes, in the middle of the step if the last interpolant reaches there.
template <class System>
HD APART Status jacobian(System& system, const Step& step, Room& r, double h) {
    const int n = step.size;
    double *y = r.rest, *k = r.error;
    const double t = r.h_before > 0.0 ? step.t + 0.5 * h : step.t;
    if (r.h_before > 0.0) {
        step.between(1.0 + 0.5 * h / r.h_before, y);
        if (const Status status = system.slope(t, y, true, k); status != DONE) return status;
    } else {
        for (int i = 0; i < n; ++i) y[i] = step.y[i], k[i] = step.k[i];
    }
    for (int i = 0; i < n; ++i) step.stage[i] = y[i];
    for (int j = 0; j < n; ++j) {
        const double delta = system.difference(j, 1.5e-8 * larger(fabs(y[j]), FLOOR * step.natural[j]));
        const double moved = y[j] + (k[j] >= 0.0 ? delta : -delta);
        step.stage[j] = moved;
        if (const Status status = system.slope(t, step.stage, true, step.slope(1)); status != DONE) return status;
        step.stage[j] = y[j];
        const double inverse = 1.0 / (moved - y[j]);
        for (int i = 0; i < n; ++i) r.J(i, j) = (step.slope(1)[i] - k[i]) * inverse;
    }
    r.fresh = r.has_jacobian = true, r.h_factored = 0.0;
    return DONE;
}

HD APART inline bool prepare(const Step& step, Room& r, double h) {
    const int n = step.size;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            const double entry = -r.J(i, j);
            r.real(i, j) = (i == j ? REAL / h : 0.0) + entry;
            for (int p = 0; p < PAIRS; ++p)
                r.pair[p](i, j) = {(i == j ? RE[p] / h : 0.0) + entry, i == j ? IM[p] / h : 0.0};
        }
    const bool regular = factorize(r.real, r.order, n) &&
                         all_of(PAIRS, [&](int p) { return factorize(r.pair[p], r.order_complex[p], n); });
    r.h_factored = regular ? h : 0.0;
    return regular;
}

// First Z of a step: the continued interpolant of the last step.
HD APART inline void guess(const Step& step, const Room& r, double h) {
    const int n = step.size;
    for (int i = 0; i < STAGES * n; ++i) r.Z[i] = 0.0;
    if (!(r.h_before > 0.0)) return;
    for (int s = 0; s < STAGES; ++s) {
        step.between(1.0 + NODE[s] * h / r.h_before, step.seen);
        for (int i = 0; i < n; ++i) r.Z[s * n + i] = step.seen[i] - step.y[i];
    }
}

struct Newton {
    bool converged = false;
    int iterations = 0;
    double rate = 0.0;
};

// out = (M ⊗ I) in.
HD inline void turn(const double (&M)[STAGES][STAGES], const double* in, int n, double* out) {
    for (int s = 0; s < STAGES; ++s)
        for (int i = 0; i < n; ++i) out[s * n + i] = sum_of(STAGES, [&](int k) { return M[s][k] * in[k * n + i]; });
}

template <class System>
HD APART Newton newton(System& system, const Step& step, Room& r, double h) {
    const int n = step.size;
    const double enough = larger(10.0 * EPSILON / step.tolerance, 1e-2);
    turn(TI, r.Z, n, r.W);
    Newton found;
    double before = -1.0;
    for (int k = 0; k < ITERATIONS; ++k) {
        ++found.iterations;
        for (int s = 0; s < STAGES; ++s) {
            for (int i = 0; i < n; ++i) step.stage[i] = step.y[i] + r.Z[s * n + i];
            if (system.slope(step.t + NODE[s] * h, step.stage, true, r.f + s * n) != DONE) return found;
        }
        turn(TI, r.f, n, r.dW);
        for (int i = 0; i < n; ++i) r.dW[i] -= REAL / h * r.W[i];
        substitute(r.real, r.order, n, r.dW);
        for (int p = 0; p < PAIRS; ++p) {
            double *re = r.dW + (1 + 2 * p) * n, *im = re + n;
            const double *w = r.W + (1 + 2 * p) * n, *u = w + n;
            for (int i = 0; i < n; ++i)
                r.of_pair[i] = {re[i] - (RE[p] * w[i] - IM[p] * u[i]) / h, im[i] - (RE[p] * u[i] + IM[p] * w[i]) / h};
            substitute(r.pair[p], r.order_complex[p], n, r.of_pair);
            for (int i = 0; i < n; ++i) re[i] = r.of_pair[i].re, im[i] = r.of_pair[i].im;
        }
        double norm = 0.0;
        for (int s = 0; s < STAGES; ++s)
            for (int i = 0; i < n; ++i) norm += square(r.dW[s * n + i] / step.scale(i, step.y[i]));
        norm = sqrt(norm / (STAGES * n));
        if (!finite(norm)) return found;
        if (before >= 0.0) {
            found.rate = before > 0.0 ? norm / before : 0.0;
            double ahead = found.rate;
            for (int j = 1; j < ITERATIONS - k; ++j) ahead *= found.rate;
            if (found.rate >= 1.0 || ahead / (1.0 - found.rate) * norm > enough) return found;
        }
        for (int i = 0; i < STAGES * n; ++i) r.W[i] += r.dW[i];
        turn(T, r.W, n, r.Z);
        if (norm == 0.0 || (before >= 0.0 && found.rate / (1.0 - found.rate) * norm < enough)) {
            found.converged = true;
            return found;
        }
        before = norm;
    }
    return found;
}

// The error of the step in units of the tolerance. `again`, after a rejection, gives a sharper estimate.
template <class System>
HD APART double error_of(System& system, const Step& step, Room& r, double h, bool again) {
    const int n = step.size;
    for (int i = 0; i < n; ++i) {
        r.rest[i] = sum_of(STAGES, [&](int s) { return ERROR[s] * r.Z[s * n + i] / h; });
        r.error[i] = step.k[i] + r.rest[i];
    }
    auto norm = [&] {
        double sum = 0.0;
        substitute(r.real, r.order, n, r.error);
        for (int i = 0; i < n; ++i) sum += square(r.error[i] / step.scale(i, step.y[i] + r.Z[(STAGES - 1) * n + i]));
        return sqrt(sum / n);
    };
    const double first = norm();
    if (!again || first <= 1.0) return first;
    for (int i = 0; i < n; ++i) step.stage[i] = step.y[i] + r.error[i];
    if (system.slope(step.t, step.stage, true, r.error) != DONE) return first;
    for (int i = 0; i < n; ++i) r.error[i] += r.rest[i];
    return norm();
}

// Hairer's predictive controller.
HD inline double factor_of(const Room& r, double h, double error) {
    const double plain = error > 0.0 ? pow(error, -POWER) : 10.0;
    double predicted = 1.0;
    if (r.error_before > 0.0 && error > 0.0) predicted = h / r.h_before * pow(r.error_before / error, POWER);
    return smaller(1.0, predicted) * plain;
}

// The collocation polynomial, in the form of `Step::between`.
HD APART inline void interpolate(const Step& step, const Room& r) {
    const int n = step.size;
    for (int i = 0; i < n; ++i) {
        step.term(0)[i] = step.y_new[i] - step.y[i];
        step.term(7)[i] = step.y[i];
        for (int k = 1; k < 7; ++k)
            step.term(k)[i] = k < STAGES ? sum_of(STAGES, [&](int s) { return P[k - 1][s] * r.Z[s * n + i]; }) : 0.0;
    }
}

// Make one accepted step, with its final slope in k[12] and with its interpolant.
template <class System>
HD APART Status advance(System& system, Step& step, Room& r, double first_guess) {
    if (step.h <= 0.0) step.h = first_guess;
    const double shortest = step.shortest();
    const int n = step.size;
    bool rejected = false;
    Status reason = UNDERFLOW_OF_STEP;
    while (true) {
        double h = smaller(step.h, step.h_max);
        const bool last = step.plan(h);
        if (!(h >= shortest) && !last) return reason;
        Status status = DONE;
        if (!r.has_jacobian) status = jacobian(system, step, r, h);
        if (status == DONE && r.h_factored != h && !prepare(step, r, h)) status = SINGULAR;
        Newton solved;
        if (status == DONE) {
            guess(step, r, h);
            solved = newton(system, step, r, h);
            if (!solved.converged) {
                ++step.rejected;
                if (!r.fresh) {
                    r.has_jacobian = false;
                } else {
                    step.h = h * larger(0.1, smaller(0.5, WELL / larger(solved.rate, WELL)));
                }
                rejected = true;
                reason = NOT_CONVERGED;
                continue;
            }
        }
        const double error = status == DONE ? error_of(system, step, r, h, rejected) : INF;
        const double safety = 0.9 * (2.0 * ITERATIONS + 1.0) / (2.0 * ITERATIONS + solved.iterations);
        if (error < 1.0) {
            for (int i = 0; i < n; ++i) step.unprojected[i] = step.y_new[i] = step.y[i] + r.Z[(STAGES - 1) * n + i];
            if (!system.project(step.t_new, step.y_new) || step.leapt()) status = PROJECTION_FAILED;
            if (status == DONE) status = system.slope(step.t_new, step.y_new, false, step.slope(12));
            if (status == DONE) {
                interpolate(step, r);
                const double rate = larger(solved.rate, WELL / 10.0);  // it grows about as the step does
                const double grown = smaller(WELL / rate, safety * factor_of(r, h, error));
                const bool keep = solved.iterations <= 2 || solved.rate <= 1e-3;
                r.h_before = h, r.error_before = error, r.fresh = false;
                if (!keep) r.has_jacobian = false;
                if (!last) step.h = keep && grown < 1.2 ? h : h * grown;
                ++step.steps;
                return DONE;
            }
        }
        rejected = true;
        ++step.rejected;
        reason = status != DONE ? status : UNDERFLOW_OF_STEP;
        step.h = status != DONE ? 0.25 * h : h * (finite(error) ? larger(0.2, safety * factor_of(r, h, error)) : 0.1);
    }
}

}  // namespace dalembert::radau
