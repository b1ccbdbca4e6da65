// Consistent initial states: the smallest change of the given state that satisfies the constraints.
//
// Positions first: the least |Δq| with φ(q, t) = 0. Then speeds: the given ones are kept, and the rest take the
// least-norm solution of ψ(q, v, t) = 0. Only if there is none, the given ones are changed, by least squares. Rows that
// frictions hold from the start join the constraints in a second search, once the resting contacts are known.
// Residuals, gaps and rates are relative to the natural sizes of the start (scales.hpp), with one second for time.
#pragma once

#include "least_squares.hpp"
#include "lengths.hpp"
#include "solve.hpp"

namespace dalembert {

// The result of a start.
enum Begun : int { CONSISTENT = 0, NO_POSITION = 30, NO_SPEEDS = 31, NEGATIVE_GAP = 32, DOUBTFUL = 33 };

constexpr double ACCEPTED = 1e-11;  // relative to the terms of a row: a smaller residual counts as zero
constexpr double BEGINS_TOUCHING = 1e-12, BEGINS_RESTING = 1e-11;  // relative to the terms of a gap and of its rate

// One search for a start of a model. Rows of contacts and frictions come after the bilateral ones.
template <class M>
struct Start {
    const M* model;
    Counts counts;
    const unsigned char* given;  // whether a speed is stated
    double *x, *out, *y;
    double *stated, *begin, *goal, *found, *next, *change, *left, *speeds;
    double *places, *sizes;  // natural sizes of all coordinates and speeds, and of the unknowns
    Matrix J, turned, right;
    int *rows, *columns, *fixed, *free;
    bool rates = false;  // whether speeds are sought; otherwise positions
    int row_count = 0, column_count = 0;

    HD APART static Start in(Block& block, const M* model, const unsigned char* given) {
        Start s;
        const Counts& c = model->counts;
        s.model = model, s.counts = c, s.given = given;
        const int most = larger(larger(c.size(), c.m), larger(c.holonomic, 1)) + 1;
        s.x = block.take<double>(c.inputs());
        s.out = block.take<double>(larger((c.n + 1) * larger(c.holonomic, c.m), c.dynamics()) + 1);
        block.each(most, s.y, s.stated, s.begin, s.goal, s.found, s.next, s.change, s.left, s.speeds, s.places, s.sizes);
        matrices(block, most, most, s.J, s.turned, s.right);
        block.each(most, s.rows, s.columns, s.fixed, s.free);
        return s;
    }

    HD void load() {
        for (int i = 0; i < counts.size(); ++i) x[1 + i] = y[i];
    }

    // r and J of the listed rows and columns with the unknowns at u. Rows are scaled to a largest entry of one, so that
    // ranks do not depend on units.
    HD APART void residual(const double* u) {
        const int n = counts.n, total = rates ? counts.m : counts.holonomic;
        for (int c = 0; c < column_count; ++c) y[(rates ? n : 0) + columns[c]] = u[c];
        load();
        rates ? model->velocity(x, out) : model->position(x, out);
        for (int i = 0; i < row_count; ++i) {
            const double* row = out + total + rows[i] * n;
            const double big = largest_of(row, n), weight = big > 0.0 ? 1.0 / big : 1.0;
            left[i] = weight * out[rows[i]];
            for (int c = 0; c < column_count; ++c) J(i, c) = weight * row[columns[c]];
        }
    }

    HD APART bool has_values() const {
        return all_finite(left, row_count) && all_of(row_count, [&](int i) { return all_finite(J.row(i), column_count); });
    }

    // Whether all residuals are small compared with the terms of their rows. A row without a gradient has no terms.
    HD APART bool within(const double* u, double part) const {
        return all_of(row_count, [&](int i) {
            const double terms = terms_of(J.row(i), u, sizes, column_count);
            return fabs(left[i]) <= part * (terms > 0.0 ? terms : USUAL);
        });
    }

    // The natural sizes of the stated state.
    HD APART void measure() {
        const int n = counts.n;
        load();
        model->dynamics(x, out);
        natural_places(counts, {model->angles, y, out, nullptr, nullptr, 1.0, places});
        double rate = 0.0;
        for (int c = 0; c < n; ++c) raise(rate, fabs(y[n + c]) / places[c]);
        for (int c = 0; c < n; ++c) places[n + c] = (rate > 0.0 ? rate : 1.0) * places[c];
    }

    // Set the sizes of the chosen unknowns. Returns the largest.
    HD double measure_unknowns() {
        for (int c = 0; c < column_count; ++c) sizes[c] = places[(rates ? counts.n : 0) + columns[c]];
        return largest_of(sizes, column_count);
    }

    // J⁺ (J (x − x₀) − r) into `change`; −J⁺ r if there is no origin x₀.
    HD APART void toward(const double* origin) {
        for (int i = 0; i < row_count; ++i) {
            double entry = -left[i];
            for (int c = 0; c < column_count; ++c) {
                turned(i, c) = J(i, c);
                if (origin) entry += J(i, c) * (found[c] - origin[c]);
            }
            right(i, 0) = entry;
        }
        least_squares(turned, row_count, column_count, right, change);
    }

    // Gauss–Newton steps with halving from `found`. Returns whether the residuals vanish.
    HD APART bool polished() {
        residual(found);
        for (int round = 0; round < 60; ++round) {
            if (!has_values() || within(found, EPSILON)) break;
            toward(nullptr);
            const double before = dot(left, left, row_count);
            bool better = false;
            for (double scale = 1.0; scale > 1e-4 && !better; scale *= 0.5) {
                for (int c = 0; c < column_count; ++c) next[c] = found[c] + scale * change[c];
                residual(next);
                better = dot(left, left, row_count) < before;
            }
            if (!better) {
                residual(found);
                break;
            }
            for (int c = 0; c < column_count; ++c) found[c] = next[c];
        }
        return within(found, ACCEPTED);
    }

    // Put a new value into `found`. Returns how far it moves.
    HD double moved(int c, double value) {
        const double step = fabs(value - found[c]);
        found[c] = value;
        return step;
    }

    // Go from `begin` to the point with zero residual nearest to `goal`, into `found` and y; false if none is near.
    HD APART bool nearest() {
        const double least = measure_unknowns();
        const bool same = all_of(column_count, [&](int c) { return begin[c] == goal[c]; });
        bool settled = false;
        for (int c = 0; c < column_count; ++c) found[c] = begin[c];
        residual(found);
        if (same && within(found, ACCEPTED)) return true;
        for (int round = 0; round < 60 && !settled && has_values(); ++round) {
            toward(goal);
            double step = 0.0;
            for (int c = 0; c < column_count; ++c) step = larger(step, moved(c, goal[c] + change[c]));
            residual(found);
            settled = step <= 1e-14 * larger(least, largest_of(found, column_count));
        }
        if (!((settled || within(found, 1e-3)) && has_values()))
            for (int c = 0; c < column_count; ++c) found[c] = begin[c];
        return polished();
    }

    // Begin a search with this number of rows, and seek an unknown in it, from one value and near to another.
    HD void choose(bool of_speeds, int count) { rates = of_speeds, row_count = count, column_count = 0; }
    HD void seek(int c, double from, double near) {
        begin[column_count] = from, goal[column_count] = near;
        columns[column_count++] = c;
    }

    HD bool positions() {
        if (counts.bilateral_holonomic == 0) return true;
        choose(false, counts.bilateral_holonomic);
        for (int i = 0; i < row_count; ++i) rows[i] = i;
        for (int c = 0; c < counts.n; ++c) seek(c, y[c], y[c]);
        return nearest();
    }

    // Where a search for speeds begins: at the stated ones, then near them. At rest a constraint may have no gradient.
    HD APART void starting(int which) {
        const double scales[] = {0.0, 1.0, -1.0, 0.01, 10.0};
        const int n = counts.n;
        const bool every = all_of(n, [&](int c) { return given[c] != 0; });
        const double most = largest_of(stated, n);
        for (int c = 0; c < n; ++c) {
            const bool moved = which > 0 && (every || !given[c]);
            speeds[c] = stated[c] + (moved ? scales[which] * larger(places[n + c], most) / (1.0 + c) : 0.0);
        }
    }

    // Keep the given speeds; the rest have least norm. Or, with `together`, the smallest change of all speeds, for the
    // case that the rest alone have no gradient at the solution.
    HD APART bool hold(int count, bool together) {
        choose(true, count);
        for (int c = 0; c < counts.n; ++c) {
            y[counts.n + c] = stated[c];
            if (!given[c] || together) seek(c, speeds[c], together ? stated[c] : 0.0);
        }
        return nearest();
    }

    // One round of `alter`: the smallest change of the given speeds, then the rest of least norm. Returns the move.
    HD APART double altered(int fixed_count, int free_count) {
        for (int i = 0; i < row_count; ++i) {
            goal[i] = -left[i];
            for (int c = 0; c < counts.n; ++c)
                goal[i] += J(i, c) * (found[c] - (given[c] ? stated[c] : 0.0));
            // the part of the rows that the rest cannot change: across the range of the free columns
            for (int c = 0; c < free_count; ++c) turned(i, c) = J(i, free[c]);
            for (int c = 0; c < fixed_count; ++c) right(i, c) = J(i, fixed[c]);
            right(i, fixed_count) = goal[i];
        }
        const double size = turn_rows(turned, row_count, free_count, right, fixed_count + 1);
        const double least = square(EPSILON * larger(row_count, free_count)) * size;
        int across = 0;
        for (int i = 0; i < row_count; ++i) {
            if (length_of(turned, i, free_count) > least) continue;
            for (int c = 0; c < fixed_count; ++c) turned(across, c) = right(i, c);
            right(across, 0) = right(i, fixed_count);
            ++across;
        }
        least_squares(turned, across, fixed_count, right, next);
        double step = 0.0;
        for (int i = 0; i < row_count; ++i) {
            for (int c = 0; c < fixed_count; ++c) goal[i] -= J(i, fixed[c]) * next[c];
            right(i, 0) = goal[i];
            for (int c = 0; c < free_count; ++c) turned(i, c) = J(i, free[c]);
        }
        for (int c = 0; c < fixed_count; ++c) step = larger(step, moved(fixed[c], stated[fixed[c]] + next[c]));
        least_squares(turned, row_count, free_count, right, change);
        for (int c = 0; c < free_count; ++c) step = larger(step, moved(free[c], change[c]));
        return step;
    }

    HD APART bool alter(int count) {
        const int n = counts.n;
        choose(true, count);
        int fixed_count = 0, free_count = 0;
        for (int c = 0; c < n; ++c) {
            seek(c, speeds[c], 0.0);
            found[c] = speeds[c];
            (given[c] ? fixed[fixed_count++] : free[free_count++]) = c;
        }
        const double least = measure_unknowns();
        for (int round = 0; round < 100; ++round) {
            residual(found);
            if (!has_values()) return false;
            if (altered(fixed_count, free_count) <= 1e-15 * larger(least, largest_of(found, n))) break;
        }
        residual(found);
        return within(found, ACCEPTED);
    }

    // Try the searches in order, each from all starts. Returns whether one succeeds.
    HD APART bool find_speeds(int count) {
        if (count == 0) return true;
        for (int search = 0; search < 3; ++search)
            for (int which = 0; which < 5; ++which) {
                starting(which);
                if (search == 1 ? alter(count) : hold(count, search == 2)) return true;
            }
        return false;
    }

    // Whether the row of a gap depends on those of the constraints.
    HD APART bool is_bound(int gap) {
        const int n = counts.n, bilateral = counts.bilateral;
        model->dynamics(x, out);
        auto rank_of = [&](int count) {
            for (int r = 0; r < count; ++r) {
                const double* row = out + counts.at_A() + (r < bilateral ? r : r + gap) * n;
                for (int c = 0; c < n; ++c) turned(r, c) = row[c];
                change[r] = 0.0;
            }
            return reduce({turned, change, count, n, fixed, free});
        };
        return rank_of(bilateral + 1) == rank_of(bilateral);
    }

    // Check gaps and rates at the start. Returns the result, and the number of rows; held rows come after the others.
    HD APART Begun touch(int& count) {
        const int n = counts.n;
        double* gaps = begin;
        load();
        if (counts.contacts > 0) model->position(x, out);
        for (int i = 0; i < counts.contacts; ++i) {  // relative to its terms
            const int row = counts.bilateral_holonomic + i;
            gaps[i] = out[row] / larger(terms_of(out + counts.holonomic + row * n, y, places, n), 1e-300);
            if (gaps[i] < -BEGINS_TOUCHING) return NEGATIVE_GAP;
        }
        for (int i = 0; counts.bilateral > 0 && i < counts.contacts; ++i)
            if (is_bound(i)) return DOUBTFUL;
        model->velocity(x, out);
        count = counts.bilateral;
        for (int j = 0; j < counts.frictions; ++j) {  // rows that it holds if the contact that presses it rests
            const FrictionLaw& f = model->frictions[j];
            const int i = f.presser == BY_CONTACT ? f.pressed_by : -1, row = counts.bilateral + i;
            const double terms = i < 0 ? 1.0 : terms_of(out + counts.m + row * n, y + n, places + n, n);
            const bool rests = i < 0 || (fabs(gaps[i]) <= BEGINS_TOUCHING &&
                                         fabs(out[row]) <= BEGINS_RESTING * larger(terms, 1e-300));
            for (int k = 0; rests && k < f.held_count; ++k) rows[count++] = f.held_start + k;
            for (int k = 0; rests && f.rough && k < f.slip_count; ++k) rows[count++] = f.slip_start + k;
        }
        return CONSISTENT;
    }

    // Find a consistent state in y, from y and the stated speeds.
    HD APART Begun make_consistent() {
        const int n = counts.n, bilateral = counts.bilateral;
        if (!positions()) return NO_POSITION;
        for (int i = 0; i < bilateral; ++i) rows[i] = i;
        if (!find_speeds(bilateral)) return NO_SPEEDS;
        if (!counts.touches()) return CONSISTENT;
        int count = bilateral;
        const Begun begun = touch(count);
        if (begun != CONSISTENT || count == bilateral) return begun;
        for (int c = 0; c < n; ++c) y[n + c] = stated[c];
        return find_speeds(count) ? CONSISTENT : NO_SPEEDS;
    }

    // Make the state of a motion at time t consistent, in place.
    HD APART Begun run(double t, const double* parameters, double* state) {
        const int n = counts.n, size = counts.size();
        x[0] = t;
        for (int p = 0; p < counts.parameters; ++p) x[1 + size + p] = parameters[p];
        for (int i = 0; i < size; ++i) y[i] = state[i];
        for (int c = 0; c < n; ++c) y[n + c] = stated[c] = given[c] ? state[n + c] : 0.0;
        measure();
        const Begun begun = make_consistent();
        if (begun == NO_POSITION || begun == NO_SPEEDS) {  // the residuals, not scaled
            load();
            begun == NO_SPEEDS ? model->velocity(x, out) : model->position(x, out);
            for (int i = 0; i < row_count; ++i) left[i] = out[rows[i]];
        }
        for (int i = 0; i < size; ++i) state[i] = y[i];
        return begun;
    }
};

// Starts of many motions, a row for each.
struct Starts {
    double time;
    const unsigned char* given;
    const double* parameters;
    double *states, *left;
    long long *status, *claimed;
    long long count;
    int left_size;

    template <class M>
    HD void run(Start<M>& start, long long i) const {
        const Counts& c = start.counts;
        status[i] = start.run(time, parameters + i * c.parameters, states + i * c.size());
        for (int r = 0; r < left_size; ++r) left[i * left_size + r] = start.left[r];
    }
};

}  // namespace dalembert
