// Guards of a mode: quantities that must stay positive, and the places in a step where one of them does not.
//
//     open contact g;  closed contact λ;  sticking (μ_s N)² − |R|² − |h|²;  slipping c·d, planar |c|² − ε²;
//     the side on which a constraint presses a slip;  the part of the cone that held rows leave;
//     for all forces that are not unique: the largest margin with which forces fit inside all cones
//
// The model's own guards come first, then one for each contact, three for each friction, and the margin. Roots are found
// as in guards.hpp, but if a polynomial does not follow its guard, the step is repeated, shorter.
#pragma once

#include "../guards.hpp"
#include "force.hpp"

namespace dalembert {

constexpr double PASSED = 1e-12;  // relative to its terms: a gap further below zero has been passed, whatever its roots
constexpr double FAR = 0.1;        // an event before this fraction of a step shows that the step was far too long
constexpr double SHORTEST = 1e-6;  // shortest next step, relative to the longest step
constexpr double GROWN = 10.0;    // factor over a step by which a real change exceeds rounding
constexpr double STOPPED = 100.0; // times TINY: a slower planar slip stops, as its direction has two digits there

// The meaning of guard g of a motion with contacts.
struct Watched {
    int contact = -1, friction = -1, part = 0;  // of a friction: 0 its mode, 1 its side, 2 its cone
    bool margin = false, own = false;           // own: a guard of the model

    HD APART Watched(const Counts& c, int g) {
        if (g < c.guards) {
            own = true;
        } else if (g < c.guards + c.contacts) {
            contact = g - c.guards;
        } else if (g < c.guards + c.contacts + 3 * c.frictions) {
            friction = (g - c.guards - c.contacts) % c.frictions, part = (g - c.guards - c.contacts) / c.frictions;
        } else {
            margin = true;
        }
    }
};

// Whether a guard of this mode needs reactions.
template <class M>
HD APART bool needs_forces(const Law<M>& law) {
    if (law.c.guard_forces || any_of(law.c.contacts, [&](int i) { return law.closed(i); })) return true;
    return any_of(law.c.frictions, [&](int j) {
        const FrictionLaw& f = law.friction(j);
        if (law.slips(j)) return f.presser == BY_CONSTRAINT || f.held_count > 0;
        return law.k.friction[j].mode == STICK && !f.rough;
    });
}

HD inline double sum_of_squares(const double* v, int count) { return dot(v, v, count); }

template <class M>
HD APART void see_friction(const Law<M>& law, int j, double* seen) {
    const FrictionLaw& f = law.friction(j);
    const Friction& one = law.k.friction[j];
    const double* nu = law.s.solver.nu;
    double own = 1.0, side = 1.0, cone = 1.0;
    if (one.mode == STICK && !f.rough && !one.shared) {
        const double N = law.pressing(j, nu);
        own = square(law.static_coefficient(j)) * N * fabs(N) - sum_of_squares(nu + f.held_start, f.held_count) -
              sum_of_squares(nu + f.slip_start, f.slip_count);
    } else if (one.mode == SLIP) {
        if (!law.slips_in_plane(j) || one.from_rest == CREEPS) {
            own = law.slip(j, 0) * one.along[0] + (f.slip_count == 2 ? law.slip(j, 1) * one.along[1] : 0.0);
        } else {
            own = square(law.slip(j, 0)) + square(law.slip(j, 1)) - (one.from_rest ? 0.0 : square(one.still));
        }
        if (f.presser == BY_CONSTRAINT) side = nu[f.pressed_by] * one.sign;
        if (f.held_count > 0)
            cone = square(law.coefficient(j) * law.pressing(j, nu)) - sum_of_squares(nu + f.held_start, f.held_count);
    }
    const int at = law.c.guards + law.c.contacts + j;
    seen[at] = own, seen[at + law.c.frictions] = side, seen[at + 2 * law.c.frictions] = cone;
}

// Guards of contacts and frictions from the mode's own program, at the loaded state; false if it gives no valid values.
template <class M>
HD APART bool see_as_written(Law<M>& law, double* seen) {
    System<M>& s = law.s;
    const Counts& c = law.c;
    const int count = c.contacts + 3 * c.frictions;
    double* out = seen + c.guards;
    if (!s.in_written_mode()) return false;
    s.model->guards_in(law.k.written, s.x, out);
    if (!(out[count] == 1.0 && all_finite(out, count))) return false;
    for (int j = 0; j < c.frictions; ++j) {
        const Friction& one = law.k.friction[j];
        if (law.slips_in_plane(j) && !one.from_rest) out[c.contacts + j] -= square(one.still);
    }
    return true;
}

// All guards at a state, into `seen`.
template <class M>
HD APART Status see(Law<M>& law, double t, const double* y, bool forces, double* seen) {
    System<M>& s = law.s;
    const Counts& c = law.c;
    s.load(t, y);
    if (c.contacts > 0) s.position();
    const bool written = forces && !c.guard_forces && !law.k.kept && see_as_written(law, seen);
    if (!written) {
        if (c.frictions > 0 && (law.k.kept || !(forces && law.k.slides))) s.laws();  // accelerations compute them too
        if (const Status status = forces ? s.accelerate(true, true) : DONE; status != DONE) return status;
        for (int i = 0; i < c.contacts; ++i) {
            const bool shown = forces && !law.k.contact[i].shared;
            seen[c.guards + i] = !law.closed(i) ? s.gap(i) : shown ? s.solver.nu[law.contact(i).row] : 1.0;
        }
        for (int j = 0; j < c.frictions; ++j) see_friction(law, j, seen);
    }
    if (c.guards > 0) s.guards(forces);
    for (int g = 0; g < c.guards; ++g) seen[g] = s.at_guards[g];
    seen[c.all_guards() - 1] = forces && !written && law.k.margin ? law.k.largest_margin : 1.0;
    return DONE;
}

// A step and its guards, while roots are searched for.
template <class Motion>
struct Watch {
    using Kind = typename Motion::Kind;
    Motion& m;
    Law<Kind> law;
    double* seen;  // all guards at the place of the last look
    bool forces;

    HD Watch(Motion& motion, bool with_forces)
        : m(motion), law(motion.system), seen(motion.system.contacts.seen), forces(with_forces) {}

    HD Status look(double s, bool with_forces) {
        Step& step = m.step;
        const double* at = step.y_new;
        if (s < 1.0) step.between(s, step.seen), at = step.seen;
        return see(law, step.at(s), at, with_forces, seen);
    }

    HD bool is_gap(const Watched& w) const { return w.contact >= 0 && law.k.contact[w.contact].mode == OPEN; }

    HD bool of_reactions(const Watched& w) const {
        if (w.contact >= 0) return law.k.contact[w.contact].mode == CLOSED;
        return w.margin || (w.friction >= 0 && (w.part > 0 || law.k.friction[w.friction].mode != SLIP));
    }

    // Whether a slip is zero but for rounding in the whole step: it creeps, or a stick elsewhere holds it too. A slip that
    // begins to creep and has grown by the end of the step did not stop: a root between is an error of the interpolant.
    // In that step even a slip that counts as stopped is an error of the step.
    HD APART bool quiet(int g) const {
        const Watched w(law.c, g);
        if (w.friction < 0 || w.part > 0 || law.k.friction[w.friction].mode != SLIP) return false;
        const Friction& one = law.k.friction[w.friction];
        if (law.friction(w.friction).slip_count != 1 && one.from_rest != CREEPS) return false;
        const bool begins = one.from_rest == CREEPS && m.guards.power[g] > 0;
        if (begins && m.guards.of(g)[NODES - 1] > 0.0) return true;
        return (begins ? 1.0 : STOPPED) * range_of(m.guards.of(g)).largest() <= one.still;
    }

    // Whether a gap stays so small in the whole step that a shorter step would show only its rounding.
    HD bool faint(int g) const {
        const Watched w(law.c, g);
        return is_gap(w) && range_of(m.guards.of(g)).largest() <= PASSED * law.gap_scale(w.contact);
    }
};

}  // namespace dalembert
