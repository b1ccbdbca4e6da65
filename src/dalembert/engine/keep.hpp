// Results kept of a motion: values of functions at its end and at samples, extrema and crossings of watched quantities,
// counts and first times of events, the largest drift of energy, and notes for the sentence of a failure.
#pragma once

#include "books.hpp"
#include "motion.hpp"
#include "scales.hpp"

namespace dalembert {

constexpr int NOTES = 5;  // time, row, step length, guard, stepper; then y, ẏ, x

// A thread's motion with its records.
template <class M>
struct Keeper {
    Motion<M> motion;
    Desk desk;
    Watching watching;
    double *x, *out, *natural;
    const Plan* plan;
    Block motion_room;  // where the motion's memory begins

    HD APART static Keeper in(Block& block, const M* model, const Plan* plan) {
        const Counts& c = model->counts;
        Keeper k;
        k.plan = plan;
        k.watching = Watching::in(block, plan->watched, plan->wishes, plan->wish_count, c.size());
        k.x = block.take<double>(plan->values.inputs + 1);
        k.out = block.take<double>(plan->values.count + 1);
        k.natural = block.take<double>(c.size() + 1);
        k.desk = Desk();
        k.desk.sample_times = plan->sample_times, k.desk.sample_count = static_cast<long>(plan->sample_count);
        if (plan->wish_count > 0) {
            k.desk.record = block.take<double>(2 + TERMS * c.size());
            k.desk.record_room = 1;
        }
        k.motion_room = block;
        k.motion = Motion<M>::in(block, model);
        const long room = 2 * k.motion.guards.hit_room + 16 * (c.contacts + c.frictions) + 2 * c.switches + 64;
        k.desk.event_room = room;
        k.desk.events = block.take<Event>(room);
        block.each(room * c.size() + 1, k.desk.before, k.desk.after);
        return k;
    }

    // Reset the motion to a new one.
    HD void renew(const M* model) {
        Block block = motion_room;
        motion = Motion<M>::in(block, model);
        desk.event_count = desk.recorded = desk.sampled = 0;
    }

    HD double energy_at(double t, const double* y) {
        double found[2];
        motion.system.load(t, y);
        plan->energies(motion.system.x, found);
        return found[0] + found[1];
    }

    HD Watcher<M> watcher(Books& books) { return {motion.system, watching, motion.step, books.best}; }

    // Begin the records at the start of a motion, on the constraints.
    HD void begin(Books& books) {
        const Step& step = motion.step;
        if (plan->drift) books.energy = energy_at(step.t, step.y);
        if (plan->wish_count > 0) watcher(books).begin(step.t, step.y);
    }

    // Watch the step from t to t_new with its interpolant, up to `until`, the present time of the motion.
    HD void watch(Books& books, const Step& view, double until) {
        Watcher<M> w = watcher(books);
        w.step = view;
        w.watch(smaller((until - view.t) / view.length(), 1.0), view.t == view.start);
    }

    // Look at the present state y of the motion, after a step.
    HD void look(Books& books, double t, const double* y) {
        if (plan->wish_count > 0) {
            Watcher<M> w = watcher(books);
            w.look_at(t, y);
            w.count_in();
        }
        if (plan->drift) books.drift = larger(books.drift, fabs(energy_at(t, y) - books.energy));
    }

    // The jump of energy at event e: a loss at an impact is not drift. Contacts that collide together have one jump.
    HD double jump(long e) {
        const Event& event = desk.events[e];
        const int size = motion.step.size;
        const double *before = desk.before + e * size, *after = desk.after + e * size;
        auto repeats = [&](int i) { return before[i] == before[i - size] && after[i] == after[i - size]; };
        const bool same = all_of(size, [&](int i) { return before[i] == after[i]; });
        const bool again = e > 0 && desk.events[e - 1].time == event.time && all_of(size, repeats);
        return same || again ? 0.0 : energy_at(event.time, after) - energy_at(event.time, before);
    }

    HD void note_events(Books& books) {
        for (long e = 0; plan->drift && e < desk.event_count; ++e) books.energy += jump(e);
        for (long e = 0; e < desk.event_count; ++e) books.note(desk.events[e], *plan, motion.system.counts.guards);
        desk.event_count = 0;
    }

    // Close a motion: write its columns, or notes for the sentence of its failure.
    HD APART void close(const Books& books, const Motions& motions, long long which, long long status) {
        const Step& step = motion.step;
        const int size = step.size, inputs = motion.system.counts.inputs();
        motions.status[which] = status, motions.ends[which] = step.t;
        if (status == FINISHED || status == STOPPED_BY_EVENT) {
            double* row = motions.values + which * plan->column_count;
            books.fill(*plan, row);
            Filler<M> filler{motion.system, *plan, x, out, row};
            filler.fill_all(books.samples, books.forces, books.sampled, {step.t, step.y, nullptr});
        } else if (status != INTERRUPTED) {
            double* notes = motions.notes + which * motions.note_size;
            const double head[] = {step.t, static_cast<double>(motion.system.solver.row), step.h,
                                   static_cast<double>(motion.failed_guard), static_cast<double>(motion.stepper)};
            for (int i = 0; i < NOTES; ++i) notes[i] = head[i];
            for (int i = 0; i < size; ++i) notes[NOTES + i] = step.y[i], notes[NOTES + size + i] = step.k[i];
            for (int i = 0; i < inputs; ++i) notes[NOTES + 2 * size + i] = motion.system.bad[i];
        }
        for (int i = 0; i < size; ++i) motions.states[which * size + i] = step.y[i];
    }

    HD void lend(Books& books) {
        desk.samples = books.samples, desk.modes = books.modes, desk.forces = books.forces;
        desk.sampled = books.sampled;
    }

    // Begin a motion at its start.
    HD Status begin_at(const double* y) {
        const Settings& settings = plan->settings;
        if constexpr (M::SWITCHED) find_branches(motion.system, settings.start, y);
        const Status begun = natural_sizes(motion.system, settings.start, y, settings.end - settings.start, natural);
        motion.set(settings, y, natural);
        return begun;
    }

    // Work in the memory in which a motion is carried.
    HD void work_in(const Carried& carried) {
        motion.step.largest = carried.largest, motion.guards.power = carried.power;
        motion.system.contacts.contact = carried.contact, motion.system.contacts.friction = carried.friction;
    }

    // Continue a motion in the mode in which it was handed over. Its natural sizes are known.
    HD APART Status take_over(const Carried& carried, const double* y, const double* sizes) {
        Step& step = motion.step;
        motion.set(plan->settings, y, sizes);
        work_in(carried);
        step.t = step.t_new = carried.time(), step.h = carried.length();
        motion.patience = {step.t, 0};
        motion.fresh = false;
        return resume(motion, desk);
    }

    // Whether the motion is in a mode that is written out, so that it can go on in registers.
    HD bool is_plain() const {
        const Contacts& k = motion.system.contacts;
        const bool plain = (k.unbound || k.written >= 0) && k.nullity == 0 && !k.margin && motion.stepper == DOP853;
        return plain && all_of(motion.system.counts.frictions, [&](int j) { return !k.friction[j].is_beginning(); });
    }

    // Follow one motion by the full loop, from its start to its end. A carried motion goes on from where it is, at least
    // by one event, and returns as soon as it can go on in registers.
    HD APART long long follow(const M* model, Books& books, const double* y, const Motions& motions,
                              Carried* carried = nullptr, const double* sizes = nullptr) {
        renew(model);
        const bool goes_on = carried && carried->begun() != 0.0;
        if (!goes_on) books.open(model->counts, *plan);
        if (carried && !goes_on) work_in(*carried);
        lend(books);
        Step& step = motion.step;
        if (const Status begun = goes_on ? take_over(*carried, y, sizes) : begin_at(y); begun != DONE) return begun;
        long most = 0;
        bool waits = false, advanced = !goes_on;  // a motion just handed over would come to the same event again
        while (true) {
            const Status status = motion.run(desk, most);
            books.sampled = desk.sampled;
            if (most == 0 && (status == CONTINUE || status == FINISHED)) begin(books);
            advanced = advanced || (most > 0 && desk.event_count > 0);
            const bool ready = carried && finite(sizes[0]) && status == CONTINUE && advanced && is_plain();
            most = plan->looks_at_steps() || carried ? 1 : static_cast<long>(plan->chunk);
            const bool drained = desk.event_count > 0 || desk.recorded > 0;
            note_events(books);
            if (ready) {
                carried->time() = step.t, carried->length() = step.h, carried->begun() = 1.0;
                return WAITING;
            }
            if (desk.recorded > 0) {
                Step view = step;
                view.t = desk.record[0], view.t_new = desk.record[1], view.dense = desk.record + 2;
                watch(books, view, step.t);
                desk.recorded = 0;
            }
            if (plan->looks_at_steps()) look(books, step.t, step.y);
            if (status == NEED_ROOM && !drained && waits) return STUCK;
            waits = status == NEED_ROOM && !drained;
            if (status != CONTINUE && status != NEED_ROOM) return status;
            if (motions.stops()) return INTERRUPTED;
        }
    }
};

}  // namespace dalembert
