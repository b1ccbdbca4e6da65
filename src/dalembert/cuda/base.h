// What the generated source stands on: the same text is CUDA (one motion to a thread) and plain C++ (tests, no GPU).
#ifdef __CUDACC__
#define FUNCTION static __device__ __forceinline__
#define FUNCTION_MEMBER __device__ __forceinline__
#define APART static __device__ __noinline__
#define TABLE __constant__ const
#define THREAD (int)(blockIdx.x * blockDim.x + threadIdx.x)
#define EACH(i, count) \
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; \
  if (i < count)
#define ENTRY extern "C" __global__
#define UNROLLED _Pragma("unroll")
#define ROLLED _Pragma("unroll 1")
#ifndef INFINITY
#define INFINITY __longlong_as_double(0x7ff0000000000000LL)
#endif
#ifndef NAN
#define NAN __longlong_as_double(0x7ff8000000000000LL)
#endif
FUNCTION double reciprocal_root(double x) { return rsqrt(x); }
FUNCTION void sine_and_cosine(double x, double &s, double &c) { sincos(x, &s, &c); }
// A first guess of twenty bits and two of Newton's steps, good to an ulp or two: half of what a division takes, which is
// exact and looks at subnormal numbers. Of zero and of infinity it is no number.
FUNCTION double reciprocal(double x) {
  double guess;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(guess) : "d"(x));
  guess = fma(guess, fma(-x, guess, 1.0), guess);
  return fma(guess, fma(-x, guess, 1.0), guess);
}
FUNCTION double quotient(double a, double b) { return a * reciprocal(b); }
// by the exponent alone: no work for the units that calculate
FUNCTION bool is_finite(double x) { return (__double2hiint(x) & 0x7ff00000) != 0x7ff00000; }
FUNCTION bool is_positive(double x) { return __double2hiint(x) > 0; }
FUNCTION bool is_above_rounding(double x, double whole) {  // x > 2⁻⁴³ |whole|
  return is_positive(x) && (__double2hiint(whole) & 0x7fffffff) - __double2hiint(x) < (43 << 20);
}
FUNCTION int claimed_next(int *counter) { return atomicAdd(counter, 1); }
#else
#include <cmath>
#include <cstdlib>
#include <cstring>
using std::abs;
#define FUNCTION static inline
#define FUNCTION_MEMBER inline
#define APART static
#define TABLE static const
#define THREAD 0
#define EACH(i, count) for (long long i = 0; i < count; i++)
#define ENTRY extern "C"
#define UNROLLED
#define ROLLED
FUNCTION double reciprocal_root(double x) { return 1.0 / std::sqrt(x); }
FUNCTION double reciprocal(double x) { return 1.0 / x; }
FUNCTION double quotient(double a, double b) { return a / b; }
FUNCTION void sine_and_cosine(double x, double &s, double &c) {
  s = std::sin(x);
  c = std::cos(x);
}
FUNCTION bool is_finite(double x) { return std::isfinite(x); }
FUNCTION bool is_positive(double x) { return x > 0.0; }
FUNCTION bool is_above_rounding(double x, double whole) { return x > std::ldexp(std::abs(whole), -43); }
FUNCTION int claimed_next(int *counter) { return (*counter)++; }
#endif

template <class T> FUNCTION T greater(T a, T b) { return b > a ? b : a; }
template <class T> FUNCTION T smaller(T a, T b) { return b < a ? b : a; }
template <class T> FUNCTION T squared(T a) { return a * a; }
FUNCTION bool is_nan(double x) { return x != x; }
template <class T> FUNCTION void clear_array(T *p, int count) {
  ROLLED for (int i = 0; i < count; i++) p[i] = 0;
}
FUNCTION double sign_of(double x) { return x > 0.0 ? 1.0 : (x < 0.0 ? -1.0 : x); }

// Memory by rows: of a length that the source knows (Fixed), or that goes with it (View).
template <class T> struct Fixed1 {
  T *p;
  FUNCTION_MEMBER T &operator[](int i) const { return p[i]; }
};
template <class T, int S> struct Fixed2 {
  T *p;
  FUNCTION_MEMBER Fixed1<T> operator[](int i) const { return {p + i * S}; }
};
template <class T, int S, int U> struct Fixed3 {
  T *p;
  FUNCTION_MEMBER Fixed2<T, U> operator[](int i) const { return {p + i * (S * U)}; }
};
template <class T> struct View1 {
  T *p;
  int n;
  FUNCTION_MEMBER T &operator[](int i) const { return p[i]; }
};
template <class T, int S> struct View2 {
  T *p;
  int n;
  FUNCTION_MEMBER Fixed1<T> operator[](int i) const { return {p + (long long)i * S}; }
};
template <class T, int S, int U> struct View3 {
  T *p;
  int n;
  FUNCTION_MEMBER Fixed2<T, U> operator[](int i) const { return {p + (long long)i * (S * U)}; }
};
