// Zeno cascades: flights of a contact that decay geometrically, and the time at which they end.
//
//     Δt_{k+1}/Δt_k → r < 1:   t∞ = t + Δt r/(1 − r)
#pragma once

#include "happen.hpp"

namespace dalembert {

constexpr int STEADY = 6;       // steady ratios in a row before a cascade is assumed
constexpr double SHORT = 1e-6;  // largest remaining time, relative to the first flight
constexpr double LOWEST = 1e-13, SLOW = 1e-6;  // of the gap's terms and the largest speed: below, flights are rounding
constexpr double NEAR = 1e-11;  // relative to the gap's terms: an open contact this near ends its cascade with another

// A bound on the speed along a row, from the largest speeds of the motion so far.
template <class Motion>
HD double largest_rate(const Motion& m, int row) {
    const int n = m.system.counts.n;
    return terms_of(m.system.F + m.system.counts.at_A() + row * n, m.step.largest + n, m.step.natural + n, n);
}

// Update the record of a contact's flights at a landing with this rate. `gap_scale` and `most` are the sizes with which
// the gap and the rate are compared. Returns the time at which the flights accumulate, or infinity.
HD APART inline double accumulates(Contact& one, double t, double rate, double gap_scale, double most) {
    const double flight = t - one.last_time;
    const bool low = 0.25 * flight * fabs(rate) < LOWEST * gap_scale && fabs(rate) < SLOW * most;
    double end = low ? t : INF;
    if (one.decays > 0 && flight < one.last_flight) {
        const double ratio = flight / one.last_flight;
        one.decays = fabs(ratio - one.ratio) < 0.1 * (1.0 - ratio) ? one.decays + 1 : 1;
        one.ratio = ratio;
        const double rest = flight * ratio / (1.0 - ratio);
        if (one.decays >= STEADY && (low || rest < SHORT * one.first_flight)) end = t + rest;
    } else {
        one.decays = 1, one.ratio = 2.0, one.first_flight = flight;
    }
    one.last_time = t, one.last_flight = flight;
    return end;
}

// Whether an open contact is so near and so slow that it comes to rest with another's cascade, as in a corner.
template <class Motion>
HD bool settles_too(Motion& m, const Law<typename Motion::Kind>& law, int i) {
    const int row = law.contact(i).row;
    const bool near = fabs(m.system.gap(i)) <= NEAR * law.gap_scale(i);
    return near && fabs(law.k.rates[row]) < 10.0 * SLOW * largest_rate(m, row);
}

// Contacts that settle together, such as the two corners of a rocking block, are closed together by one correction.
template <class Motion>
HD APART void rest_together(Motion& m, double* y) {
    Law<typename Motion::Kind> law(m.system);
    int many = 0;
    for (int i = 0; i < law.c.contacts; ++i) {
        Contact& one = law.k.contact[i];
        one.was = one.mode;
        if (one.involved) one.mode = CLOSED, ++many;
    }
    if (many > 1) {
        law.enter_mode();
        m.system.correct(m.step.t, y, true);
    }
    for (int i = 0; i < law.c.contacts; ++i) law.k.contact[i].mode = law.k.contact[i].was;
}

// Close a contact whose flights have shrunk to nothing, by an impact without rebound.
template <class Motion>
HD APART Status end_cascades(Motion& m, Desk& desk, double* y, long begun) {
    Law<typename Motion::Kind> law(m.system);
    Contacts& k = law.k;
    double ending = INF;
    int which = -1;
    for (long e = begun; e < desk.event_count; ++e) {
        const int i = desk.events[e].index;
        if (k.contact[i].mode == CLOSED) continue;  // it was hit while closed, so no flight ended
        const int row = law.contact(i).row;
        const double end = accumulates(k.contact[i], m.step.t, k.rates[row], law.gap_scale(i), largest_rate(m, row));
        if (end < ending) ending = end, which = i;
    }
    if (which < 0) return DONE;
    for (int i = 0; i < law.c.contacts; ++i)
        if (k.contact[i].mode == OPEN && i != which) k.contact[i].involved = settles_too(m, law, i);
    const int n = law.c.n;
    for (int i = 0; i < n; ++i) y[n + i] = k.event[n + i];  // repeat from the state before, without rebound
    law.survey(m.step.t, y);
    if (const Status status = collide(m, desk, y, true); status != DONE) return status;
    rest_together(m, y);
    for (int i = 0; i < law.c.contacts; ++i)
        if (k.contact[i].involved) k.contact[i].decays = 0;
    record(desk, {ending, 0.0, 0.0, 0.0, CHATTER, which}, k.event, y, m.step.size);
    return DONE;
}

// Contacts that touch while others collide take part in the impact, closed or not.
template <class M>
HD void join_touching(const Law<M>& law) {
    for (int i = 0; i < law.c.contacts; ++i) {
        Contact& one = law.k.contact[i];
        if (one.mode == CLOSED || (law.is_touching(i) && law.rate(i) <= 0.0)) one.involved = true;
    }
}

// Apply the impacts and end their cascades, then find the mode that follows.
template <class Motion>
HD APART Status happen(Motion& m, Desk& desk, double* y) {
    Law<typename Motion::Kind> law(m.system);
    if (first_involved(law) >= 0) {
        law.survey(m.step.t, y);
        join_touching(law);
        const long begun = desk.event_count;
        Status status = collide(m, desk, y, false);
        if (status == DONE) status = end_cascades(m, desk, y, begun);
        if (status != DONE) return status;
    }
    return go_on(m, desk, y);
}

template <class M>
HD void clear_marks(const Law<M>& law) {
    law.k.margin_left = false;
    for (int i = 0; i < law.c.contacts; ++i) law.k.contact[i].involved = law.k.contact[i].leaves = false;
    for (int j = 0; j < law.c.frictions; ++j) {
        Friction& one = law.k.friction[j];
        one.resting = one.left = false, one.side = 0;
    }
}

// The mode at the start. Contacts at rest are candidates to press; zero gaps that close collide at once.
template <class Motion>
HD APART Status first_mode(Motion& m, Desk& desk) {
    Law<typename Motion::Kind> law(m.system);
    Contacts& k = law.k;
    double* y = m.step.y;
    for (int j = 0; j < law.c.frictions; ++j) k.friction[j] = Friction{};
    for (int i = 0; i < law.c.contacts; ++i) k.contact[i] = Contact{}, k.contact[i].last_time = m.step.t;
    clear_marks(law);
    law.forget();
    law.survey(m.step.t, y);
    for (int i = 0; i < law.c.contacts; ++i) {
        if (!law.is_touching(i)) continue;
        k.contact[i].involved = law.rate(i) < -law.slow(i);
        if (fabs(law.rate(i)) <= law.slow(i)) k.contact[i].mode = CLOSED;
    }
    const Status status = happen(m, desk, y);
    const bool struck = any_of(static_cast<int>(desk.event_count), [&](int e) { return desk.events[e].kind == IMPACT; });
    if (!struck) desk.event_count = 0;  // finding the first mode is not an event
    for (int i = 0; i < law.c.contacts; ++i) {
        int& power = m.guards.power[law.c.guards + i];
        if (k.contact[i].mode == OPEN && law.is_touching(i)) power = larger(power, 1);
    }
    return status;
}

}  // namespace dalembert
