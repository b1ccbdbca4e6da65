// How a motion is stepped, as the caller asks for it.
#pragma once

namespace dalembert {

enum Stepper : int { DOP853 = 0, GAUSS = 1, RADAU = 2, TAYLOR = 3, RK4 = 4 };

// The options of the caller.
struct Settings {
    double start, end;
    double tolerance;
    double longest;   // step; of Gauss's method and of rk4, the step
    double patience;  // steps that a stiff motion may need with an explicit stepper
    int stepper;
    int automatic;    // another stepper may be taken where the motion is stiff
};

}  // namespace dalembert
