// A model in an FMU: integrated by the engine itself, or evaluated state by state for an external solver.
//
// Value references are the places of quantities: 0 is the time; then y, ẏ, the parameters and inputs p, and the values
// reported at a state (energies, definitions, outputs, multipliers); then the modes of contacts and frictions, and the
// event indicators.
//
// For an external solver the mode of contacts and frictions and the branches of kinks are frozen between events. Event
// indicators are the guards that the engine watches. At an event the engine's own laws decide about impacts, sticking
// and slipping, and the mode that follows. Controllers compute at time events.
#include <stdlib.h>
#include <string.h>

namespace dalembert {

constexpr double REACHED = 1e-10;     // of its terms: a smaller gap is closed, at a root found by an external solver
constexpr double LIFTED = 1e-13;      // of its terms: a gap begins this far above zero, so that a solver sees it fall
constexpr double PART = 1e-3;         // of its natural size: the difference of a quantity in a difference quotient
constexpr double DRIFTED = 100.0;     // tolerances: after a larger drift the state is projected onto the constraints
constexpr double FINEST = 1e-12;      // the least tolerance for that drift: redundant constraints have rounding errors
constexpr long MOST_STEPS = 1000;     // between two returns of the engine
constexpr int PATIENCE = 2000;        // the same as for motions by the engine

struct Saved {
    double t, h, last_event;
    int begun, changed, at_once, stepper, sliding;
};

struct Fmu {
    Inlined model;
    Motion<Inlined> motion;
    Desk desk;
    Given inputs;
    Block room;                 // the beginning of the motion's memory
    char* memory;
    double *p, *given, *natural;  // parameters and inputs; the states set before the start; natural sizes
    double *slope, *x, *told, *seen, *trial;
    double* before;             // the indicators after the last event
    double* lift;               // added to indicators, so that none begins at zero
    double time, end, tolerance, last;
    bool begun, running, changed, known, drifts;
    bool stopped;               // by an event of the model
    Status status;
    void *environment, *logger;  // of the FMI interface
    char* name;

    int parameters() const { return model.counts.parameters; }
    int modes() const { return model.counts.contacts + model.counts.frictions; }
    int indicators() const { return model.counts.all_guards(); }
    int at_slopes() const { return 1 + STATES; }
    int at_parameters() const { return 1 + 2 * STATES; }
    int at_told() const { return at_parameters() + parameters(); }
    int at_modes() const { return at_told() + Told::COUNT; }
    int at_indicators() const { return at_modes() + modes(); }
    bool touches() const { return modes() > 0; }

    // Take all arrays from a block; without memory they are only counted.
    void arrange(Block& block) {
        const Counts& c = model.counts;
        p = block.take<double>(c.parameters + 1);
        inputs = {block.take<Signal>(SIGNALS + 1), block.take<double>(SIGNALS + 1)};
        model.parameters = p, model.signals = inputs.own;
        for (int i = 0; block.base && i < c.parameters; ++i) p[i] = START_PARAMETERS[i];
        given = block.take<double>(STATES), natural = block.take<double>(STATES + 1), slope = block.take<double>(STATES + 1);
        trial = block.take<double>(STATES + 1);
        x = block.take<double>(Told::INPUTS + 1), told = block.take<double>(Told::COUNT + 1);
        seen = block.take<double>(indicators() + 1), before = block.take<double>(indicators() + 1);
        lift = block.take<double>(indicators() + 1);
        const long most = 120L * (indicators() + 2) + 64;
        desk = Desk();
        desk.event_room = most;
        desk.events = block.take<Event>(most);
        desk.before = block.take<double>(most * STATES + 1), desk.after = block.take<double>(most * STATES + 1);
        room = block;
        motion = Motion<Inlined>::in(block, &model);
    }

    static Fmu* make() {
        Fmu* found = static_cast<Fmu*>(calloc(1, sizeof(Fmu)));
        if (!found) return nullptr;
        found->model = Inlined();
        Block block;
        found->arrange(block);
        found->memory = static_cast<char*>(calloc(1, static_cast<size_t>(block.used) + 64));
        if (!found->memory) {
            free(found);
            return nullptr;
        }
        found->forget();
        return found;
    }

    void release() {
        free(memory);
        free(name);
        free(this);
    }

    // Restore the initial values of the model.
    void forget() {
        Block block{memory, 0};
        arrange(block);
        for (int i = 0; i < STATES; ++i) given[i] = START_STATES[i];
        inputs.forget();
        time = START_TIME, end = START_TIME + DURATION, tolerance = TOLERANCE, last = START_TIME;
        begun = running = changed = known = drifts = stopped = false;
        status = DONE;
    }

    Status fails(Status found) {
        status = found;
        return found;
    }

    // Find a consistent state from the given values, and its mode.
    Status begin() {
        if (begun) return DONE;
        Block block = room;
        motion = Motion<Inlined>::in(block, &model);
        desk.event_count = desk.sampled = desk.recorded = 0;
        const double duration = end > time ? end - time : DURATION;
        Status found = natural_sizes(motion.system, time, given, duration, natural);
        if (found != DONE) return fails(found);
        motion.set({time, time + duration, tolerance, duration, PATIENCE, DOP853, 1}, given, natural);
        found = motion.run(desk, 0);
        if (found != CONTINUE && found != FINISHED) return fails(found);
        desk.event_count = 0;
        begun = true, known = changed = false, last = time;
        return settled();
    }

    double now() const { return begun ? motion.step.t : time; }

    void at(double t) {
        if (begun) motion.step.t = motion.step.t_new = t;
        time = t;
        known = false;
    }

    void place(const double* y) {
        for (int i = 0; i < STATES; ++i) motion.step.y[i] = y[i];
        known = false;
    }

    // Slopes and values at the present state, in the present mode. Ranks are those of the last event: an external
    // solver drifts slightly off the constraints, and redundant constraints would be independent there.
    Status look(const double* y) {
        System<Inlined>& s = motion.system;
        const Status found = s.slope(motion.step.t, y, true, slope);
        if (found != DONE) return fails(found);
        if (!extend(s, Told::quantities(), true, {motion.step.t, y, nullptr}, x)) return fails(SINGULAR);
        values_of(x, told);
        return DONE;
    }

    Status evaluate() {
        const Status found = begin();
        if (found != DONE || known) return found;
        if (look(motion.step.y) != DONE) return status;
        known = true;
        return DONE;
    }

    // Whether a place is that of a real number.
    bool holds(unsigned place) const {
        const int which = static_cast<int>(place);
        return (which >= 0 && which < at_modes()) || (which >= at_indicators() && which < at_indicators() + indicators());
    }

    bool get(unsigned place, double& value) {
        const int which = static_cast<int>(place);
        if (!holds(place)) return false;
        if (which >= at_parameters() && which < at_told()) {
            value = parameter(which - at_parameters());
            return true;
        }
        if (which == 0 && !begun) {
            value = time;
            return true;
        }
        if (which >= at_indicators()) {
            if (indicate(seen) != DONE) return false;
            value = seen[which - at_indicators()];
            return value == value;
        }
        const bool plain = which < at_slopes();
        if ((plain ? begin() : evaluate()) != DONE) return false;
        if (which == 0) value = motion.step.t;
        else if (plain) value = motion.step.y[which - 1];
        else if (which < at_parameters()) value = slope[which - at_slopes()];
        else value = told[which - at_told()];
        return value == value;
    }

    double parameter(int k) const {
        const int input = begun ? Given::at(k) : -1;
        return input < 0 ? p[k] : signal_value(inputs.own[input], motion.system.inputs.piece[input], motion.step.t);
    }

    bool set(unsigned place, double value) {
        const int which = static_cast<int>(place);
        if (!holds(place) || !finite(value)) return false;
        if (which >= 1 && which < at_slopes()) {
            if (running) motion.step.y[which - 1] = value;
            else given[which - 1] = value, begun = false;
        } else if (which >= at_parameters() && which < at_told()) {
            const int k = which - at_parameters();
            value = smaller(larger(value, PARAMETER_LEAST[k]), PARAMETER_GREATEST[k]);
            changed = changed || parameter(k) != value;
            p[k] = motion.system.x[1 + STATES + k] = value;
            const int input = Given::at(k);
            if (input >= 0) inputs.hold(input, value), motion.system.inputs.piece[input] = -1;
            begun = begun && running;
        } else {
            return false;
        }
        known = false;
        return true;
    }

    int mode(int which) {
        if (begin() != DONE) return -1;
        const int contacts = model.counts.contacts;
        return which < contacts ? motion.system.contacts.contact[which].mode
                                : motion.system.contacts.friction[which - contacts].mode;
    }

    // After a jump of inputs or parameters: project onto the constraints again, and find the mode that follows.
    Status renew() {
        Step& step = motion.step;
        Status found = DONE;
        if (changed && touches()) find_branches(motion.system, step.t, step.y);
        if (touches()) {
            found = go_on_from(motion, desk, true);
        } else if (changed && model.counts.switches > 0) {
            found = begin_kinks(motion, desk);
        } else if (!motion.system.project(step.t, step.y)) {
            found = PROJECTION_FAILED;
        } else {
            found = motion.system.slope(step.t, step.y, false, step.k);
        }
        desk.event_count = 0;
        changed = known = false;
        return found == DONE ? DONE : fails(found);
    }

    // Advance the motion to a time, by the engine.
    Status advance(double until) {
        Status found = begin();
        if (found == DONE && changed) found = renew();
        if (found != DONE) return found;
        Step& step = motion.step;
        step.end = until;
        motion.patience = {step.t, step.steps};
        known = false;
        // a step of a co-simulation is a part of the motion, and has that part of its patience with explicit steps
        const double part = (until - step.t) / larger(end - step.t, until - step.t);
        while (true) {
            if (part > 0.0) motion.stiffness.patience *= part;
            found = motion.run(desk, MOST_STEPS);
            if (part > 0.0) motion.stiffness.patience /= part;
            desk.event_count = 0;
            time = step.t;
            if (found == FINISHED) return DONE;
            stopped = found == STOPPED_BY_EVENT;
            if (found != CONTINUE && found != NEED_ROOM) return fails(found);
        }
    }

    // After an event: let indicators of gaps and slips begin above zero.
    Status settled() {
        for (int g = 0; g < indicators(); ++g) lift[g] = 0.0;
        Status found = indicate(before);
        if (found != DONE) return found;
        lift_kinks();
        if (!touches()) return indicate(before);
        Law<Inlined> law(motion.system);
        law.survey(motion.step.t, motion.step.y);
        const Counts& c = law.c;
        for (int i = 0; i < c.contacts; ++i)
            if (law.k.contact[i].mode == OPEN)
                lift[c.guards + i] = LIFTED * law.gap_scale(i) + larger(-before[c.guards + i], 0.0);
        for (int j = 0; j < c.frictions; ++j) {
            const int g = c.guards + c.contacts + j;
            if (law.k.friction[j].mode == SLIP && law.friction(j).slip_count == 1)
                lift[g] = TINY * law.slip_scale(j) + larger(-before[g], 0.0);
        }
        return indicate(before);
    }

    // Let a kink begin on the decided side.
    void lift_kinks() {
        System<Inlined>& s = motion.system;
        const int first = model.counts.first_switch();
        if (model.counts.switches > 0) s.model->kinks(s.x, s.branches.rows);
        for (int i = 0; i < model.counts.switches; ++i) {
            const double least = LIFTED * kink_scale(s, i, false);
            if (!s.branches.slides(i) && before[first + i] <= least) lift[first + i] = least - smaller(before[first + i], 0.0);
        }
    }

    // The factor that makes a kink's guard positive on its branch.
    double side_of(int kink) const {
        const Switch& one = model.switches[kink];
        return one.kind == SIDE && !motion.system.branches.slides(kink) ? motion.system.branches.value[one.branch] : 1.0;
    }

    // Guards of the present mode. Those of contacts, frictions and kinks are positive until their event.
    Status indicate(double* out) {
        Status found = begin();
        if (found != DONE) return found;
        System<Inlined>& s = motion.system;
        if (touches()) {
            Law<Inlined> law(s);
            found = see(law, motion.step.t, motion.step.y, true, out);
        } else if (indicators() > 0) {
            s.load(motion.step.t, motion.step.y);
            s.guards();
            for (int g = 0; g < indicators(); ++g) out[g] = s.at_guards[g];
        }
        for (int i = 0; i < model.counts.switches; ++i) out[model.counts.first_switch() + i] *= side_of(i);
        for (int g = 0; g < indicators(); ++g) out[g] += lift[g];
        return found == DONE ? DONE : fails(found);
    }

    // After an accepted step of an external solver: whether an event must follow because of drift off the constraints.
    Status completed(bool& event) {
        Step& step = motion.step;
        for (int i = 0; i < STATES; ++i) step.largest[i] = larger(step.largest[i], fabs(step.y[i]));
        Status found = DONE;
        if (touches() && step.t > last) found = creep_on(motion, step.t - last);
        last = step.t;
        if (found != DONE) return fails(found);
        System<Inlined>& s = motion.system;
        double worst = 0.0;
        if (s.kept_rows(false) > 0) worst = larger(worst, s.residuals(step.t, step.y, false).relative);
        if (s.kept_rows(true) > 0) worst = larger(worst, s.residuals(step.t, step.y, true).relative);
        drifts = !(worst <= DRIFTED * larger(tolerance, FINEST));
        event = drifts;
        found = indicate(seen);
        for (int g = 0; g < model.counts.guards; ++g)
            if (before[g] == 0.0) before[g] = seen[g];  // a guard of the model that began at zero
        return found;
    }

    // Mark what the guards show about contacts and frictions, for the engine; `some` is set if there is any mark.
    Status mark(bool& some) {
        Law<Inlined> law(motion.system);
        Step& step = motion.step;
        const Counts& c = law.c;
        clear_marks(law);
        Status found = see(law, step.t, step.y, true, seen);
        if (found != DONE) return fails(found);
        law.survey(step.t, step.y);
        for (int i = 0; i < c.contacts; ++i) {
            Contact& one = law.k.contact[i];
            const int row = law.contact(i).row;
            if (one.mode == OPEN) {
                const bool closed = motion.system.gap(i) <= REACHED * law.gap_scale(i);
                one.involved = closed && law.k.rates[row] < -TINY * law.rate_scale(row);
            } else {
                one.leaves = seen[c.guards + i] <= 0.0;
            }
            some = some || one.involved || one.leaves;
        }
        const double t = step.t;
        for (int j = 0; j < c.frictions; ++j) {
            Friction& one = law.k.friction[j];
            const double* own = seen + c.guards + c.contacts + j;
            if (own[0] <= 0.0) {
                some = one.resting = true;
                one.left = one.mode == STICK;
                if (one.mode == SLIP && law.friction(j).slip_count == 2) found = stop_planar_slip(motion, step.y, j);
            }
            if (own[c.frictions] <= 0.0) some = true, one.side = one.sign < 0.0 ? 1 : -1;
            if (own[2 * c.frictions] <= 0.0) found = HELD_BROKEN;
            step.t = t;  // an external solver keeps its own time
            if (found != DONE) return fails(found);
        }
        if (seen[indicators() - 1] <= 0.0) some = true, ahead();
        return DONE;
    }

    // Shared forces have left their cones: find a state shortly later that decides what follows, as in `look_ahead`.
    void ahead() {
        Contacts& k = motion.system.contacts;
        const Step& step = motion.step;
        k.margin_left = true;
        if (motion.system.slope(step.t, step.y, false, slope) != DONE) return;
        for (double moment = 1e-6; moment < 0.2; moment *= 10.0) {
            const double delta = moment * larger(step.h, 1e-6 * step.h_limit);
            for (int i = 0; i < STATES; ++i) k.ahead[i] = step.y[i] + delta * slope[i];
            k.ahead_time = step.t + delta;
            if (!motion.system.project(k.ahead_time, k.ahead)) continue;
            motion.system.load(k.ahead_time, k.ahead);
            if (motion.system.accelerate(true, true) == DONE && k.largest_margin < -1e-7 * k.problem.energy) return;
        }
    }

    // Handle an event of an external solver at the present state; `jumped` is set if states have changed.
    Status update(bool& jumped) {
        Status found = begin();
        if (found != DONE) return found;
        Step& step = motion.step;
        for (int i = 0; i < STATES; ++i) trial[i] = step.y[i];
        stops();
        bool some = false;
        if (touches()) found = mark(some);
        if (found != DONE) return found;
        const bool turns = kinks_hit(), due = step.t >= next_time();
        if (turns) {
            found = touches() ? over_kink(motion, desk, 0) : turn(motion, desk, 0);
        } else if (some) {
            found = happen(motion, desk, step.y);
            if (found == DONE) found = with_kinks(motion, desk, true);
            if (found == DONE) found = resume(motion, desk);
        }
        if (found == DONE && due) {
            step.t = larger(step.t, motion.system.next_stop());
            found = motion.arrive(desk);
        }
        if (found != DONE) return fails(found);
        desk.event_count = 0;
        if (turns || some || due) {
            changed = false;
        } else if (changed || drifts) {
            found = renew();
            if (found != DONE) return found;
        }
        known = drifts = false;
        for (int i = 0; i < STATES; ++i) jumped = jumped || trial[i] != step.y[i];
        return settled();
    }

    // The next instant of a controller. An external solver may be a rounding error before it.
    double next_time() const {
        const double next = motion.system.next_stop();
        return next < INF ? next - SAME_TIME * fabs(next) : INF;
    }

    // Add kinks whose guards have left the decided side as hits for the engine. Returns whether there are any.
    bool kinks_hit() {
        Guards& guards = motion.guards;
        const int first = model.counts.first_switch();
        guards.hit_count = 0;
        if (model.counts.switches == 0 || indicate(seen) != DONE) return false;
        for (int i = 0; i < model.counts.switches; ++i)
            if (seen[first + i] <= 0.0) guards.add({0.0, first + i, -side_of(i)});
        return guards.hit_count > 0;
    }

    // Detect events of the model that end its motion, and masses that become negative.
    void stops() {
        if (indicate(seen) != DONE) return;
        for (int g = 0; g < model.counts.guards; ++g) {
            if (model.guard_kinds[g] == RECORDED_ONLY || model.guard_kinds[g] == SWITCHES) continue;
            if (before[g] == 0.0 || seen[g] * before[g] > 0.0) continue;
            if (model.guard_kinds[g] == FAILS && before[g] < 0.0) continue;
            stopped = true;
            if (model.guard_kinds[g] == FAILS) status = MASS_NEGATIVE;
        }
    }

    // The derivative of quantities along a direction, by central differences of order six.
    bool derivative(const unsigned* unknown, int unknowns, const unsigned* known_at, int knowns, const double* direction,
                    double* out) {
        static const double WEIGHTS[] = {45.0 / 60.0, -9.0 / 60.0, 1.0 / 60.0};
        if (begin() != DONE) return false;
        for (int j = 0; j < unknowns; ++j) out[j] = 0.0;
        double steepest = 0.0;
        for (int i = 0; i < knowns; ++i) {
            if (!holds(known_at[i])) return false;
            steepest = larger(steepest, fabs(direction[i]) / usual(static_cast<int>(known_at[i])));
        }
        if (!(steepest > 0.0) || !finite(steepest)) return steepest == 0.0;
        const double h = PART / steepest, t = motion.step.t;
        for (int i = 0; i < STATES; ++i) trial[i] = motion.step.y[i];
        freeze(known_at, knowns, true);
        bool fine = true;
        for (int side = -3; side <= 3; ++side) {
            if (side == 0) continue;
            shift(known_at, knowns, direction, t, side * h);
            fine = fine && look(motion.step.y) == DONE;
            const double weight = (side > 0 ? 1.0 : -1.0) * WEIGHTS[(side > 0 ? side : -side) - 1] / h;
            for (int j = 0; j < unknowns; ++j) out[j] += weight * looked(static_cast<int>(unknown[j]));
        }
        shift(known_at, knowns, direction, t, 0.0);
        freeze(known_at, knowns, false);
        known = false;
        for (int j = 0; j < unknowns; ++j) fine = fine && finite(out[j]) && holds(unknown[j]);
        return fine;
    }

    // Treat the inputs among these quantities as parameters, or restore them.
    void freeze(const unsigned* known_at, int knowns, bool on) {
        bool some = false;
        for (int i = 0; i < knowns; ++i) {
            const int k = static_cast<int>(known_at[i]) - at_parameters(), input = k >= 0 ? Given::at(k) : -1;
            if (input < 0) continue;
            if (on) p[k] = parameter(k), motion.system.inputs.piece[input] = NOT_READ;
            some = true;
        }
        if (some && !on) motion.system.inputs.locate(motion.step.t);
    }

    double usual(int place) const {
        if (place >= 1 && place < at_slopes()) return natural[place - 1];
        if (place >= at_parameters() && place < at_told()) return larger(fabs(p[place - at_parameters()]), 1e-3);
        return 1.0;
    }

    // Move quantities by `by` times a direction, from t, from the states in `trial` and from p.
    void shift(const unsigned* known_at, int knowns, const double* direction, double t, double by) {
        for (int i = 0; i < knowns; ++i) {
            const int which = static_cast<int>(known_at[i]), k = which - at_parameters();
            if (which == 0) motion.step.t = t + by * direction[i];
            else if (which < at_slopes()) motion.step.y[which - 1] = trial[which - 1] + by * direction[i];
            else if (k >= 0 && which < at_told()) motion.system.x[1 + STATES + k] = p[k] + by * direction[i];
        }
    }

    double looked(int place) const {
        if (place == 0) return motion.step.t;
        if (place < at_slopes()) return motion.step.y[place - 1];
        if (place < at_parameters()) return slope[place - at_slopes()];
        if (place < at_told()) return motion.system.x[1 + STATES + place - at_parameters()];
        return place < at_modes() ? told[place - at_told()] : NOT_A_NUMBER;
    }

    // The whole state as bytes, for this FMU in any process.
    size_t saved_size() const {
        const size_t reals = static_cast<size_t>(parameters() + 5 * STATES + SIGNALS);
        const Counts& c = model.counts;
        return sizeof(Saved) + (reals + static_cast<size_t>(c.branches + c.clocks)) * sizeof(double) +
               static_cast<size_t>(c.switches) * (sizeof(Kink) + sizeof(int)) +
               static_cast<size_t>(c.contacts) * sizeof(Contact) + static_cast<size_t>(c.frictions) * sizeof(Friction);
    }

    void save(char* out) const {
        const Step& s = motion.step;
        const Saved head = {now(), s.h, motion.last_event, begun, changed, motion.at_once, motion.stepper,
                            motion.system.branches.sliding_count};
        put(out, &head, sizeof head);
        put(out, p, sizeof(double) * static_cast<size_t>(parameters()));
        for (int i = 0; i < SIGNALS; ++i) {
            const double holds = inputs.holds(i) ? 1.0 : 0.0;
            put(out, &holds, sizeof holds);
        }
        const double* const parts[] = {given, natural, s.y, s.k, s.largest};
        for (const double* part : parts) put(out, part, sizeof(double) * STATES);
        const Branches& k = motion.system.branches;
        put(out, k.value, sizeof(double) * static_cast<size_t>(k.count));
        put(out, motion.system.inputs.tick, sizeof(double) * static_cast<size_t>(model.counts.clocks));
        put(out, k.kink, sizeof(Kink) * static_cast<size_t>(k.switches));
        put(out, k.sliding, sizeof(int) * static_cast<size_t>(k.switches));
        if (!touches()) return;
        put(out, motion.system.contacts.contact, sizeof(Contact) * static_cast<size_t>(model.counts.contacts));
        put(out, motion.system.contacts.friction, sizeof(Friction) * static_cast<size_t>(model.counts.frictions));
    }

    Status restore(const char* in) {
        Saved head;
        take(&head, in, sizeof head);
        take(p, in, sizeof(double) * static_cast<size_t>(parameters()));
        inputs.forget();
        for (int i = 0; i < SIGNALS; ++i) {
            double holds = 0.0;
            take(&holds, in, sizeof holds);
            if (holds != 0.0) inputs.hold(i, p[inputs.own[i].place]);
        }
        take(given, in, sizeof(double) * STATES);
        take(natural, in, sizeof(double) * STATES);
        Block block = room;
        motion = Motion<Inlined>::in(block, &model);
        Step& s = motion.step;
        const double duration = end > head.t ? end - head.t : DURATION;
        motion.set({head.t, head.t + duration, tolerance, duration, PATIENCE, DOP853, 1}, given, natural);
        double* const parts[] = {s.y, s.k, s.largest};
        for (double* part : parts) take(part, in, sizeof(double) * STATES);
        Branches& k = motion.system.branches;
        take(k.value, in, sizeof(double) * static_cast<size_t>(k.count));
        take(motion.system.inputs.tick, in, sizeof(double) * static_cast<size_t>(model.counts.clocks));
        take(k.kink, in, sizeof(Kink) * static_cast<size_t>(k.switches));
        take(k.sliding, in, sizeof(int) * static_cast<size_t>(k.switches));
        k.sliding_count = head.sliding;
        motion.system.inputs.locate(head.t);
        s.h = head.h, motion.last_event = head.last_event, motion.at_once = head.at_once;
        motion.stepper = head.stepper;
        motion.fresh = false;
        begun = head.begun != 0, changed = head.changed != 0, known = drifts = stopped = false;
        time = last = head.t, status = DONE;
        if (!begun) return DONE;
        if (!touches()) return settled();
        take(motion.system.contacts.contact, in, sizeof(Contact) * static_cast<size_t>(model.counts.contacts));
        take(motion.system.contacts.friction, in, sizeof(Friction) * static_cast<size_t>(model.counts.frictions));
        Law<Inlined> law(motion.system);
        law.enter_mode();
        law.survey(s.t, s.y);
        const Status found = analyse(law);
        return found == DONE ? settled() : fails(found);
    }

    static void put(char*& out, const void* from, size_t count) {
        if (count > 0) memcpy(out, from, count);
        out += count;
    }
    static void take(void* to, const char*& in, size_t count) {
        if (count > 0) memcpy(to, in, count);
        in += count;
    }

    const char* sentence() const { return sentence_of(status); }
};

}  // namespace dalembert
