// How long the next step is, after an error in units of the tolerance. One rule for every stepper of that order.
#pragma once

#include "target.hpp"

namespace dalembert {

constexpr double SAFETY = 0.8;  // Hairer has 0.9; on chains of pendulums that costs some ten percent in rejected steps

// error^(−1/8) by three roots: the same bits on every machine.
HD inline double eighth_root_of_inverse(double error) { return 1.0 / sqrt(sqrt(sqrt(error))); }

// Of an accepted step of order eight.
HD inline double growth(double error, bool rejected_before) {
    const double factor = smaller(6.0, SAFETY * eighth_root_of_inverse(larger(error, 1e-10)));
    return rejected_before ? smaller(factor, 1.0) : factor;
}

// Of a rejected one.
HD inline double shrinkage(double error) {
    return finite(error) ? larger(1.0 / 3.0, 0.9 * eighth_root_of_inverse(error)) : 0.1;
}

// Whether a step of h from t ends the motion: a rest of a hundredth of a step is not left over.
HD inline bool is_last(double t, double h, double end) { return t + 1.01 * h >= end; }

}  // namespace dalembert
