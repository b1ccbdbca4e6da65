"""Double pendulum and rolling disk as somebody would write them by hand: in CUDA, and in JAX.

The bicycle has JAX beside it, from the same record, but nothing by hand: its benchmark paper prints only the linear
equations, and the others were not written out here. ZhangMei's ball has neither: JAX steps all motions of a batch
together, which an impact of one of them would break, and a kernel by hand that follows its impacts was not written.
"""

# Explicit solve of the 2 × 2 system, sines with their cosines, constants folded, everything in registers.
PENDULUM = """
struct State { double a, b, va, vb; };
static __device__ __forceinline__ State slopes(const State &y) {
  const double m1 = 1.0, m2 = 0.7, l1 = 1.0, l2 = 0.6, g = 9.81;
  double s1, c1, s2, c2;
  SINCOS(y.a, s1, c1)
  SINCOS(y.b, s2, c2)
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
# The classical reduction (Routh 1905, section 244; Appell and Korteweg): no multiplier, no matrix, no projection. ω has
# parts along heading, axle and radius; ω1 = θ′, ω2 = φ′ + ψ′ sin θ, ω3 = ψ′ cos θ; with k = 1/4,
# c = 1/2 of mR² and Ω2 = ω3 tan θ
#     (1 + k) ω1′ = g/R sin θ + ω3 ((1 + c) ω2 − k Ω2),   (1 + c) ω2′ = −ω1 ω3,   k ω3′ = −ω1 (c ω2 − k Ω2)
DISK = """
struct State { double x, y, yaw, lean, roll, w1, w2, w3; };
static __device__ __forceinline__ State slopes(const State &y) {
  const double R = 0.5, g = 9.81;
  double s, c, sine, cosine;
  SINCOS(y.lean, s, c)
  SINCOS(y.yaw, sine, cosine)
  const double yaw = y.w3/c, across = yaw*s, roll = y.w2 - across, speed = R*roll;
  return {speed*cosine, speed*sine, yaw, y.w1, roll,
          (0.8*g/R)*s + y.w3*(1.2*y.w2 - 0.2*across), (-2.0/3.0)*y.w1*y.w3, y.w1*(across - 2.0*y.w2)};
}
static __device__ __forceinline__ State moved(const State &y, double h, const State &k) {
  return {y.x + h*k.x, y.y + h*k.y, y.yaw + h*k.yaw, y.lean + h*k.lean, y.roll + h*k.roll,
          y.w1 + h*k.w1, y.w2 + h*k.w2, y.w3 + h*k.w3};
}
extern "C" __global__ void by_hand(long long count, const double *states, double h, int steps, double *finals) {
  const long long i = (long long)blockIdx.x*blockDim.x + threadIdx.x;
  if (i >= count) return;
  const double *at = states + i;
  double s, c, sine, cosine;
  SINCOS(at[3*count], s, c)
  State y = {at[0], at[count], at[2*count], at[3*count], at[4*count],
             at[8*count], at[9*count] + at[7*count]*s, at[7*count]*c};
  for (int step = 0; step < steps; step++) {
    State k = slopes(y), sum = moved(y, h/6.0, k);
    k = slopes(moved(y, 0.5*h, k));
    sum = moved(sum, h/3.0, k);
    k = slopes(moved(y, 0.5*h, k));
    sum = moved(sum, h/3.0, k);
    k = slopes(moved(y, h, k));
    y = moved(sum, h/6.0, k);
  }
  SINCOS(y.lean, s, c)
  SINCOS(y.yaw, sine, cosine)
  const double yaw = y.w3/c, roll = y.w2 - yaw*s;
  const double end[10] = {y.x, y.y, y.yaw, y.lean, y.roll, 0.5*roll*cosine, 0.5*roll*sine, yaw, y.w1, roll};
  for (int j = 0; j < 10; j++) finals[j*count + i] = end[j];
}
"""
HAND = {"double-pendulum": PENDULUM, "rolling-disk": DISK}
LIBRARY = "#define SINCOS(x, s, c) sincos(x, &s, &c);\n"
OURS = "#define SINCOS(x, s, c) sine_and_cosine(x, s, c);\n"  # with trig.h of the generated source before it

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
