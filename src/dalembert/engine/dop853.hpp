// One step of DOP853 with step control, stiffness test and dense output.
//
// Hairer, Nørsett, Wanner, Solving Ordinary Differential Equations I, section II.10. Departures: the end of an accepted
// step is projected before its slope is computed; a stage without a value shortens the step instead of ending the
// motion; an error is relative to the largest value that its component has had.
//
// SIZE is the number of components if the compiler knows it, otherwise 0.
#pragma once

#include "dop853_table.hpp"
#include "settings.hpp"
#include "step.hpp"

namespace dalembert::dop853 {

template <class R>
using MaskOf = typename NumberOf<R>::Mask;

// Σ_j A[S][j] k_j, component i.
template <int S, int J = 0, class R>
HD inline R weighted(const R* k, int size, const R& sum = R{}) {
    if constexpr (J == S) {
        return sum;
    } else if constexpr (A[S][J] == 0.0) {
        return weighted<S, J + 1>(k, size, sum);
    } else {
        return weighted<S, J + 1, R>(k, size, sum + A[S][J] * k[J * size]);
    }
}

// The state for slope k[S] of a step of length h from y.
template <int SIZE, int S, class R>
HD inline void stage_of(int dynamic, const R* y, const R* k, const R& h, R* stage) {
    const int size = SIZE ? SIZE : dynamic;
    UNROLL for (int i = 0; i < size; ++i) stage[i] = y[i] + h * weighted<S>(k + i, size);
}

// Its components FIRST … LAST−1. None is stored before all are computed, so that a compiler may take several at a time.
template <int SIZE, int S, int FIRST, int LAST>
HD inline void part_of_stage(const double* y, const double* k, double h, double* stage) {
    double found[LAST - FIRST];
    UNROLL for (int i = FIRST; i < LAST; ++i) found[i - FIRST] = y[i] + h * weighted<S>(k + i, SIZE);
    UNROLL for (int i = FIRST; i < LAST; ++i) stage[i] = found[i - FIRST];
}

// Weighted sums of a component's slopes: its move and both errors, divided by h.
template <class R>
struct Sums {
    R move = R{}, five = R{}, three = R{};

    HD void add(int s, const R& slope) {
        if (s > 0 && s < 5) return;  // only other stages use stages two to five
        move += A[STAGES][s] * slope, five += E5[s] * slope, three += E3[s] * slope;
    }

    HD static Sums of(const R* k, int size) {
        Sums found;
        UNROLL for (int s = 0; s < STAGES; ++s) found.add(s, k[s * size]);
        return found;
    }
};

// The error of a step in units of the tolerance, from the errors of its components.
template <class R>
struct Error {
    R fifth = R{}, third = R{};

    HD void add(const Sums<R>& sums, const R& scale) {
        const R unit = inverse(scale);
        fifth += square(sums.five * unit), third += square(sums.three * unit);
    }

    HD R of(const R& h, int size) const {
        const R below = fifth + 0.01 * third;
        return select(below <= R{}, R{}, size_of(h) * fifth / root(below * static_cast<double>(size)));
    }
};

// The new state at the end of the step. Returns its error. `sums_of(i)` are the sums of a component.
template <int SIZE, class R, class SumsOf>
HD inline R error_of(int dynamic, const R* y, const R& h, const Sizes<R>& sizes, R* y_new, SumsOf&& sums_of) {
    const int size = SIZE ? SIZE : dynamic;
    Error<R> error;
    UNROLL for (int i = 0; i < size; ++i) {
        const Sums<R> sums = sums_of(i);
        y_new[i] = y[i] + h * sums.move;
        error.add(sums, sizes.scale(i, y_new[i]));
    }
    return error.of(h, size);
}

// The first step. In the time h0 the state would move by a hundredth of its size. From the slope k1 there, slopes change
// in the time σ = |ẏ| / |ÿ|. With y⁽ʲ⁺¹⁾ ≈ ẏ / σʲ the error of a step is 1/100 of the tolerance if
//
//     h = σ (100 |ẏ| σ)^(−1/8)     with |ẏ| in units of the tolerance
//
// which is Hairer's guess (II.4) with σ as its unit of time. Sizes in σ and h0 are natural ones: the tolerance of a
// component that begins at zero is that of a smaller value, which says nothing about the time in which slopes change.
template <class R>
struct Guess {
    R h, rate;  // h0 and |ẏ|
};

// A state, its slope, and the sizes of its components.
template <class R>
struct FirstState {
    const R *y, *k, *natural;
    Sizes<R> sizes;

    HD R relative(int i, const R& value) const { return value / larger(natural[i], size_of(y[i])); }
};

template <class R>
HD inline Guess<R> guess_of(int size, const FirstState<R>& at, const R& span, double h_max) {
    R rate = R{};
    UNROLL for (int i = 0; i < size; ++i) rate += square(at.relative(i, at.k[i]));
    const R h = select(rate <= 1e-10 / square(span), 1e-6 * span, 0.01 / root(rate));
    return {smaller(smaller(h, span), NumberOf<R>::of(h_max)), root(rate)};
}

// `k` is the slope after h0.
template <class R>
HD inline R first_length(int size, const FirstState<R>& at, const R* k, const Guess<R>& guess, const R& span) {
    R change = R{}, steep = R{};
    UNROLL for (int i = 0; i < size; ++i) {
        change += square(at.relative(i, k[i] - at.k[i]));
        steep += square(at.k[i] / at.sizes.scale(i, R{}));
    }
    const R slow = select(change <= R{}, span, guess.rate * guess.h / root(change));
    const R sigma = larger(guess.h, smaller(slow, span));
    const R steepest = root(steep / static_cast<double>(size));
    return smaller(smaller(100.0 * guess.h, sigma * eighth_root_of_inverse<R>(100.0 * steepest * sigma)), span);
}

// Whether all slopes of the step have the same accelerations: then the step is a parabola, as in free flight.
template <class R>
HD inline MaskOf<R> uniform(int size, int n, const R* k) {
    MaskOf<R> same = R{} == R{};
    UNROLL for (int s = 1; s <= STAGES && any(same); ++s)
        UNROLL for (int i = n; i < size; ++i) same = same & (k[s * size + i] == k[i]);
    return same;
}

// The ends of a step and its slopes.
template <class R>
struct Made {
    const R *y, *y_new, *k;
};

// The coefficients of the interpolant, by terms. A parabola has only the first three.
template <int SIZE, class R>
HD inline void interpolate(int dynamic, const Made<R>& step, const R& h, MaskOf<R> curved, R* dense) {
    const auto& [y, y_new, k] = step;
    const int size = SIZE ? SIZE : dynamic;
    UNROLL for (int i = 0; i < size; ++i) {
        const R change = y_new[i] - y[i];
        dense[i] = change;
        dense[size + i] = h * k[i] - change;
        dense[2 * size + i] = 2.0 * change - h * (k[STAGES * size + i] + k[i]);
        dense[7 * size + i] = y[i];
        UNROLL for (int r = 0; r < 4; ++r) {
            R entry = R{};
            UNROLL for (int s = 0; s < 16; ++s) {
                if (s > 0 && s < 5) continue;
                entry += D[r][s] * k[s * size + i];
            }
            dense[(3 + r) * size + i] = h * select(curved, entry, R{});
        }
    }
}

// Compute slopes k[S … LAST−1] of a step of length h from y. The place of a plain slope overlaps that of the next one.
//
// The coordinates of a stage depend on the last speeds, but not on the last accelerations. A processor computes their
// sines while it still computes those accelerations, unless a vector joins the two.
template <int SIZE, int S, int LAST, class System>
HD inline Status stages(System& system, const Step& step, double h) {
    if constexpr (S == LAST) {
        return DONE;
    } else {
        if constexpr (SIZE > 1) {
            part_of_stage<SIZE, S, 0, SIZE / 2>(step.y, step.k, h, system.stage());
            NO_VECTOR_ACROSS;
            part_of_stage<SIZE, S, SIZE / 2, SIZE>(step.y, step.k, h, system.stage());
        } else {
            stage_of<SIZE, S>(step.size, step.y, step.k, h, system.stage());
        }
        if (!system.template plain_slope<SIZE>(step.t + C[S] * h, step.slope(S))) {
            for (int i = 0; i < step.size; ++i) step.stage[i] = system.stage()[i];
            const Status status = system.slope(step.t + C[S] * h, step.stage, true, step.slope(S));
            if (status != DONE) return status;
        }
        return stages<SIZE, S + 1, LAST>(system, step, h);
    }
}

template <class System>
HD double first_step(System& system, const Step& step) {
    const double span = step.stop - step.t;
    const FirstState<double> at = {step.y, step.k, step.natural, step.sizes()};
    const Guess<double> guess = guess_of(step.size, at, span, step.h_max);
    for (int i = 0; i < step.size; ++i) step.stage[i] = step.y[i] + guess.h * step.k[i];
    if (system.slope(step.t + guess.h, step.stage, true, step.slope(1)) != DONE) return 0.01 * guess.h;
    const double h = first_length(step.size, at, step.slope(1), guess, span);
    return smaller(h, step.h_max);
}

// Compute the three further slopes and the interpolant.
template <int SIZE, class System>
HD Status prepare_dense(System& system, const Step& step, double h) {
    const bool curved = !uniform(step.size, system.counts.n, step.k);
    if (curved) {
        const Status status = stages<SIZE, STAGES + 1, 16>(system, step, h);
        if (status != DONE) return status;
    }
    interpolate<SIZE>(step.size, Made<double>{step.y, step.y_new, step.k}, h, curved, step.dense);
    return DONE;
}

constexpr int STIFF_STEPS = 15;          // steps beyond the border of stability after which a motion is stiff
constexpr int STIFF_SLIPS = 4;           // the same for small planar slips, which are known to be stiff
constexpr int STIFF_SLIPS_ALONE = 400;   // the same if there is no implicit stepper: most of these slips soon stop
constexpr double STEADY = 1.0 / 30;      // of h λ: if slopes change by less, a longer step would be accurate enough

// Counts of steps beyond the border of stability.
struct Stiffness {
    int stiff = 0, calm = 0;
    int slips = STIFF_SLIPS;  // steps with small planar slips
    double patience = INF;  // a motion with fewer steps left is not reported as stiff

    HD static Stiffness of(const Settings& s) {
        Stiffness found;
        if (s.automatic) found.patience = s.patience;
        return found;
    }

    // Count a step, given how many steps of its length are left. Returns whether the motion is stiff.
    HD bool counts(bool beyond, double steps_left, int enough) {
        if (beyond) {
            calm = 0;
            ++stiff;
        } else if (++calm == 6) {
            stiff = 0;
        }
        return stiff >= enough && steps_left > patience;
    }
};

// Hairer's test, from the slopes at the end and at the last stage: whether |h λ| is beyond the border of stability.
template <class R>
HD inline MaskOf<R> beyond_border(const R& slopes_apart, const R& states_apart, const R& h) {
    return (states_apart > R{}) & (h * root(slopes_apart / states_apart) > NumberOf<R>::of(6.1));
}

// The direction of a planar slip decays at the rate λ = μ N W / |c|. A step with h λ of order one is stable, but the
// error of the stiff mode keeps it short. Such slips are stiff if slopes hardly change in a step.
HD inline bool is_stiff(const Step& step, const double* last_stage, double h, bool slips, Stiffness& state) {
    double above = 0.0, below = 0.0, change = 0.0, size = 0.0;
    for (int i = 0; i < step.size; ++i) {
        above += square(step.slope(STAGES)[i] - step.slope(STAGES - 1)[i]);
        below += square(step.unprojected[i] - last_stage[i]);
    }
    const double product = slips && below > 0.0 ? h * sqrt(above / below) : 0.0;
    for (int i = 0; product > 1.0 && i < step.size; ++i) {
        change += square((step.slope(STAGES)[i] - step.k[i]) / step.natural[i]);
        size += square(step.k[i] / step.natural[i]);
    }
    if (product > 1.0 && sqrt(change) < STEADY * product * sqrt(size))
        return state.counts(true, (step.end - step.t) / h, state.slips);
    return state.counts(beyond_border(above, below, h), (step.end - step.t) / h, STIFF_STEPS);
}

// Make one accepted step, with its final slope in k[12], and with dense output if it ends after `dense_before`.
template <int SIZE, class System>
HD Status advance(System& system, Step& step, Stiffness& stiffness, double dense_before) {
    if (step.h <= 0.0) step.h = first_step(system, step);
    const double shortest = step.shortest();
    bool rejected = false;
    Status reason = UNDERFLOW_OF_STEP;
    while (true) {
        double h = smaller(step.h, step.h_max);
        const bool last = step.plan(h);
        if (!(h >= shortest) && !last) return reason;
        Status status = stages<SIZE, 1, STAGES>(system, step, h);
        auto sums_of = [&](int i) { return Sums<double>::of(step.k + i, SIZE ? SIZE : step.size); };
        const double error =
            status == DONE ? error_of<SIZE>(step.size, step.y, h, step.sizes(), step.y_new, sums_of) : INF;
        if (error < 1.0) {
            for (int i = 0; i < step.size; ++i) step.unprojected[i] = step.y_new[i], step.trial[i] = system.stage()[i];
            if (step.is_too_large()) return BLOW_UP;
            if (!system.project(step.t_new, step.y_new) || step.leapt()) status = PROJECTION_FAILED;
            bool stiff = false;
            if (status == DONE) {
                status = system.slope(step.t_new, step.y_new, false, step.slope(STAGES));
                stiff = status == DONE && is_stiff(step, step.trial, h, system.slips(), stiffness);
            }
            if (status == DONE && dense_before < step.t_new) status = prepare_dense<SIZE>(system, step, h);
            if (status == DONE) {
                const double factor = Rescaling<double>(error).growth(rejected);
                if (!last || factor < 1.0) step.h = h * factor;
                else if (step.stop < step.end) step.h = larger(step.h, h * factor);
                ++step.steps;
                return stiff ? IS_STIFF : DONE;
            }
        }
        rejected = true;
        ++step.rejected;
        reason = status != DONE ? status : UNDERFLOW_OF_STEP;
        step.h = status != DONE ? 0.25 * h : h * Rescaling<double>(error).shrinkage();
    }
}

template <class System>
HD Status step_of(System& system, Step& step, Stiffness& stiffness, double dense_before) {
    if constexpr (System::SIZE > 0) return advance<System::SIZE>(system, step, stiffness, dense_before);
    switch (step.size) {
        case 2: return advance<2>(system, step, stiffness, dense_before);
        case 4: return advance<4>(system, step, stiffness, dense_before);
        case 6: return advance<6>(system, step, stiffness, dense_before);
        case 8: return advance<8>(system, step, stiffness, dense_before);
        case 10: return advance<10>(system, step, stiffness, dense_before);
        case 12: return advance<12>(system, step, stiffness, dense_before);
        case 14: return advance<14>(system, step, stiffness, dense_before);
        case 16: return advance<16>(system, step, stiffness, dense_before);
        default: return advance<0>(system, step, stiffness, dense_before);
    }
}

}  // namespace dalembert::dop853
