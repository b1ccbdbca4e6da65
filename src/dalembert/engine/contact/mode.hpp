// The mode in which a motion continues: which candidates stay closed, and which frictions stick or slip.
//
// Candidates are contacts that touch and do not separate. Frictions at rest have no slip; the others slip along their
// slip. A friction whose cone was just left slips. The cone problem decides the rest.
#pragma once

#include "force.hpp"
#include "guess.hpp"

namespace dalembert {

HD inline Status status_of(int found) {
    return found == ONE ? DONE : found == NONE ? NO_STATE : found == SEVERAL ? SEVERAL_STATES : UNDECIDED;
}

// Take the solution that was kept as the mode.
template <class M>
HD APART void take_mode(const Law<M>& law) {
    Contacts& k = law.k;
    const ConeProblem& p = k.problem;
    for (int i = 0; i < p.contacts; ++i) k.contact[p.which[i]].mode = p.best_closed[i] ? CLOSED : OPEN;
    for (int g = 0; g < p.groups; ++g) {
        const Group& one = p.best[g];
        Friction& friction = k.friction[one.who];
        friction.mode = one.mode, friction.sign = one.sign;
        for (int x = 0; x < 2; ++x) friction.along[x] = x < one.dim ? one.along[x] : 0.0;
    }
}

// Pose the problem of the candidates, at a state that was surveyed.
template <class M>
HD APART Status pose_candidates(const Law<M>& law) {
    Contacts& k = law.k;
    ConeProblem& p = k.problem;
    for (int i = 0; i < law.c.contacts; ++i) k.contact[i].mode = k.contact[i].candidate ? CLOSED : OPEN;
    for (int j = 0; j < law.c.frictions; ++j) k.friction[j].mode = law.touches(j) ? STICK : OFF;
    begin_problem(law);
    for (Group& g : p.all_groups()) {
        const Friction& friction = k.friction[g.who];
        g.left = friction.left ? LEFT_ALONE : NOT_LEFT, g.side = friction.side;
        g.forced = !friction.resting && !law.friction(g.who).rough;
        const bool creeps = friction.from_rest == CREEPS;  // then its direction was found with the forces
        for (int x = 0; x < (g.forced ? g.dim : 0); ++x)
            g.given[x] = creeps ? friction.along[x] : law.slip(g.who, x) / law.slip_size(g.who);
    }
    if (p.size == 0) return DONE;
    const Status status = accelerated_responses(law, false);
    if (status == DONE) press(law, true);
    return status;
}

template <class M>
HD Status settle(const Law<M>& law) {
    const bool asked = asks(law);
    if (asked && decided_before(law)) return DONE;
    Status status = pose_candidates(law);
    if (status != DONE) return status;
    if (law.k.problem.size > 0) status = status_of(solve(law.k.problem));
    if (status == DONE && law.k.problem.size > 0) take_mode(law);
    if (status == DONE && asked) note_answer(law);
    return status;
}

// Take the mode found shortly ahead to the present state, and find the directions of slips that begin again.
template <class M>
HD APART Status settle_again(const Law<M>& law) {
    Contacts& k = law.k;
    ConeProblem& p = k.problem;
    const Status status = pose_candidates(law);  // overwrites the mode, which `best…` still holds
    if (status != DONE || p.size == 0) return status;
    normalize(p);
    for (int i = 0; i < p.contacts; ++i) p.closed[i] = p.best_closed[i];
    for (int g = 0; g < p.groups; ++g) {
        Group& one = p.group[g];
        one.mode = p.best[g].mode, one.sign = p.best[g].sign, one.left = LEFT_ALONE;
        for (int x = 0; x < 2; ++x) one.along[x] = p.best[g].along[x];
    }
    // for slips that begin without acceleration, only the state ahead gives the directions
    auto is_clear = [&](int g) {
        const double* w = p.answer + p.group[g].start;
        return !cone::turns(p.group[g]) || w[0] * w[0] + w[1] * w[1] > 1e-8;
    };
    if (cone::attempt(p, -1, true) && all_of(p.groups, is_clear)) cone::keep(p);
    take_mode(law);
    return DONE;
}

}  // namespace dalembert
