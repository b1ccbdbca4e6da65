// Contacts and frictions at a single state: the mode in which a motion would continue, and the forces in a mode.
#pragma once

#include "../kinks.hpp"
#include "impact.hpp"

namespace dalembert {

template <class M>
HD APART void bring(Law<M>& law, const double* x, const double* natural) {
    const Counts& c = law.c;
    law.s.measure(natural);
    law.forget();
    for (int i = 0; i < c.parameters; ++i) law.s.x[1 + c.size() + i] = x[1 + c.size() + i];
    if constexpr (M::SWITCHED) find_branches(law.s, x[0], x + 1);
    law.survey(x[0], x + 1);
    for (int i = 0; i < c.contacts; ++i) law.k.contact[i] = Contact{};
    for (int j = 0; j < c.frictions; ++j) {
        law.k.friction[j] = Friction{};
        law.k.friction[j].resting = law.rests(j);
        for (int i = 0; !law.k.friction[j].resting && i < law.friction(j).slip_count; ++i)
            law.k.friction[j].along[i] = law.slip(j, i) / law.slip_size(j);
    }
}

// The mode at x into `mode`: a status for every contact, then for every friction. Contacts that touch and close are
// marked in `colliding` and stay open.
template <class M>
HD APART Status settle_at(System<M>& system, const double* x, const double* natural, int* mode, int* colliding) {
    Law<M> law(system);
    Contacts& k = law.k;
    bring(law, x, natural);
    for (int i = 0; i < law.c.contacts; ++i) {
        k.contact[i].candidate = law.is_touching(i) && fabs(law.rate(i)) <= law.slow(i);
        colliding[i] = law.is_touching(i) && law.rate(i) < -law.slow(i);
    }
    const Status status = settle(law);
    mark_mode(law, mode);
    return status;
}

// Accelerations and multipliers in a mode at x, into the solver. Forces of slips are in the places of their rows.
template <class M>
HD APART Status forces_at(System<M>& system, const double* x, const double* natural, const int* mode) {
    Law<M> law(system);
    Contacts& k = law.k;
    const int contacts = law.c.contacts;
    bring(law, x, natural);
    bool unknown = false;  // whether a slip that begins lacks a direction, or a constraint's pressing side is unknown
    for (int i = 0; i < contacts; ++i) k.contact[i].candidate = mode[i] == CLOSED;
    for (int j = 0; j < law.c.frictions; ++j) {
        const bool slips = mode[contacts + j] == SLIP;
        k.friction[j].left = slips && k.friction[j].resting;
        unknown = unknown || (slips && (k.friction[j].resting || law.friction(j).presser == BY_CONSTRAINT));
    }
    if (unknown) settle(law);  // if it decides on another mode, only directions and sides are used
    for (int i = 0; i < contacts; ++i) k.contact[i].mode = mode[i];
    for (int j = 0; j < law.c.frictions; ++j) {
        k.friction[j].mode = mode[contacts + j];
        k.friction[j].from_rest = k.friction[j].resting ? CREEPS : MOVING;
    }
    law.enter_mode();
    law.survey(x[0], x + 1);
    if (const Status status = analyse(law); status != DONE) return status;
    system.dynamics();
    return accelerate_in_mode(system, false, true);
}

// Null vectors of the forces in the mode of the last `forces_at`, each a row of all multipliers. Returns their number.
// A combination of forces orthogonal to all of them is determinate.
template <class M>
HD APART int indeterminate(System<M>& system, double* rows) {
    Law<M> law(system);
    const Contacts& k = law.k;
    const ConeProblem& p = k.problem;
    const int m = law.c.m;
    for (int u = 0; u < k.nullity; ++u) {
        double* out = rows + u * m;
        for (int r = 0; r < m; ++r) out[r] = 0.0;
        for (int f = 0; f < p.size; ++f) {
            const double size = p.unit[f] * p.Z(f, u);
            for (int r = 0; r < m; ++r) out[r] += size * (p.row[f] >= 0 ? k.NU(1 + f, r) : k.loose(f, r));
            if (p.row[f] >= 0) out[p.row[f]] += size;
        }
        const double largest = largest_of(out, m);
        for (int r = 0; r < m; ++r) out[r] /= largest;
    }
    return k.nullity;
}

// One impact at x in a mode: the question.
struct ImpactAsked {
    const int* mode;      // a status for every contact, then for every friction
    const int* involved;  // a flag for every contact
    int inelastic, once;  // no restitution; Poisson's law without its second phase
};

struct ImpactGroup {
    int start, dim, who, status;
    double along_first, along_second, sign;
};

// The answer. Arrays are the engine's own, until it computes again; the caller owns the memory of `groups`.
struct ImpactDecided {
    const double *change, *impulses;            // of the speeds; by force of the problem
    const int *base, *rows, *which, *closed;    // bilateral rows; rows of forces; contacts by place; closed or not
    ImpactGroup* groups;
    int base_count, size, contacts, group_count;
    double energy;  // energy gained in the impact
};

template <class M>
HD APART Status impact_at(System<M>& system, const double* x, const double* natural, const ImpactAsked& asked,
                    ImpactDecided& out) {
    Law<M> law(system);
    Contacts& k = law.k;
    const Counts& c = law.c;
    bring(law, x, natural);
    if (asked.inelastic) law.forget_restitution();
    for (int i = 0; i < c.contacts; ++i) k.contact[i].mode = asked.mode[i], k.contact[i].involved = asked.involved[i] != 0;
    for (int j = 0; j < c.frictions; ++j) k.friction[j].mode = asked.mode[c.contacts + j];
    out.energy = 0.0;
    const Status status = impact(law, out.energy, asked.once != 0);
    if (status != DONE) return status;
    const ConeProblem& p = k.problem;
    int size = 0;  // loose forces are the last ones
    for (; size < p.size && p.row[size] >= 0; ++size) p.total[size] *= p.unit[size];
    for (int g = 0; g < p.groups; ++g) {
        const Group& one = p.best[g];
        out.groups[g] = {one.start, one.dim, one.who, one.mode, one.along[0], one.along[1], one.sign};
    }
    out = {k.change, p.total, k.base, p.row, p.which, p.best_closed, out.groups,
           k.base_count, size, p.contacts, p.groups, out.energy};
    return DONE;
}

}  // namespace dalembert
