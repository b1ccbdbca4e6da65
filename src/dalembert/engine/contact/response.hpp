// The answers of rows to forces, w = w₀ + W f, with the bilateral rows eliminated.
//
// k.F is a copy of the dynamics, with another right-hand side in an impact. After `responses`, row 0 of U and NU is the
// solution for F alone, and row 1 + i the effect of a unit force on the row of force i.
#pragma once

#include "law.hpp"

namespace dalembert {

// Base rows: the constraints, the held rows of frictions that touch, and with `kept` every slip.
template <class M>
HD APART void base_rows(const Law<M>& law, bool kept) {
    Contacts& k = law.k;
    k.base_count = 0;
    for (int i = 0; i < law.c.bilateral; ++i) k.base[k.base_count++] = i;
    for (int j = 0; j < law.c.frictions; ++j) {
        const FrictionLaw& f = law.friction(j);
        if (!law.touches(j)) continue;
        for (int i = 0; i < f.held_count; ++i) k.base[k.base_count++] = f.held_start + i;
        for (int i = 0; i < (kept ? f.slip_count : 0); ++i) k.base[k.base_count++] = f.slip_start + i;
    }
}

template <class M>
HD void copy_dynamics(const Law<M>& law) {
    for (int i = 0; i < law.c.at_R(); ++i) law.k.F[i] = law.s.F[i];
}

// Begin the problem of the present mode: its closed contacts, and the frictions that are not off.
template <class M>
HD APART void begin_problem(const Law<M>& law) {
    ConeProblem& p = law.k.problem;
    p.begin();
    base_rows(law, false);
    copy_dynamics(law);
    for (int i = 0; i < law.c.contacts; ++i)
        if (law.k.contact[i].mode == CLOSED) p.add_contact(law.contact(i).row, i);
    for (int j = 0; j < law.c.frictions; ++j) {
        const FrictionLaw& f = law.friction(j);
        const int owner = f.presser == BY_CONTACT ? p.place_of(f.pressed_by) : -1;
        if (law.k.friction[j].mode != OFF) p.add_group(f.slip_start, f.slip_count, owner, j);
    }
}

// Add the reactions of redundant rows that do not change the motion as loose forces of the problem.
template <class M>
HD APART void loose_forces(const Law<M>& law) {
    Contacts& k = law.k;
    Solver& s = law.s.solver;
    const int n = law.c.n, count = k.base_count;
    for (int i = 0; i < n; ++i) {
        s.right[i] = 0.0;
        for (int r = 0; r < count; ++r) s.R(i, r) = k.F[law.c.at_A() + k.base[r] * n + i];
    }
    const int rank = reduce({s.R, s.right, n, count, s.left_row_at, s.left_col_at}, k.base_left);
    for (int u = 0; u < count - rank; ++u) {
        const int at = k.problem.add_loose();
        for (int r = 0; r < law.c.m; ++r) k.loose(at, r) = 0.0;
        for (int i = 0; i < rank; ++i) k.loose(at, k.base[s.left_col_at[i]]) = -s.R(i, rank + u);
        k.loose(at, k.base[s.left_col_at[rank + u]]) = 1.0;
    }
}

// U, NU, W and w₀ of the problem's rows. With `fixed` the ranks of the base rows are those of the last call without it.
template <class M>
HD APART Status responses(const Law<M>& law, bool fixed) {
    Contacts& k = law.k;
    ConeProblem& p = k.problem;
    Solver& s = law.s.solver;
    const Counts& c = law.c;
    const int n = c.n;
    const ActiveRows rows = {k.base, k.base_count, k.base, k.base_count, false};
    if (fixed) s.rank = k.base_rank, s.left_rank = k.base_left;
    Status status = accelerations({k.F, c, rows, fixed}, s, k.U.row(0), k.NU.row(0));
    if (status != DONE) return status;
    k.base_rank = s.rank, k.base_left = s.left_rank;
    for (int i = 0; i < c.m; ++i) k.F[c.at_b() + i] = 0.0;
    const bool reacts = any_of(p.groups, [&](int j) {
        const int who = p.group[j].who;
        return who >= 0 && (law.friction(who).presser == BY_CONSTRAINT || law.friction(who).held_count > 0);
    });
    for (int i = 0; i < p.size; ++i) {
        for (int j = 0; j < n; ++j) k.F[c.at_d() + j] = k.F[c.at_A() + p.row[i] * n + j];
        status = accelerations({k.F, c, rows, fixed}, s, k.U.row(1 + i), k.NU.row(1 + i));
        if (status != DONE) return status;
    }
    if (reacts && k.base_left < k.base_count) loose_forces(law);
    for (int i = 0; i < p.size; ++i) {
        const double* row = k.F + c.at_A() + larger(p.row[i], 0) * n;
        for (int j = 0; j <= p.size; ++j) {
            const bool answers = p.row[i] >= 0 && (j == 0 || p.row[j - 1] >= 0);
            (j == 0 ? p.w0[i] : p.W(i, j - 1)) = answers ? dot(row, k.U.row(j), n) : 0.0;
        }
    }
    for (int i = 0; i < p.contacts; ++i) {  // compare with the row's answer if no other row were held
        const double* row = k.F + c.at_A() + p.row[i] * n;
        double free = 0.0;
        for (int x = 0; x < n; ++x)
            if (k.F[c.diagonal(x)] > 0.0) free += row[x] * row[x] / k.F[c.diagonal(x)];
        if (!(fabs(p.W(i, i)) > 1e-13 * free)) {
            s.row = p.which[i];
            return CONTRADICTS;
        }
    }
    return DONE;
}

// The largest |d_i| / √D_ii: the forces, in the unit of |w| / √W.
template <class M>
HD inline double largest_force(const Law<M>& law) {
    const double* F = law.s.F;
    double found = 0.0;
    for (int i = 0; i < law.c.n; ++i) {
        const double mass = F[law.c.diagonal(i)];
        if (mass > 0.0) raise(found, fabs(F[law.c.at_d() + i]) / sqrt(mass));
    }
    return found;
}

// The same for accelerations: the rows shall answer with A a − b. An answer that is rounding of the forces is zero:
// otherwise it would decide, where a system rests and just touches, whether a contact opens.
template <class M>
HD Status accelerated_responses(const Law<M>& law, bool fixed) {
    constexpr double ROUNDING = 1e-14;
    ConeProblem& p = law.k.problem;
    const Status status = responses(law, fixed);
    const double least = ROUNDING * largest_force(law);
    for (int i = 0; status == DONE && i < p.size; ++i) {
        if (p.row[i] < 0) continue;
        p.w0[i] -= law.s.F[law.c.at_b() + p.row[i]];
        if (fabs(p.w0[i]) <= least * sqrt(fabs(p.W(i, i)))) p.w0[i] = 0.0;
    }
    return status;
}

// Set coefficients and pressing forces of the problem's frictions.
template <class M>
HD APART void press(const Law<M>& law, bool holding) {
    Contacts& k = law.k;
    ConeProblem& p = k.problem;
    for (Group& one : p.all_groups()) {
        for (int i = 0; i < p.size; ++i) one.press[i] = one.grip[0][i] = one.grip[1][i] = 0.0;
        if (one.who < 0) {
            one.rough = true;
            continue;
        }
        const FrictionLaw& f = law.friction(one.who);
        one.kinetic = law.coefficient(one.who), one.fixed = law.static_coefficient(one.who), one.rough = f.rough != 0;
        one.held = holding ? f.held_count : 0;
        one.two_sided = f.presser == BY_CONSTRAINT;
        auto reaction = [&](int row, double& constant, double* levers) {
            constant = k.NU(0, row);
            for (int i = 0; i < p.size; ++i) levers[i] = p.row[i] >= 0 ? k.NU(1 + i, row) : k.loose(i, row);
        };
        if (f.presser == GIVEN) one.normal = larger(law.given_normal(one.who), 0.0);
        if (f.presser == BY_CONTACT) one.press[one.owner] = 1.0;
        if (f.presser == BY_CONSTRAINT) reaction(f.pressed_by, one.normal, one.press);
        for (int i = 0; i < one.held; ++i) reaction(f.held_start + i, one.hold[i], one.grip[i]);
    }
}

}  // namespace dalembert
