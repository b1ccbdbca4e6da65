// A model in use: its functions evaluated at a state, its slope, and its projection onto the constraints.
//
//     y = (q, v, z, s),   ẏ = (v, a, ν[:len(z)], rates)      with a, ν from the constrained solve
//     projection: the smallest Δq with φ(q, t) = 0, then the smallest Δv with ψ(q, v, t) = 0, in natural sizes
//
// Nothing here depends on units: `natural` has a size for every component of y, found from the model and its start.
// Residuals are compared with the sizes of their terms, or with the terms for natural sizes.
#pragma once

#include "branches.hpp"
#include "contact/state.hpp"
#include "control.hpp"
#include "inputs.hpp"
#include "model.hpp"
#include "solve.hpp"

namespace dalembert {

template <class M>
struct System;

// The constrained solve in the present mode of contacts and frictions (contact/force.hpp), after `dynamics`.
template <class M>
HD Status accelerate_in_mode(System<M>& system, bool fixed, bool wanted);

struct Residual {
    double worst;     // the largest entry
    double relative;  // the largest relative to its own scale
};

template <class M>
struct System {
    static constexpr int SIZE = M::SIZE;
    const M* model;
    Counts counts;
    double* x;        // inputs of programs: t, y, p, branches; for corrections also the natural sizes of q and v
    double* bad;      // x at a failed evaluation
    double* F;        // output of the dynamics
    double* written;  // output of a written-out program: accelerations or a correction, and whether it is valid
    double* at_position;
    double* at_velocity;
    double* at_guards;
    double* answered;  // x followed by a and ν, for guards that need them
    double* at_laws;
    double* natural;  // sizes of the components of y
    Solver solver;
    ActiveRows rows;  // the active rows
    const int* holonomic;  // the active places in φ
    int holonomic_count;
    Contacts contacts;
    Branches branches;
    Inputs inputs;
    int rank_phi = -1, rank_psi = -1;  // from states on the constraints; −1: not known
    bool plain = false;  // ẏ = (v, a) with a written out, and x has no signals
    long evaluations = 0;
    double residual = 0.0, rate_residual = 0.0;  // the largest so far

    HD APART static System in(Block& block, const M* model) {
        const Counts& c = model->counts;
        System s;
        s.model = model;
        s.counts = c;
        s.x = block.take<double>(c.known() + 2 * larger(c.n, c.frictions));
        s.bad = block.take<double>(c.inputs());
        s.F = block.take<double>(c.at_R() + c.n * c.reactions + 1);
        s.written = block.take<double>(c.n + 3);
        s.at_position = block.take<double>(c.holonomic * (c.n + 1) + 1);
        s.at_velocity = block.take<double>(c.m * (c.n + 1) + 1);
        s.at_guards = block.take<double>(c.guards + 1);
        s.answered = block.take<double>(c.guard_forces ? c.known() + c.n + larger(c.reactions, c.m) : 1);
        s.at_laws = block.take<double>(c.laws() + 1);
        s.natural = block.take<double>(c.size() + 1);
        s.solver = Solver::in(block, c, larger(c.m, c.holonomic) + c.switches);
        int* all = block.take<int>(larger(c.reactions, 1));
        s.rows = {model->rows, c.rows, c.general ? all : model->rows, c.general ? c.reactions : c.rows, c.general != 0};
        s.holonomic = model->holonomic_rows;
        s.holonomic_count = model->holonomic_count;
        s.contacts = Contacts::in(block, c);
        s.branches = Branches::in(block, c, s.x);
        if constexpr (M::DRIVEN) s.inputs = Inputs::in(block, c, model->signals, model->clocks);
        s.plain = c.has_slopes && c.extra + c.states + c.signals + c.contacts + c.frictions + c.switches == 0;
        if (block.base) {
            for (int i = 0; i < c.inputs(); ++i) s.x[i] = s.bad[i] = 0.0;
            for (int i = 0; i < c.parameters; ++i) s.x[1 + c.size() + i] = model->parameters[i];
            for (int i = 0; i < c.reactions; ++i) all[i] = i;
            for (int i = 0; i < c.branches; ++i) s.branches.value[i] = 1.0;
        }
        return s;
    }

    // The difference for component j in a difference quotient: small slips turn fast.
    HD double difference(int j, double usual) const {
        return touches() && j >= counts.n && j < 2 * counts.n ? smaller(usual, contacts.finest[j]) : usual;
    }

    // Set the natural sizes of a motion.
    HD void measure(const double* sizes) {
        for (int i = 0; i < counts.size(); ++i) natural[i] = sizes[i];
        solver.measure(natural, counts.n);
    }

    HD bool touches() const { return counts.touches(); }
    HD bool is_unbound() const { return !touches() || contacts.unbound; }

    // Whether a friction slips in a plane, and none of the slips has just started from rest.
    HD bool slips() const {
        const bool planar = touches() && contacts.planar;
        return planar && all_of(counts.frictions, [&](int j) { return !contacts.friction[j].is_beginning(); });
    }

    HD void load(double t, const double* y) {
        x[0] = t;
        for (int i = 0; i < counts.size(); ++i) x[1 + i] = y[i];
        if constexpr (M::DRIVEN) inputs.read(t, x + 1 + counts.size());
    }

    // The next instant that no step crosses.
    HD double next_stop() const {
        if constexpr (M::DRIVEN) return inputs.next();
        return INF;
    }

    // Whether a sample at t waits until after the next such instant.
    HD bool is_behind_stop(double t) const { return t + SAME_TIME * fabs(t) >= next_stop(); }

    // At such an instant, or at the start: move signals to their next pieces, and let controllers that are due change
    // the states that they hold. Returns whether anything jumped.
    HD APART bool arrive(double t, double* y, bool start) {
        bool jumps = false;
        if constexpr (M::DRIVEN) {
            if (start) inputs.locate(t);
            jumps = inputs.advance(t);
            bool computed = false;
            for (int c = 0; c < inputs.clock_count; ++c) {
                if (!inputs.ticks(c, t, start)) continue;
                if (!computed) load(t, y), model->controls(x, inputs.computed);
                jumps = computed = true;
                double* own = y + counts.size() - inputs.held;
                for (int i = 0; i < inputs.clocks[c].count; ++i)
                    own[inputs.clocks[c].first + i] = inputs.computed[inputs.clocks[c].first + i];
            }
        }
        return jumps;
    }

    // D, d, A and b; while kinks slide, between their sides with their last weights.
    HD void dynamics() {
        model->dynamics(x, F);
        if constexpr (M::SWITCHED)
            if (branches.sliding_count > 0) between([&](double* to) { model->dynamics(x, to); }, counts.at_R(), F);
    }
    HD void position() { model->position(x, at_position); }
    HD void velocity() { model->velocity(x, at_velocity); }
    HD void laws() { model->laws(x, at_laws); }
    HD double gap(int contact) const { return at_position[counts.bilateral_holonomic + contact]; }

    // All guards of the model at the loaded state. For a kink that slides it is w (1 − w), positive while its weight w
    // is inside [0, 1]. `solved` means that accelerations and multipliers of this state are in the solver.
    HD APART const double* guards(bool solved = false) {
        const bool sliding = branches.sliding_count > 0, forces = counts.guard_forces != 0;
        const bool known = solved || !(forces || sliding) || accelerate(true, forces) == DONE;
        const int all = counts.known(), rows = larger(counts.reactions, counts.m);
        for (int i = 0; i < (forces ? all : 0); ++i) answered[i] = x[i];
        for (int i = 0; i < (forces ? counts.n : 0); ++i) answered[all + i] = solver.a[i];
        for (int i = 0; i < (forces ? rows : 0); ++i) answered[all + counts.n + i] = solver.nu[i];
        model->guards(forces ? answered : x, at_guards);
        for (int g = 0; g < (known || !forces ? 0 : counts.guards); ++g) at_guards[g] = NOT_A_NUMBER;
        for (int j = 0; j < branches.sliding_count; ++j) {
            const double w = branches.kink[branches.sliding[j]].weight;
            at_guards[counts.first_switch() + branches.sliding[j]] = known ? w * (1.0 - w) : NOT_A_NUMBER;
        }
        return at_guards;
    }

    // The branch of a kink, and its plus or minus side.
    HD double& branch(int kink) const { return branches.value[model->switches[kink].branch]; }
    HD bool is_above(int kink) const { return branch(kink) == branches.kink[kink].plus; }
    HD void take_side(int kink, bool above) const {
        branch(kink) = above ? branches.kink[kink].plus : branches.kink[kink].minus;
    }

    // Save the solver's accelerations and multipliers as a side of kinks, or their difference from the side `base`.
    HD void keep_side(int place, bool wanted, int base = -1) {
        const Matrix& sides = branches.sides;
        for (int i = 0; i < counts.n; ++i) sides(place, i) = solver.a[i] - (base < 0 ? 0.0 : sides(base, i));
        for (int i = 0; i < (wanted ? counts.reactions : 0); ++i)
            sides(place, counts.n + i) = solver.nu[i] - (base < 0 ? 0.0 : sides(base, counts.n + i));
    }

    // Call `at(−1)` with all these kinks on their minus side, then `at(j)` with the j-th alone on its plus side, while it
    // returns DONE. Branches are restored.
    template <class At>
    HD APART Status on_sides(const int* kinks, int count, At&& at) {
        double kept[MOST_TOGETHER];
        for (int j = 0; j < count; ++j) kept[j] = branch(kinks[j]);
        for (int j = 0; j < count; ++j) take_side(kinks[j], false);
        Status status = at(-1);
        for (int j = 0; j < count && status == DONE; ++j) {
            take_side(kinks[j], true);
            status = at(j);
            take_side(kinks[j], false);
        }
        for (int j = 0; j < count; ++j) branch(kinks[j]) = kept[j];
        return status;
    }

    // Accelerations with all these kinks on their minus side, and the change that each makes.
    HD Status both_sides(const int* kinks, int count, bool fixed, bool wanted) {
        return on_sides(kinks, count, [&](int j) {
            const Status status = accelerate_on_branch(fixed, wanted);
            keep_side(1 + j, wanted, j < 0 ? -1 : 0);
            return status;
        });
    }

    // Sum the results of `both_sides` with weights, into the solver.
    HD void combine(const double* weights, int count, bool wanted) {
        for (int i = 0; i < counts.n + (wanted ? counts.reactions : 0); ++i) {
            double& out = i < counts.n ? solver.a[i] : solver.nu[i - counts.n];
            out = branches.sides(0, i);
            for (int j = 0; j < count; ++j) out += weights[j] * branches.sides(1 + j, i);
        }
    }

    // A function of x between the sides of the sliding kinks, with their last weights.
    template <class Function>
    HD void between(Function&& function, int size, double* out) {
        Branches& k = branches;
        on_sides(k.sliding, k.sliding_count, [&](int j) {
            function(k.other);
            for (int i = 0; i < size; ++i) {
                if (j < 0) out[i] = k.base[i] = k.other[i];
                else out[i] += k.kink[k.sliding[j]].weight * (k.other[i] - k.base[i]);
            }
            return DONE;
        });
    }

    // A·(row of `sides`) for a kink's own row.
    HD double along(int kink, int side) const {
        return dot(branches.row(kink, counts.n) + 3, branches.sides.row(side), counts.n);
    }

    // Accelerations in the corner of constraints: on one branch, with a force along the kink's own row that keeps it at
    // zero. The size of the force gives the weight between both normals. It is NaN if the normals do not differ.
    HD APART Status accelerate_held() {
        Branches& k = branches;
        const int n = counts.n, at = k.sliding[0];
        const double kept = branch(at), *A = k.row(at, n) + 3;
        take_side(at, true);
        model->dynamics(x, k.other);
        for (int i = 0; i < counts.at_R(); ++i) k.base[i] = k.other[i];
        take_side(at, false);
        Status status = accelerate_on_branch(false, true);
        keep_side(0, true);
        model->dynamics(x, F);
        for (int i = 0; i < counts.at_R(); ++i) k.base[i] -= F[i];  // Δ
        for (int i = 0; i < n; ++i) F[counts.at_d() + i] = A[i];
        for (int r = 0; r < counts.m; ++r) F[counts.at_b() + r] = 0.0;
        if (status == DONE) status = accelerations({F, counts, rows, false}, solver, solver.a, solver.nu);
        keep_side(1, true);
        branch(at) = kept;
        if (status != DONE) return status;
        double alpha = (k.row(at, n)[2] - along(at, 0)) / along(at, 1), both = 0.0, own = 0.0;
        if (!(fabs(along(at, 1)) > 0.0)) alpha = NOT_A_NUMBER;
        combine(&alpha, 1, true);
        for (int i = 0; i < n; ++i) {
            double change = k.base[counts.at_d() + i];
            for (int r = 0; r < rows.count; ++r)
                change += k.base[counts.at_A() + rows.active[r] * n + i] * solver.nu[rows.active[r]];
            both += change * A[i], own += A[i] * A[i];
        }
        k.kink[at].weight = alpha * own / both;
        return finite(k.kink[at].weight) ? DONE : NONFINITE;
    }

    // Accelerations that keep every sliding kink at its zero.
    HD APART Status accelerate_sliding(bool fixed, bool wanted) {
        Branches& k = branches;
        const int count = k.sliding_count;
        model->kinks(x, k.rows);
        if (k.held) return accelerate_held();
        if (const Status status = both_sides(k.sliding, count, fixed, wanted); status != DONE) return status;
        for (int i = 0; i < count; ++i) {
            k.right[i] = k.row(k.sliding[i], counts.n)[2] - along(k.sliding[i], 0);
            for (int j = 0; j < count; ++j) k.W(i, j) = along(k.sliding[i], 1 + j);
        }
        least_norm({k.W, k.right, count, count, k.row_at, k.col_at}, -1, k.G, k.solution);
        for (int j = 0; j < count; ++j) k.kink[k.sliding[j]].weight = k.solution[j];
        combine(k.solution, count, wanted);
        return DONE;
    }

    // Accelerations, and multipliers if `wanted`, into the solver, at the loaded state. With `fixed` ranks are kept if
    // there was a solve before.
    HD Status accelerate(bool fixed, bool wanted) {
        if constexpr (M::SWITCHED)
            if (branches.sliding_count > 0) return accelerate_sliding(fixed, wanted);
        return accelerate_on_branch(fixed, wanted);
    }

    HD APART Status accelerate_on_branch(bool fixed, bool wanted) {
        fixed = fixed && solver.rank >= 0;
        const int asked = asked_for(fixed, wanted);
        if (const KeptMode* kept = contacts.kept; kept && (kept->known & asked) == asked) {  // these are constant
            for (int i = 0; i < counts.n; ++i) solver.a[i] = kept->a[i];
            for (int i = 0; i < (kept->known & FORCES ? counts.m : 0); ++i) solver.nu[i] = kept->nu[i];
            solver.rank = kept->rank, solver.left_rank = kept->left;
            return DONE;
        }
        model->dynamics(x, F);
        if (touches()) return accelerate_in_mode(*this, fixed, wanted);
        return accelerations({F, counts, rows, fixed}, solver, solver.a, wanted ? solver.nu : nullptr);
    }

    // Whether the present mode is written out and its forces are determinate. Its directions and sides go into x.
    HD APART bool in_written_mode() {
        if (counts.modes == 0 || contacts.kept || contacts.written < 0 || contacts.nullity > 0) return false;
        for (int j = 0; j < counts.frictions; ++j) {
            const Friction& one = contacts.friction[j];
            if (one.is_beginning()) return false;  // its direction was decided
            x[counts.known() + j] = one.along[0], x[counts.known() + counts.frictions + j] = one.sign;
        }
        return true;
    }

    // The state in x, where a stepper may write it.
    HD double* stage() { return x + 1; }

    // ẏ at the state in x into out, if written-out slopes are all it needs and they are valid there. `out` has room for
    // one number more than y. KNOWN is the size of y if the compiler knows it, otherwise 0.
    template <int KNOWN>
    HD bool plain_slope(double t, double* out) {
        if (!plain) return false;
        const int n = KNOWN ? KNOWN / 2 : counts.n;
        x[0] = t;
        model->slopes(x, out + n);
        double sum = out[2 * n] - 1.0;
        if constexpr (KNOWN > 0) {
            double rates[KNOWN / 2];  // stored as the vectors that `stage_of` reads
            UNROLL for (int i = 0; i < n; ++i) rates[i] = x[1 + n + i];
            UNROLL for (int i = 0; i < n; ++i) out[i] = rates[i];
        } else {
            for (int i = 0; i < n; ++i) out[i] = x[1 + n + i];
        }
        UNROLL for (int i = 0; i < n; ++i) sum += out[n + i];
        if (!(out[2 * n] == 1.0 && finite(sum))) return false;
        ++evaluations;
        return true;
    }

    // ẏ into out. After a failure the state is kept for the sentence.
    HD APART Status slope(double t, const double* y, bool fixed, double* out) {
        const int n = counts.n;
        load(t, y);
        ++evaluations;
        const double* a = solver.a;
        bool known = false;
        const bool free = counts.has_slopes && branches.sliding_count == 0 && is_unbound();
        if (free || in_written_mode()) {
            free ? model->slopes(x, written) : model->slopes_in(contacts.written, x, written);
            known = written[n] == 1.0 && all_finite(written, n);
            if (known) a = written;
            if (known && !fixed) solver.rank = -1;  // the next solve must find it: the last one had other rows
        }
        if (!known) {
            const Status status = accelerate(fixed, counts.extra > 0);
            if (status != DONE) {
                for (int i = 0; i < counts.inputs(); ++i) bad[i] = x[i];
                return status;
            }
        }
        for (int i = 0; i < n; ++i) out[i] = y[n + i], out[n + i] = a[i];
        for (int i = 0; i < counts.extra; ++i) out[2 * n + i] = solver.nu[i];
        if (counts.states > 0) rates(out + 2 * n + counts.extra);
        return DONE;
    }

    // Rates of the states; while kinks slide, between their sides.
    HD void rates(double* out) {
        model->rates(x, out);
        if constexpr (M::SWITCHED)
            if (branches.sliding_count > 0)
                between([&](double* to) { model->rates(x, to); }, counts.states, out);
    }

    // The number of rows to satisfy, without and with the kinks that slide.
    HD int row_count(bool rates) const { return rates ? rows.count : holonomic_count; }
    HD int kept_rows(bool rates) const {
        int count = row_count(rates);
        for (int j = 0; j < branches.sliding_count; ++j) count += keeps(branches.sliding[j], rates);
        return count;
    }

    HD bool keeps(int kink, bool rates) const {
        if constexpr (M::SWITCHED) return rates || model->switches[kink].degree == 2;
        return false;
    }

    // φ (or ψ with `rates`) and its Jacobian into the solver's memory.
    HD APART Residual residuals(double t, const double* y, bool rates) {
        const int n = counts.n, count = row_count(rates);
        const int* places = rates ? rows.active : holonomic;
        const double* own = rates ? y + n : y;
        const double* sizes = rates ? natural + n : natural;
        load(t, y);
        if (count > 0) rates ? velocity() : position();
        const double* out = rates ? at_velocity : at_position;
        const double* jacobian = out + (rates ? counts.m : counts.holonomic);
        Residual found{0.0, 0.0};
        auto put = [&](int i, double r, const double* entries) {
            double terms = 0.0, usual = 0.0;
            for (int j = 0; j < n; ++j) {
                solver.J(i, j) = entries[j];
                terms += fabs(entries[j] * own[j]);
                usual += fabs(entries[j]) * sizes[j];
            }
            solver.residual[i] = r;
            const double relative = fabs(r) / larger(larger(terms, usual), 1e-300);
            if (!(fabs(r) <= found.worst)) found.worst = fabs(r);  // lets NaN through
            if (!(relative <= found.relative)) found.relative = relative;
        };
        for (int i = 0; i < count; ++i) put(i, out[places[i]], jacobian + places[i] * n);
        if constexpr (M::SWITCHED) {
            if (branches.sliding_count == 0) return found;
            model->kinks(x, branches.rows);
            for (int j = 0, i = count; j < branches.sliding_count; ++j) {
                if (!keeps(branches.sliding[j], rates)) continue;
                const double* row = branches.row(branches.sliding[j], n);
                put(i++, row[rates ? 1 : 0], row + 3);
            }
        }
        return found;
    }

    // The same by a written-out program: change, largest residual, largest relative residual, validity.
    HD Residual written_residuals(double t, const double* y, bool rates) {
        const int n = counts.n;
        load(t, y);
        for (int i = 0; i < 2 * n; ++i) x[counts.known() + i] = natural[i];
        rates ? model->correct_velocity(x, written) : model->correct_position(x, written);
        return {written[n], written[n + 1]};
    }

    // Newton's method with the smallest changes of q (or v with `rates`) in natural sizes. Returns the remaining
    // residual, or a negative number if it fails.
    //
    // Redundant rows are left out. Their number is kept from states that satisfy the constraints. It is found again if
    // the residuals of the rows left out do not vanish with the rest. A written-out program is used until one of its
    // pivots is not valid.
    HD APART double correct(double t, double* y, bool rates) {
        const int n = counts.n, count = kept_rows(rates);
        if (count == 0) return 0.0;
        bool as_written = (counts.corrections & (rates ? 2 : 1)) != 0 && branches.sliding_count == 0;
        auto see = [&] { return as_written ? written_residuals(t, y, rates) : residuals(t, y, rates); };
        int& remembered = rates ? rank_psi : rank_phi;
        double* own = rates ? y + n : y;
        Solver& s = solver;
        const LinearEquations equations = {s.J, s.residual, count, n, s.left_row_at, s.left_col_at};
        double before = INF;
        Residual left = see();
        for (int round = 0; round < ROUNDS; ++round) {
            if (!is_worth_more(left.relative, before)) break;
            if (as_written && !(written[n + 2] == 1.0)) {
                as_written = false;
                left = see(), before = INF, round = -1;
                continue;
            }
            before = left.relative;
            if (as_written) {
                for (int j = 0; j < n; ++j) own[j] += written[j];
                left = see();
                continue;
            }
            for (int i = 0; i < count; ++i) {
                s.residual[i] = -s.residual[i];
                for (int j = 0; j < n; ++j) s.J(i, j) *= s.size(j);
            }
            const int rank = least_norm(equations, remembered, s.G, s.change);
            for (int j = 0; j < n; ++j) own[j] += s.size(j) * s.change[j];
            left = see();
            if (remembered >= 0 && rank < count && !(left.relative <= 0.1 * KEPT)) {
                remembered = -1;
                before = INF;
            }
        }
        if (!(left.relative <= KEPT)) return -1.0;
        if (as_written) return left.worst;
        for (int i = 0; remembered < 0 && i < count; ++i)
            for (int j = 0; j < n; ++j) s.J(i, j) *= s.size(j);
        if (remembered < 0) remembered = reduce(equations);
        return left.worst;
    }

    // Project onto φ = 0 and ψ = 0; false if Newton's method fails.
    HD APART bool project(double t, double* y) {
        const double places = correct(t, y, false);
        if (places < 0.0) return false;
        residual = larger(residual, places);
        const double rates = correct(t, y, true);
        if (rates < 0.0) return false;
        rate_residual = larger(rate_residual, rates);
        return true;
    }
};

}  // namespace dalembert
