// Slopes of a smooth motion with its state in registers, or those of the default engine where its pivots do not do.
EVALUATION int evaluate(
    const double t, const Vector &y, const Parameters &p, const bool fixed, Vector &out, Ranks &ranks) {
#if REDUNDANT
  const bool good = fixed ? slopes<false>(t, y, p, out) : slopes<true>(t, y, p, out);
#else
  const bool good = slopes<false>(t, y, p, out);
#endif
  if (good) {
    if (!fixed) ranks.a = ranks.r = RANK_OF_A;
    return DONE;
  }
#if RESCUED
  double state[SIZE], numbers[PARAMETERS + 1], slope[SIZE];  // copies: what is pointed to cannot stay in registers
  Ranks known = ranks;
  for (int i = 0; i < SIZE; i++) state[i] = y[i];
  for (int i = 0; i < PARAMETERS; i++) numbers[i] = p[i];
  const int status = rescued_slopes(t, state, numbers, fixed, slope, &known);
  for (int i = 0; i < SIZE; i++) out[i] = slope[i];
  ranks = known;
  return status;
#else
  return LEFT;
#endif
}
struct Smooth {
  static FUNCTION_MEMBER int evaluate(
      const double t, const Vector &y, const Parameters &p, const bool fixed, Vector &out, Ranks &ranks) {
    return ::evaluate(t, y, p, fixed, out, ranks);
  }
};
