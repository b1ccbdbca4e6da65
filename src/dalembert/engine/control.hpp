// The length of the next step, from an error in units of the tolerance, and when Newton's method for the constraints
// continues: the same for one state and for lanes.
#pragma once

#include "lanes.hpp"

namespace dalembert {

constexpr double SAFETY = 0.8;  // Hairer takes 0.9, which costs ten percent more rejected steps on chains of pendulums

// error^(−1/8) by three square roots, which give the same bits on every machine.
template <class R>
HD inline R eighth_root_of_inverse(const R& error) {
    return inverse(root(root(root(error))));
}

// The factor by which a step is lengthened or shortened, for all steppers of order eight.
template <class R>
struct Rescaling {
    R error, factor;  // error^(−1/8)

    HD explicit Rescaling(const R& found)
        : error(found), factor(eighth_root_of_inverse<R>(larger(found, NumberOf<R>::of(1e-10)))) {}

    // After an accepted step.
    HD R growth(typename NumberOf<R>::Mask rejected_before) const {
        const R most = smaller(NumberOf<R>::of(6.0), SAFETY * factor);
        return select(rejected_before, smaller(most, NumberOf<R>::of(1.0)), most);
    }

    // After a rejected step, whose error is at least one.
    HD R shrinkage() const {
        return select(finite(error), larger(NumberOf<R>::of(1.0 / 3.0), 0.9 * factor), NumberOf<R>::of(0.1));
    }
};

// Whether a step of length h from t ends the motion. A remainder of a hundredth of a step is included.
template <class R>
HD inline typename NumberOf<R>::Mask is_last(const R& t, const R& h, double end) {
    return t + 1.01 * h >= NumberOf<R>::of(end);
}

constexpr double KEPT = 1e-10;  // relative residual up to which constraints count as satisfied
constexpr int ROUNDS = 12;      // most rounds of Newton's method

// Whether to make another round: the residual is above rounding, and the last round halved it.
template <class R>
HD inline typename NumberOf<R>::Mask is_worth_more(const R& relative, const R& before) {
    return (relative > NumberOf<R>::of(2e-16)) & (relative < 0.5 * before);
}

}  // namespace dalembert
