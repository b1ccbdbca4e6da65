// Runge and Kutta's fourth order, all steps of one length.
ENTRY void fixed_steps(
    int count, const double *parameters, const double *states, double start, double step, int steps,
    double *finals, double *reached, int *books) {
  EACH(motion, count) {
    Vector y, sum, slope, stage;
    Parameters p;
    take_motion(count, motion, states, parameters, y, p);
    Ranks ranks = {RANK_OF_A, RANK_OF_A, -1, -1, 0};
    double residual = 0.0, rate = 0.0;
    int status = project(start, y, p, ranks, residual, rate) ? DONE : PROJECTION_FAILED;
    int made = 0;
    ROLLED
    for (; made < steps && status == DONE; made++) {
      const double t = start + made * step;
      status = evaluate(t, y, p, false, sum, ranks);
      UNROLLED
      for (int i = 0; i < SIZE; i++) stage[i] = y[i] + 0.5 * step * sum[i];
      if (status == DONE) status = evaluate(t + 0.5 * step, stage, p, true, slope, ranks);
      UNROLLED
      for (int i = 0; i < SIZE; i++) {
        sum[i] += 2.0 * slope[i];
        stage[i] = y[i] + 0.5 * step * slope[i];
      }
      if (status == DONE) status = evaluate(t + 0.5 * step, stage, p, true, slope, ranks);
      UNROLLED
      for (int i = 0; i < SIZE; i++) {
        sum[i] += 2.0 * slope[i];
        stage[i] = y[i] + step * slope[i];
      }
      if (status == DONE) status = evaluate(t + step, stage, p, true, slope, ranks);
      UNROLLED
      for (int i = 0; i < SIZE; i++) y[i] += (step / 6.0) * (sum[i] + slope[i]);
      if (status == DONE && !project(t + step, y, p, ranks, residual, rate)) status = PROJECTION_FAILED;
    }
    UNROLLED
    for (int i = 0; i < SIZE; i++) finals[(long long)i * count + motion] = y[i];
    reached[motion] = start + made * step;
    note_motion(count, motion, books, status == DONE ? FINISHED : status, ranks.row, made, 4 * made, 0);
  }
}
