// Sine and cosine together: Cody and Waite's reduction by three parts of π/2, then the polynomials of fdlibm (Sun
// Microsystems, 1993: k_sin.c, k_cos.c). Good to an ulp or two for |x| < 10⁵; beyond, the library's.
FUNCTION int low_word(double x) {
#ifdef __CUDACC__
  return __double2loint(x);
#else
  long long bits;
  std::memcpy(&bits, &x, sizeof bits);
  return (int)bits;
#endif
}

FUNCTION void near_sine_and_cosine(double x, double &s, double &c) {
  const double shift = 6755399441055744.0;  // 1.5 · 2⁵²: its last bits are the nearest whole number
  const double shifted = fma(x, 0.63661977236758138, shift);
  const int quarter = low_word(shifted);
  const double k = shifted - shift;
  double r = fma(k, -1.5707963267948966, x);
  r = fma(k, -6.123233995736766e-17, r);
  r = fma(k, 1.4973849048591698e-33, r);
  const double z = r * r;
  double p = fma(z, 1.58969099521155010221e-10, -2.50507602534068634195e-08);
  p = fma(z, p, 2.75573137070700676789e-06);
  p = fma(z, p, -1.98412698298579493134e-04);
  p = fma(z, p, 8.33333333332248946124e-03);
  p = fma(z, p, -1.66666666666666324348e-01);
  const double sine = fma(r * z, p, r);
  double q = fma(z, -1.13596475577881948265e-11, 2.08757232129817482790e-09);
  q = fma(z, q, -2.75573143513906633035e-07);
  q = fma(z, q, 2.48015872894767294178e-05);
  q = fma(z, q, -1.38888888888741095749e-03);
  q = fma(z, q, 4.16666666666666019037e-02);
  q = fma(z, q, -0.5);
  const double cosine = fma(z, q, 1.0);
  const double first = quarter & 1 ? cosine : sine, second = quarter & 1 ? sine : cosine;
  s = quarter & 2 ? -first : first;
  c = (quarter + 1) & 2 ? -second : second;
}

#ifdef __CUDACC__
APART void far_sine_and_cosine(double x, double *s, double *c) { sincos(x, s, c); }
FUNCTION void sine_and_cosine(double x, double &s, double &c) {
  if (fabs(x) < 1e5) {
    near_sine_and_cosine(x, s, c);
  } else {
    double far_s, far_c;
    far_sine_and_cosine(x, &far_s, &far_c);
    s = far_s;
    c = far_c;
  }
}
#else
FUNCTION void sine_and_cosine(double x, double &s, double &c) {
  s = std::sin(x);
  c = std::cos(x);
}
#endif
