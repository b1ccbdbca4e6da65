// A model that is put into a library that has been compiled already. Its tables and its machine code stand in a hole of
// the library's own text, which packed.py fills.
//
// Offsets count from the beginning of the hole; 0 means that there is no such part. Machine code calls functions of C by
// jumps that stand before the hole (shells.py), so that it needs no linker. The same machine code serves all systems of
// a processor: on Windows with x86-64, too, it has the calling convention of the others.
#include <math.h>
#include <stdint.h>

#include "keep.hpp"

#if defined(__APPLE__)
#define HOLE_BEGIN ".section __TEXT,__text\n"
#define HOLE_NAME "_dalembert_hole"
#define HOLE_HIDDEN ".private_extern _dalembert_hole\n"
#define HOLE_END ".text\n"
#elif defined(_WIN32)
#define HOLE_BEGIN ".text\n"
#define HOLE_NAME "dalembert_hole"
#define HOLE_HIDDEN ""
#define HOLE_END ".text\n"
#else
#define HOLE_BEGIN ".pushsection .text.dalembert_hole,\"ax\",%progbits\n"
#define HOLE_NAME "dalembert_hole"
#define HOLE_HIDDEN ".hidden dalembert_hole\n"
#define HOLE_END ".popsection\n"
#endif

#if defined(_WIN32) && defined(__x86_64__)
#define CONVENTION __attribute__((sysv_abi))
#define ONE(name) extern "C" CONVENTION __attribute__((used)) double dalembert_##name(double x) { return name(x); }
#define TWO(name) extern "C" CONVENTION __attribute__((used)) double dalembert_##name(double x, double y) { return name(x, y); }
ONE(sin) ONE(cos) ONE(tan) ONE(asin) ONE(acos) ONE(atan) ONE(sinh) ONE(cosh) ONE(tanh) ONE(asinh) ONE(acosh) ONE(atanh)
ONE(exp) ONE(log) ONE(floor) TWO(atan2) TWO(pow)
#undef ONE
#undef TWO
#else
#define CONVENTION
#endif

__asm__(
    HOLE_BEGIN
    ".p2align 12\n"  // the hole begins with a page: addresses of arm64 count pages
    ".space " DALEMBERT_BEFORE "\n" DALEMBERT_JUMPS
    ".globl " HOLE_NAME "\n" HOLE_HIDDEN HOLE_NAME ":\n"
    ".ascii \"" DALEMBERT_SHELL "\"\n"
    ".space " DALEMBERT_HOLE "\n" HOLE_END);

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

// The machine code of one kind.
template <int Packed::*place>
Code code() {
    using Function = CONVENTION void (*)(double* out, const double* in, void* data);
    struct Native {
        static void call(double* out, const double* in, void* data) {
            reinterpret_cast<Function>(const_cast<char*>(dalembert_hole + packed().*place))(out, in, data);
        }
    };
    return {packed().*place ? Native::call : nullptr, nullptr};
}

// The model, with the name that it has where its text is compiled.
struct Inlined : Model {
    Inlined() : Model() {
        const Packed& p = packed();
        counts = p.counts, holonomic_count = p.holonomic_count;
        dynamics = code<&Packed::dynamics>(), slopes = code<&Packed::slopes>(), position = code<&Packed::position>(), velocity = code<&Packed::velocity>();
        guards = code<&Packed::guards>(), laws = code<&Packed::laws>(), rates = code<&Packed::rates>(), kinks = code<&Packed::kinks>();
        correct_position = code<&Packed::correct_position>(), correct_velocity = code<&Packed::correct_velocity>();
        controls = code<&Packed::controls>();
        guard_kinds = table<int>(p.guard_kinds), rows = table<int>(p.rows);
        holonomic_rows = table<int>(p.holonomic_rows), angles = table<int>(p.angles);
        contacts = table<ContactLaw>(p.contacts), frictions = table<FrictionLaw>(p.frictions);
        switches = table<Switch>(p.switches), clocks = table<Clock>(p.clocks);
    }
};

struct Told {
    static const int COUNT, INPUTS;
    static Quantities quantities() {
        return {code<&Packed::told>(), COUNT, INPUTS, 1, table<int>(packed().multiplier_rows)};
    }
};
const int Told::COUNT = packed().told_count, Told::INPUTS = packed().told_inputs;
inline void values_of(const double* in, double* out) { code<&Packed::told>()(in, out); }

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
