// A model that is put into a library that has been compiled already. Its tables and its machine code stand in a hole of
// the library's own text, which packed.py fills.
//
// Offsets count from the beginning of the hole; 0 means that there is no such part. Machine code calls functions of C by
// jumps that stand before the hole (shells.py), so that it needs no linker.
#include <stdint.h>

#include "keep.hpp"

__asm__(
    ".pushsection .text.dalembert_hole,\"ax\",@progbits\n"
    ".balign 64\n" DALEMBERT_JUMPS
    ".globl dalembert_hole\n"
    ".hidden dalembert_hole\n"
    "dalembert_hole:\n"
    ".ascii \"" DALEMBERT_SHELL "\"\n"
    ".zero " DALEMBERT_HOLE "\n"
    ".popsection\n");

extern "C" const char dalembert_hole[] __attribute__((visibility("hidden")));

namespace dalembert {

// What the hole begins with, as packed.py writes it.
struct Packed {
    char shell[16];
    char token[48];
    double start_time, duration, tolerance;
    Counts counts;
    int holonomic_count, told_count, told_inputs;
    // machine code
    int dynamics, slopes, position, velocity, guards, laws, rates, correct_position, correct_velocity, kinks, controls, told;
    // tables
    int guard_kinds, rows, holonomic_rows, angles, contacts, frictions, switches, clocks, signals, multiplier_rows;
    int start_states, start_parameters, parameter_least, parameter_greatest;
};

inline const Packed& packed() { return *reinterpret_cast<const Packed*>(dalembert_hole); }

template <class T>
const T* table(int offset) {
    return offset ? reinterpret_cast<const T*>(dalembert_hole + offset) : nullptr;
}

inline Code code(int offset) {
    using Function = decltype(Code::function);
    return {offset ? reinterpret_cast<Function>(const_cast<char*>(dalembert_hole + offset)) : nullptr, nullptr};
}

// The model, with the name that it has where its text is compiled.
struct Inlined : Model {
    Inlined() : Model() {
        const Packed& p = packed();
        counts = p.counts, holonomic_count = p.holonomic_count;
        dynamics = code(p.dynamics), slopes = code(p.slopes), position = code(p.position), velocity = code(p.velocity);
        guards = code(p.guards), laws = code(p.laws), rates = code(p.rates), kinks = code(p.kinks);
        correct_position = code(p.correct_position), correct_velocity = code(p.correct_velocity);
        controls = code(p.controls);
        guard_kinds = table<int>(p.guard_kinds), rows = table<int>(p.rows);
        holonomic_rows = table<int>(p.holonomic_rows), angles = table<int>(p.angles);
        contacts = table<ContactLaw>(p.contacts), frictions = table<FrictionLaw>(p.frictions);
        switches = table<Switch>(p.switches), clocks = table<Clock>(p.clocks);
    }
};

struct Told {
    static const int COUNT, INPUTS;
    static Quantities quantities() {
        return {code(packed().told), COUNT, INPUTS, 1, table<int>(packed().multiplier_rows)};
    }
};
const int Told::COUNT = packed().told_count, Told::INPUTS = packed().told_inputs;
inline void values_of(const double* in, double* out) { code(packed().told)(in, out); }

static const int STATES = packed().counts.size(), SIGNALS = packed().counts.signals;
static const double START_TIME = packed().start_time, DURATION = packed().duration, TOLERANCE = packed().tolerance;
static const double* const START_STATES = table<double>(packed().start_states);
static const double* const START_PARAMETERS = table<double>(packed().start_parameters);
static const double* const PARAMETER_LEAST = table<double>(packed().parameter_least);
static const double* const PARAMETER_GREATEST = table<double>(packed().parameter_greatest);

// Pointers of a signal are offsets in the hole.
inline Signal the_signal(int i) {
    Signal found = table<Signal>(packed().signals)[i];
    found.times = table<double>(static_cast<int>(reinterpret_cast<intptr_t>(found.times)));
    found.cubics = table<double>(static_cast<int>(reinterpret_cast<intptr_t>(found.cubics)));
    return found;
}

}  // namespace dalembert

static const char* const TOKEN = dalembert::packed().token;

#include "../sentences.hpp"
#include "../given.hpp"
#include "instance.hpp"
#include "door.hpp"
