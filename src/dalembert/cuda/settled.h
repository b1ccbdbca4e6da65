// Coordinates and independent speeds put back onto the constraints.
#if HOLONOMIC
FUNCTION bool settled(const double t, Reduced &y, const Parameters &p) {
  Vector full;
  double residual = 0.0, rate = 0.0;
  Ranks ranks = {RANK_OF_A, RANK_OF_A, -1, -1, 0};
  reduced_end(t, y, p, full);
  const bool good = project(t, full, p, ranks, residual, rate);
  reduced_start(t, full, p, y);
  return good;
}
#endif
