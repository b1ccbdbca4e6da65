// A motion that crawls where a constraint is singular: its row A = ∂ψ/∂v has no direction there, like that of z' = k
// |v| at rest. The row turns although the state hardly changes, so steps become as short as the tolerance or shorter.
#pragma once

#include "system.hpp"

namespace dalembert {

constexpr double CRAWLING = 1e-6;  // of the motion: longer steps are not checked
constexpr double HARDLY = 1e-6;    // of natural sizes: a change of the state that turns no regular row
constexpr double TURNED = 0.9;     // cosine between two directions of a row
constexpr int TURNS_IN_ALL = 200;  // short steps in which a row turns, before the motion is stopped

// The first row whose directions differ between two states that hardly differ, or −1.
template <class M>
HD APART int turned_row(System<M>& s, double t, const double* y, const double* other) {
    const int n = s.counts.n;
    if (s.rows.count == 0) return -1;
    for (int i = 0; i < s.counts.size(); ++i)
        if (!(fabs(other[i] - y[i]) <= HARDLY * s.natural[i])) return -1;
    auto entry = [&](int i, int j) { return s.at_velocity[s.counts.m + s.rows.active[i] * n + j] * s.natural[n + j]; };
    auto see = [&](const double* state) {
        s.load(t, state);
        s.velocity();
    };
    see(y);
    for (int i = 0; i < s.rows.count; ++i)
        for (int j = 0; j < n; ++j) s.solver.J(i, j) = entry(i, j);
    see(other);
    for (int i = 0; i < s.rows.count; ++i) {
        double both = 0.0, before = 0.0, after = 0.0;
        for (int j = 0; j < n; ++j) {
            const double was = s.solver.J(i, j), is = entry(i, j);
            both += was * is, before += was * was, after += is * is;
        }
        if (!(both >= TURNED * sqrt(before * after))) return s.rows.active[i];
    }
    return -1;
}

struct Crawl {
    int turns = 0;

    // After a step from y with the slope k: the row that keeps turning, or −1. `room` is work space for a state.
    template <class M>
    HD int row(System<M>& s, const Step& step, double* room) {
        if (s.rows.count == 0 || step.length() > CRAWLING * (step.end - step.start)) return turns = 0, -1;
        for (int i = 0; i < step.size; ++i) room[i] = step.y[i] + step.length() * step.k[i];
        const int found = turned_row(s, step.t, step.y, room);
        turns += found >= 0;
        return turns >= TURNS_IN_ALL ? found : -1;
    }

    // If no step could be made from y: the row that turns when slow speeds change their sign, or −1.
    template <class M>
    HD int row_at_rest(System<M>& s, const Step& step, double* room) const {
        const int n = s.counts.n;
        for (int i = 0; i < step.size; ++i) room[i] = i >= n && i < 2 * n ? -step.y[i] : step.y[i];
        return turned_row(s, step.t, step.y, room);
    }
};

}  // namespace dalembert
