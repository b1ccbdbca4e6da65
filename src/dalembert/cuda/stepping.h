// What every loop over steps of DOP853 needs; MODE has the slopes.
FUNCTION double eighth_root(double x) { return sqrt(sqrt(sqrt(x))); }

template <class MODE, int COUNT>
FUNCTION double first_step(
    const double t, const double (&y)[COUNT], const double (&slope)[COUNT], const Parameters &p,
    const double (&largest)[COUNT], const double end, const double tolerance, const double longest, Ranks &ranks,
    int &evaluations) {
  double stage[COUNT], other[COUNT];
  double y_size = 0.0, f_size = 0.0, change = 0.0;
  UNROLLED
  for (int i = 0; i < COUNT; i++) {
    const double scale = tolerance * greater(largest[i], FLOOR);
    y_size += squared(y[i] / scale);
    f_size += squared(slope[i] / scale);
  }
  double h = f_size <= 1e-10 || y_size <= 1e-10 ? 1e-6 : 0.01 * sqrt(y_size / f_size);
  h = smaller(smaller(h, end - t), longest);
  UNROLLED
  for (int i = 0; i < COUNT; i++) stage[i] = y[i] + h * slope[i];
  evaluations++;
  if (MODE::evaluate(t + h, stage, p, true, other, ranks) != DONE) return 0.01 * h;
  UNROLLED
  for (int i = 0; i < COUNT; i++) change += squared((other[i] - slope[i]) / (tolerance * greater(largest[i], FLOOR)));
  const double steepest = greater(sqrt(change) / h, sqrt(f_size)) / sqrt((double)COUNT);
  const double guess = steepest <= 1e-15 ? greater(1e-6, h * 1e-3) : eighth_root(0.01 / steepest);
  return smaller(smaller(smaller(100.0 * h, guess), end - t), longest);
}

FUNCTION void keep_half(const Vector &slope, Half &k) {
  UNROLLED
  for (int i = 0; i < HALF; i++) k[i] = slope[HALF + i];
}

FUNCTION void add_error(
    const double largest, const double fresh, const double five, const double three, const double tolerance,
    double &fifth, double &third) {
  const double scale = 1.0 / (tolerance * greater(greater(largest, fabs(fresh)), FLOOR));
  fifth += squared(five * scale);
  third += squared(three * scale);
}
