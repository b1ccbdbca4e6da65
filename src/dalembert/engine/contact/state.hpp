// Named state of contacts and frictions, and the room that they need.
#pragma once

#include "../model.hpp"
#include "problem.hpp"

namespace dalembert {

enum FromRest : int { MOVING = 0, STARTED = 1, CREEPS = 2 };  // how a slip is: CREEPS began with little or no acceleration

struct Contact {
    int mode;          // a `ContactMode`
    int was;           // before the event
    bool shared;       // its force is one of many that fit: the margin of all of them is watched instead
    int entered, answer;  // the mode as it was entered last, and as it was decided last (steady.hpp)
    bool asked;
    // of the event
    bool involved;     // it collides
    bool leaves;       // its force has come to zero
    bool candidate;    // it touches and does not part
    double impulse;
    int power;         // how often the root of its guard at the beginning of the next step is divided out
    // of its flights
    int decays;        // flights in a row that shrink by the same ratio
    double last_time, last_flight, first_flight, ratio;
};

struct Friction {
    int mode;          // a `FrictionMode`
    int was;
    int from_rest;     // a `FromRest`
    bool shared;
    double along[2];   // direction of the slip; a planar slip that moves has its own
    double sign;       // of the constraint's reaction that presses it
    double still;      // a planar slip slower than this stops
    double turning;    // the rate at which the direction of a creeping slip turns
    int entered, asked, answer;  // see `Contact`
    double entered_along, entered_sign, answered_along, answered_sign;
    // of the event
    bool resting;      // it has no slip
    bool left;         // its cone was just left
    int side;          // on which it is pressed from now on; 0: not decided
    int power;
};

// What the last accelerations were asked for; none is 0.
enum Known : int { SOLVED = 1, RANKS = 2, FORCES = 4, EVERYTHING = 7 };
HD inline int asked_for(bool fixed, bool wanted) { return SOLVED | (fixed ? 0 : RANKS) | (wanted ? FORCES : 0); }

struct Contacts {
    int contact_count = 0, friction_count = 0;
    Contact* contact;
    Friction* friction;
    int *active, *flat;        // rows of A and places of φ that are on
    int active_count = 0, flat_count = 0;
    bool slides = false;       // a friction slips
    bool planar = false;       // one does in a plane
    bool steady = false;       // accelerations are the same in all of the mode
    bool same = false;         // the mode was entered as it was before
    bool decided = false;      // there is a decision to compare with (steady.hpp)
    int written = -1;          // the mode's number among those that are written out
    bool unbound = false;      // nothing touches and no friction is on: accelerations are those without contacts
    bool bent = false;         // accelerations depend on forces that are one of many
    bool margin = false;       // such forces are watched
    int nullity = 0;           // of the mode's forces
    ConeProblem problem;
    int* base;                 // rows that hold both ways in a problem
    int base_count = 0, base_rank = -1, base_left = -1;
    Matrix U, NU, loose;       // what a unit force on each row of a problem does, after what F does; null reactions
    Matrix kept_U, kept_NU, kept_W;  // of the last impact, and its rows (steady.hpp)
    int* kept_rows;
    bool answered = false;
    double *F, *rates, *change, *event, *seen;
    double *path, *path_rates, *path_laws;  // of the way through an impact
    double *kept_F, *kept_laws, *kept_a, *kept_nu;
    int implicit_steps = 40;   // before explicit ones are tried again; more where they were tried in vain
    long explicit_since = 0;   // the step at which they were tried last
    int known = 0, kept_rank = -1, kept_left = -1;
    double* finest;            // differences of speeds by which accelerations are still smooth: small slips turn fast
    double* ahead;             // a state a moment later, in the mode that ends
    double ahead_time = 0.0;
    bool margin_left = false;  // the margin of shared forces has come to zero
    double largest_margin = INF;  // at the state that was seen last

    HD APART static Contacts in(Block& block, const Counts& c) {
        Contacts k;
        if (c.contacts + c.frictions == 0) return k;
        const int most = c.m + 1;
        k.contact_count = c.contacts, k.friction_count = c.frictions;
        k.contact = block.take<Contact>(c.contacts + 1);
        k.friction = block.take<Friction>(c.frictions + 1);
        k.active = block.take<int>(most), k.flat = block.take<int>(c.holonomic + 1), k.base = block.take<int>(most);
        k.problem = ConeProblem::in(block, most, c.contacts);
        k.U = matrix(block, most + 1, c.n), k.NU = matrix(block, most + 1, most), k.loose = matrix(block, most, most);
        k.kept_U = matrix(block, most + 1, c.n), k.kept_NU = matrix(block, most + 1, most), k.kept_W = matrix(block, most, most);
        k.kept_rows = block.take<int>(2 * most + 4);
        const int outputs = c.at_R() + c.n * c.m + 1;
        k.F = block.take<double>(outputs), k.kept_F = block.take<double>(outputs);
        double** of_rows[] = {&k.rates, &k.kept_nu, &k.path_rates};
        for (double** v : of_rows) *v = block.take<double>(most);
        double** of_state[] = {&k.change, &k.event, &k.kept_a, &k.ahead, &k.finest};
        for (double** v : of_state) *v = block.take<double>(c.size() + 1);
        k.kept_laws = block.take<double>(c.laws() + 1), k.path_laws = block.take<double>(c.laws() + 1);
        k.seen = block.take<double>(c.guards + c.contacts + 3 * c.frictions + 2);
        k.path = block.take<double>(6 * c.n + c.contacts + 1);
        return k;
    }
};

}  // namespace dalembert
