// How long the next step is, after an error in units of the tolerance. One rule for every stepper of that order.
#pragma once

#include "lanes.hpp"

namespace dalembert {

constexpr double SAFETY = 0.8;  // Hairer has 0.9; on chains of pendulums that costs some ten percent in rejected steps

// error^(−1/8) by three roots: the same bits on every machine.
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

    // Of an accepted step.
    HD R growth(typename Number<R>::Mask rejected_before) const {
        const R most = smaller(Number<R>::of(6.0), SAFETY * factor);
        return select(rejected_before, smaller(most, Number<R>::of(1.0)), most);
    }

    // Of a rejected one, whose error is at least one.
    HD R shrinkage() const {
        return select(finite(error), larger(Number<R>::of(1.0 / 3.0), 0.9 * factor), Number<R>::of(0.1));
    }
};

// Whether a step of h from t ends the motion: a rest of a hundredth of a step is not left over.
template <class R>
HD inline typename Number<R>::Mask is_last(const R& t, const R& h, double end) {
    return t + 1.01 * h >= Number<R>::of(end);
}

}  // namespace dalembert
