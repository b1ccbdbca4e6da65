// When Newton's method for the constraints continues, and when it has succeeded: the same for one state and for lanes.
#pragma once

#include "lanes.hpp"

namespace dalembert {

constexpr double KEPT = 1e-10;  // relative residual up to which constraints count as satisfied
constexpr int ROUNDS = 12;      // most rounds of Newton's method

// Whether to make another round: the residual is above rounding, and the last round halved it.
template <class R>
HD inline typename Number<R>::Mask is_worth_more(const R& relative, const R& before) {
    return (relative > Number<R>::of(2e-16)) & (relative < 0.5 * before);
}

}  // namespace dalembert
