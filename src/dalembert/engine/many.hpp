// Many motions in a thread, claimed one by one from those that wait.
//
// Smooth motions run in lanes (lean.hpp): every lane has its own motion and takes another when that one ends. Events,
// samples and watched quantities inside a lane's step are handled by the functions of a single motion. A motion that a
// lane loses, and every other kind of motion, runs in the full loop. No memory is allocated here, and the bits of a
// motion do not depend on other motions.
#pragma once

#include "keep.hpp"
#include "wide.hpp"

namespace dalembert {

constexpr int CRAWLS = 10 * TURNS_IN_ALL;

// The data of a lane apart from its numbers: its motion and the records of it.
struct Shelf {
    long long motion = -1;
    Books books;
    dop853::Stiffness stiffness;
    double* greatest;  // largest value of every guard
    int* power;        // as in `Guards`
    long long ended = 0;  // a `Status`, once the motion is over
    int crawls = 0;       // very short steps in a row; after CRAWLS of them the full loop takes over
};

// A thread: the full loop, and lanes if `wide` is given.
template <class M>
struct ThreadOf {
    M model;  // with the parameters of the present motion
    const Plan* plan;
    Keeper<M> keeper;
    Books books;
    LeanCode code = {};
    WideLean* lean = nullptr;
    Shelf* shelves = nullptr;

    // Take all memory of a thread from a block. `place` is the worker's own place in it.
    static void make(ThreadOf* place, Block& block, const M* model, const Plan* plan, const WideModel* wide) {
        ThreadOf made;
        made.model = *model;
        made.plan = plan;
        made.keeper = Keeper<M>::in(block, model, plan);
        const Counts& c = model->counts;
        made.books = Books::in(block, c, *plan);
        if (wide) {
            made.lean = block.take<WideLean>(1);
            made.shelves = block.take<Shelf>(WIDTH);
            const WideLean lean = WideLean::in(block, wide);
            if (block.base) *made.lean = lean;
            for (int lane = 0; lane < WIDTH; ++lane) {
                Shelf shelf;
                shelf.books = Books::in(block, c, *plan);
                shelf.greatest = block.take<double>(c.guards + 1);
                shelf.power = block.take<int>(c.guards + 1);
                if (block.base) made.shelves[lane] = shelf;
            }
        }
        if (place) *place = made;
    }

    const double* parameters_of(const Motions& motions, long long which) const {
        return motions.parameters + which * model.counts.parameters;
    }

    void follow(const Motions& motions, long long which) {
        model.parameters = parameters_of(motions, which);
        const double* y = motions.states + which * model.counts.size();
        const long long status = keeper.follow(&model, books, y, motions);
        keeper.close(books, motions, which, status);
    }

    void run(const Motions& motions) {
        if (lean) return run_lanes(motions);
        for (long long i = motions.claim(WAITING); i >= 0; i = motions.claim(WAITING)) follow(motions, i);
    }

    // Put new motions into empty lanes. Returns whether any lane has a motion.
    bool refill(const Motions& motions) {
        for (int lane = 0; lane < WIDTH; ++lane)
            while (shelves[lane].motion < 0) {
                const long long which = motions.claim(WAITING);
                if (which < 0) break;
                if (!put_in(motions, lane, which)) follow(motions, which);
            }
        return any_of(WIDTH, [&](int lane) { return shelves[lane].motion >= 0; });
    }

    bool put_in(const Motions& motions, int lane, long long which) {
        const Settings& s = plan->settings;
        const double* y = motions.states + which * model.counts.size();
        model.parameters = parameters_of(motions, which);
        keeper.renew(&model);
        if (natural_sizes(keeper.motion.system, s.start, y, s.end - s.start, keeper.natural) != DONE) return false;
        lean->put_in(lane, y, keeper.natural, model.parameters);
        shelves[lane].motion = which;
        return true;
    }

    // Copy a lane's state and parameters into the memory of a single motion.
    void show(const Motions& motions, int lane) {
        Motion<M>& motion = keeper.motion;
        System<M>& system = motion.system;
        const Counts& c = model.counts;
        const double* parameters = parameters_of(motions, shelves[lane].motion);
        for (int p = 0; p < c.parameters; ++p) system.x[1 + c.size() + p] = parameters[p];
        for (int i = 0; i < c.size(); ++i) {
            motion.step.y[i] = lean->y[i][lane];
            keeper.natural[i] = lean->natural[i][lane];
        }
        system.measure(keeper.natural);
        const Settings& s = plan->settings;
        motion.step.t = lean->t[lane];
        motion.step.start = s.start, motion.step.end = s.end;
        motion.stepper = DOP853;
        system.rank_phi = system.rank_psi = system.solver.rank = system.solver.left_rank = -1;
    }

    // Copy the lane's step, too.
    void show_step(const Motions& motions, int lane) {
        show(motions, lane);
        Step& step = keeper.motion.step;
        step.t_new = lean->t_new[lane];
        for (int i = 0; i < step.size; ++i) step.y_new[i] = lean->y_new[i][lane];
        for (int i = 0; i < TERMS * step.size; ++i) step.dense[i] = lean->dense[i][lane];
        keeper.motion.guards.greatest = shelves[lane].greatest;
        keeper.motion.guards.power = shelves[lane].power;
    }

    // Begin a motion in a lane, on the constraints: samples at the start, guards that are zero there.
    void open(const Motions& motions, int lane) {
        Shelf& shelf = shelves[lane];
        shelf.books.open(model.counts, *plan);
        shelf.stiffness = dop853::Stiffness::of(plan->settings);
        shelf.ended = 0, shelf.crawls = 0;
        show(motions, lane);
        Motion<M>& motion = keeper.motion;
        take_samples(lane, lean->t[lane], lean->y.at);
        motion.see_guards();
        for (int g = 0; g < motion.guards.count; ++g) {
            shelf.greatest[g] = 0.0;
            shelf.power[g] = motion.system.at_guards[g] == 0.0;
        }
        keeper.begin(shelf.books);
    }

    bool awaits_sample(int lane) const {
        const Books& own = shelves[lane].books;
        return own.sampled < plan->sample_count && plan->sample_times[own.sampled] < lean->t_new[lane];
    }

    // Handle events and samples inside a lane's step; false if the full loop must take over.
    bool look_between(const Motions& motions, int lane) {
        Shelf& shelf = shelves[lane];
        Motion<M>& motion = keeper.motion;
        Step& step = motion.step;
        show_step(motions, lane);
        keeper.lend(shelf.books);
        double until = step.t_new;
        if (motion.guards.count > 0) {
            if (motion.find_roots() != DONE) return false;
            const int first = record_crossings(motion, keeper.desk);
            if (first < motion.guards.hit_count) {
                const Hit& hit = motion.guards.hits[first];
                if (model.guard_kinds[hit.guard] != STOPS) return false;
                until = step.at(hit.at);
                shelf.ended = STOPPED_BY_EVENT;
            }
        }
        if (sample_up_to(motion, keeper.desk, until, true) != DONE) return false;
        shelf.books.sampled = keeper.desk.sampled;
        if (plan->wish_count > 0) keeper.watch(shelf.books, step, until);
        if (shelf.ended == STOPPED_BY_EVENT) {
            const double* stopped = keeper.desk.before + (keeper.desk.event_count - 1) * step.size;
            for (int i = 0; i < step.size; ++i) lean->y_new[i][lane] = stopped[i];
            lean->t_new[lane] = until;
        }
        keeper.note_events(shelf.books);
        motion.guards.forget_roots();
        return true;
    }

    // Record the samples up to t at an end of a lane's step, which need no interpolant.
    void take_samples(int lane, double t, const Lanes* y) {
        Books& own = shelves[lane].books;
        const int size = model.counts.size();
        for (; own.sampled < plan->sample_count && plan->sample_times[own.sampled] <= t; ++own.sampled)
            for (int i = 0; i < size; ++i) own.samples[own.sampled * size + i] = y[i][lane];
    }

    // Run the motions of lost lanes in the full loop, from their starts.
    void leave(const Motions& motions) {
        for (int lane = 0; lane < WIDTH; ++lane) {
            if (!is_on(lean->lost, lane) || shelves[lane].motion < 0) continue;
            next_of(motions.left);
            follow(motions, shelves[lane].motion);
            shelves[lane].motion = -1;
        }
    }

    void drop(int lane) {
        LaneMask mask = {};
        put(mask, lane, true);
        lean->drop(mask);
    }

    void begin_fresh(const Motions& motions) {
        code.begin(lean);
        leave(motions);
        for (int lane = 0; lane < WIDTH; ++lane)
            if (is_on(lean->fresh, lane)) open(motions, lane);
        lean->fresh = LaneMask{};
    }

    void try_step(const Motions& motions) {
        const bool always = keeper.motion.guards.count > 0 || plan->wish_count > 0;
        bool inside = false;
        code.try_step(lean);
        for (int lane = 0; lane < WIDTH; ++lane) {
            if (!is_on(lean->taken, lane)) continue;
            const double left = (plan->settings.end - lean->t[lane]) / lean->here[lane];
            if (shelves[lane].stiffness.counts(is_on(lean->beyond, lane), left, dop853::STIFF_STEPS)) drop(lane);
            const bool crawls = (lean->model->counts.corrections & 2) && left > 1.0 / CRAWLING;
            shelves[lane].crawls = crawls ? shelves[lane].crawls + 1 : 0;
            if (shelves[lane].crawls > CRAWLS) drop(lane);
            inside = inside || always || awaits_sample(lane);
        }
        if (inside && any(lean->taken)) code.interpolate(lean);
        for (int lane = 0; lane < WIDTH; ++lane) {
            if (!is_on(lean->taken, lane)) continue;
            if (!always && !awaits_sample(lane))
                take_samples(lane, lean->t_new[lane], lean->y_new.at);
            else if (!look_between(motions, lane))
                drop(lane);
        }
        code.commit(lean);
        for (int lane = 0; lane < WIDTH; ++lane)
            if (is_on(lean->taken, lane)) go_on(motions, lane);
        if (any(lean->lost)) leave(motions);
    }

    // After a lane's step: note its energy and, if the motion has ended, its columns.
    void go_on(const Motions& motions, int lane) {
        Shelf& shelf = shelves[lane];
        if (shelf.ended == 0 && lean->t[lane] >= plan->settings.end) shelf.ended = FINISHED;
        if (shelf.ended == 0 && !plan->looks_at_steps()) return;
        show(motions, lane);
        if (plan->looks_at_steps()) keeper.look(shelf.books, keeper.motion.step.t, keeper.motion.step.y);
        if (shelf.ended == 0) return;
        keeper.close(shelf.books, motions, shelf.motion, shelf.ended);
        shelf.motion = -1;
        put(lean->busy, lane, false);
    }

    void run_lanes(const Motions& motions) {
        lean->set(plan->settings);
        lean->busy = lean->fresh = lean->lost = LaneMask{};
        while (!motions.stops() && refill(motions)) {
            if (any(lean->fresh)) begin_fresh(motions);
            try_step(motions);
        }
        if (!motions.stops()) return;
        for (int lane = 0; lane < WIDTH; ++lane) {
            if (shelves[lane].motion >= 0) motions.status[shelves[lane].motion] = INTERRUPTED;
            shelves[lane].motion = -1;
        }
    }
};

}  // namespace dalembert
