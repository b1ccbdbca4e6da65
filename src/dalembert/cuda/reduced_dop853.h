// DOP853 for coordinates and independent speeds, as `dop853.h` has it for all speeds: the same control of steps and test of
// stiffness, only places are projected. Slopes of coordinates are no longer speeds, so that those of all components are kept.
// A component on which no slope depends (IDLE) needs no stages: three sums of its slopes are all that is kept of them.
struct Independent {
  static FUNCTION_MEMBER int evaluate(
      const double t, const Reduced &y, const Parameters &p, const bool, Reduced &out, Ranks &) {
    return reduced_slopes(t, y, p, out) ? DONE : LEFT;
  }
};

ENTRY void adaptive_steps(
    int count, const double *parameters, const double *states, double start, double end, double tolerance,
    double longest, double patience, int, const double *, double *, double *finals, double *reached, int *books) {
  if (!(longest > 0.0)) longest = end - start;
  EACH(motion, count) {
    Reduced k[12], sums[3], y, largest, fresh, stage, slope;
    Vector given;
    Parameters p;
    take_motion(count, motion, states, parameters, given, p);
    Ranks ranks = {RANK_OF_A, RANK_OF_A, -1, -1, 0};
    double residual = 0.0, rate = 0.0, t = start, h = 0.0;
    int steps = 0, evaluations = 0, stiff = 0, calm = 0;
    bool rejected = false;
    int status = project(t, given, p, ranks, residual, rate) ? DONE : PROJECTION_FAILED;
    reduced_start(t, given, p, y);
    UNROLLED
    for (int i = 0; i < STEPPED; i++) largest[i] = fabs(y[i]);
    if (status == DONE) {
      evaluations++;
      status = Independent::evaluate(t, y, p, false, k[0], ranks);
    }
    if (status == DONE && t < end)
      h = first_step<Independent, STEPPED>(t, y, k[0], p, largest, end, tolerance, longest, ranks, evaluations);
    ROLLED
    while (status == DONE && t < end) {
      const double smallest = greater(16.0 * EPSILON_OF_ONE * fabs(t), 1e-15 * (end - start));
      double step = smaller(h, longest);
      const bool last = t + 1.01 * step >= end;
      if (last) step = end - t;
      if (step < smallest && !last) {
        status = UNDERFLOW;
        break;
      }
      bool good = true;
      UNROLLED
      for (int i = 0; i < STEPPED; i++) {
        if (IDLE(i)) {
          FIRST_SUMS
        }
      }
      STAGES_OF_STEP
      evaluations += 11;
      if (!good) {
        status = LEFT;
        break;
      }
      double fifth = 0.0, third = 0.0, apart = 0.0, above = 0.0, big = 0.0;
      UNROLLED
      for (int i = 0; i < STEPPED; i++) {
        if (IDLE(i)) {
          fresh[i] = y[i] + step * sums[0][i];
          add_error(largest[i], fresh[i], sums[1][i], sums[2][i], tolerance, fifth, third);
        } else {
          ERROR_OF_SPEED
          fresh[i] = y[i] + step * change;
          apart += squared(fresh[i] - stage[i]);
          add_error(largest[i], fresh[i], five, three, tolerance, fifth, third);
        }
        big = greater(big, fabs(fresh[i]));
      }
      const double below = fifth + 0.01 * third;
      const double error = below <= 0.0 ? 0.0 : fabs(step) * fifth / sqrt(below * STEPPED);
      if (!(error < 1.0)) {
        rejected = true;
        h = is_finite(error) ? step * greater(1.0 / 3.0, 0.9 / eighth_root(error)) : 0.1 * step;
        continue;
      }
      if (big > TOO_LARGE) {
        status = BLOW_UP;
        break;
      }
#if HOLONOMIC
      if (last || steps % BETWEEN == BETWEEN - 1) {
        UNROLLED
        for (int i = 0; i < STEPPED; i++) stage[i] = fresh[i];  // the end before the projection
        good = settled(last ? end : t + step, fresh, p);
        UNROLLED
        for (int i = 0; i < STEPPED; i++) {  // as `dop853.leaps`: onto another branch
          const double scale = tolerance * greater(greater(largest[i], fabs(stage[i])), FLOOR);
          good &= fabs(fresh[i] - stage[i]) <= LEAP * scale;
        }
        if (!good) {
          status = LEFT;
          break;
        }
      }
#endif
      evaluations++;
      status = Independent::evaluate(last ? end : t + step, fresh, p, false, slope, ranks);
      if (status != DONE) break;
      UNROLLED
      for (int i = 0; i < STEPPED; i++) {
        if (!IDLE(i)) above += squared(slope[i] - k[11][i]);
        k[0][i] = slope[i];
        y[i] = fresh[i];
        largest[i] = greater(largest[i], fabs(fresh[i]));
      }
      if (apart > 0.0 && step * sqrt(above / apart) > 6.1) {
        calm = 0;
        stiff++;
      } else if (++calm == 6) {
        stiff = 0;
      }
      if (stiff >= 15 && (end - t) / step > patience) status = IS_STIFF;
      double growth = smaller(6.0, SAFETY / eighth_root(greater(error, 1e-10)));
      if (rejected) growth = smaller(growth, 1.0);
      if (!last || growth < 1.0) h = step * growth;
      t = last ? end : t + step;
      rejected = false;
      steps++;
    }
    reduced_end(t, y, p, given);
    UNROLLED
    for (int i = 0; i < SIZE; i++) finals[(long long)i * count + motion] = given[i];
    reached[motion] = t;
    note_motion(count, motion, books, status == DONE ? FINISHED : status, ranks.row, steps, evaluations, 0);
  }
}
