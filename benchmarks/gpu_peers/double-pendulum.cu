// Explicit solve of the 2 × 2 system, sines with their cosines, constants folded, everything in registers.
#define N 4   // θ1, θ2, θ1′, θ2′
#define ALL 4
DEVICE void slopes(const double (&y)[N], double (&k)[N]) {
  const double m1 = 1.0, m2 = 0.7, l1 = 1.0, l2 = 0.6, g = 9.81;
  double s1, c1, s2, c2;
  SINCOS(y[0], s1, c1)
  SINCOS(y[1], s2, c2)
  const double sine = s1*c2 - c1*s2, cosine = c1*c2 + s1*s2;
  const double m11 = (m1 + m2)*l1*l1, m22 = m2*l2*l2, m12 = m2*l1*l2*cosine, c = m2*l1*l2*sine;
  const double r1 = -c*y[3]*y[3] - (m1 + m2)*g*l1*s1, r2 = c*y[2]*y[2] - m2*g*l2*s2;
  const double inverse = 1.0/(m11*m22 - m12*m12);
  k[0] = y[2];
  k[1] = y[3];
  k[2] = (m22*r1 - m12*r2)*inverse;
  k[3] = (m11*r2 - m12*r1)*inverse;
}
DEVICE void begin(const double (&given)[ALL], double (&y)[N]) {
  for (int i = 0; i < N; i++) y[i] = given[i];
}
DEVICE void finish(const double (&y)[N], double (&found)[ALL]) {
  for (int i = 0; i < N; i++) found[i] = y[i];
}
DEVICE void settle(double (&)[N]) {}
