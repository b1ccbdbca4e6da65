// The numerical problem of contact at one state.
//
// Forces f = (λ₁ … λ_c, R₁ …, z …) act on the rows of contacts and slips. The rows answer with w = w₀ + W f: separation
// and slip, as accelerations in a motion and as velocities after an impact. The problem is to find all f with
//
//     0 ≤ λ_i ⊥ w_i ≥ 0                                                       contacts
//     w_g = 0, |R_g|² + |h_g|² ≤ (μ_s N_g)²                                   sticking
//     w_g = |w_g| d, R_g = −S d, S² + |h_g|² = (μ N_g)²                       slipping
//     N_g = n_g + L_g f,   h_g = k_g + H_g f
//
// N is a given force, λ of a contact, or |ν| of a constraint. h are reactions that hold further rows inside the same
// cone (ZhangMei (4.15)–(4.18)). Loose forces z come from redundant constraints: they do not change w, but they may
// change N and h. W is symmetric and positive semidefinite, and often singular.
//
// `normalize` scales the problem, so that it does not depend on units. With E = max |w₀|/√W_ii, the unit of a row's
// force is E/√W_ii and the unit of its answer is E √W_ii.
#pragma once

#include "programme.hpp"

namespace dalembert {

enum ContactMode : int { OPEN = 0, CLOSED = 1 };
enum FrictionMode : int { OFF = 0, STICK = 1, SLIP = 2 };
enum Left : int { NOT_LEFT = 0, LEFT_ALONE = 1, LEFT_TOGETHER = 2 };  // the cones that were just left
enum Found : int { NONE = 0, ONE = 1, SEVERAL = 2, TOO_MANY = 3 };

constexpr double FITS = 1e-11;   // tolerance of a law, relative to the scale
constexpr double FAINT = 1e-6;   // the same just after a cone was left: the time of that event has an error
constexpr double MOVES = 1e-9;   // smaller entries of a null space count as zero

// A friction, or a row that a contact reverses.
struct Group {
    int start, dim;   // its forces
    int owner;        // the contact (by its place) that presses it; −1: none
    int who;          // the friction; −1 − i: a row that contact i reverses
    bool rough;       // never slips
    bool forced;      // slips already, along `given`
    bool two_sided;   // |N| presses it
    int left;         // a `Left`
    int side;         // the only sign of N that is possible; 0: either
    int held;         // rows held in the same cone
    double kinetic, fixed;  // coefficients of kinetic and static friction
    double normal;          // n_g
    double given[2], hold[2];
    double *press, *grip[2];  // rows of L and H
    // the case
    int mode;
    double sign;      // of N
    double pull;      // S, if rows are held
    double along[2];  // d
    double bend;      // |c| dθ/dt of a creeping slip that turns
    double bound;     // of |R| in a guess

    HD double length(const double* v) const { return dim == 1 ? fabs(v[0]) : sqrt(v[0] * v[0] + v[1] * v[1]); }
};

struct ConeProblem {
    int size = 0, contacts = 0, groups = 0;
    Matrix W, press, hold[2];
    double *w0, *force, *answer;
    Group* group;
    int *row, *which, *closed;  // row of A by force (−1: loose), contact by place, the case
    double *unit, *rate;        // units of forces and answers, in the model's own units; 1 before `normalize`
    double energy = 1.0;        // E
    // one case
    Matrix M, Z;                // its equations; its null space in columns
    double *b, *change;
    int *row_at, *col_at;
    int nullity = 0;            // dimension of that null space
    double margin = INF;        // the margin inside the cones that the null space moves
    bool drawn = false;         // an interior-point method has chosen the forces
    // the search
    Group* best;
    int* best_closed;
    double *best_force, *best_answer, *bound, *total;
    int *digit, *base;
    Programme programme;

    // Memory for a model's problems. The rows of A bound everything: loose forces are fewer than bilateral rows.
    HD APART static ConeProblem in(Block& block, int rows, int contacts) {
        const int most = larger(rows, 1), wide = 2 * most + 1;
        ConeProblem p;
        matrices(block, most, most, p.W, p.press, p.hold[0], p.hold[1], p.Z);
        p.M = matrix(block, wide, wide);
        block.each(most, p.w0, p.force, p.answer, p.unit, p.rate, p.best_force, p.best_answer, p.bound, p.total);
        block.each(most, p.row, p.which, p.closed, p.best_closed, p.digit, p.base, p.group, p.best);
        block.each(wide, p.b, p.change, p.row_at, p.col_at);
        p.programme = Programme::in(block, most + 1, WIDEST * most + 2 * contacts + 2, 2 * most + contacts + 2);
        return p;
    }

    HD void begin() { size = contacts = groups = 0; }

    // Add a force on a row of A, or a loose one. Returns its place.
    HD int add(int row_of_A) {
        row[size] = row_of_A, unit[size] = rate[size] = 1.0;
        return size++;
    }
    HD int add_loose() { return add(-1); }
    HD void add_contact(int row_of_A, int number) { which[contacts++] = number, add(row_of_A); }

    // Add a friction or a reversed row. Coefficients and pressing forces must still be filled in.
    HD Group& add_group(int first_row, int dim, int owner, int who) {
        Group& g = group[groups];
        g = Group{};
        g.press = press.row(groups), g.grip[0] = hold[0].row(groups), g.grip[1] = hold[1].row(groups);
        ++groups;
        g.start = size, g.dim = dim, g.owner = owner, g.who = who, g.sign = 1.0;
        for (int c = 0; c < dim; ++c) add(first_row + c);
        return g;
    }

    // The place of the contact with this number among those of the problem, or −1.
    HD int place_of(int number) const {
        for (int i = 0; i < contacts; ++i)
            if (which[i] == number) return i;
        return -1;
    }

    // N_g and h_g under the present forces.
    HD double pressing(const Group& g) const { return dot(g.press, force, size, g.normal); }
    HD double holding(const Group& g, int c) const { return dot(g.grip[c], force, size, g.hold[c]); }

    HD Each<Group> all_groups() const { return {group, group + groups}; }

    HD void respond() {
        for (int i = 0; i < size; ++i) answer[i] = dot(W.row(i), force, size, w0[i]);
    }
};

// Scale rows and forces. The components of one slip keep the same scale, so that its cone stays round.
HD APART inline void normalize(ConeProblem& p) {
    const double stiffest = largest_of(p.size, [&](int i) { return p.W(i, i); });
    for (int i = 0; i < p.size; ++i) p.unit[i] = p.W(i, i) > 1e-20 * stiffest ? p.W(i, i) : stiffest;
    for (const Group& one : p.all_groups()) {
        const double most = largest_of(one.dim, [&](int c) { return p.unit[one.start + c]; });
        for (int c = 0; c < one.dim; ++c) p.unit[one.start + c] = most;
    }
    for (int i = 0; i < p.size; ++i) p.unit[i] = p.unit[i] > 0.0 ? sqrt(p.unit[i]) : 1.0;
    double energy = larger(largest_of(p.size, [&](int i) { return fabs(p.w0[i]) / p.unit[i]; }),
                           largest_of(p.groups, [&](int g) { return fabs(p.group[g].normal) * p.unit[p.group[g].start]; }));
    if (!(energy > 0.0)) energy = 1.0;
    p.energy = energy;
    for (int i = 0; i < p.size; ++i) p.rate[i] = energy * p.unit[i], p.unit[i] = energy / p.unit[i];
    for (int k = 0; k < p.size; ++k) {
        if (p.row[k] >= 0) continue;
        const double most = largest_of(p.groups, [&](int g) {  // a loose force of one unit changes some N or h by one unit
            const Group& one = p.group[g];
            const double held = larger(fabs(one.grip[0][k]), fabs(one.grip[1][k]));
            return larger(fabs(one.press[k]), held) / p.unit[one.start];
        });
        p.unit[k] = most > 0.0 ? 1.0 / most : 1.0;
    }
    for (int i = 0; i < p.size; ++i) {
        p.w0[i] /= p.rate[i];
        for (int k = 0; k < p.size; ++k) p.W(i, k) *= p.unit[k] / p.rate[i];
    }
    for (Group& one : p.all_groups()) {
        const double own = p.unit[one.start];
        one.normal /= own, one.hold[0] /= own, one.hold[1] /= own;
        for (int k = 0; k < p.size; ++k) {
            const double factor = p.unit[k] / own;
            one.press[k] *= factor, one.grip[0][k] *= factor, one.grip[1][k] *= factor;
        }
    }
}

}  // namespace dalembert
