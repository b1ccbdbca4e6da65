// The length of the next step, from an error in units of the tolerance. All steppers of this order use the same rule.
#pragma once

#include "lanes.hpp"

namespace dalembert {

constexpr double SAFETY = 0.8;  // Hairer takes 0.9, which costs ten percent more rejected steps on chains of pendulums

// error^(−1/8) by three square roots, which give the same bits on every machine.
template <class R>
HD inline R eighth_root_of_inverse(const R& error) {
    return inverse(root(root(root(error))));
}

// The factor by which a step of order eight is lengthened or shortened.
template <class R>
struct Rescaling {
    R error, factor;  // error^(−1/8)

    HD explicit Rescaling(const R& found)
        : error(found), factor(eighth_root_of_inverse<R>(larger(found, Number<R>::of(1e-10)))) {}

    // After an accepted step.
    HD R growth(typename Number<R>::Mask rejected_before) const {
        const R most = smaller(Number<R>::of(6.0), SAFETY * factor);
        return select(rejected_before, smaller(most, Number<R>::of(1.0)), most);
    }

    // After a rejected step, whose error is at least one.
    HD R shrinkage() const {
        return select(finite(error), larger(Number<R>::of(1.0 / 3.0), 0.9 * factor), Number<R>::of(0.1));
    }
};

// Whether a step of length h from t ends the motion. A remainder of a hundredth of a step is included.
template <class R>
HD inline typename Number<R>::Mask is_last(const R& t, const R& h, double end) {
    return t + 1.01 * h >= Number<R>::of(end);
}

}  // namespace dalembert
