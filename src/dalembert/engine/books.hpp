// Records of a motion: counts and first times of events, values of watches, samples. With contacts, also its state
// between two kernels.
#pragma once

#include "desk.hpp"
#include "plan.hpp"

namespace dalembert {

constexpr int EVENT_KINDS = 8;

// Records of one motion while it runs.
struct Books {
    long long* tally;    // events by kind and index
    double* first;       // times of the first crossing of every guard: falling, rising
    double* best;        // value of every watch
    double energy = 0.0, drift = 0.0;
    double* samples;     // states
    double* forces;      // with contacts or kinks, a and ν at the samples
    int* modes;
    long sampled = 0;

    HD APART static Books in(Block& block, const Counts& c, const Plan& plan) {
        Books b;
        b.tally = block.take<long long>(EVENT_KINDS * plan.most_events + 1);
        b.first = block.take<double>(2 * c.guards + 1);
        b.best = block.take<double>(plan.wish_count + 1);
        b.samples = block.take<double>(plan.sample_count * c.size() + 1);
        const bool forces = c.touches() || c.switches > 0;
        b.modes = block.take<int>(plan.sample_count * (c.contacts + c.frictions) + 1);
        b.forces = forces ? block.take<double>(plan.sample_count * (c.n + c.reactions) + 1) : nullptr;
        return b;
    }

    HD void open(const Counts& c, const Plan& plan) {
        for (int i = 0; i < EVENT_KINDS * plan.most_events; ++i) tally[i] = 0;
        for (int i = 0; i < 2 * c.guards; ++i) first[i] = NOT_A_NUMBER;
        energy = drift = 0.0;
        sampled = 0;
    }

    HD void note(const Event& event, const Plan& plan, int guards) {
        if (event.index < plan.most_events) ++tally[event.kind * plan.most_events + event.index];
        if (event.kind != CROSSING || event.index >= guards) return;
        double& time = first[2 * event.index + (event.side > 0.0 ? 1 : 0)];
        if (!(time <= event.time)) time = event.time;
    }

    HD double count(const Plan& plan, int which) const {
        const int all = EVENT_KINDS * plan.most_events;
        long long found = 0;
        for (int i = 0; i < all; ++i) found += plan.counted[which * all + i] * tally[i];
        return static_cast<double>(found);
    }

    // The time of the first crossing of a guard; direction 0 means both directions.
    HD double first_of(int guard, int direction) const {
        const double falls = first[2 * guard], rises = first[2 * guard + 1];
        if (direction > 0) return rises;
        if (direction < 0 || !(rises == rises)) return falls;
        return falls < rises ? falls : rises;
    }

    // Fill the columns that are records of the motion.
    HD void fill(const Plan& plan, double* row) const {
        for (int c = 0; c < plan.column_count; ++c) {
            const Column& column = plan.columns[c];
            if (column.kind == WATCHED) row[c] = finite(best[column.place]) ? best[column.place] : NOT_A_NUMBER;
            if (column.kind == FIRST_TIME) row[c] = first_of(column.place, column.more);
            if (column.kind == COUNTED) row[c] = count(plan, column.place);
            if (column.kind == DRIFT) row[c] = drift;
        }
    }
};

// The state of a motion with contacts between two kernels: one follows it in registers (contact/bounce.hpp), the other
// by the full loop (keep.hpp).
struct Carried {
    double* numbers;  // see below
    double* largest;  // as in `Sizes`
    Contact* contact;
    Friction* friction;
    int* power;       // as in `Guards`
    Books books;

    HD double& time() const { return numbers[0]; }
    HD double& length() const { return numbers[1]; }  // of the next step
    HD double& begun() const { return numbers[2]; }   // 0 until the first mode is known

    HD static Carried in(Block& block, const Counts& c, const Plan& plan) {
        Carried s;
        s.numbers = block.take<double>(3);
        s.largest = block.take<double>(c.size() + 1);
        s.contact = block.take<Contact>(c.contacts + 1);
        s.friction = block.take<Friction>(c.frictions + 1);
        s.power = block.take<int>(c.all_guards());
        s.books = Books::in(block, c, plan);
        return s;
    }

    // Begin a motion: nothing is known of it.
    HD void open(const Counts& c, const Plan& plan) {
        time() = plan.settings.start, length() = 0.0, begun() = 0.0;
        for (int i = 0; i < c.contacts; ++i) contact[i] = Contact{}, contact[i].last_time = plan.settings.start;
        for (int j = 0; j < c.frictions; ++j) friction[j] = Friction{};
        for (int g = 0; g < c.all_guards(); ++g) power[g] = 0;
        books.open(c, plan);
    }
};

}  // namespace dalembert
