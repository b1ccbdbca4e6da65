// When Newton's method for the constraints goes on, and when it has kept them: the same for one state and for lanes.
#pragma once

#include "lanes.hpp"

namespace dalembert {

constexpr double KEPT = 1e-10;  // relative residual up to which constraints count as kept
constexpr int ROUNDS = 12;      // of Newton's method at most

// Whether to make another round: the residual is above rounding, and the last round halved it.
template <class R>
HD inline typename Number<R>::Mask is_worth_more(const R& relative, const R& before) {
    return (relative > Number<R>::of(2e-16)) & (relative < 0.5 * before);
}

}  // namespace dalembert
