// Smooth motions on a GPU, one to a thread at a time: those that go well, by the text that lanes run on the processor.
//
// The model's programs stand before this text, inlined (motions/device.py):
//
//     MODEL_SIZE, MODEL_INPUTS, MODEL_COUNTS            constants
//     program_slopes(out, in)                           and where there are such
//     program_correct_position, program_correct_velocity
//
// A thread claims a motion, steps it to its end, writes its states at the samples and at the end, and claims another. A
// motion that is lost keeps waiting: the processor's full loop takes it.
#include "lean.hpp"

namespace dalembert {

struct Inlined {
    Counts counts;

    HD void slopes(const double* in, double* out) const { program_slopes(out, in); }
    HD void correct_position(const double* in, double* out) const {
#ifdef CORRECTS_POSITION
        program_correct_position(out, in);
#else
        (void)in, (void)out;
#endif
    }
    HD void correct_velocity(const double* in, double* out) const {
#ifdef CORRECTS_VELOCITY
        program_correct_velocity(out, in);
#else
        (void)in, (void)out;
#endif
    }
};

using Thread = Lean<Inlined, double, MODEL_SIZE, MODEL_INPUTS>;

constexpr long long IS_WAITING = -2;

// What every motion has in common.
struct Common {
    double start, end, tolerance, h_max, patience;
};

// The state at a time inside the step just made, on the constraints; false where there is none.
HD inline bool state_at(Thread& lean, double at, double* out) {
    if (at >= lean.t_new) {
        UNROLL
        for (int i = 0; i < MODEL_SIZE; ++i) out[i] = lean.y_new[i];
        return true;
    }
    double y[MODEL_SIZE];
    bool failed = false;
    interpolant<MODEL_SIZE>(MODEL_SIZE, lean.dense.at, (at - lean.t) / (lean.t_new - lean.t), y);
    lean.project(at, y, true, failed);
    UNROLL
    for (int i = 0; i < MODEL_SIZE; ++i) out[i] = y[i];
    return !failed;
}

}  // namespace dalembert

ENTRY void smooth_motions(long long count, const double* common, long long samples, const double* times,
                          const double* parameters, const double* natural, double* states, double* sampled,
                          double* ends, long long* status, long long* claimed) {
    using namespace dalembert;
    Inlined model = {MODEL_COUNTS};
    Block none;
    Thread lean = Thread::in(none, &model);
    const Common all = {common[0], common[1], common[2], common[3], common[4]};
    lean.start = all.start, lean.end = all.end, lean.tolerance = all.tolerance, lean.h_max = all.h_max;
    dop853::Stiffness stiffness;
    long long which = -1, sample = 0;
    while (true) {
        if (which < 0) {
            which = next_of(claimed);
            if (which >= count) return;
            if (status[which] != IS_WAITING || !dalembert::finite(natural[which * MODEL_SIZE])) {
                which = -1;
                continue;
            }
            lean.put_in(0, states + which * MODEL_SIZE, natural + which * MODEL_SIZE, parameters + which * model.counts.parameters);
            lean.begin();
            lean.fresh = false;
            stiffness = dop853::Stiffness();
            stiffness.patience = all.patience;
            sample = 0;
            for (; lean.busy && sample < samples && times[sample] <= all.start; ++sample) {
                UNROLL
                for (int i = 0; i < MODEL_SIZE; ++i) sampled[(which * samples + sample) * MODEL_SIZE + i] = lean.y[i];
            }
        }
        if (lean.busy) lean.try_step();
        if (lean.taken && stiffness.counts(lean.beyond, (all.end - lean.t) / lean.here)) lean.drop(true);
        if (lean.busy && lean.taken) {
            if (sample < samples && times[sample] < lean.t_new) lean.interpolate();
            for (; lean.taken && sample < samples && times[sample] <= lean.t_new; ++sample)
                if (!state_at(lean, times[sample], sampled + (which * samples + sample) * MODEL_SIZE)) lean.drop(true);
            lean.commit();
            if (lean.taken && lean.t >= all.end) {
                UNROLL
                for (int i = 0; i < MODEL_SIZE; ++i) states[which * MODEL_SIZE + i] = lean.y[i];
                ends[which] = lean.t;
                status[which] = FINISHED;
                lean.busy = false;
            }
        }
        if (!lean.busy) which = -1;
    }
}
