// Kinks as events: at the zero of a kink's guard a step ends, and what follows is decided from both sides of it.
//
//     ġ ≠ 0                          crossed: the branch takes the sign of ġ
//     ġ = 0, or speeds in g          s± = A a± − b, the rate with which either side leaves the kink, decides:
//         s₋ and s₊ of one sign      crossed to that side
//         s₊ < 0 < s₋                it slides, or rests there (branches.hpp), until a weight leaves [0, 1]
//         s₋ < 0 < s₊                both are motions: nothing decides, unless one of them is rest
// Several kinks at one zero: every combination of sides and slides is tried, of more than ENUMERATED one that fits is sought
// by changing what misses most. Rows that the speeds break on the new branch strike: v⁺ = v⁻ + D⁻¹Aᵀ P with ψ(v⁺) = 0, as plastic impacts do; where v⁺ would turn back over
// the kink it stops there. Crossings that follow each other ever faster end in a slide as soon as the way between two
// of them is within the tolerance.
#pragma once

#include "contact/happen.hpp"

namespace dalembert {

constexpr double BROKEN = 1e-9;    // of its terms, a rate that breaks a constraint
constexpr double TORN = 1e-7;      // of its terms, a constraint that jumps
constexpr double EQUAL = 1e-9;     // accelerations that differ by less are one motion
constexpr double INSIDE = 1e-9;    // by which a weight may miss [0, 1] as a slide begins
constexpr double REBOUND = 1e-6;   // of the last interval: a shorter one is a strike that throws back
constexpr int IN_A_ROW = 8;        // crossings, each sooner than the last, after which a kink may be rested on
constexpr int ENUMERATED = 4;      // kinks at one instant of which all combinations are tried
constexpr int MOST_TOLD = 100;     // of crossings in a row
constexpr int KINKS_AT_ONCE = 50;  // turns at one instant after which a motion is stuck
constexpr double ONE_INSTANT = 1e-14;  // of a step

// What a kink's guard (or with `rate` its rate) is rounded against, at the state that is loaded.
template <class M>
HD double kink_scale(const System<M>& s, int i, bool rate) {
    const int n = s.counts.n, degree = s.model->switches[i].degree;
    const double* row = s.branches.row(i, n);
    if (degree == 0) return fabs(row[1]) * larger(fabs(s.x[0]), 1e-300);
    const int first = rate || degree == 1 ? n : 0;
    double sum = 0.0;
    for (int j = 0; j < n; ++j) sum += fabs(row[3 + j]) * larger(fabs(s.x[1 + first + j]), USUAL * s.natural[first + j]);
    return sum;
}

// Branches by the signs of the guards at a state; inner kinks stand first.
template <class M>
HD APART void find_branches(System<M>& s, double t, const double* y) {
    Branches& k = s.branches;
    s.load(t, y);
    k.sliding_count = 0;
    for (int i = 0; i < k.switches; ++i) {
        const Switch& one = s.model->switches[i];
        double& value = k.value[one.branch];
        k.kink[i] = Kink{};
        if (one.kind == RISES) continue;
        if (one.kind == FALLS) value = 0.0;
        s.evaluate_guards();  // kinks look at the state alone
        const double g = s.at_guards[s.counts.first_switch() + i];
        value = one.kind == FALLS ? floor(g) : g >= 0.0 ? 1.0 : -1.0;
    }
}

template <class M>
HD bool at_zero(const System<M>& s, int i) {
    const double tiny = s.model->switches[i].degree == 1 ? TINY : TOUCHING;
    return fabs(s.branches.row(i, s.counts.n)[0]) <= tiny * kink_scale(s, i, false);
}

// Kinks at their zeros, at the state that is loaded, with their rows and both values of their branches.
template <class M>
HD APART void mark_near(System<M>& s) {
    Branches& k = s.branches;
    s.model->kinks(s.x, k.rows);
    for (int i = 0; i < k.switches; ++i) {
        Kink& one = k.kink[i];
        const Switch& w = s.model->switches[i];
        const double value = k.value[w.branch];
        one.plus = w.kind == SIDE ? 1.0 : value;
        one.minus = w.kind == SIDE ? -1.0 : w.kind == FALLS ? value - 1.0 : value + 1.0;
        one.left = one.still = false;
        one.near = k.slides(i) || at_zero(s, i);
    }
}

// Branches of kinks that are not at their zeros, by the signs of their guards: speeds that jump may have changed them.
template <class M>
HD APART void place_sides(System<M>& s) {
    Branches& k = s.branches;
    for (int i = 0; i < k.switches; ++i) {
        const Switch& w = s.model->switches[i];
        s.model->kinks(s.x, k.rows);
        if (w.kind == RISES || (w.degree == 2 && k.kink[i].near) || at_zero(s, i)) continue;
        const double g = k.row(i, s.counts.n)[0];
        double& value = k.value[w.branch];
        k.kink[i].near = false;
        value = w.kind == FALLS ? value + floor(g) : g > 0.0 ? 1.0 : -1.0;
    }
}

// Whether forces jump at a kink: d differs on both sides of it.
template <class M>
HD APART bool jumps_at(System<M>& s, int i) {
    Branches& k = s.branches;
    const Counts& c = s.counts;
    double& value = k.value[s.model->switches[i].branch];
    const double kept = value;
    value = k.kink[i].minus;
    s.model->dynamics(s.x, k.other);
    for (int r = 0; r < c.at_R(); ++r) k.base[r] = k.other[r];
    value = k.kink[i].plus;
    s.model->dynamics(s.x, k.other);
    value = kept;
    bool jumps = false;
    for (int r = c.at_d(); r < c.at_A(); ++r)
        jumps = jumps || fabs(k.other[r] - k.base[r]) > BROKEN * (fabs(k.other[r]) + fabs(k.base[r]));
    return jumps;
}

// One combination of sides and slides: weights into k.solution, and whether the kinks do stay or leave like that.
struct Combination {
    int digit[MOST_TOGETHER];  // 0 slides, 1 plus, 2 minus
    double weight[MOST_TOGETHER];
};

struct Rates {
    int count = 0;
    int kink[MOST_TOGETHER];
    double base[MOST_TOGETHER], rounding[MOST_TOGETHER];
    double W[MOST_TOGETHER][MOST_TOGETHER];
    double jump[MOST_TOGETHER];  // that all of them make in its rate
    bool jumps[MOST_TOGETHER];

    // By how much the worst of them misses what it should do, 0 where it fits, and what it should do instead.
    HD APART double misses(const Branches& k, Combination& c, int& place, int& instead) const {
        int slid[MOST_TOGETHER], slides = 0;
        for (int i = 0; i < count; ++i) {
            c.weight[i] = c.digit[i] == 1 ? 1.0 : 0.0;
            if (c.digit[i] == 0) slid[slides++] = i;
        }
        for (int p = 0; p < slides; ++p)
            if (!jumps[slid[p]]) {  // nothing holds it
                place = slid[p], instead = rate(place, c) >= 0.0 ? 1 : 2;
                return INF;
            }
        for (int p = 0; p < slides; ++p) {
            k.right[p] = -rate(slid[p], c);
            for (int q = 0; q < slides; ++q) k.W(p, q) = W[slid[p]][slid[q]];
        }
        if (slides > 0) least_norm(k.W, k.right, slides, slides, -1, k.row_at, k.col_at, k.G, k.solution);
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

    HD bool fits(const Branches& k, Combination& c) const {
        int place, instead;
        return misses(k, c, place, instead) == 0.0;
    }

    HD double rate(int i, const Combination& c) const {
        double sum = base[i];
        for (int j = 0; j < count; ++j) sum += W[i][j] * c.weight[j];
        return sum;
    }
};

// s of every kink that accelerations decide, from both sides. KINKS_TOGETHER where one changes what another does.
template <class M>
HD APART Status rates_of(System<M>& s, Rates& found) {
    Branches& k = s.branches;
    const int n = s.counts.n, count = found.count, last = count + 1;
    Status status = s.both_sides(found.kink, count, false, false);
    if (status != DONE) return status;
    double largest = 0.0, apart = 0.0;
    if (count > 1) {  // the corner opposite to the base is the sum of all changes, or kinks change each other
        for (int j = 0; j < count; ++j) k.value[s.model->switches[found.kink[j]].branch] = k.kink[found.kink[j]].plus;
        status = s.accelerate_on_branch(false, false);
        if (status != DONE) return status;
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

// One combination that fits, from all slides on.
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

// The first combination that fits, a slide before the present side before the other. Where several have different
// accelerations, the one that rests on its side of every kink, if there is just one.
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
            const Kink& kink = k.kink[rates.kink[i]];
            const bool above = k.value[s.model->switches[rates.kink[i]].branch] == kink.plus;
            one.digit[i] = rest % 3 == 0 ? 0 : (rest % 3 == 1) == above ? 1 : 2;
        }
        if (!rates.fits(k, one)) continue;
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
        bool rests = true;
        for (int i = 0; i < rates.count; ++i)
            rests = rests && one.digit[i] > 0 && fabs(rates.rate(i, one)) <= rates.rounding[i];
        if (rests) quiet = one, ++quiets;
    }
    if (differ && quiets == 1) chosen = quiet, differ = false;
    return found == 0 ? KINKS_TOGETHER : differ ? KINK_OPEN : DONE;
}

// Whether the accelerations of a slide keep the constraints of the branch, as those of a kinked one do not.
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
            sum += term, size += fabs(term);
        }
        if (fabs(sum) > 1e-8 * size) return false;
    }
    return true;
}

// Sides and slides of the kinks that are near, at the state that is loaded; `which` is the one at fault.
template <class M>
HD APART Status decide(System<M>& s, int& which) {
    Branches& k = s.branches;
    Rates rates;
    k.sliding_count = 0;
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
            double& value = k.value[s.model->switches[i].branch];
            const double next = psi > 0.0 ? one.plus : one.minus;
            const bool turned = value != next;
            value = next;
            if (turned) s.model->kinks(s.x, k.rows);
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
            k.value[s.model->switches[at].branch] = chosen.digit[i] == 1 ? k.kink[at].plus : k.kink[at].minus;
        } else {
            which = at;
            k.sliding[k.sliding_count++] = at;
        }
    }
    return k.sliding_count == 0 || keeps_rows(s) ? DONE : KINK_HELD;
}

// Accelerations of F with d and b as they stand there, by the rows of the constraints, into the solver.
template <class M>
HD Status respond(System<M>& s) {
    Rows rows = s.rows;
    if (s.touches()) rows = {s.model->rows, s.counts.rows, s.model->rows, s.counts.rows, false};
    return accelerations(s.F, s.counts, rows, false, s.solver, s.solver.a, s.solver.nu, false);
}

// D v into out.
template <class M>
HD APART void momentum(const System<M>& s, const double* v, double* out) {
    const int n = s.counts.n;
    for (int i = 0; i < n; ++i) out[i] = 0.0;
    for (int i = 0, place = 0; i < n; ++i)
        for (int j = s.counts.symmetric ? i : 0; j < n; ++j, ++place) {
            out[i] += s.F[place] * v[j];
            if (s.counts.symmetric && j != i) out[j] += s.F[place] * v[i];
        }
}

// Whether speeds break constraints on the new branch: then they strike. KINK_JUMPS where constraints themselves jump.
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
    momentum(s, v, s.F + c.at_d());
    for (int r = 0; r < c.m; ++r) {
        double rate = -s.at_velocity[r];
        for (int i = 0; i < n; ++i) rate += s.F[c.at_A() + r * n + i] * v[i];
        s.F[c.at_b() + r] = rate;
    }
    Status status = respond(s);
    if (status != DONE) return status;
    for (int i = 0; i < n; ++i) speeds[i] = s.solver.a[i];
    for (int i = 0; i < c.m; ++i) s.F[c.at_b() + i] = 0.0;
    for (int at = 0; at < k.switches; ++at) {  // back over the kink it cannot go
        const double* A = k.row(at, n) + 3;
        if (!k.kink[at].near || s.model->switches[at].degree != 2) continue;
        double rate = k.row(at, n)[1];
        for (int i = 0; i < n; ++i) rate += A[i] * (speeds[i] - v[i]);
        const bool above = k.value[s.model->switches[at].branch] == k.kink[at].plus;
        if ((above ? rate : -rate) >= 0.0) continue;
        for (int i = 0; i < n; ++i) s.F[c.at_d() + i] = A[i];
        status = respond(s);
        if (status != DONE) return status;
        double gives = 0.0;
        for (int i = 0; i < n; ++i) gives += A[i] * s.solver.a[i];
        for (int i = 0; i < n && gives > 0.0; ++i) speeds[i] -= s.solver.a[i] * rate / gives;
    }
    for (int i = 0; i < n; ++i) v[i] = speeds[i];
    return DONE;
}

// What the kinetic energy has gained since the state that was kept: ½ Δvᵀ D (v⁺ + v⁻).
template <class M>
HD APART double gained(System<M>& s, double t, const double* y) {
    const Branches& k = s.branches;
    const int n = s.counts.n;
    s.load(t, y);
    s.model->dynamics(s.x, s.F);
    for (int i = 0; i < n; ++i) k.speeds[i] = y[n + i] - k.event[n + i];
    momentum(s, k.speeds, k.impulse);
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += 0.5 * k.impulse[i] * (y[n + i] + k.event[n + i]);
    return sum;
}

// What follows at a kink: sides and slides, and impacts of the constraints they bend; y may change its speeds.
template <class M>
HD APART Status resolve(System<M>& s, double t, double* y, bool& jumps, int& which) {
    for (int round = 0; round < 8; ++round) {
        s.load(t, y);
        Status status = decide(s, which);
        if (status == DONE && s.branches.sliding_count == 0)
            for (int i = 0; i < s.branches.switches; ++i)  // it was not rested on
                if (s.branches.kink[i].still) s.branches.kink[i].still = false, status = CONTINUE;
        if (status == CONTINUE) continue;
        bool struck = false;
        if (status == DONE) status = strike(s, t, y, struck);
        for (int i = 0; i < s.branches.switches; ++i) jumps = jumps || s.branches.kink[i].still;
        jumps = jumps || struck;
        if (status != DONE || !struck) return status;
        s.load(t, y);
        place_sides(s);
    }
    return KINK_STUCK;
}

// Events for the branches and slides that have changed since `before`. Of crossings in a row, each sooner than the last,
// the first are told, and the slide in which they end.
template <class Motion, class Desk>
HD APART void note_kinks(Motion& m, Desk& desk, bool jumps) {
    const Branches& k = m.system.branches;
    const double energy = jumps ? gained(m.system, m.step.t, m.step.y) : NOT_A_NUMBER;
    for (int i = 0; i < k.switches; ++i) {
        const int branch = m.system.model->switches[i].branch;
        bool slid = false;
        for (int j = 0; j < k.slid_count; ++j) slid = slid || k.slid[j] == i;
        const bool slides = k.slides(i);
        if (!k.kink[i].near || (slid == slides && (slides || k.before[branch] == k.value[branch]))) continue;
        if (!slides && k.kink[i].passes > MOST_TOLD) continue;
        const double side = slides ? 0.0 : k.value[branch] == k.kink[i].plus ? 1.0 : -1.0;
        record(desk, {m.step.t, 0.0, energy, side, KINK, i}, k.event, jumps ? m.step.y : k.event, m.step.size);
    }
}

// Sides and slides from marks at step.y, then the state on them with its slope. Guards that begin at zero are noted.
template <class Motion, class Desk>
HD APART Status go_over(Motion& m, Desk& desk, bool told) {
    auto& s = m.system;
    Branches& k = s.branches;
    Step& step = m.step;
    bool jumps = false;
    int which = 0;
    for (int i = 0; i < step.size; ++i) k.event[i] = step.y[i];
    Status status = resolve(s, step.t, step.y, jumps, which);
    if (status != DONE) {
        m.failed_guard = s.counts.first_switch() + which;
        return status;
    }
    if (!s.touches() && !s.project(step.t, step.y)) return PROJECTION_FAILED;
    if (told) note_kinks(m, desk, jumps);
    for (int i = 0; i < k.switches; ++i) m.guards.begins[s.counts.first_switch() + i] = k.kink[i].near;
    if constexpr (Motion::Kind::ALL_STEPPERS) m.radau_room.forget();
    return s.touches() ? DONE : s.slope(step.t, step.y, false, step.k);
}

HD inline void keep_branches(Branches& k) {
    for (int i = 0; i < k.count; ++i) k.before[i] = k.value[i];
    k.slid_count = k.sliding_count;
    for (int j = 0; j < k.sliding_count; ++j) k.slid[j] = k.sliding[j];
}

// A kink's guard has come to its zero: which way it goes, or whether it has left its slide.
template <class Motion>
HD APART void mark_hit(Motion& m, int i, double side) {
    auto& s = m.system;
    Branches& k = s.branches;
    Kink& one = k.kink[i];
    const Switch& w = s.model->switches[i];
    one.near = true;
    if (k.slides(i) || w.degree == 0) {
        one.left = true;
        k.value[w.branch] = (k.slides(i) ? one.weight > 0.5 : side > 0.0) ? one.plus : one.minus;
        return;
    }
    const double interval = m.step.t - one.last, *row = k.row(i, s.counts.n);
    if (one.passes == 0) {
        one.passes = 1, one.last = m.step.t;
    } else if (one.passes == 1 || interval > REBOUND * one.interval) {
        one.passes = one.passes == 1 || interval < one.interval ? one.passes + 1 : 2;
        one.interval = interval, one.last = m.step.t;
    }
    double within = 0.0;
    for (int j = 0; j < s.counts.n; ++j) within += fabs(row[3 + j]) * m.step.scale(j, 0.0);
    one.still = w.degree == 2 && one.passes >= IN_A_ROW && fabs(row[1]) * one.interval <= within;
}

// The kinks whose guards were hit at the instant at which the motion stands now, from the first of them on.
template <class Motion, class Desk>
HD APART Status turn(Motion& m, Desk& desk, int first) {
    auto& s = m.system;
    const Guards& g = m.guards;
    s.load(m.step.t, m.step.y);
    keep_branches(s.branches);
    mark_near(s);
    for (int r = first; r < g.hit_count && g.hits[r].at - g.hits[first].at <= ONE_INSTANT; ++r)
        if (g.hits[r].guard >= s.counts.first_switch() && g.hits[r].guard < s.counts.guards)
            mark_hit(m, g.hits[r].guard - s.counts.first_switch(), g.hits[r].side);
    m.at_once = m.step.t == m.last_event ? m.at_once + 1 : 0;
    m.last_event = m.step.t;
    m.failed_guard = g.hits[first].guard;
    return m.at_once > KINKS_AT_ONCE ? KINK_STUCK : go_over(m, desk, true);
}

// A step failed that could not look beyond a kink, as where a root has no value there: from right before it, the kink is
// crossed. The step's own status where no kink is that near.
template <class Motion, class Desk>
HD APART Status step_over(Motion& m, Desk& desk, Status failed) {
    constexpr double RIGHT_BEFORE = 1e-9;
    auto& s = m.system;
    Branches& k = s.branches;
    s.load(m.step.t, m.step.y);
    keep_branches(k);
    mark_near(s);
    bool some = false;
    for (int i = 0; i < k.switches; ++i) {
        const double* row = k.row(i, s.counts.n);
        const bool before = row[0] * row[1] < 0.0 && fabs(row[0]) <= RIGHT_BEFORE * kink_scale(s, i, false);
        if (s.model->switches[i].degree == 2 && before && !k.slides(i)) k.kink[i].near = some = true;
    }
    if (!some || ++m.at_once > KINKS_AT_ONCE) return failed;
    m.step.h = 0.0;
    return go_over(m, desk, true);
}

// The first sides and slides, at the start.
template <class Motion, class Desk>
HD APART Status begin_kinks(Motion& m, Desk& desk) {
    if (m.system.branches.switches == 0) return DONE;
    find_branches(m.system, m.step.t, m.step.y);
    mark_near(m.system);
    return go_over(m, desk, false);
}

// Whether a guard that was at zero as the step began has left to the other side than was decided: DONE if none has.
// Then it is turned, and CONTINUE asks for the step again.
template <class Motion, class Desk>
HD APART Status correct_sides(Motion& m, Desk& desk) {
    auto& s = m.system;
    Branches& k = s.branches;
    const Guards& g = m.guards;
    const int first = s.counts.first_switch();
    s.load(m.step.t_new, m.step.y_new);
    s.guards();
    s.model->kinks(s.x, k.rows);
    for (int i = 0; i < k.switches; ++i) {
        bool hit = false;
        for (int r = 0; r < g.hit_count; ++r) hit = hit || g.hits[r].guard == first + i;
        const Switch& w = s.model->switches[i];
        const double sign = w.kind == SIDE && !k.slides(i) ? k.value[w.branch] : 1.0;
        const double least = k.slides(i) ? INSIDE : TINY * kink_scale(s, i, false);
        if (hit || !(sign * s.at_guards[first + i] < -least)) continue;
        if (!g.begins[first + i]) {
            m.step.h = 0.3 * m.step.length();
            return CONTINUE;
        }
        const double weight = k.kink[i].weight;
        if (++m.at_once > KINKS_AT_ONCE) {
            m.failed_guard = first + i;
            return KINK_STUCK;
        }
        s.load(m.step.t, m.step.y);
        keep_branches(k);
        mark_near(s);
        Kink& one = k.kink[i];
        one.near = one.left = true;
        double& value = k.value[w.branch];
        value = k.slides(i) ? (weight > 0.5 ? one.plus : one.minus) : value == one.plus ? one.minus : one.plus;
        const Status status = go_over(m, desk, true);
        return status == DONE ? CONTINUE : status;
    }
    return DONE;
}

}  // namespace dalembert
