// The state of contacts and frictions, and its memory.
#pragma once

#include "../model.hpp"
#include "problem.hpp"

namespace dalembert {

enum FromRest : int { MOVING = 0, STARTED = 1, CREEPS = 2 };  // CREEPS: began with almost no acceleration

struct Contact {
    int mode;          // a `ContactMode`
    int was;           // the mode before the event
    bool shared;       // its force is not unique: the margin of all shared forces is watched instead
    // at the event
    bool involved;     // it collides
    bool leaves;       // its force has fallen to zero
    bool candidate;    // it touches and does not separate
    double impulse;
    // of its flights
    int decays;        // flights in a row that shrink by the same ratio
    double last_time, last_flight, first_flight, ratio;
};

struct Friction {
    int mode;          // a `FrictionMode`
    int was;
    int from_rest;     // a `FromRest`
    bool shared;
    double along[2] = {1.0, 0.0};  // direction of the slip; a moving planar slip gives its own
    double sign = 1.0; // sign of the constraint's reaction that presses it
    double still;      // a planar slip slower than this stops
    double turning;    // the rate at which the direction of a creeping slip turns
    // at the event
    bool resting;      // its slip is zero
    bool left;         // its cone was just left
    int side;          // the side on which it is pressed from now on; 0: not decided

    HD bool is_beginning() const { return mode == SLIP && from_rest != MOVING; }
};

// Whether contacts, then frictions, have these statuses.
HD inline bool is_mode(const int* statuses, const Contact* contact, int contacts, const Friction* friction, int frictions) {
    return all_of(contacts, [&](int i) { return contact[i].mode == statuses[i]; }) &&
           all_of(frictions, [&](int j) { return friction[j].mode == statuses[contacts + j]; });
}

// The last few keys, each a row of numbers. The answer to a key is kept at the key's place.
struct KeyRing {
    static constexpr int PLACES = 8;
    int width = 0, places = 0, count = 0, last = -1;
    int *keys, *asked;  // asked: the key that is looked for

    HD static KeyRing in(Block& block, int width, int places = PLACES) {
        return {width, places, 0, -1, block.take<int>(places * width + 1), block.take<int>(width + 1)};
    }

    // The place of the key `asked`, or −1.
    HD APART int place() const {
        for (int p = 0; p < count; ++p)
            if (all_of(width, [&](int i) { return keys[p * width + i] == asked[i]; })) return p;
        return -1;
    }

    // A place for the key `asked`; the oldest key may lose its place.
    HD int new_place() {
        last = (last + 1) % places;
        count = larger(count, last + 1);
        for (int i = 0; i < width; ++i) keys[last * width + i] = asked[i];
        return last;
    }

    HD void forget() { count = 0, last = -1; }
};

// Accelerations and forces that are constant in a mode.
struct KeptMode {
    int known;     // a sum of `Known`
    int rank, left;
    bool bent;
    bool unique;   // known, and no forces are shared: they hold whenever the mode is entered again
    double *a, *nu;
};

// What accelerations include, as a sum; 0: they are unknown.
enum Known : int { SOLVED = 1, RANKS = 2, FORCES = 4, EVERYTHING = 7 };
HD inline int asked_for(bool fixed, bool wanted) { return SOLVED | (fixed ? 0 : RANKS) | (wanted ? FORCES : 0); }

// The decided mode of a contact or a friction, with the direction of a slip on a line and the side of its pressing force.
struct Decision {
    int mode;
    double along, sign;
};

struct Contacts {
    Contact* contact;
    Friction* friction;
    int *active, *flat;        // active rows of A and places of φ
    bool slides = false;       // a friction slips
    bool planar = false;       // a friction slips in a plane
    KeyRing entered, decided, struck;  // modes, questions about the mode that follows, and the rows of the last impact
    KeptMode* modes;           // by the place in `entered`
    KeptMode* kept = nullptr;  // of this mode; null if accelerations are not constant in it
    Decision* answers;         // by the place in `decided`, for every contact, then for every friction
    int written = -1;          // the mode's number among the written-out ones
    bool unbound = false;      // nothing touches and no friction acts: accelerations are those without contacts
    bool bent = false;         // accelerations depend on forces that are not unique
    bool margin = false;       // the margin of shared forces is a guard
    int nullity = 0;           // dimension of the null space of the mode's forces
    ConeProblem problem;
    int* base;                 // bilateral rows of a problem
    int base_count = 0, base_rank = -1, base_left = -1;
    Matrix U, NU, loose;       // solution for F, then effects of unit forces on the problem's rows; null reactions
    Matrix kept_U, kept_NU, kept_W;  // of the last impact (steady.hpp)
    double *F, *rates, *change, *event, *seen;
    double *path, *path_rates, *path_laws;  // along the path through an impact
    int implicit_steps = 40;   // before explicit ones are tried again; doubled if they fail soon
    long explicit_since = 0;   // the step at which they were last tried
    double* finest;            // differences of speeds over which accelerations are smooth: small slips turn fast
    double* ahead;             // a state shortly later, in the mode that ends
    double ahead_time = 0.0;
    bool margin_left = false;  // the margin of shared forces has fallen to zero
    double largest_margin = INF;  // at the last state that was computed

    HD APART static Contacts in(Block& block, const Counts& c) {
        Contacts k;
        if (!c.touches()) return k;
        const int most = c.m + 1;
        k.contact = block.take<Contact>(c.contacts + 1);
        k.friction = block.take<Friction>(c.frictions + 1);
        k.flat = block.take<int>(c.holonomic + 1);
        block.each(most, k.active, k.base, k.rates, k.path_rates);
        k.problem = ConeProblem::in(block, most, c.contacts);
        matrices(block, most + 1, c.n, k.U, k.kept_U);
        matrices(block, most + 1, most, k.NU, k.kept_NU, k.loose, k.kept_W);
        k.F = block.take<double>(c.at_R() + c.n * c.m + 1);
        block.each(c.size() + 1, k.change, k.event, k.ahead, k.finest);
        k.path_laws = block.take<double>(c.laws() + 1);
        k.seen = block.take<double>(c.guards + c.contacts + 3 * c.frictions + 2);
        k.path = block.take<double>(2 * c.n + c.contacts + 1);
        if (!c.uniform) return k;
        const int both = c.contacts + c.frictions;
        k.entered = KeyRing::in(block, both), k.decided = KeyRing::in(block, both), k.struck = KeyRing::in(block, c.m, 1);
        k.modes = block.take<KeptMode>(KeyRing::PLACES);
        for (int p = 0; p < KeyRing::PLACES; ++p) {
            double *a = block.take<double>(c.n + 1), *nu = block.take<double>(most);
            if (block.base) k.modes[p].a = a, k.modes[p].nu = nu;
        }
        k.answers = block.take<Decision>(KeyRing::PLACES * both + 1);
        return k;
    }
};

}  // namespace dalembert
