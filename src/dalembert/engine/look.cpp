// The C interface to contacts and frictions at a single state x; see also library.cpp.
#include "motion.hpp"

using namespace dalembert;

using Native = Motion<Model>;

static void bring(Law<Model>& law, const double* x, const double* natural) {
    const Counts& c = law.c;
    law.s.measure(natural);
    law.forget();
    for (int i = 0; i < c.parameters; ++i) law.s.x[1 + c.size() + i] = x[1 + c.size() + i];
    find_branches(law.s, x[0], x + 1);
    law.survey(x[0], x + 1);
    for (int i = 0; i < c.contacts; ++i) law.k.contact[i] = Contact{};
    for (int j = 0; j < c.frictions; ++j) {
        law.k.friction[j] = Friction{};
        law.k.friction[j].resting = law.rests(j);
        for (int i = 0; !law.k.friction[j].resting && i < law.friction(j).slip_count; ++i)
            law.k.friction[j].along[i] = law.slip(j, i) / law.slip_size(j);
    }
}

// The mode in which a motion would continue: a status for every contact, then for every friction. Contacts that touch and
// close are marked in `colliding` and stay open.
DOOR int dalembert_settle(Native* motion, const double* x, const double* natural, int* mode, int* colliding) {
    Law<Model> law(motion->system);
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

// Accelerations and all multipliers in a mode. Forces of slips are in the places of their rows.
DOOR int dalembert_forces(Native* motion, const double* x, const double* natural, const int* mode, double* a, double* nu) {
    System<Model>& system = motion->system;
    Law<Model> law(system);
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
    Status status = analyse(law);
    system.dynamics();
    if (status == DONE) status = accelerate_in_mode(system, false, true);
    for (int i = 0; i < law.c.n; ++i) a[i] = system.solver.a[i];
    for (int i = 0; i < law.c.m; ++i) nu[i] = system.solver.nu[i];
    return status;
}

// After `dalembert_forces`: null vectors of the forces, each a row of all multipliers. Returns their number, at most m. A
// combination of forces orthogonal to all of them is determinate.
DOOR int dalembert_indeterminate(Native* motion, double* rows) {
    Law<Model> law(motion->system);
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

// One impact in a mode.
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

DOOR int dalembert_impact(Native* motion, const double* x, const double* natural, const ImpactAsked* asked,
                          ImpactDecided* out) {
    Law<Model> law(motion->system);
    Contacts& k = law.k;
    const Counts& c = law.c;
    bring(law, x, natural);
    if (asked->inelastic) law.forget_restitution();
    for (int i = 0; i < c.contacts; ++i) k.contact[i].mode = asked->mode[i], k.contact[i].involved = asked->involved[i] != 0;
    for (int j = 0; j < c.frictions; ++j) k.friction[j].mode = asked->mode[c.contacts + j];
    out->energy = 0.0;
    const Status status = impact(law, out->energy, asked->once != 0);
    if (status != DONE) return status;
    const ConeProblem& p = k.problem;
    int size = 0;  // loose forces are the last ones
    for (; size < p.size && p.row[size] >= 0; ++size) p.total[size] *= p.unit[size];
    for (int g = 0; g < p.groups; ++g) {
        const Group& one = p.best[g];
        out->groups[g] = {one.start, one.dim, one.who, one.mode, one.along[0], one.along[1], one.sign};
    }
    *out = {k.change, p.total, k.base, p.row, p.which, p.best_closed, out->groups,
            k.base_count, size, p.contacts, p.groups, out->energy};
    return DONE;
}
