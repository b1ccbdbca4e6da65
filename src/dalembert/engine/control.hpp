// How long the next step is, after an error in units of the tolerance. One rule for every stepper of that order.
#pragma once

#include "lanes.hpp"

namespace dalembert {

constexpr double SAFETY = 0.8;  // Hairer has 0.9; on chains of pendulums that costs some ten percent in rejected steps

// error^(−1/8) by three roots: the same bits on every machine.
template <class R>
HD inline R eighth_root_of_inverse(const R& error) {
    return 1.0 / root(root(root(error)));
}

// Of an accepted step of order eight.
template <class R>
HD inline R growth(const R& error, typename Number<R>::Mask rejected_before) {
    const auto number = Number<R>::of;
    const R factor = smaller(number(6.0), SAFETY * eighth_root_of_inverse<R>(larger(error, number(1e-10))));
    return select(rejected_before, smaller(factor, number(1.0)), factor);
}

// Of a rejected one.
template <class R>
HD inline R shrinkage(const R& error) {
    const auto number = Number<R>::of;
    return select(finite(error), larger(number(1.0 / 3.0), 0.9 * eighth_root_of_inverse<R>(error)), number(0.1));
}

// Whether a step of h from t ends the motion: a rest of a hundredth of a step is not left over.
template <class R>
HD inline typename Number<R>::Mask is_last(const R& t, const R& h, double end) {
    return t + 1.01 * h >= Number<R>::of(end);
}

}  // namespace dalembert
