// The reason why a motion ended, as one sentence, for programs without further knowledge of the model.
namespace dalembert {

inline const char* sentence_of(Status status) {
    switch (status) {
        case SINGULAR: return "the masses or the constraints are singular at this state";
        case INCONSISTENT: case OVERDETERMINED: return "the constraints contradict each other at this state";
        case NONFINITE: return "a quantity has no value at this state";
        case UNDERFLOW_OF_STEP: return "the step became too small for the tolerance: the motion is singular or not smooth here";
        case PROJECTION_FAILED: return "no state near this one satisfies the constraints";
        case BLOW_UP: return "the motion grows beyond all bounds";
        case STOPPED_BY_EVENT: return "an event of the model ended its motion";
        case MASS_NEGATIVE: return "a mass becomes negative";
        case CONTRADICTS: case NO_STATE: return "the contacts and frictions allow no motion here";
        case SEVERAL_STATES: case UNDECIDED: return "the contacts and frictions allow several motions here";
        case ENERGY_GAIN: return "an impact would gain energy";
        case HELD_BROKEN: return "the rows that a friction holds need more force than its cone allows";
        case KINKS_TOGETHER: return "several kinks reach zero at once, and the effect of each depends on the others";
        case KINK_OPEN: return "more than one motion is possible from a kink";
        case KINK_HELD: return "the motion comes to rest at a kink where reactions have two directions";
        case KINK_STUCK: return "a kink is crossed again and again without time advancing";
        case KINK_JUMPS: return "constraints or gaps jump at a kink, and no motion can follow";
        case KINK_TOUCHED: return "a kink and the contacts and frictions cannot be decided together";
        case STUCK: return "the motion does not advance: its events accumulate";
        case LAW_BROKEN: return "a force breaks its own law";
        default: return "the motion cannot be followed";
    }
}

}  // namespace dalembert
