// The classical reduction (Routh 1905, section 244; Appell and Korteweg): no multiplier, no matrix, no projection. ω has
// parts along heading, axle and radius; ω1 = θ′, ω2 = φ′ + ψ′ sin θ, ω3 = ψ′ cos θ; with k = 1/4,
// c = 1/2 of mR² and Ω2 = ω3 tan θ
//     (1 + k) ω1′ = g/R sin θ + ω3 ((1 + c) ω2 − k Ω2),   (1 + c) ω2′ = −ω1 ω3,   k ω3′ = −ω1 (c ω2 − k Ω2)
#define N 8   // x, y, yaw ψ, lean θ, roll φ, ω1, ω2, ω3
#define ALL 10
#define RADIUS 0.5
DEVICE void slopes(const double (&y)[N], double (&k)[N]) {
  const double g = 9.81;
  double s, c, sine, cosine;
  SINCOS(y[3], s, c)
  SINCOS(y[2], sine, cosine)
  const double yaw = y[7]/c, across = yaw*s, roll = y[6] - across, speed = RADIUS*roll;
  k[0] = speed*cosine;
  k[1] = speed*sine;
  k[2] = yaw;
  k[3] = y[5];
  k[4] = roll;
  k[5] = (0.8*g/RADIUS)*s + y[7]*(1.2*y[6] - 0.2*across);
  k[6] = (-2.0/3.0)*y[5]*y[7];
  k[7] = y[5]*(across - 2.0*y[6]);
}
DEVICE void begin(const double (&given)[ALL], double (&y)[N]) {
  double s, c;
  SINCOS(given[3], s, c)
  for (int i = 0; i < 5; i++) y[i] = given[i];
  y[5] = given[8];
  y[6] = given[9] + given[7]*s;
  y[7] = given[7]*c;
}
DEVICE void finish(const double (&y)[N], double (&found)[ALL]) {
  double k[N];
  slopes(y, k);
  for (int i = 0; i < 5; i++) {
    found[i] = y[i];
    found[5 + i] = k[i];
  }
}
DEVICE void settle(double (&)[N]) {}
