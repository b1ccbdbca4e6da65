// The direction in which a motion leaves the zeros of kinks, decided from both sides of each.
//
//     ġ ≠ 0                          crossed: the branch takes the sign of ġ
//     ġ = 0, or speeds in g          decided by s± = A a± − b, the rate with which either side leaves the kink:
//         s₋ and s₊ of one sign      crossed to that side
//         s₊ < 0 < s₋                it slides, or rests there (branches.hpp), until a weight leaves [0, 1]
//         s₋ < 0 < s₊                both are motions: undecided, unless one of them is rest
// Several kinks at one zero: every combination of sides and slides is tried. For more than ENUMERATED kinks, a
// combination that fits is sought by changing the kink with the largest violation.
#pragma once

#include "sides.hpp"

namespace dalembert {

constexpr double EQUAL = 1e-9;     // accelerations that differ by less count as the same motion
constexpr double INSIDE = 1e-9;    // a weight may be outside [0, 1] by this much when a slide begins
constexpr int ENUMERATED = 4;      // up to this number of kinks all combinations are tried

// One combination of sides and slides, with its weights.
struct Combination {
    int digit[MOST_TOGETHER];  // 0 slides, 1 plus, 2 minus
    double weight[MOST_TOGETHER];
};

struct Rates {
    int count = 0;
    int kink[MOST_TOGETHER];
    double base[MOST_TOGETHER], rounding[MOST_TOGETHER];
    double W[MOST_TOGETHER][MOST_TOGETHER];
    double jump[MOST_TOGETHER];  // change of a rate over all kinks
    bool jumps[MOST_TOGETHER];

    // The largest violation, 0 if the combination fits; also its kink and the digit that this kink should have instead.
    HD APART double misses(const Branches& k, Combination& c, int& place, int& instead) const {
        int slid[MOST_TOGETHER], slides = 0;
        for (int i = 0; i < count; ++i) {
            c.weight[i] = c.digit[i] == 1 ? 1.0 : 0.0;
            if (c.digit[i] == 0) slid[slides++] = i;
        }
        for (int p = 0; p < slides; ++p)
            if (!jumps[slid[p]]) {  // nothing holds it there
                place = slid[p], instead = rate(place, c) >= 0.0 ? 1 : 2;
                return INF;
            }
        for (int p = 0; p < slides; ++p) {
            k.right[p] = -rate(slid[p], c);
            for (int q = 0; q < slides; ++q) k.W(p, q) = W[slid[p]][slid[q]];
        }
        if (slides > 0) least_norm({k.W, k.right, slides, slides, k.row_at, k.col_at}, -1, k.G, k.solution);
        double worst = 0.0;
        auto note = [&](double by, int i, int better) {
            if (by > worst) worst = by, place = i, instead = better;
        };
        for (int p = 0; p < slides; ++p) {
            const double w = c.weight[slid[p]] = k.solution[p];
            note(larger(-w, w - 1.0) - INSIDE, slid[p], w > 0.5 ? 1 : 2);
        }
        for (int i = 0; i < count; ++i) {
            const double s = rate(i, c), off = c.digit[i] == 0 ? fabs(s) - 10.0 * rounding[i] :
                                               (c.digit[i] == 1 ? -s : s) - rounding[i];
            if (off > 0.0) note(off / jump[i], i, c.digit[i] != 0 && jumps[i] ? 0 : s > 0.0 ? 1 : 2);
        }
        return worst;
    }

    HD double rate(int i, const Combination& c) const { return dot(W[i], c.weight, count, base[i]); }
};

// s of every kink that accelerations decide, from both sides. KINKS_TOGETHER if one kink changes the effect of another.
template <class M>
HD APART Status rates_of(System<M>& s, Rates& found) {
    Branches& k = s.branches;
    const int n = s.counts.n, count = found.count, last = count + 1;
    Status status = s.both_sides(found.kink, count, false, false);
    if (status != DONE) return status;
    double largest = 0.0, apart = 0.0;
    if (count > 1) {  // the corner opposite to the base must be the sum of all changes
        for (int j = 0; j < count; ++j) s.take_side(found.kink[j], true);
        if (status = s.accelerate_on_branch(false, false); status != DONE) return status;
        for (int l = 0; l < n; ++l) {
            double sum = k.sides(0, l), size = fabs(sum);
            for (int j = 0; j < count; ++j) sum += k.sides(1 + j, l), size += fabs(k.sides(1 + j, l));
            largest = larger(largest, size), apart = larger(apart, fabs(s.solver.a[l] - sum));
        }
        if (!(apart <= EQUAL * largest)) return KINKS_TOGETHER;
    }
    for (int i = 0; i < count; ++i) {
        const double* row = k.row(found.kink[i], n);
        double size = fabs(row[2]), jump = 1e-300;
        for (int l = 0; l < n; ++l)
            for (int j = 0; j < last; ++j) size += fabs(row[3 + l] * k.sides(j, l));
        found.base[i] = s.along(found.kink[i], 0) - row[2];
        found.rounding[i] = TINY * size;
        for (int j = 0; j < count; ++j) found.W[i][j] = s.along(found.kink[i], 1 + j), jump += fabs(found.W[i][j]);
        found.jump[i] = jump, found.jumps[i] = jump > 10.0 * found.rounding[i];
    }
    return DONE;
}

// Seek one combination that fits, starting from all slides.
template <class M>
HD APART Status seek(System<M>& s, const Rates& rates, Combination& c) {
    for (int i = 0; i < rates.count; ++i) c.digit[i] = 0;
    for (int round = 0; round < 10 * MOST_TOGETHER; ++round) {
        int place = 0, instead = 0;
        if (rates.misses(s.branches, c, place, instead) == 0.0) return DONE;
        c.digit[place] = instead;
    }
    return KINKS_TOGETHER;
}

// The first combination that fits, in the order slide, present side, other side. If several have different
// accelerations, the one that rests on its side of every kink, if only one does.
template <class M>
HD APART Status choose(System<M>& s, const Rates& rates, Combination& chosen) {
    const Branches& k = s.branches;
    Combination quiet;
    int all = 1, found = 0, quiets = 0;
    bool differ = false;
    for (int i = 0; i < rates.count; ++i) all *= 3;
    for (int code = 0; code < all; ++code) {
        Combination one;
        for (int i = 0, rest = code; i < rates.count; ++i, rest /= 3) {
            one.digit[i] = rest % 3 == 0 ? 0 : (rest % 3 == 1) == s.is_above(rates.kink[i]) ? 1 : 2;
        }
        int place, instead;
        if (rates.misses(k, one, place, instead) > 0.0) continue;
        double apart = 0.0, largest = 0.0;
        for (int l = 0; l < s.counts.n; ++l) {
            double change = 0.0, size = fabs(k.sides(0, l));
            for (int j = 0; j < rates.count; ++j) {
                size += fabs(k.sides(1 + j, l));
                change += found ? (one.weight[j] - chosen.weight[j]) * k.sides(1 + j, l) : 0.0;
            }
            apart = larger(apart, fabs(change)), largest = larger(largest, size);
        }
        differ = differ || apart > EQUAL * largest;
        if (found++ == 0) chosen = one;
        auto rests = [&](int i) { return one.digit[i] > 0 && fabs(rates.rate(i, one)) <= rates.rounding[i]; };
        if (all_of(rates.count, rests)) quiet = one, ++quiets;
    }
    if (differ && quiets == 1) chosen = quiet, differ = false;
    return found == 0 ? KINKS_TOGETHER : differ ? KINK_OPEN : DONE;
}

// Whether the accelerations of a slide satisfy the constraints of the branch. Those of a kinked constraint do not.
template <class M>
HD APART bool keeps_rows(System<M>& s) {
    if (s.accelerate(false, false) != DONE) return false;
    s.model->dynamics(s.x, s.F);
    const Counts& c = s.counts;
    for (int r = 0; r < s.rows.count; ++r) {
        const int row = s.rows.active[r];
        double sum = -s.F[c.at_b() + row], size = fabs(sum);
        for (int i = 0; i < c.n; ++i) {
            const double term = s.F[c.at_A() + row * c.n + i] * s.solver.a[i];
            sum += term, size += fabs(term) + fabs(s.F[c.at_A() + row * c.n + i] * s.branches.sides(0, i));
        }
        if (fabs(sum) > 1e-8 * size) return false;
    }
    return true;
}

// Decide the sides and slides of all kinks that are near, at the loaded state. `which` is the kink to blame.
template <class M>
HD APART Status decide(System<M>& s, int& which) {
    Branches& k = s.branches;
    Rates rates;
    k.sliding_count = 0, k.held = false;
    s.rank_phi = s.rank_psi = -1;
    s.model->kinks(s.x, k.rows);
    for (int i = 0; i < k.switches; ++i) {
        const Kink& one = k.kink[i];
        if (!one.near || one.left) continue;
        const int degree = s.model->switches[i].degree;
        const double psi = k.row(i, s.counts.n)[1];
        which = i;
        if (degree == 1 || (degree == 2 && (one.still || fabs(psi) <= TINY * kink_scale(s, i, true)))) {
            if (rates.count == MOST_TOGETHER) return KINKS_TOGETHER;
            rates.kink[rates.count++] = i;
        } else if (psi != 0.0) {
            const double before = s.branch(i);
            s.take_side(i, psi > 0.0);
            if (s.branch(i) != before) s.model->kinks(s.x, k.rows);
        }
    }
    if (rates.count == 0) return DONE;
    which = rates.kink[0];
    Status status = rates_of(s, rates);
    Combination chosen;
    if (status == DONE) status = rates.count > ENUMERATED ? seek(s, rates, chosen) : choose(s, rates, chosen);
    if (status != DONE) return status;
    for (int i = 0; i < rates.count; ++i) {
        const int at = rates.kink[i];
        if (chosen.digit[i] > 0) {
            s.take_side(at, chosen.digit[i] == 1);
        } else {
            which = at;
            k.sliding[k.sliding_count++] = at;
        }
    }
    if (k.sliding_count == 0 || keeps_rows(s)) return DONE;
    k.held = k.sliding_count == 1 && !s.counts.general && s.counts.frictions == 0;
    const bool rests = k.held && s.accelerate(false, true) == DONE;
    const double w = k.kink[k.sliding[0]].weight;
    return rests && w >= -INSIDE && w <= 1.0 + INSIDE && keeps_rows(s) ? DONE : KINK_HELD;
}

}  // namespace dalembert
