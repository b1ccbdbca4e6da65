// Runge and Kutta's fourth order for coordinates and independent speeds: the constraints of speeds hold whatever those are,
// those of coordinates to the error of the steps, which is taken away after every few of them.
FUNCTION void along(const Reduced &y, const double h, const Reduced &slope, Reduced &out) {
  UNROLLED
  for (int i = 0; i < STEPPED; i++) out[i] = y[i] + h * slope[i];
}

ENTRY void fixed_steps(
    int count, const double *parameters, const double *states, double start, double step, int steps,
    double *finals, double *reached, int *books) {
  EACH(motion, count) {
    Vector given;
    Reduced y, sum, slope, stage;
    Parameters p;
    take_motion(count, motion, states, parameters, given, p);
    Ranks ranks = {RANK_OF_A, RANK_OF_A, -1, -1, 0};
    double residual = 0.0, rate = 0.0;
    bool good = project(start, given, p, ranks, residual, rate);
    reduced_start(start, given, p, y);
    const double half = 0.5 * step, third = step / 3.0, sixth = step / 6.0;
    int made = 0;
    ROLLED
    for (; made < steps && good; made++) {
      const double t = start + made * step;
#if LARGE
      UNROLLED
      for (int i = 0; i < STEPPED; i++) sum[i] = stage[i] = y[i];
      ROLLED
      for (int s = 0; s < 4; s++) {  // one copy of the slopes: a processor's instructions have a cache as well
        good &= reduced_slopes(t + (s == 0 ? 0.0 : s == 3 ? step : half), stage, p, slope);
        along(sum, s == 0 || s == 3 ? sixth : third, slope, sum);
        along(y, s < 2 ? half : step, slope, stage);
      }
      UNROLLED
      for (int i = 0; i < STEPPED; i++) y[i] = sum[i];
#else
      good &= reduced_slopes(t, y, p, slope);
      along(y, sixth, slope, sum);
      along(y, half, slope, stage);
      good &= reduced_slopes(t + half, stage, p, slope);
      along(sum, third, slope, sum);
      along(y, half, slope, stage);
      good &= reduced_slopes(t + half, stage, p, slope);
      along(sum, third, slope, sum);
      along(y, step, slope, stage);
      good &= reduced_slopes(t + step, stage, p, slope);
      along(sum, sixth, slope, y);
#endif
#if HOLONOMIC
      if (made % BETWEEN == BETWEEN - 1 || made == steps - 1) good &= settled(t + step, y, p);
#endif
    }
    reduced_end(start + made * step, y, p, given);
    UNROLLED
    for (int i = 0; i < SIZE; i++) {
      good &= is_finite(given[i]);
      finals[(long long)i * count + motion] = given[i];
    }
    reached[motion] = start + made * step;
    note_motion(count, motion, books, good ? FINISHED : LEFT, 0, made, 4 * made, 0);
  }
}
