// What the engine knows of a model: sizes, and functions of x = (t, q, v, z, s, p).
//
// The engine is a template over the type of the model. On the processor that type is `Model`, whose functions are
// pointers into compiled programs. On a GPU, in the browser and in exported code it is a struct with the same members,
// written beside the program's own text. Its members are:
//
//     SIZE                          of y, where the compiler shall know it, else 0
//     ALL_STEPPERS                  whether a motion may go by others than DOP853; without, a stiff one is given back, and
//                                   there are no kinks, no signals and no controllers
//     counts                        sizes, see `Counts`
//     parameters                    values of p
//     dynamics(x, out)              D (the upper triangle by rows where it is symmetric), d, A, b, and R where it is given
//     slopes(x, out)                a, then 1.0 if every pivot counted; only if counts.has_slopes
//     correct_position(x, out)      the smallest Δq that satisfies φ to first order, the worst residual, the worst against
//                                   its own scale (as `System::residuals` has it), then 1.0 if every pivot counted; x is
//                                   followed by the natural sizes of q and v; only if counts.corrections has bit 1
//     correct_velocity(x, out)      the same of v and ψ; bit 2
//     position(x, out)              φ and ∂φ/∂q by rows
//     velocity(x, out)              ψ and A by rows
//     guards(x, out)                guards of the model: events, then masses, then kinks; x is followed by a and ν of all
//                                   rows if counts.guard_forces
//     kinks(x, out)                 of every kink: g, ψ, b, A, as of a constraint g = 0
//     laws(x, out)                  of contacts and frictions: ψ of their rows, then μ, μ_s, N of every friction, then
//                                   the restitution of every contact
//     rates(x, out)                 ds/dt of the first-order states
//     angles                        which coordinates are angles, see scales.hpp
//     controls(x, out)              what controllers compute: new values of the states that they hold, the last ones of s
//     signals, clocks               arrays, see below; signals are parameters
//     jet(x, out)                   y[0], …, y[counts.jet_order] of the Taylor series, then those of the first
//                                   counts.jet_guards guards (the model's, then gaps), then 1.0 if every pivot counted
//     slopes_in(mode, x, out)       as `slopes`, with contacts and frictions in one of counts.modes modes; x is followed by a
//                                   direction, then by a side, for every friction
//     guards_in(mode, x, out)       of the same: what must stay positive, for every contact, then three for every friction
//                                   (contact/watch.hpp), then 1.0 if every pivot counted
//     mode_statuses                 of every such mode, a status for every contact, then for every friction
//     guard_kinds, contacts, frictions    arrays, see below
#pragma once

#include "memory.hpp"
#include "status.hpp"

namespace dalembert {

struct Counts {
    int n;           // coordinates
    int m;           // rows of A, those of contacts and frictions included
    int holonomic;   // entries of φ, gaps included
    int reactions;   // columns of R: the multipliers
    int extra;       // z: states whose slopes are the first multipliers (vakonomic)
    int states;      // s: first-order states
    int parameters;  // p
    int guards;
    int symmetric;   // D is
    int general;     // R is given; otherwise it is Aᵀ
    int bilateral;   // rows of A before those of contacts and frictions
    int bilateral_holonomic;
    int contacts;
    int frictions;
    int has_slopes;
    int rows;        // rows of A that are always on: bilateral ones, or those the caller chose
    int corrections; // which corrections are written out
    int jet_order;   // of the Taylor series that `jet` gives; 0: there is none
    int jet_guards;  // whose series it gives, too; 0: they have none
    int switches;    // the last guards: kinks
    int branches;    // what they switch; in x they stand behind p
    int signals;     // parameters that are data
    int clocks;      // controllers
    int held;        // states that they hold
    int guard_forces;  // guards look at accelerations and multipliers
    int modes;       // modes of contacts and frictions that are written out
    int uniform;     // D, d, A, b and the coefficients and pressing forces of frictions do not depend on t and y

    HD int size() const { return 2 * n + extra + states; }
    HD int inputs() const { return 1 + size() + parameters; }
    HD int mass_entries() const { return symmetric ? n * (n + 1) / 2 : n * n; }
    HD int at_d() const { return mass_entries(); }
    HD int at_A() const { return mass_entries() + n; }
    HD int at_b() const { return at_A() + m * n; }
    HD int at_R() const { return at_b() + m; }
    HD int dynamics() const { return at_R() + (general ? n * reactions : 0); }
    HD int laws() const { return m - bilateral + 3 * frictions + contacts; }
    HD int known() const { return inputs() + branches; }
    HD int multipliers() const { return contacts + frictions > 0 ? m : reactions; }
    HD int first_switch() const { return guards - switches; }
};

enum GuardKind : int { RECORDED_ONLY = 0, STOPS = 1, FAILS = 2, SWITCHES = 3 };
enum SwitchKind : int { SIDE = 0, FALLS = 1, RISES = 2 };
enum ImpactLaw : int { NEWTON = 0, POISSON = 1, ZHANG_MEI = 2 };
enum Presser : int { GIVEN = 0, BY_CONSTRAINT = 1, BY_CONTACT = 2 };

// Rows are places among all rows of A.
struct ContactLaw {
    int row;  // of its gap
    int reverses_start, reverses_count;
    int law;
};

struct FrictionLaw {
    int slip_start, slip_count;
    int held_start, held_count;
    int presser;     // a `Presser`
    int pressed_by;  // the row of a constraint, or the number of a contact
    int rough;       // never slips while it touches
};

// What the zero of a kink's guard does: its branch takes the sign of the guard, or falls or rises by one.
struct Switch {
    int branch;
    int kind;    // a `SwitchKind`
    int degree;  // 1: its guard holds speeds, 2: coordinates and time alone, 0: anything else
};

// A parameter that is data: at knot k and after it c₀ + c₁ s + c₂ s² + c₃ s³ with s = t − times[k].
struct Signal {
    int place, count;  // among the parameters; of knots
    int jumps;         // its value does at knots
    const double *times, *cubics;
};

// A controller: the states from the place `first` among those held take new values at offset, offset + every, …
struct Clock {
    double every, offset;
    int first, count;
};

// A compiled program, as the processor calls it.
struct Code {
    void (*function)(double* out, const double* in, void* data);
    void* data;

    HD void operator()(const double* in, double* out) const { function(out, in, data); }
};

struct Model {
    static constexpr int SIZE = 0;
    static constexpr bool ALL_STEPPERS = true;

    Counts counts;
    const double* parameters;
    Code dynamics, slopes, position, velocity, guards, laws, rates;
    const int* guard_kinds;
    const int* rows;            // counts.rows of them, ascending
    const int* holonomic_rows;  // places in φ of those among them that are holonomic
    int holonomic_count;
    const ContactLaw* contacts;
    const FrictionLaw* frictions;
    Code correct_position, correct_velocity;
    const int* angles;
    Code jet;
    const Switch* switches;
    Code kinks;
    Code controls;
    const Signal* signals;
    const Clock* clocks;
    const int* mode_statuses;
    const Code* mode_code;  // of every mode, its slopes and its guards

    HD void slopes_in(int mode, const double* in, double* out) const { mode_code[2 * mode](in, out); }
    HD void guards_in(int mode, const double* in, double* out) const { mode_code[2 * mode + 1](in, out); }
};

}  // namespace dalembert
