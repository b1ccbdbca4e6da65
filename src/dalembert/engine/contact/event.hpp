// An event of a motion.
#pragma once

namespace dalembert {

enum EventKind : int { IMPACT, LIFTOFF, CONTACT_MADE, STICKS, SLIPS, CHATTER, CROSSING, KINK };

// An event. `side` is the direction of a crossing, or the first component of a slip's direction.
struct Event {
    double time, impulse, energy, side;
    int kind, index;
};

}  // namespace dalembert
