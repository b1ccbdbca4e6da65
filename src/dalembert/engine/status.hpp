// How a computation ended. Python has the same numbers (`library.Status`); a test compares them.
#pragma once

namespace dalembert {

enum Status : int {
    DONE = 0,
    // of the constrained solve, at one state
    SINGULAR = 1, INCONSISTENT = 2, NONFINITE = 3, OVERDETERMINED = 4,
    // of a step
    UNDERFLOW_OF_STEP = 5, PROJECTION_FAILED = 6, IS_STIFF = 7, BLOW_UP = 8, NOT_CONVERGED = 9,
    // of the loop
    FINISHED = 10, CONTINUE = 11, NEED_ROOM = 12, STOPPED_BY_EVENT = 13, MASS_NEGATIVE = 14, ROW_TURNS = 15,
    // of contacts
    CONTRADICTS = 20, ENERGY_GAIN = 21, NO_STATE = 22, SEVERAL_STATES = 23, UNDECIDED = 24,
    HELD_BROKEN = 25, STUCK = 26, LAW_BROKEN = 27, NOT_REVERSED = 28,
    // of kinks
    KINKS_TOGETHER = 40, KINK_OPEN = 41, KINK_HELD = 42, KINK_STUCK = 43, KINK_JUMPS = 44, KINK_TOUCHED = 45,
};

}  // namespace dalembert
