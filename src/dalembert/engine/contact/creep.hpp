// Planar slips that begin without acceleration, until they have directions of their own.
//
// With c = |c| d the direction obeys |c| dθ/dt = d × w, w = dc/dt. Near c = 0 it adjusts at once, so w ∥ d there. It is
// integrated once |c| is large enough. While a slip creeps, d is found together with the forces from
// w × d = −|c| dθ/dt, with the turning rate of the last step.
//
// Normal forces that depend on friction can make the direction unstable, at a rate of 1/|c|. Then no motion from rest
// is stable. The smooth one is followed until the slip is so large that disturbances hardly grow.
#pragma once

#include "cascade.hpp"

namespace dalembert {

constexpr double GROWN_UP = 1e-2;  // relative to the largest rate: a slip of this size is integrated, stable or not

// The size at which a slip has a direction of its own: with c of order s², the error s³ is then below the tolerance.
template <class Motion>
HD double large_slip(const Motion& m, const FrictionLaw& f, double part) {
    return part * largest_of(f.slip_count, [&](int x) { return largest_rate(m, f.slip_start + x); });
}

// w × d of a group under the present forces.
HD inline double across(const ConeProblem& p, const Group& g) {
    return p.answer[g.start] * g.along[1] - p.answer[g.start + 1] * g.along[0];
}

// Whether all eigenvalues of the n × n matrix P of the programme have positive real parts, by Routh's scheme for the
// characteristic polynomial of −P (Faddeev and LeVerrier's method).
HD APART inline bool repels(ConeProblem& p, int n) {
    const Matrix &G = p.programme.P, &M = p.programme.H, &N = p.M;
    double most = 1e-300, *c = p.b, *first = p.change, *second = p.bound;
    c[0] = 1.0;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) most = larger(most, fabs(G(i, j))), M(i, j) = i == j ? 1.0 : 0.0;
    for (int k = 1; k <= n; ++k) {
        double trace = 0.0;
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) {
                N(i, j) = 0.0;
                for (int l = 0; l < n; ++l) N(i, j) -= G(i, l) / most * M(l, j);
            }
        for (int i = 0; i < n; ++i) trace += N(i, i);
        c[k] = -trace / k;
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) M(i, j) = N(i, j) + (i == j ? c[k] : 0.0);
    }
    for (int i = 0; i <= n + 1; ++i) first[i] = 2 * i <= n ? c[2 * i] : 0.0, second[i] = 2 * i + 1 <= n ? c[2 * i + 1] : 0.0;
    for (int k = 1; k <= n; ++k) {
        if (!(second[0] > 0.0)) return false;
        const double factor = first[0] / second[0];
        for (int i = 0; i <= n; ++i) {
            const double next = first[i + 1] - factor * second[i + 1];
            first[i] = second[i], second[i] = next;
        }
        second[n + 1] = first[n + 1] = 0.0;
    }
    return true;
}

// Whether the directions of creeping slips are stable: |c_j| dθ_j/dt = −Σ G_jk θ_k, G = ∂(w × d)/∂θ.
template <class M>
HD APART bool stable(const Law<M>& law) {
    constexpr double ANGLE = 1e-6;
    ConeProblem& p = law.k.problem;
    int count = 0;
    for (int j = 0; j < p.groups; ++j)
        if (cone::turns(p.group[j])) p.digit[count++] = j;
    const int limit = p.size - p.nullity;
    const Matrix& G = p.programme.P;
    cone::linear(p, limit);
    for (int j = 0; j < count; ++j) p.total[j] = across(p, p.group[p.digit[j]]);
    for (int k = 0; k < count; ++k) {
        Group& turned = p.group[p.digit[k]];
        const double d0 = turned.along[0], d1 = turned.along[1];
        turned.along[0] = d0 - ANGLE * d1, turned.along[1] = d1 + ANGLE * d0;
        cone::linear(p, limit);
        for (int j = 0; j < count; ++j) {
            const Group& g = p.group[p.digit[j]];
            const double slip = law.slip_size(g.who) / p.rate[g.start];
            G(j, k) = (across(p, g) - p.total[j]) / (ANGLE * slip);
        }
        turned.along[0] = d0, turned.along[1] = d1;
    }
    return repels(p, count);
}

// After an accepted step of length h: slips that started from rest become ordinary ones, creeping ones once large.
template <class Motion>
HD APART Status creep_on(Motion& m, double h) {
    Law<typename Motion::Kind> law(m.system);
    bool creeping = false, ready = true, grown = false, far = false;
    for (int j = 0; j < law.c.frictions; ++j) {
        int& from_rest = law.k.friction[j].from_rest;
        if (from_rest == STARTED) from_rest = MOVING;
        creeping = creeping || from_rest == CREEPS;
    }
    if (!creeping) return DONE;
    const double part = 0.3 * sqrt(m.step.tolerance) * sqrt(sqrt(sqrt(m.step.tolerance)));
    law.survey(m.step.t, m.step.y);
    Status status = m.system.accelerate(false, false);
    if (status != DONE) return status;
    for (int j = 0; j < law.c.frictions; ++j) {
        if (law.k.friction[j].from_rest != CREEPS) continue;
        const double slip = law.slip_size(j);
        const double enough = larger(large_slip(m, law.friction(j), part), 10.0 * law.k.friction[j].still);
        ready = ready && slip >= enough;
        far = far || slip < 1e-3 * enough;
        grown = grown || slip >= large_slip(m, law.friction(j), GROWN_UP);
    }
    const ConeProblem& p = law.k.problem;
    for (const Group& g : p.all_groups()) {
        if (!cone::turns(g)) continue;
        Friction& one = law.k.friction[g.who];
        const double *d = g.along, sine = one.along[0] * d[1] - one.along[1] * d[0];
        const double before = fabs(one.turning);  // a rate that grows from step to step feeds on itself
        one.turning = ready && fabs(sine) < 0.1 && (before == 0.0 || fabs(sine) <= before * h) ? sine / h : 0.0;
        one.along[0] = d[0], one.along[1] = d[1];
    }
    if (!grown && !(ready && stable(law))) {
        m.step.h = smaller(m.step.h, (far ? 4.0 : 1.5) * h);
        return m.system.slope(m.step.t, m.step.y, false, m.step.k);
    }
    for (int j = 0; j < law.c.frictions; ++j) law.k.friction[j].from_rest = MOVING, law.k.friction[j].turning = 0.0;
    law.survey(m.step.t, m.step.y);
    status = analyse(law);
    return status == DONE ? m.system.slope(m.step.t, m.step.y, false, m.step.k) : status;
}

}  // namespace dalembert
