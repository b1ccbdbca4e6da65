// Why a motion could not be followed, as one sentence, for programs that know no more of the model.
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
        case HELD_BROKEN: return "what a friction holds needs more than its cone";
        case STUCK: return "the motion does not get on: its events accumulate";
        case LAW_BROKEN: return "a force breaks its own law";
        default: return "the motion cannot be followed";
    }
}

}  // namespace dalembert
