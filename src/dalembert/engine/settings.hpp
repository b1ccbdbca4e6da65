// The caller's settings of the steps of a motion.
#pragma once

namespace dalembert {

enum Stepper : int { DOP853 = 0, GAUSS = 1, RADAU = 2, TAYLOR = 3, RK4 = 4 };

struct Settings {
    double start, end;
    double tolerance;
    double longest;   // longest step; for Gauss and RK4, the step
    double patience;  // a stiff motion with fewer explicit steps left keeps its stepper
    int stepper;
    int automatic;    // whether the stepper may change if the motion is stiff
};

}  // namespace dalembert
