// A number: one double, or a vector with one double for every lane.
//
// The code of a step is written once over such a number. Every lane is computed and rounded separately, so a motion has
// the same bits alone and in any lane. A comparison gives a mask: bool, or all bits of a lane.
#pragma once

#include "memory.hpp"

namespace dalembert {

HD inline double root(double a) { return sqrt(a); }
HD inline double select(bool condition, double a, double b) { return condition ? a : b; }
HD inline bool any(bool mask) { return mask; }
HD inline bool opposite(bool mask) { return !mask; }
HD inline bool is_on(bool mask, int) { return mask; }
HD inline void put(bool& mask, int, bool value) { mask = value; }

template <class R>
struct NumberOf;

template <>
struct NumberOf<double> {
    static constexpr int WIDTH = 1;
    using Mask = bool;
    HD static double of(double a) { return a; }
};

#if !defined(__CUDACC__)

constexpr int WIDTH = 8;  // the same as in `programs`
typedef double Lanes __attribute__((vector_size(8 * WIDTH)));
typedef long long LaneMask __attribute__((vector_size(8 * WIDTH)));

inline Lanes root(const Lanes& a) {
    Lanes found;
    for (int i = 0; i < WIDTH; ++i) found[i] = __builtin_sqrt(a[i]);
    return found;
}

inline Lanes select(const LaneMask& mask, const Lanes& a, const Lanes& b) {
    const LaneMask bits = ((LaneMask)a & mask) | ((LaneMask)b & ~mask);
    return (Lanes)bits;
}

inline Lanes larger(const Lanes& a, const Lanes& b) { return b > a ? b : a; }
inline Lanes smaller(const Lanes& a, const Lanes& b) { return b < a ? b : a; }
inline Lanes size_of(const Lanes& a) { return (Lanes)((LaneMask)a & 0x7fffffffffffffffLL); }
inline Lanes square(const Lanes& a) { return a * a; }
inline Lanes inverse(const Lanes& a) { return 1.0 / a; }
inline LaneMask finite(const Lanes& a) { return size_of(a) < (Lanes{} + INF); }
inline LaneMask opposite(const LaneMask& mask) { return ~mask; }
inline bool is_on(const LaneMask& mask, int lane) { return mask[lane] != 0; }
inline void put(LaneMask& mask, int lane, bool value) { mask[lane] = value ? -1 : 0; }

inline bool any(const LaneMask& mask) {
    long long bits = 0;
    for (int i = 0; i < WIDTH; ++i) bits |= mask[i];
    return bits != 0;
}

template <>
struct NumberOf<Lanes> {
    static constexpr int WIDTH = dalembert::WIDTH;
    using Mask = LaneMask;
    static Lanes of(double a) { return Lanes{} + a; }
};

inline void put(Lanes& a, int lane, double value) { a[lane] = value; }

#endif

HD inline void put(double& a, int, double value) { a = value; }

// An array of COUNT numbers in place, or in a block if COUNT is 0.
template <class R, int COUNT>
struct Array {
    R at[COUNT];

    HD static Array in(Block&, long) { return {}; }
    HD R& operator[](int i) { return at[i]; }
    HD const R& operator[](int i) const { return at[i]; }
};

template <class R>
struct Array<R, 0> {
    R* at;

    HD static Array in(Block& block, long count) { return {block.take<R>(count)}; }
    HD R& operator[](int i) { return at[i]; }
    HD const R& operator[](int i) const { return at[i]; }
};

}  // namespace dalembert
