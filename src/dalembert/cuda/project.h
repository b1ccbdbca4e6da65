// Projection onto the constraints: steps of Newton's method written out, then the default engine's where those do not do.
#if CONSTRAINED
PROJECTION bool project(const double t, Vector &y, const Parameters &p, Ranks &ranks, double &residual, double &rate) {
  double before = INFINITY, worst = 0.0, scale = 0.0, level[2] = {0.0, 0.0};
  int state = SETTLED;
  bool good = true;
#if HOLONOMIC
  ROLLED
  for (int turn = 0; turn < 13; turn++) {
    state = settle_positions(t, y, p, before, worst, scale);
    if (state != AGAIN) break;
    before = worst;
  }
  good = state == SETTLED && worst <= 1e-10 * greater(scale, 1.0);
  level[0] = worst;
#endif
  before = INFINITY;
  if (good) {
    ROLLED
    for (int turn = 0; turn < 13; turn++) {
      state = settle_speeds(t, y, p, before, worst, scale);
      if (state != AGAIN) break;
      before = worst;
    }
    good = state == SETTLED && worst <= 1e-10 * greater(scale, 1.0);
    level[1] = worst;
  }
#if RESCUED
  if (!good) {
    double copy[SIZE], numbers[PARAMETERS + 1], left[2];
    Ranks known = ranks;
    for (int i = 0; i < SIZE; i++) copy[i] = y[i];
    for (int i = 0; i < PARAMETERS; i++) numbers[i] = p[i];
    good = rescued_projection(t, copy, numbers, left, &known);
    for (int i = 0; i < SIZE; i++) y[i] = copy[i];
    ranks = known;
    level[0] = left[0];
    level[1] = left[1];
  }
#endif
  residual = greater(residual, level[0]);
  rate = greater(rate, level[1]);
  return good;
}
#else
FUNCTION bool project(const double, Vector &, const Parameters &, Ranks &, double &, double &) { return true; }
#endif
