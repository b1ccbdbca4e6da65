// A step with constant accelerations (steady.hpp): the motion is a parabola, and so is every guard.
//
//     q = q₀ + v₀ τ + ½ a τ²,   gap g₀ + ψ τ + ½ (A a − b) τ²,   slip ψ + (A a − b) τ,   constant forces
//
// There is no error. A step has the length that the last event left, or six times the last length.
#pragma once

#include "../settings.hpp"
#include "watch.hpp"

namespace dalembert {

// Whether the next step is a parabola. Records need another interpolant.
template <class Motion>
HD bool goes_in_parabolas(const Motion& m, const Desk& desk) {
    const Counts& c = m.system.counts;
    const KeptMode* kept = m.system.contacts.kept;
    const bool steady = kept && (kept->known & SOLVED);
    return steady && !desk.record && m.stepper == DOP853 && m.step.h > 0.0 && c.states + c.extra == 0;
}

// The series of every guard, from the values at the beginning of the step.
template <class Motion>
HD APART Status show_guards(Motion& m, double* shown) {
    Law<typename Motion::Kind> law(m.system);
    const Counts& c = law.c;
    const int count = m.guards.count, n = c.n;
    if (const Status status = see(law, m.step.t, m.step.y, needs_forces(law), shown); status != DONE) return status;
    m.system.laws();
    for (int g = count; g < 3 * count; ++g) shown[g] = 0.0;
    auto change = [&](int row) {  // the derivative of a row's rate
        return dot(m.system.F + c.at_A() + row * n, m.step.k + n, n, -m.system.F[c.at_b() + row]);
    };
    for (int i = 0; i < c.contacts; ++i) {
        if (law.k.contact[i].mode != OPEN) continue;
        const int row = law.contact(i).row;
        shown[count + i] = m.system.at_laws[row - c.bilateral], shown[2 * count + i] = 0.5 * change(row);
    }
    for (int j = 0; j < c.frictions; ++j)
        if (law.k.friction[j].mode == SLIP)
            shown[count + c.contacts + j] = change(law.friction(j).slip_start) * law.k.friction[j].along[0];
    return DONE;
}

template <class Motion>
HD APART Status parabola(Motion& m) {
    Step& step = m.step;
    const int size = step.size, n = m.system.counts.n;
    double* y = m.parabolas;
    for (int i = 0; i < size; ++i) y[i] = step.y[i];
    for (int i = 0; i < n; ++i) {
        y[size + i] = step.y[n + i], y[size + n + i] = step.k[n + i];
        y[2 * size + i] = 0.5 * step.k[n + i], y[2 * size + n + i] = 0.0;
    }
    step.shown_count = 0;
    if (m.system.counts.guards == 0) {  // otherwise the model's own guards have no series here
        if (const Status status = show_guards(m, y + 3 * size); status != DONE) return status;
        step.shown = y + 3 * size, step.shown_count = m.guards.count;
    }
    step.series = y, step.degree = 2;
    double h = smaller(step.h, step.h_max);
    const bool last = step.plan(h);
    step.along_series(h, step.y_new);
    for (int i = 0; i < n; ++i) step.slope(12)[i] = step.y_new[n + i], step.slope(12)[n + i] = step.k[n + i];
    if (!m.system.project(step.t_new, step.y_new)) return PROJECTION_FAILED;
    if (!last) step.h = 6.0 * h;
    ++step.steps;
    return DONE;
}

}  // namespace dalembert
