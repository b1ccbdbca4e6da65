// Smooth motions without difficulties, one in every lane, each with its own steps.
//
// All lanes try a step together; each accepts or rejects its own. A lane with any difficulty (a vanishing pivot, a lost
// constraint, a step that becomes too small, stiffness) is lost. Its motion is left to `Motion`, which handles such
// cases and begins it again. A motion that is not lost has the same bits as by `Motion`.
//
// M has `counts`, `slopes`, `correct_position` and `correct_velocity` over numbers R. With R = double and a known SIZE,
// this is the code of a GPU thread, with all arrays in registers. It may then step coordinates and independent speeds
// (REDUCED): slopes are those of all components, speeds need no correction, and coordinates only now and then. For a
// component on which no slope depends (idle), three sums replace its stages.
#pragma once

#include "dop853.hpp"
#include "model.hpp"
#include "settings.hpp"

namespace dalembert {

constexpr int BETWEEN = 16;  // steps by independent speeds between two corrections of the coordinates

// The counts of a model that is stepped in registers.
template <int SIZE, int PARAMETERS>
struct SteppingCounts : Counts {
    HD int size() const { return SIZE; }
    HD int inputs() const { return 1 + SIZE + PARAMETERS; }
};

template <class M, class R, int SIZE, int INPUTS>
struct Lean {
    static constexpr int WIDTH = NumberOf<R>::WIDTH;
    using Mask = typename NumberOf<R>::Mask;

    const M* model;
    int size;
    double start, end, tolerance, h_max;
    R t, t_new, h;  // beginning and end of the tried step; the length to try next
    R here;         // the length tried
    R error, below;
    R too_large;    // limit for every component
    int made = 0;   // steps by independent speeds
    Mask busy;      // a motion is in the lane
    Mask fresh;     // it has just been put in
    Mask last, taken, rejected, lost, beyond;
    Array<R, SIZE> y, y_new, unprojected, largest, natural;
    Array<R, SIZE ? SLOPES * SIZE + 1 : 0> k;
    Array<R, SIZE ? TERMS * SIZE : 0> dense;
    Array<R, INPUTS> x;  // as `System::x`; its state is the present stage
    Array<R, SIZE ? SIZE + 3 : 0> out;
    dop853::Sums<R> sums[SIZE ? SIZE : 1];  // of idle components

    HD static Lean in(Block& block, const M* model) {
        const Counts& c = model->counts;
        Lean s;
        s.model = model;
        s.size = c.size();
        Array<R, SIZE>* rows[] = {&s.y, &s.y_new, &s.unprojected, &s.largest, &s.natural};
        for (auto* row : rows) *row = Array<R, SIZE>::in(block, s.size);
        s.k = decltype(s.k)::in(block, SLOPES * s.size + 1);
        s.dense = decltype(s.dense)::in(block, TERMS * s.size);
        s.x = decltype(s.x)::in(block, c.inputs() + 2 * c.n);
        s.out = decltype(s.out)::in(block, c.n + 3);
        s.busy = s.fresh = s.taken = s.lost = s.rejected = R{} != R{};
        s.t = s.t_new = s.h = s.here = R{};
        return s;
    }

    HD int count() const { return SIZE ? SIZE : size; }
    HD int places() const { return SIZE ? M::PLACES : size / 2; }  // number of coordinates
    HD R* stage() { return x.at + 1; }
    HD const R* slope(int s) const { return k.at + s * count(); }
    HD Sizes<R> sizes() const { return {tolerance, largest.at}; }

    HD void set(const Settings& s) { start = s.start, end = s.end, tolerance = s.tolerance, h_max = s.longest; }

    // Prepare for one motion in registers.
    HD void prepare(const M& own, const Settings& settings) {
        model = &own, size = SIZE;
        set(settings);
        rejected = lost = taken = false;
    }

    // Put a motion into a lane.
    HD void put_in(int lane, const double* state, const double* sizes_of, const double* parameters) {
        const int inputs = model->counts.inputs(), open = model->counts.parameters;
        double least = INF;
        UNROLL for (int i = 0; i < count(); ++i) {
            put(y[i], lane, state[i]);
            put(natural[i], lane, sizes_of[i]);
            put(x[inputs + i], lane, sizes_of[i]);
            least = smaller(least, sizes_of[i]);
        }
        UNROLL for (int p = 0; p < open; ++p) put(x[1 + count() + p], lane, parameters[p]);
        put(too_large, lane, TOO_LARGE * larger(least, 1e-300));
        put(t, lane, start);
        put(busy, lane, true);
        put(fresh, lane, true);
    }

    HD void load(const R& time, const R* state) {
        x[0] = time;
        UNROLL for (int i = 0; i < count(); ++i) x[1 + i] = state[i];
    }

    // Compute ẏ at the state in x into row s of k. Lanes without a solution are marked in `failed`.
    HD void take_slope(int s, Mask& failed) {
        const int all = count(), first = M::REDUCED ? 0 : all / 2;
        R* row = k.at + s * all;
        model->slopes(x.at, row + first);  // its last output is in the next row, which is written later
        const R fine = row[all];
        R sum = fine - 1.0;
        if constexpr (SIZE == 0)  // in registers NaN makes the error NaN, and the step shrinks until the lane is lost
            for (int i = first; i < all; ++i) sum += row[i];
        UNROLL for (int i = 0; i < first; ++i) row[i] = x[1 + first + i];
        failed = failed | opposite((fine == NumberOf<R>::of(1.0)) & finite(sum));
    }

    // Newton's method for q (or v with `rates`) of a state in the lanes that are `on`. Marks lanes in which it fails.
    HD void correct(const R& time, R* state, bool rates, const Mask& on, Mask& failed) {
        if (!(model->counts.corrections & (rates ? 2 : 1))) return;
        const int half = places();
        R* own = rates ? state + half : state;
        R before = NumberOf<R>::of(INF);
        Mask going = on;
        ROLLED for (int round = 0; round <= ROUNDS; ++round) {
            load(time, state);
            rates ? model->correct_velocity(x.at, out.at) : model->correct_position(x.at, out.at);
            const R relative = out[half + 1];
            Mask goes = going & is_worth_more(relative, before);
            if (round == ROUNDS) goes = goes & (R{} != R{});
            failed = failed | (going & opposite(goes) & opposite(relative <= NumberOf<R>::of(KEPT)));
            failed = failed | (goes & opposite(out[half + 2] == NumberOf<R>::of(1.0)));
            going = goes;
            if (!any(going)) return;
            before = relative;
            UNROLL for (int j = 0; j < half; ++j) own[j] = select(going, own[j] + out[j], own[j]);
        }
    }

    HD void project(const R& time, R* state, const Mask& on, Mask& failed) {
        correct(time, state, false, on, failed);
        if constexpr (!M::REDUCED) correct(time, state, true, on, failed);
    }

    // Begin fresh lanes: project onto the constraints, compute the slope and the first step length.
    HD void begin() {
        const int all = count();
        Mask failed = R{} != R{};
        project(t, y.at, fresh, failed);
        load(t, y.at);
        take_slope(1, failed);
        UNROLL for (int i = 0; i < all; ++i) {
            k[i] = select(fresh, slope(1)[i], k[i]);
            largest[i] = select(fresh, larger(FLOOR * natural[i], size_of(y[i])), largest[i]);
        }
        const R span = end - t;
        const dop853::FirstState<R> at = {y.at, k.at, natural.at, sizes()};
        const dop853::Guess<R> guess = dop853::guess_of(all, at, span, h_max);
        x[0] = t + guess.h;
        UNROLL for (int i = 0; i < all; ++i) x[1 + i] = y[i] + guess.h * k[i];
        take_slope(1, failed);
        const R first = dop853::first_length(all, at, slope(1), guess, span);
        h = select(fresh, smaller(first, NumberOf<R>::of(h_max)), h);
        lost = fresh & failed;
        busy = busy & opposite(lost);
        fresh = fresh & opposite(lost);
        rejected = rejected & opposite(fresh);
    }

    template <int S, int LAST>
    HD void take_stages(Mask& failed) {
        if constexpr (S < LAST) {
            dop853::stage_of<SIZE, S>(size, y.at, k.at, here, stage());
            x[0] = t + dop853::C[S] * here;
            take_slope(S, failed);
            if constexpr (SIZE) {
                UNROLL for (int i = 0; i < SIZE; ++i)
                    if (M::idle(i)) sums[i].add(S, slope(S)[i]);
            }
            take_stages<S + 1, LAST>(failed);
        }
    }

    // Try one step in every lane; mark the lanes that take it, and those that are lost.
    HD void try_step() {
        here = smaller(h, NumberOf<R>::of(h_max));
        last = is_last(t, here, end);
        here = select(last, end - t, here);
        Mask failed = opposite((here >= shortest_step(t, end - start)) | last);
        if constexpr (SIZE) {
            UNROLL for (int i = 0; i < SIZE; ++i)
                if (M::idle(i)) sums[i] = dop853::Sums<R>(), sums[i].add(0, k[i]);
        }
        take_stages<1, dop853::STAGES>(failed);
        error = dop853::error_of<SIZE>(size, y.at, here, sizes(), y_new.at, [&](int i) {
            return SIZE && M::idle(i) ? sums[SIZE ? i : 0] : dop853::Sums<R>::of(k.at + i, count());
        });
        t_new = select(last, NumberOf<R>::of(end), t + here);
        taken = busy & opposite(failed) & (error < NumberOf<R>::of(1.0));
        if (any(taken)) end_step(failed);
        lost = busy & failed;
        busy = busy & opposite(lost);
        taken = taken & busy;
        const Rescaling<R> change(error);
        const R factor = change.growth(rejected);
        const Mask changes = opposite(last) | (factor < NumberOf<R>::of(1.0));
        h = select(taken, select(changes, here * factor, h), here * change.shrinkage());
        rejected = busy & opposite(taken);
    }

    // Whether the end of this step is projected onto the constraints.
    HD bool settles() {
        if constexpr (M::REDUCED) return any(last) || ++made % BETWEEN == 0;
        return true;
    }

    // Project the ends of the taken steps, and compute their slopes into k[12].
    HD void end_step(Mask& failed) {
        const int all = count();
        R big = R{};
        below = R{};
        UNROLL for (int i = 0; i < all; ++i) {
            if (!M::idle(i)) below += square(y_new[i] - x[1 + i]);
            big = larger(big, size_of(y_new[i]));
        }
        Mask wrong = big > too_large;
        if (model->counts.corrections && settles()) {
            UNROLL for (int i = 0; i < all; ++i) unprojected[i] = y_new[i];
            project(t_new, y_new.at, taken, wrong);
            wrong = wrong | has_leapt<SIZE>(size, y_new.at, unprojected.at, sizes());
        }
        load(t_new, y_new.at);
        take_slope(dop853::STAGES, wrong);
        R above = R{};
        UNROLL for (int i = 0; i < all; ++i)
            if (!M::idle(i)) above += square(slope(dop853::STAGES)[i] - slope(dop853::STAGES - 1)[i]);
        beyond = dop853::beyond_border(above, below, here);
        failed = failed | (taken & wrong);
    }

    // Compute the interpolants of the taken steps. Lanes without one go to the full loop.
    HD void interpolate() {
        const Mask curved = opposite(dop853::uniform(count(), count() / 2, k.at));
        Mask failed = R{} != R{};
        if (any(taken & curved)) take_stages<dop853::STAGES + 1, SLOPES>(failed);
        dop853::interpolate<SIZE>(size, dop853::Made<R>{y.at, y_new.at, k.at}, here, curved, dense.at);
        drop(taken & curved & failed);
    }

    HD void drop(const Mask& lanes) {
        lost = lost | lanes;
        busy = busy & opposite(lanes);
        taken = taken & opposite(lanes);
    }

    // The ends of the taken steps become the beginnings of the next.
    HD void commit() {
        UNROLL for (int i = 0; i < count(); ++i) {
            y[i] = select(taken, y_new[i], y[i]);
            k[i] = select(taken, slope(dop853::STAGES)[i], k[i]);
            largest[i] = select(taken, larger(largest[i], size_of(y_new[i])), largest[i]);
        }
        t = select(taken, t_new, t);
    }
};

}  // namespace dalembert
