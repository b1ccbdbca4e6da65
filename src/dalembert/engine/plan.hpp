// The plan of many motions: the results to keep, where they go, and the columns that are values at one state.
#pragma once

#include "settings.hpp"
#include "watch.hpp"

namespace dalembert {

// The source of a column. The caller fills columns of other kinds.
enum ColumnKind : int { AT_END = 0, AT_SAMPLE = 1, WATCHED = 2, FIRST_TIME = 3, COUNTED = 4, DRIFT = 5 };

struct Column {
    int kind, place;
    int more;  // the sample, or the direction of a crossing
};

// The results kept of every motion, and the settings of its steps.
struct Plan {
    Settings settings;
    Quantities values;   // at the end and at samples
    Quantities watched;
    Code energies;       // kinetic and potential energy
    const double* sample_times;
    const Wish* wishes;
    const Column* columns;
    const int* counted;  // for every count, kind and index of an event: whether it is counted
    long long sample_count;
    int wish_count, column_count, most_events, drift;
    long long chunk;     // steps between two checks for a stop request

    HD bool looks_at_steps() const { return wish_count > 0 || drift; }
};

// All motions, a row for each; threads share them.
struct Motions {
    const double* parameters;
    double* states;          // consistent states at the start; overwritten by those at the end
    double* ends;            // times reached
    long long* status;       // `WAITING`, then a `Status`, or `INTERRUPTED`
    double *values, *notes;
    long long *claimed, *stop;
    long long* left;         // number of motions that lanes left to the full loop
    long long count;
    int note_size;

    HD bool stops() const { return *static_cast<volatile long long*>(stop) != 0; }

    // Claim the next motion with this status, or return −1.
    HD long long claim(long long wanted) const {
        long long which = next_of(claimed);
        while (which < count && status[which] != wanted) which = next_of(claimed);
        return which < count && !stops() ? which : -1;
    }
};

enum MotionStatus : int { HANDED_OVER = -4, WAITING = -2, INTERRUPTED = -1 };  // handed over to the full loop

// Fills columns with values at single states. x and out hold the inputs and outputs of the functions.
template <class M>
struct Filler {
    System<M>& system;
    const Plan& plan;
    double *x, *out;
    double* row;

    // Fill the columns of this kind and sample. Forces that were not kept are solved for if needed.
    HD APART void fill(int kind, int sample, const StateAt& state) {
        if (!any_of(plan.column_count, [&](int c) { return fills(plan.columns[c], kind, sample); })) return;
        if constexpr (M::DRIVEN) system.inputs.locate(state.t);
        const bool known = extend(system, plan.values, false, state, x);
        if (known) plan.values.code(x, out);
        for (int c = 0; c < plan.column_count; ++c)
            if (fills(plan.columns[c], kind, sample)) row[c] = known ? out[plan.columns[c].place] : NOT_A_NUMBER;
    }

    // Fill those at the samples, with their forces if these were kept, and at the end.
    HD void fill_all(const double* samples, const double* forces, long long taken, const StateAt& end) {
        const int size = system.counts.size(), each = forces ? system.counts.n + system.counts.reactions : 0;
        for (long long s = 0; s < taken; ++s)
            fill(AT_SAMPLE, static_cast<int>(s), {plan.sample_times[s], samples + s * size, forces + s * each});
        fill(AT_END, 0, end);
    }

    HD static bool fills(const Column& column, int kind, int sample) {
        return column.kind == kind && (kind == AT_END || column.more == sample);
    }
};

}  // namespace dalembert
