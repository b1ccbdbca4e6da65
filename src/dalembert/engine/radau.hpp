// One step of Radau IIA with three stages (order 5), for stiff motions.
//
// Hairer, Wanner, Solving Ordinary Differential Equations II, sections IV.5 and IV.8. With Z = stages − y:
//
//     Z = h (A ⊗ I) f(y + Z),     W = (T⁻¹ ⊗ I) Z:   one real and one complex system of the size of y for each iteration
//
// The Jacobian is made of differences and kept while Newton's method converges. The end of a step is projected onto the
// constraints, as in the explicit steppers. The interpolant is the collocation polynomial.
#pragma once

#include "step.hpp"
#include "system.hpp"

namespace dalembert::radau {

constexpr double ROOT6 = 2.449489742783178;
TABLE double NODE[3] = {(4.0 - ROOT6) / 10, (4.0 + ROOT6) / 10, 1.0};
TABLE double ERROR[3] = {(-13.0 - 7.0 * ROOT6) / 3, (-13.0 + 7.0 * ROOT6) / 3, -1.0 / 3};
constexpr double REAL = 3.6378342527444957;  // the eigenvalues of A⁻¹
constexpr double RE = 2.6810828736277521, IM = -3.0504301992474105;
TABLE double T[3][3] = {{0.09443876248897524, -0.14125529502095421, 0.03002919410514742},
                        {0.25021312296533332, 0.20412935229379994, -0.38294211275726192},
                        {1.0, 1.0, 0.0}};
TABLE double TI[3][3] = {{4.17871859155190428, 0.32768282076106237, 0.52337644549944951},
                         {-4.17871859155190428, -0.32768282076106237, 0.47662355450055044},
                         {0.50287263494578682, -2.57192694985560522, 0.59603920482822492}};
TABLE double P[3][3] = {{(13.0 + 7.0 * ROOT6) / 3, (-23.0 - 22.0 * ROOT6) / 3, (10.0 + 15.0 * ROOT6) / 3},
                        {(13.0 - 7.0 * ROOT6) / 3, (-23.0 + 22.0 * ROOT6) / 3, (10.0 - 15.0 * ROOT6) / 3},
                        {1.0 / 3, -8.0 / 3, 10.0 / 3}};
constexpr int ITERATIONS = 6;

// Room, and what is carried from step to step.
struct Room {
    Matrix J, real, re, im;  // the Jacobian, and the factors of REAL/h − J and (RE + i IM)/h − J
    double *Z, *W, *f;       // three rows each
    double *right, *right_im, *error;
    int *order, *order_complex;
    bool fresh = false;     // J was made at y
    bool factored = false;  // for h_factored
    double h_factored = 0.0, h_before = 0.0, error_before = 0.0;
    bool has_interpolant = false;
    bool has_jacobian = false;

    HD APART static Room in(Block& block, int size) {
        Room r;
        Matrix* squares[] = {&r.J, &r.real, &r.re, &r.im};
        for (Matrix* M : squares) *M = matrix(block, size, size);
        double** triples[] = {&r.Z, &r.W, &r.f};
        for (double** v : triples) *v = block.take<double>(3 * size);
        double** vectors[] = {&r.right, &r.right_im, &r.error};
        for (double** v : vectors) *v = block.take<double>(size);
        r.order = block.take<int>(size), r.order_complex = block.take<int>(size);
        return r;
    }

    // Nothing of an earlier step counts: the state jumped, or the system changed.
    HD void forget() { fresh = factored = has_interpolant = has_jacobian = false, error_before = 0.0; }

    // The slope has a kink here: what was known of errors and of the way on does not count.
    HD void turn() { fresh = has_interpolant = false, error_before = 0.0; }
};

HD APART inline bool factorize(const Matrix& M, int* order, int n) {
    for (int k = 0; k < n; ++k) {
        int at = k;
        for (int i = k + 1; i < n; ++i)
            if (fabs(M(i, k)) > fabs(M(at, k))) at = i;
        order[k] = at;
        if (!(fabs(M(at, k)) > 0.0)) return false;
        if (at != k)
            for (int j = 0; j < n; ++j) swap(M(k, j), M(at, j));
        const double inverse = 1.0 / M(k, k);
        for (int i = k + 1; i < n; ++i) {
            const double factor = M(i, k) *= inverse;
            if (factor != 0.0)
                for (int j = k + 1; j < n; ++j) M(i, j) -= factor * M(k, j);
        }
    }
    return true;
}

HD APART inline void substitute(const Matrix& M, const int* order, int n, double* b) {
    for (int k = 0; k < n; ++k)
        if (order[k] != k) swap(b[k], b[order[k]]);
    for (int i = 1; i < n; ++i)
        for (int j = 0; j < i; ++j) b[i] -= M(i, j) * b[j];
    for (int i = n - 1; i >= 0; --i) {
        for (int j = i + 1; j < n; ++j) b[i] -= M(i, j) * b[j];
        b[i] /= M(i, i);
    }
}

HD APART inline bool factorize(const Matrix& re, const Matrix& im, int* order, int n) {
    for (int k = 0; k < n; ++k) {
        int at = k;
        double best = 0.0;
        for (int i = k; i < n; ++i) {
            const double length = fabs(re(i, k)) + fabs(im(i, k));
            if (length > best) best = length, at = i;
        }
        order[k] = at;
        if (!(best > 0.0)) return false;
        if (at != k)
            for (int j = 0; j < n; ++j) swap(re(k, j), re(at, j)), swap(im(k, j), im(at, j));
        const double length = square(re(k, k)) + square(im(k, k));
        const double r = re(k, k) / length, s = -im(k, k) / length;
        for (int i = k + 1; i < n; ++i) {
            const double a = re(i, k) * r - im(i, k) * s, b = re(i, k) * s + im(i, k) * r;
            re(i, k) = a, im(i, k) = b;
            if (a == 0.0 && b == 0.0) continue;
            for (int j = k + 1; j < n; ++j) {
                re(i, j) -= a * re(k, j) - b * im(k, j);
                im(i, j) -= a * im(k, j) + b * re(k, j);
            }
        }
    }
    return true;
}

HD APART inline void substitute(const Room& r, int n, double* b, double* c) {
    for (int k = 0; k < n; ++k)
        if (r.order_complex[k] != k) swap(b[k], b[r.order_complex[k]]), swap(c[k], c[r.order_complex[k]]);
    for (int i = 1; i < n; ++i)
        for (int j = 0; j < i; ++j) {
            b[i] -= r.re(i, j) * b[j] - r.im(i, j) * c[j];
            c[i] -= r.re(i, j) * c[j] + r.im(i, j) * b[j];
        }
    for (int i = n - 1; i >= 0; --i) {
        for (int j = i + 1; j < n; ++j) {
            b[i] -= r.re(i, j) * b[j] - r.im(i, j) * c[j];
            c[i] -= r.re(i, j) * c[j] + r.im(i, j) * b[j];
        }
        const double length = square(r.re(i, i)) + square(r.im(i, i));
        const double re = r.re(i, i) / length, im = -r.im(i, i) / length, was = b[i];
        b[i] = was * re - c[i] * im, c[i] = was * im + c[i] * re;
    }
}

// ∂f/∂y at the beginning of the step, by differences against the natural sizes.
template <class System>
HD APART Status jacobian(System& system, const Step& step, Room& r) {
    const int n = step.size;
    for (int i = 0; i < n; ++i) step.stage[i] = step.y[i];
    for (int j = 0; j < n; ++j) {
        const double delta = system.difference(j, 1.5e-8 * larger(fabs(step.y[j]), FLOOR * step.natural[j]));
        const double moved = step.y[j] + (step.k[j] >= 0.0 ? delta : -delta);
        step.stage[j] = moved;
        const Status status = system.slope(step.t, step.stage, true, step.slope(1));
        if (status != DONE) return status;
        step.stage[j] = step.y[j];
        const double inverse = 1.0 / (moved - step.y[j]);
        for (int i = 0; i < n; ++i) r.J(i, j) = (step.slope(1)[i] - step.k[i]) * inverse;
    }
    r.fresh = r.has_jacobian = true;
    r.factored = false;
    return DONE;
}

HD APART inline bool prepare(const Step& step, Room& r, double h) {
    const int n = step.size;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            const double entry = -r.J(i, j);
            r.real(i, j) = (i == j ? REAL / h : 0.0) + entry;
            r.re(i, j) = (i == j ? RE / h : 0.0) + entry;
            r.im(i, j) = i == j ? IM / h : 0.0;
        }
    r.h_factored = h;
    r.factored = factorize(r.real, r.order, n) && factorize(r.re, r.im, r.order_complex, n);
    return r.factored;
}

// First Z of a step: the interpolant of the last one, continued.
HD APART inline void guess(const Step& step, const Room& r, double h) {
    const int n = step.size;
    for (int s = 0; s < 3; ++s)
        for (int i = 0; i < n; ++i) r.Z[s * n + i] = 0.0;
    if (!r.has_interpolant) return;
    for (int s = 0; s < 3; ++s) {
        step.between(1.0 + NODE[s] * h / r.h_before, step.seen);
        for (int i = 0; i < n; ++i) r.Z[s * n + i] = step.seen[i] - step.y[i];
    }
}

struct Newton {
    bool converged = false;
    int iterations = 0;
    double rate = 0.0;
};

template <class System>
HD APART Newton newton(System& system, const Step& step, Room& r, double h) {
    const int n = step.size;
    const double enough = larger(10.0 * EPSILON / step.tolerance, smaller(0.03, sqrt(step.tolerance)));
    for (int s = 0; s < 3; ++s)
        for (int i = 0; i < n; ++i)
            r.W[s * n + i] = TI[s][0] * r.Z[i] + TI[s][1] * r.Z[n + i] + TI[s][2] * r.Z[2 * n + i];
    Newton found;
    double before = -1.0;
    for (int k = 0; k < ITERATIONS; ++k) {
        ++found.iterations;
        for (int s = 0; s < 3; ++s) {
            for (int i = 0; i < n; ++i) step.stage[i] = step.y[i] + r.Z[s * n + i];
            if (system.slope(step.t + NODE[s] * h, step.stage, true, r.f + s * n) != DONE) return found;
        }
        double* imaginary = r.right_im;
        double norm = 0.0;
        for (int i = 0; i < n; ++i) {
            const double f0 = r.f[i], f1 = r.f[n + i], f2 = r.f[2 * n + i];
            const double w1 = r.W[n + i], w2 = r.W[2 * n + i];
            r.right[i] = TI[0][0] * f0 + TI[0][1] * f1 + TI[0][2] * f2 - REAL / h * r.W[i];
            step.stage[i] = TI[1][0] * f0 + TI[1][1] * f1 + TI[1][2] * f2 - (RE * w1 - IM * w2) / h;
            imaginary[i] = TI[2][0] * f0 + TI[2][1] * f1 + TI[2][2] * f2 - (RE * w2 + IM * w1) / h;
        }
        substitute(r.real, r.order, n, r.right);
        substitute(r, n, step.stage, imaginary);
        for (int i = 0; i < n; ++i) {
            const double scale = step.scale(i, step.y[i]);
            norm += square(r.right[i] / scale) + square(step.stage[i] / scale) + square(imaginary[i] / scale);
        }
        norm = sqrt(norm / (3.0 * n));
        if (!finite(norm)) return found;
        if (before >= 0.0) {
            found.rate = before > 0.0 ? norm / before : 0.0;
            double ahead = found.rate;
            for (int j = 1; j < ITERATIONS - k; ++j) ahead *= found.rate;
            if (found.rate >= 1.0 || ahead / (1.0 - found.rate) * norm > enough) return found;
        }
        for (int i = 0; i < n; ++i) {
            const double w0 = r.W[i] += r.right[i], w1 = r.W[n + i] += step.stage[i];
            const double w2 = r.W[2 * n + i] += imaginary[i];
            for (int s = 0; s < 3; ++s) r.Z[s * n + i] = T[s][0] * w0 + T[s][1] * w1 + T[s][2] * w2;
        }
        if (norm == 0.0 || (before >= 0.0 && found.rate / (1.0 - found.rate) * norm < enough)) {
            found.converged = true;
            return found;
        }
        before = norm;
    }
    return found;
}

// The error of the step, in units of the tolerance; `again` after a rejection asks for the sharper estimate.
template <class System>
HD APART double error_of(System& system, const Step& step, Room& r, double h, bool again) {
    const int n = step.size;
    for (int i = 0; i < n; ++i) {
        const double ZE = (ERROR[0] * r.Z[i] + ERROR[1] * r.Z[n + i] + ERROR[2] * r.Z[2 * n + i]) / h;
        r.right_im[i] = ZE;
        r.error[i] = step.k[i] + ZE;
    }
    substitute(r.real, r.order, n, r.error);
    double norm = 0.0;
    for (int i = 0; i < n; ++i) norm += square(r.error[i] / step.scale(i, step.y[i] + r.Z[2 * n + i]));
    norm = sqrt(norm / n);
    if (again && norm > 1.0) {
        for (int i = 0; i < n; ++i) step.stage[i] = step.y[i] + r.error[i];
        if (system.slope(step.t, step.stage, true, r.error) != DONE) return norm;
        for (int i = 0; i < n; ++i) r.error[i] += r.right_im[i];
        substitute(r.real, r.order, n, r.error);
        norm = 0.0;
        for (int i = 0; i < n; ++i) norm += square(r.error[i] / step.scale(i, step.y[i] + r.Z[2 * n + i]));
        norm = sqrt(norm / n);
    }
    return norm;
}

// Hairer's predictive controller.
HD inline double factor_of(const Room& r, double h, double error) {
    const double plain = error > 0.0 ? 1.0 / sqrt(sqrt(error)) : 10.0;
    double predicted = 1.0;
    if (r.error_before > 0.0 && error > 0.0) predicted = h / r.h_before * sqrt(sqrt(r.error_before / error));
    return smaller(1.0, predicted) * plain;
}

// The collocation polynomial q₁ s + q₂ s² + q₃ s³ from y, in the form of `Step::between`.
HD APART inline void interpolate(const Step& step, const Room& r) {
    const int n = step.size;
    for (int i = 0; i < n; ++i) {
        double q[3];
        for (int c = 0; c < 3; ++c) q[c] = P[0][c] * r.Z[i] + P[1][c] * r.Z[n + i] + P[2][c] * r.Z[2 * n + i];
        step.term(0)[i] = step.y_new[i] - step.y[i];
        step.term(1)[i] = -q[2] - q[1];
        step.term(2)[i] = -q[2];
        step.term(7)[i] = step.y[i];
        for (int k = 3; k < 7; ++k) step.term(k)[i] = 0.0;
    }
}

// One accepted step, its slope at the end in k[12], always with its interpolant.
template <class System>
HD APART Status advance(System& system, Step& step, Room& r, double first_guess) {
    if (step.h <= 0.0) step.h = first_guess;
    const double t = step.t, shortest = step.shortest();
    const int n = step.size;
    bool rejected = false;
    Status reason = UNDERFLOW_OF_STEP;
    while (true) {
        double h = smaller(step.h, step.h_max);
        const bool last = t + 1.01 * h >= step.stop;
        if (last) h = step.stop - t;
        if (h < shortest && !last) return reason;
        Status status = DONE;
        if (!r.has_jacobian) status = jacobian(system, step, r);
        if (status == DONE && !(r.factored && r.h_factored == h) && !prepare(step, r, h)) status = SINGULAR;
        Newton solved;
        if (status == DONE) {
            guess(step, r, h);
            solved = newton(system, step, r, h);
            if (!solved.converged) {
                ++step.rejected;
                if (!r.fresh) {
                    r.has_jacobian = false;
                } else {
                    step.h = 0.5 * h;
                    r.has_interpolant = r.has_interpolant && !rejected;
                }
                rejected = true;
                reason = NOT_CONVERGED;
                continue;
            }
        }
        const double error = status == DONE ? error_of(system, step, r, h, rejected) : INF;
        const double safety = 0.9 * (2.0 * ITERATIONS + 1.0) / (2.0 * ITERATIONS + solved.iterations);
        if (error < 1.0) {
            step.t_new = last ? step.stop : t + h;
            for (int i = 0; i < n; ++i) step.unprojected[i] = step.y_new[i] = step.y[i] + r.Z[2 * n + i];
            if (!system.project(step.t_new, step.y_new) || step.leapt()) status = PROJECTION_FAILED;
            if (status == DONE) status = system.slope(step.t_new, step.y_new, false, step.slope(12));
            if (status == DONE) {
                interpolate(step, r);
                const double grown = smaller(10.0, safety * factor_of(r, h, error));
                const bool keep = solved.iterations <= 2 || solved.rate <= 1e-3;
                r.h_before = h, r.error_before = error, r.has_interpolant = true;
                r.fresh = false;
                if (!keep) r.has_jacobian = false;
                if (!(keep && grown < 1.2) && !last) step.h = h * grown;
                else if (!last) step.h = h;
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
