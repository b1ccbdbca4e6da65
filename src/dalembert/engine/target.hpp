// Everything that differs between targets (the host's compilers, NVRTC, wasm32) is in this file.
#pragma once

#if defined(__CUDACC_RTC__) || defined(__CUDACC__)
#define HD __device__
#define TABLE static __device__ constexpr
#define UNROLL _Pragma("unroll")  // so that arrays are in registers
#define FLATTENED
#define ROLLED _Pragma("unroll 1")
#define NO_VECTOR_ACROSS
#define APART __noinline__  // one copy, for functions outside the innermost loop
#define INF (__longlong_as_double(0x7ff0000000000000LL))
#define NOT_A_NUMBER (__longlong_as_double(0x7ff8000000000000LL))
#define NEXT_OF(counter) static_cast<long long>(atomicAdd(reinterpret_cast<unsigned long long*>(counter), 1ULL))
// kernels over many motions: one for each thread of a GPU, in a loop on the processor
#define KERNEL extern "C" __global__ void
#define THREAD (static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x)
#define EACH(i, count)          \
    const long long i = THREAD; \
    if (i < (count))
#else
#include <math.h>
#define HD
#define TABLE static constexpr
#define UNROLL
#define FLATTENED _Pragma("GCC unroll 8")  // for loops of up to eight turns over arrays that should be in registers
#define ROLLED
#define NO_VECTOR_ACROSS asm volatile("" ::: "memory")  // a processor reads a vector late if it was stored in parts
#define APART
#define INF (__builtin_inf())
#define NOT_A_NUMBER (__builtin_nan(""))
#define NEXT_OF(counter) __atomic_fetch_add(counter, 1LL, __ATOMIC_RELAXED)
#if defined(_WIN32)
#define DOOR extern "C" __declspec(dllexport)  // a function of the C interface
#else
#define DOOR extern "C" __attribute__((visibility("default")))
#endif
#define KERNEL DOOR void
#define THREAD 0LL
#define EACH(i, count) for (long long i = 0; i < (count); ++i)
#endif

namespace dalembert {

constexpr double EPSILON = 2.220446049250313e-16;

HD inline double larger(double a, double b) { return b > a ? b : a; }
HD inline double smaller(double a, double b) { return b < a ? b : a; }
HD inline int larger(int a, int b) { return b > a ? b : a; }
HD inline int smaller(int a, int b) { return b < a ? b : a; }
HD inline double size_of(double a) { return fabs(a); }
HD inline double square(double a) { return a * a; }
#if defined(__CUDACC__)
// By the exponent alone, which needs no floating-point unit.
HD inline bool finite(double a) { return (__double2hiint(a) & 0x7ff00000) != 0x7ff00000; }
// A guess of twenty bits and two Newton steps give an error of one or two ulps in half the time of a division, which
// also handles subnormal numbers. The result for zero and for infinity is NaN.
HD inline double inverse(double a) {
    double guess;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(guess) : "d"(a));
    guess = fma(guess, fma(-a, guess, 1.0), guess);
    return fma(guess, fma(-a, guess, 1.0), guess);
}
HD inline double quotient(double a, double b) { return a * inverse(b); }
HD inline long long bits_of(double a) { return __double_as_longlong(a); }
HD inline double of_bits(long long bits) { return __longlong_as_double(bits); }
#else
inline bool finite(double a) { return fabs(a) < INF; }  // false for NaN
inline double inverse(double a) { return 1.0 / a; }
inline double quotient(double a, double b) { return a / b; }
inline long long bits_of(double a) {
    long long bits;
    __builtin_memcpy(&bits, &a, sizeof bits);
    return bits;
}
inline double of_bits(long long bits) {
    double a;
    __builtin_memcpy(&a, &bits, sizeof a);
    return a;
}
#endif

// The next number of a counter that threads share. No number is given twice.
HD inline long long next_of(long long* counter) { return NEXT_OF(counter); }

HD inline void swap(double& a, double& b) { const double c = a; a = b; b = c; }
HD inline void swap(int& a, int& b) { const int c = a; a = b; b = c; }

}  // namespace dalembert
