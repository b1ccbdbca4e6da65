// Constraints with a kink: if speeds violate them on the new branch, there is a plastic impact.
//
//     v⁺ = v⁻ + D⁻¹Aᵀ P   with   ψ(v⁺) = 0;   if v⁺ would turn back over the kink, it stops there: also ġ(v⁺) = 0
#pragma once

#include "sides.hpp"

namespace dalembert {

constexpr double TORN = 1e-7;      // relative to its terms: a constraint that misses zero by more has jumped

// Solve for the accelerations of F, with the present d and b and the rows of the constraints, into the solver.
template <class M>
HD Status respond(System<M>& s) {
    ActiveRows rows = s.rows;
    if (s.touches()) rows = {s.model->rows, s.counts.rows, s.model->rows, s.counts.rows, false};
    return accelerations({s.F, s.counts, rows, false}, s.solver, s.solver.a, nullptr);
}

// Apply the impact if speeds violate constraints on the new branch. KINK_JUMPS if the constraints themselves jump.
template <class M>
HD APART Status strike(System<M>& s, double t, double* y, bool& struck) {
    const Counts& c = s.counts;
    Branches& k = s.branches;
    const int n = c.n, count = s.touches() ? c.rows : s.rows.count;
    struck = false;
    if (count == 0) return DONE;
    if (s.holonomic_count > 0 && !(s.residuals(t, y, false).relative <= TORN)) return KINK_JUMPS;
    if (s.residuals(t, y, true).relative <= BROKEN) return DONE;
    struck = true;
    double *v = y + n, *speeds = k.speeds;
    s.load(t, y);
    s.model->dynamics(s.x, s.F);
    s.velocity();
    unpack(s.F, n, c.symmetric, s.solver.D);
    for (int i = 0; i < n; ++i) s.F[c.at_d() + i] = dot(s.solver.D.row(i), v, n);
    for (int r = 0; r < c.m; ++r) s.F[c.at_b() + r] = dot(s.F + c.at_A() + r * n, v, n, -s.at_velocity[r]);
    Status status = respond(s);
    if (status != DONE) return status;
    for (int i = 0; i < n; ++i) speeds[i] = s.solver.a[i];
    for (int i = 0; i < c.m; ++i) s.F[c.at_b() + i] = 0.0;
    for (int at = 0; at < k.switches; ++at) {  // it cannot go back over the kink
        const double* A = k.row(at, n) + 3;
        if (!k.kink[at].near || s.model->switches[at].degree != 2) continue;
        double rate = k.row(at, n)[1];
        for (int i = 0; i < n; ++i) rate += A[i] * (speeds[i] - v[i]);
        if ((s.is_above(at) ? rate : -rate) >= 0.0) continue;
        for (int i = 0; i < n; ++i) s.F[c.at_d() + i] = A[i];
        if (status = respond(s); status != DONE) return status;
        const double gives = dot(A, s.solver.a, n);
        for (int i = 0; i < n && gives > 0.0; ++i) speeds[i] -= s.solver.a[i] * rate / gives;
    }
    for (int i = 0; i < n; ++i) v[i] = speeds[i];
    return DONE;
}

}  // namespace dalembert
