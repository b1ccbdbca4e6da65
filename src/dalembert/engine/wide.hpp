// Steps of the processor's lanes.
#pragma once

#include "lean.hpp"

// The parts of a step in lanes, compiled for several kinds of processors (lanes.cpp), and the solve of large matrices,
// `definite_by_blocks`. All kinds give the same bits.
struct LeanCode {
    void (*begin)(void*);
    void (*try_step)(void*);
    void (*interpolate)(void*);
    void (*commit)(void*);
    bool (*definite)(const void*);
};

namespace dalembert {

// A model for lanes: its programs have WIDTH numbers for every input and output.
struct WideModel {
    static constexpr bool REDUCED = false;
    static constexpr int PLACES = 0;
    static constexpr bool idle(int) { return false; }

    Counts counts;
    Code slopes_code, position_code, velocity_code;

    static void call(const Code& code, const Lanes* in, Lanes* out) {
        code(reinterpret_cast<const double*>(in), reinterpret_cast<double*>(out));
    }
    void slopes(const Lanes* in, Lanes* out) const { call(slopes_code, in, out); }
    void correct_position(const Lanes* in, Lanes* out) const { call(position_code, in, out); }
    void correct_velocity(const Lanes* in, Lanes* out) const { call(velocity_code, in, out); }
};

using WideLean = Lean<WideModel, Lanes, 0, 0>;

}  // namespace dalembert
