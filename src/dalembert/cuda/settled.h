// Coordinates put back onto their constraints, as `project` does it first; independent speeds meet theirs wherever they are.
#if HOLONOMIC
#define BETWEEN 16  // steps from one projection to the next

PROJECTION bool placed(const double t, Vector &y, const Parameters &p) {
  double before = INFINITY, worst = 0.0, scale = 0.0;
  int state = SETTLED;
  ROLLED
  for (int turn = 0; turn < 13; turn++) {
    state = settle_positions(t, y, p, before, worst, scale);
    if (state != AGAIN) break;
    before = worst;
  }
  return state == SETTLED && worst <= 1e-10 * greater(scale, 1.0);
}

FUNCTION bool settled(const double t, Reduced &y, const Parameters &p) {
  Vector full;
  UNROLLED
  for (int i = 0; i < HALF; i++) {
    full[i] = y[i];
    full[HALF + i] = 0.0;
  }
  const bool good = placed(t, full, p);
  UNROLLED
  for (int i = 0; i < HALF; i++) y[i] = full[i];
  return good;
}
#endif
