// Many smooth motions on a GPU, one for each thread: steps in registers (lean.hpp), and the results kept of them.
//
// The text of a model comes before this text: its type `Inlined`, and the sizes of a thread's memory
// (motions/inlined.py). NVRTC compiles it for a GPU. Any C++ compiler compiles it for the processor, where each kernel
// loops over all motions.
#include "beginning.hpp"
#include "lean.hpp"
#include "rk4.hpp"

// The data that a thread steps: a state, its sizes and its parameters, in registers. A state has all coordinates, and all
// speeds v or independent ones u.
struct Stepped {
    static constexpr int N = Stepping::PLACES, FREE = STEPPED - N;
    double y[STEPPED], natural[STEPPED], parameters[PARAMETERS + 1];

    HD static Stepped of(const Motions& motions, const double* natural, long long i, double time) {
        Stepped s;
        double y[FULL], sizes[FULL];
        UNROLL for (int j = 0; j < FULL; ++j) y[j] = motions.states[i * FULL + j], sizes[j] = natural[i * FULL + j];
        UNROLL for (int p = 0; p < PARAMETERS; ++p) s.parameters[p] = motions.parameters[i * PARAMETERS + p];
        UNROLL for (int j = 0; j < N; ++j) s.y[j] = y[j], s.natural[j] = sizes[j];
        if (Stepping::REDUCED) {
            s.reduce(time, y, sizes);
        } else {
            UNROLL for (int j = N; j < STEPPED; ++j) s.y[j] = y[j], s.natural[j] = sizes[j];
        }
        return s;
    }

    // u from v. The size of u_j is the largest contribution of a speed of natural size to it.
    HD void reduce(double t, const double* state, const double* sizes) {
        double in[1 + FULL + PARAMETERS], rest[FREE + 1], one[FREE + 1];
        in[0] = t;
        UNROLL for (int i = 0; i < FULL; ++i) in[1 + i] = state[i];
        UNROLL for (int p = 0; p < PARAMETERS; ++p) in[1 + FULL + p] = parameters[p];
        by_speeds(in, y + N);
        UNROLL for (int i = 0; i < N; ++i) in[1 + N + i] = 0.0;
        by_speeds(in, rest);
        UNROLL for (int j = 0; j < FREE; ++j) natural[N + j] = 0.0;
        UNROLL for (int i = 0; i < N; ++i) {
            in[1 + N + i] = sizes[N + i];
            by_speeds(in, one);
            UNROLL for (int j = 0; j < FREE; ++j) natural[N + j] = larger(natural[N + j], fabs(one[j] - rest[j]));
            in[1 + N + i] = 0.0;
        }
    }

    // The whole state at a stepped one.
    HD void restore(double t, const double* stepped, double* out) const {
        double in[1 + STEPPED + PARAMETERS];
        in[0] = t;
        UNROLL for (int i = 0; i < STEPPED; ++i) in[1 + i] = stepped[i];
        UNROLL for (int p = 0; p < PARAMETERS; ++p) in[1 + STEPPED + p] = parameters[p];
        UNROLL for (int i = 0; i < (Stepping::REDUCED ? N : STEPPED); ++i) out[i] = stepped[i];
        if (Stepping::REDUCED) all_speeds(in, out + N);
    }
};

using Thread = Lean<Stepping, double, STEPPED, 1 + 2 * STEPPED + PARAMETERS>;

#if SAMPLED
// Memory for the states at samples.
struct Sampler {
    const double* times;
    double* states;
    long long count, taken;
};

// Record the states at the times inside the step just taken; false if one cannot be computed.
HD bool take_samples(Thread& lean, Sampler& s) {
    if (s.taken < s.count && s.times[s.taken] < lean.t_new) lean.interpolate();
    if (lean.lost) return false;
    for (; s.taken < s.count && s.times[s.taken] <= lean.t_new; ++s.taken) {
        double state[STEPPED];
        const double at = s.times[s.taken], part = (at - lean.t) / (lean.t_new - lean.t);
        UNROLL for (int i = 0; i < STEPPED; ++i) state[i] = lean.y_new[i];
        if (at < lean.t_new) {
            bool failed = false;
            interpolant<STEPPED>(STEPPED, lean.dense.at, part, state);
            lean.project(lean.t + part * (lean.t_new - lean.t), state, true, failed);
            if (failed) return false;
        }
        for (int i = 0; i < STEPPED; ++i) s.states[s.taken * STEPPED + i] = state[i];
    }
    return true;
}
#endif

// Write the end of a motion that was finished.
HD void finish(const Thread& lean, const Motions& motions, long long i, const Stepped& begun) {
    double y[FULL];
    begun.restore(lean.t, lean.y.at, y);
    UNROLL for (int j = 0; j < FULL; ++j) motions.states[i * FULL + j] = y[j];
    motions.ends[i] = lean.t, motions.status[i] = FINISHED;
}

#if FIXED_STEPS
// Make a fixed number of equal steps. Returns their number; the motion is not busy if it fails.
HD inline int go(Thread& lean, const Settings& settings, const Plan&, double*) {
    const double h = (settings.end - settings.start) / FIXED_STEPS;
    bool failed = false;
    lean.project(lean.t, lean.y.at, true, failed);
    ROLLED for (int step = 0; step < FIXED_STEPS && !failed; ++step) {
        double sum[STEPPED], *stage = lean.stage();
        UNROLL for (int j = 0; j < STEPPED; ++j) sum[j] = stage[j] = lean.y[j];
        STAGES_OF_RK4 for (int s = 0; s < rk4::STAGES; ++s) {
            lean.x[0] = lean.t + rk4::node(s) * h;
            lean.take_slope(1, failed);
            rk4::take<STEPPED>(STEPPED, s, h, rk4::StageSum<double>{lean.y.at, lean.slope(1), sum, stage});
        }
        lean.t = settings.start + (step + 1) * h;
        UNROLL for (int j = 0; j < STEPPED; ++j) lean.y[j] = sum[j];
        lean.last = step + 1 == FIXED_STEPS;
        if (lean.model->counts.corrections && lean.settles()) lean.project(lean.t, lean.y.at, true, failed);
    }
    double big = 0.0;
    UNROLL for (int j = 0; j < STEPPED; ++j) {
        big = larger(big, fabs(lean.y[j]));
        failed = failed || !dalembert::finite(lean.y[j]);
    }
    lean.t = settings.end;
    lean.busy = !failed && big <= lean.too_large;
    return FIXED_STEPS;
}
#else
// Step from start to end. Returns the number of steps; the motion is not busy if it fails.
HD inline int go(Thread& lean, const Settings& settings, [[maybe_unused]] const Plan& plan,
                 [[maybe_unused]] double* samples) {
    dop853::Stiffness stiffness = dop853::Stiffness::of(settings);
    int accepted = 0;
    lean.begin();
#if SAMPLED
    Sampler sampler{plan.sample_times, samples, plan.sample_count, 0};
    for (; sampler.taken < sampler.count && sampler.times[sampler.taken] <= lean.t; ++sampler.taken)
        for (int j = 0; j < STEPPED; ++j) sampler.states[sampler.taken * STEPPED + j] = lean.y[j];
#endif
    ROLLED while (lean.busy && lean.t < lean.end) {
        lean.try_step();
        if (!lean.taken) continue;
        if (stiffness.counts(lean.beyond, (lean.end - lean.t) / lean.here, dop853::STIFF_STEPS)) lean.drop(true);
#if SAMPLED
        if (lean.taken && !take_samples(lean, sampler)) lean.drop(true);
#endif
        lean.commit();
        ++accepted;
    }
    return accepted;
}
#endif

// Step waiting motions from start to end. A motion that fails keeps waiting.
KERNEL steps(const Plan* plan, const Motions* motions, const double* natural, double* samples, int* made) {
    EACH(i, motions->count) {
        if (motions->status[i] == WAITING && dalembert::finite(natural[i * FULL])) {
            const Settings settings = plan->settings;
            Stepping model;
            Thread lean;
            const Stepped begun = Stepped::of(*motions, natural, i, settings.start);
            lean.prepare(model, settings);
            lean.put_in(0, begun.y, begun.natural, begun.parameters);
            made[i] = go(lean, settings, *plan, samples + i * plan->sample_count * STEPPED);
            if (lean.busy) finish(lean, *motions, i, begun);
        }
    }
}

// Columns of the motions that `steps` has finished.
KERNEL columns(const Plan* plan, const Motions* motions, const double* samples) {
    EACH(i, motions->count) {
        if (motions->status[i] == FINISHED) fill_columns(*plan, *motions, i, samples);
    }
}
