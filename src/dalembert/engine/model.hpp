// The engine's view of a model: sizes, and functions of x = (t, q, v, z, s, p).
//
// The engine is a template over the type of the model. On the processor that type is `Model`, whose functions are
// pointers into compiled programs. On a GPU, in the browser and in exported code it is a struct with the same members,
// written together with the program's text. Its members are:
//
//     SIZE                          size of y if the compiler shall know it, otherwise 0
//     ALL_STEPPERS                  whether steppers other than DOP853 are available; without them a stiff motion is
//                                   returned to the caller
//     SWITCHED                      whether there can be kinks
//     DRIVEN                        whether there can be signals or controllers
//     counts                        sizes, see `Counts`
//     parameters                    values of p
//     dynamics(x, out)              D (the upper triangle by rows if it is symmetric), d, A, b, and R if it is given
//     slopes(x, out)                a, then 1.0 if every pivot is valid; only if counts.has_slopes
//     correct_position(x, out)      the smallest Δq that satisfies φ to first order, the largest residual, the largest
//                                   relative residual (as in `System::residuals`), then 1.0 if every pivot is valid; x
//                                   is followed by the natural sizes of q and v; only if counts.corrections has bit 1
//     correct_velocity(x, out)      the same for v and ψ; bit 2
//     position(x, out)              φ and ∂φ/∂q by rows
//     velocity(x, out)              ψ and A by rows
//     guards(x, out)                guards of the model: events, then masses, then kinks; x is followed by a and ν of all
//                                   rows if counts.guard_forces
//     kinks(x, out)                 for every kink: g, ψ, b, A, as if g = 0 were a constraint
//     laws(x, out)                  for contacts and frictions: ψ of their rows, then μ, μ_s, N of every friction, then
//                                   the restitution of every contact
//     rates(x, out)                 ds/dt of the first-order states
//     angles                        which coordinates are angles, see scales.hpp
//     controls(x, out)              new values of the states that controllers hold, which are the last ones of s
//     signals, clocks               arrays, see below; signals are parameters
//     jet(x, out)                   y[0], …, y[counts.jet_order] of the Taylor series, then those of the first
//                                   counts.jet_guards guards (the model's, then gaps), then 1.0 if every pivot is valid
//     slopes_in(mode, x, out)       as `slopes`, in one of counts.modes modes of contacts and frictions; x is followed
//                                   by a direction, then by a side, for every friction
//     guards_in(mode, x, out)       quantities that must stay positive in that mode: one for every contact, three for
//                                   every friction (contact/watch.hpp), then 1.0 if every pivot is valid
//     mode_statuses                 for every such mode, a status for every contact, then for every friction
//     guard_kinds, contacts, frictions    arrays, see below
#pragma once

#include "memory.hpp"
#include "status.hpp"

namespace dalembert {

struct Counts {
    int n;           // coordinates
    int m;           // rows of A, including those of contacts and frictions
    int holonomic;   // entries of φ, including gaps
    int reactions;   // columns of R: the multipliers; m of them if R is Aᵀ
    int extra;       // z: states whose slopes are the first multipliers (vakonomic)
    int states;      // s: first-order states
    int parameters;  // p
    int guards;
    int symmetric;   // D is symmetric
    int general;     // R is given; otherwise it is Aᵀ
    int bilateral;   // rows of A before those of contacts and frictions
    int bilateral_holonomic;
    int contacts;
    int frictions;
    int has_slopes;
    int rows;        // rows of A that are always active: bilateral ones, or those chosen by the caller
    int corrections; // corrections that are written out
    int jet_order;   // order of the Taylor series of `jet`; 0: there is no series
    int jet_guards;  // guards whose series `jet` also gives
    int switches;    // kinks: the last guards
    int branches;    // values that kinks switch; in x they come after p
    int signals;     // parameters that are data
    int clocks;      // controllers
    int held;        // states that controllers hold
    int guard_forces;  // guards depend on accelerations and multipliers
    int modes;       // modes of contacts and frictions that are written out
    int uniform;     // D, d, A, b and the coefficients and pressing forces of frictions do not depend on t and y

    HD int size() const { return 2 * n + extra + states; }
    HD int inputs() const { return 1 + size() + parameters; }
    HD int mass_entries() const { return symmetric ? n * (n + 1) / 2 : n * n; }
    HD int diagonal(int i) const { return symmetric ? i * n - i * (i - 1) / 2 : i * (n + 1); }  // place of D_ii
    HD int at_d() const { return mass_entries(); }
    HD int at_A() const { return mass_entries() + n; }
    HD int at_b() const { return at_A() + m * n; }
    HD int at_R() const { return at_b() + m; }
    HD int dynamics() const { return at_R() + (general ? n * reactions : 0); }
    HD int laws() const { return m - bilateral + 3 * frictions + contacts; }
    HD int known() const { return inputs() + branches; }
    HD int first_switch() const { return guards - switches; }
    HD bool touches() const { return contacts + frictions > 0; }
    HD int all_guards() const { return touches() ? guards + contacts + 3 * frictions + 1 : guards; }  // contact/watch.hpp
};

enum GuardKind : int { RECORDED_ONLY = 0, STOPS = 1, FAILS = 2, SWITCHES = 3 };
enum SwitchKind : int { SIDE = 0, FALLS = 1, RISES = 2 };
enum ImpactLaw : int { NEWTON = 0, POISSON = 1, ZHANG_MEI = 2 };
enum Presser : int { GIVEN = 0, BY_CONSTRAINT = 1, BY_CONTACT = 2 };

// Rows are places among all rows of A.
struct ContactLaw {
    int row;  // row of its gap
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

// The effect of the zero of a kink's guard: its branch takes the sign of the guard, or falls or rises by one.
struct Switch {
    int branch;
    int kind;    // a `SwitchKind`
    int degree;  // 1: its guard contains speeds, 2: only coordinates and time, 0: anything else
};

// A parameter that is data: at knot k and after it c₀ + c₁ s + c₂ s² + c₃ s³ with s = t − times[k].
struct Signal {
    int place, count;  // its place among the parameters; number of knots
    int jumps;         // its value jumps at knots
    const double *times, *cubics;
};

// A controller: the held states from place `first` on take new values at offset, offset + every, …
struct Clock {
    double every, offset;
    int first, count;
};

// A compiled program on the processor.
struct Code {
    void (*function)(double* out, const double* in, void* data);
    void* data;

    HD void operator()(const double* in, double* out) const { function(out, in, data); }
};

struct Model {
    static constexpr int SIZE = 0;
    static constexpr bool ALL_STEPPERS = true, SWITCHED = true, DRIVEN = true;

    Counts counts;
    const double* parameters;
    Code dynamics, slopes, position, velocity, guards, laws, rates;
    const int* guard_kinds;
    const int* rows;            // the counts.rows active rows, ascending
    const int* holonomic_rows;  // places in φ of the holonomic ones among them
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
    const Code* mode_code;  // slopes and guards of every mode

    HD void slopes_in(int mode, const double* in, double* out) const { mode_code[2 * mode](in, out); }
    HD void guards_in(int mode, const double* in, double* out) const { mode_code[2 * mode + 1](in, out); }
};

}  // namespace dalembert
