// Many motions with contacts on a GPU, one for each thread, as far as their events are usual (contact/bounce.hpp).
//
// The text of a model comes before this text (motions/bouncing.py). A motion that needs the full loop is handed over to
// follow.cu and comes back from there.
#include "beginning.hpp"
#include "contact/bounce.hpp"

HD Carried carried_of(char* carriage, long long i, const Counts& counts, const Plan& plan) {
    Block block{carriage + i * CARRIED_ROOM, 0};
    return Carried::in(block, counts, plan);
}

// Nothing is known yet of the waiting motions.
KERNEL open(const Plan* plan, const Motions* motions, char* carriage) {
    EACH(i, motions->count) {
        if (motions->status[i] == WAITING) carried_of(carriage, i, Inlined().counts, *plan).open(Inlined().counts, *plan);
    }
}

using Thread = Lean<Stepping, double, STEPPED, 1 + 2 * STEPPED + PARAMETERS>;

// Follow waiting motions. Each is then finished, stopped, or handed over.
KERNEL bounce(const Plan* plan, const Motions* motions, const double* natural, char* carriage) {
    EACH(i, motions->count) {
        if (motions->status[i] == WAITING) {
            if (!dalembert::finite(natural[i * STEPPED])) {
                motions->status[i] = HANDED_OVER;
            } else {
                const Settings settings = plan->settings;
                Carried carried = carried_of(carriage, i, Inlined().counts, *plan);
                Bouncing<Stepping, Thread> b;
                double y[STEPPED], sizes[STEPPED], parameters[PARAMETERS + 1];
                UNROLL for (int j = 0; j < STEPPED; ++j) y[j] = motions->states[i * STEPPED + j], sizes[j] = natural[i * STEPPED + j];
                UNROLL for (int p = 0; p < PARAMETERS; ++p) parameters[p] = motions->parameters[i * PARAMETERS + p];
                Thread& lean = b.lean;
                b.h_limit = settings.longest;
                lean.prepare(b.model, settings);
                lean.put_in(0, y, sizes, parameters);
                const int status = b.run(carried, *plan);
                UNROLL for (int j = 0; j < STEPPED; ++j) motions->states[i * STEPPED + j] = lean.y[j];
                motions->ends[i] = lean.t, motions->status[i] = status;
            }
        }
    }
}

// Columns of the motions that `bounce` has ended.
KERNEL columns(const Plan* plan, const Motions* motions, char* carriage) {
    EACH(i, motions->count) {
        const long long status = motions->status[i];
        if (status == FINISHED || status == STOPPED_BY_EVENT) {
            carried_of(carriage, i, Inlined().counts, *plan).books.fill(*plan, motions->values + i * plan->column_count);
            fill_columns(*plan, *motions, i, nullptr);
        }
    }
}
