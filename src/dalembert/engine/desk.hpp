// What the caller keeps of a motion on its way: samples, events and records of steps.
#pragma once

#include "target.hpp"

namespace dalembert {

enum EventKind : int { IMPACT, LIFTOFF, CONTACT_MADE, STICKS, SLIPS, CHATTER, CROSSING, KINK };

// An event of a motion. `side` is the direction of a crossing, or the first component of a slip's direction.
struct Event {
    double time, impulse, energy, side;
    int kind, index;
};

// Memory that the caller provides and may exchange for a larger one.
struct Desk {
    const double* sample_times;
    double* samples;  // a row of y for each
    int* modes;       // a row of statuses for each
    Event* events;
    double *before, *after;  // a row of y for each event
    double* record;          // rows of t, t_new and the interpolant; null if nothing is recorded
    long sample_count, event_room, record_room;
    long sampled, event_count, recorded;  // numbers filled so far
    double* forces;  // with contacts or kinks, a row of a and ν for each sample; null if not wanted
};

// Record an event, with the states before and after it.
HD inline void record(Desk& desk, const Event& event, const double* before, const double* after, int size) {
    const long e = desk.event_count++;
    desk.events[e] = event;
    for (int i = 0; i < size; ++i) desk.before[e * size + i] = before[i], desk.after[e * size + i] = after[i];
}

}  // namespace dalembert
