"""The double pendulum as somebody would write it by hand: in CUDA, and in JAX."""

# Explicit solve of the 2 × 2 system, sines with their cosines, constants folded, everything in registers.
CUDA = """
struct State { double a, b, va, vb; };
static __device__ __forceinline__ State slopes(const State &y) {
  const double m1 = 1.0, m2 = 0.7, l1 = 1.0, l2 = 0.6, g = 9.81;
  double s1, c1, s2, c2;
  SINCOS
  const double sine = s1*c2 - c1*s2, cosine = c1*c2 + s1*s2;
  const double m11 = (m1 + m2)*l1*l1, m22 = m2*l2*l2, m12 = m2*l1*l2*cosine, k = m2*l1*l2*sine;
  const double r1 = -k*y.vb*y.vb - (m1 + m2)*g*l1*s1, r2 = k*y.va*y.va - m2*g*l2*s2;
  const double inverse = 1.0/(m11*m22 - m12*m12);
  return {y.va, y.vb, (m22*r1 - m12*r2)*inverse, (m11*r2 - m12*r1)*inverse};
}
static __device__ __forceinline__ State moved(const State &y, double h, const State &k) {
  return {y.a + h*k.a, y.b + h*k.b, y.va + h*k.va, y.vb + h*k.vb};
}
extern "C" __global__ void by_hand(long long count, const double *states, double h, int steps, double *finals) {
  const long long i = (long long)blockIdx.x*blockDim.x + threadIdx.x;
  if (i >= count) return;
  State y = {states[i], states[count + i], states[2*count + i], states[3*count + i]};
  for (int step = 0; step < steps; step++) {
    const State k1 = slopes(y), k2 = slopes(moved(y, 0.5*h, k1)), k3 = slopes(moved(y, 0.5*h, k2));
    const State k4 = slopes(moved(y, h, k3));
    y.a += h/6.0*(k1.a + 2.0*(k2.a + k3.a) + k4.a);
    y.b += h/6.0*(k1.b + 2.0*(k2.b + k3.b) + k4.b);
    y.va += h/6.0*(k1.va + 2.0*(k2.va + k3.va) + k4.va);
    y.vb += h/6.0*(k1.vb + 2.0*(k2.vb + k3.vb) + k4.vb);
  }
  finals[i] = y.a;
  finals[count + i] = y.b;
  finals[2*count + i] = y.va;
  finals[3*count + i] = y.vb;
}
"""
LIBRARY = "sincos(y.a, &s1, &c1); sincos(y.b, &s2, &c2);"
OURS = "sine_and_cosine(y.a, s1, c1); sine_and_cosine(y.b, s2, c2);"  # with trig.h of the generated source before it

JAX_PENDULUM = """
def slopes(t, y):
    m1, m2, l1, l2, g = 1.0, 0.7, 1.0, 0.6, 9.81
    a, b, va, vb = y
    m11, m22, m12 = (m1 + m2)*l1*l1, m2*l2*l2, m2*l1*l2*jnp.cos(a - b)
    k = m2*l1*l2*jnp.sin(a - b)
    r1, r2 = -k*vb*vb - (m1 + m2)*g*l1*jnp.sin(a), k*va*va - m2*g*l2*jnp.sin(b)
    det = m11*m22 - m12*m12
    return jnp.stack([va, vb, (m22*r1 - m12*r2)/det, (m11*r2 - m12*r1)/det])
"""
JAX_RK4 = """
def step(i, y, h):
    t = i*h
    k1 = slopes(t, y)
    k2 = slopes(t + 0.5*h, y + 0.5*h*k1)
    k3 = slopes(t + 0.5*h, y + 0.5*h*k2)
    k4 = slopes(t + h, y + h*k3)
    return y + h/6.0*(k1 + 2.0*(k2 + k3) + k4)
"""
