// Results that are found once for each mode if the dynamics and the coefficients of friction do not depend on the state
// (counts.uniform), as for balls in flight or blocks that slide on a plane: accelerations, forces, and the mode that
// follows from the state of contacts and frictions. Planar slips turn, so they are solved every time.
#pragma once

#include "law.hpp"

namespace dalembert {

// Visit all numbers of an impact's responses, each with its kept copy.
template <class M, class Visit>
HD void each_response(const Law<M>& law, Visit&& visit) {
    Contacts& k = law.k;
    const int size = k.problem.size;
    for (int f = 0; f <= size; ++f) {
        for (int i = 0; i < law.c.n; ++i) visit(k.U(f, i), k.kept_U(f, i));
        for (int i = 0; i < law.c.m; ++i) visit(k.NU(f, i), k.kept_NU(f, i));
    }
    for (int i = 0; i < size; ++i)
        for (int j = 0; j < size; ++j) visit(k.problem.W(i, j), k.kept_W(i, j));
}

// Whether the posed impact has the rows of the last one; then its responses are restored. Without constraints w₀ is 0.
template <class M>
HD APART bool answered_before(const Law<M>& law) {
    Contacts& k = law.k;
    ConeProblem& p = k.problem;
    if (!law.c.uniform || law.c.bilateral > 0) return false;
    for (int r = 0; r < law.c.m; ++r) k.struck.asked[r] = 0;
    for (int i = 0; i < k.base_count; ++i) k.struck.asked[k.base[i]] = -1;
    for (int i = 0; i < p.size; ++i) k.struck.asked[p.row[i]] = 1 + i;
    if (k.struck.place() < 0) return false;
    each_response(law, [](double& value, double& kept) { value = kept; });
    for (int i = 0; i < p.size; ++i) p.w0[i] = 0.0;
    return true;
}

// Keep the responses, unless there are loose forces.
template <class M>
HD APART void note_responses(const Law<M>& law) {
    Contacts& k = law.k;
    k.struck.forget();
    if (!law.c.uniform || law.c.bilateral > 0 || any_of(k.problem.size, [&](int i) { return k.problem.row[i] < 0; })) return;
    k.struck.new_place();
    each_response(law, [](double& value, double& kept) { kept = value; });
}

// All data that decide about a friction, as one number; −1 if one number cannot hold them.
template <class M>
HD int question(const Law<M>& law, int j) {
    const Friction& one = law.k.friction[j];
    if (one.resting) return 1 + 2 * one.left + 4 * (one.side + 1);
    return law.friction(j).slip_count == 2 ? -1 : 32 + 2 * one.left + 4 * (one.side + 1) + (law.slip(j, 0) > 0.0 ? 1 : 0);
}

// Whether the decision of the next mode can be kept; then its question is the key that is looked for.
template <class M>
HD bool asks(const Law<M>& law) {
    if (!law.c.uniform || law.k.margin_left) return false;
    int* asked = law.k.decided.asked;
    for (int i = 0; i < law.c.contacts; ++i) *asked++ = law.k.contact[i].candidate;
    for (int j = 0; j < law.c.frictions; ++j) *asked++ = question(law, j);
    for (int j = 1; j <= law.c.frictions; ++j)
        if (asked[-j] < 0) return false;
    return true;
}

// Whether this question was decided before; then its answer becomes the mode.
template <class M>
HD APART bool decided_before(const Law<M>& law) {
    Contacts& k = law.k;
    const int place = k.decided.place();
    if (place < 0) return false;
    const Decision* answer = k.answers + place * k.decided.width;
    for (int i = 0; i < law.c.contacts; ++i) k.contact[i].mode = answer[i].mode;
    for (int j = 0; j < law.c.frictions; ++j) {
        Friction& one = k.friction[j];
        const Decision& own = answer[law.c.contacts + j];
        one.mode = own.mode, one.along[0] = own.along, one.along[1] = 0.0, one.sign = own.sign;
    }
    return true;
}

// Keep the mode as the answer to the question.
template <class M>
HD APART void note_answer(const Law<M>& law) {
    Contacts& k = law.k;
    Decision* answer = k.answers + k.decided.new_place() * k.decided.width;
    for (int i = 0; i < law.c.contacts; ++i) *answer++ = {k.contact[i].mode, 0.0, 0.0};
    for (int j = 0; j < law.c.frictions; ++j) *answer++ = {k.friction[j].mode, k.friction[j].along[0], k.friction[j].sign};
}

// Keep the accelerations and forces of the present mode for a later time, if they are unique.
template <class M>
HD void note_mode(const Law<M>& law) {
    constexpr int NEEDED = SOLVED | RANKS;
    const Contacts& k = law.k;
    if (k.kept) k.kept->bent = k.bent, k.kept->unique = k.nullity == 0 && (k.kept->known & NEEDED) == NEEDED;
}

}  // namespace dalembert
