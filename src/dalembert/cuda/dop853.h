// DOP853 with step control, stiffness test and dense output, as `simulate.dop853` and `advance.loop` have it: one turn
// of the loop is one try of a step, so that threads whose step is rejected do not hold up the others. Only the slopes k of
// speeds are kept: those of coordinates are speeds, which follow from k (Nyström), and a thread's registers are few. States
// at given times are worked out only where they are asked for (SAMPLED): they would keep all stages in registers.
ENTRY void adaptive_steps(
    int count, const double *parameters, const double *states, double start, double end, double tolerance,
    double longest, double patience, int sample_count, const double *sample_times, double *sampled, double *finals,
    double *reached, int *books) {
  if (!(longest > 0.0)) longest = end - start;
  EACH(motion, count) {
    Half k[16];
    Vector y, largest, fresh, stage, slope;
    Parameters p;
    take_motion(count, motion, states, parameters, y, p);
    Ranks ranks = {RANK_OF_A, RANK_OF_A, -1, -1, 0};
    double residual = 0.0, rate = 0.0, t = start, h = 0.0;
    int steps = 0, evaluations = 0, sample = 0, stiff = 0, calm = 0, reason = UNDERFLOW;
    bool rejected = false;
    int status = project(t, y, p, ranks, residual, rate) ? DONE : PROJECTION_FAILED;
    UNROLLED
    for (int i = 0; i < SIZE; i++) largest[i] = fabs(y[i]);
#if SAMPLED
    for (; status == DONE && sample < sample_count && sample_times[sample] <= t; sample++)
      for (int i = 0; i < SIZE; i++) sampled[(motion * sample_count + sample) * SIZE + i] = y[i];
#endif
    if (status == DONE) {
      evaluations++;
      status = evaluate(t, y, p, false, slope, ranks);
      keep_half(slope, k[0]);
    }
    if (status == DONE && t < end) h = first_step<Smooth, SIZE>(t, y, slope, p, largest, end, tolerance, longest, ranks, evaluations);
    ROLLED
    while (status == DONE && t < end) {
      const double smallest = greater(16.0 * EPSILON_OF_ONE * fabs(t), 1e-15 * (end - start));
      double step = smaller(h, longest);
      const bool last = t + 1.01 * step >= end;
      if (last) step = end - t;
      if (step < smallest && !last) {
        status = reason;
        break;
      }
      int found = DONE;
      STAGES_OF_STEP
      double error = INFINITY, apart = 0.0;  // of the last stage, and from it
      if (found == DONE) {
        double fifth = 0.0, third = 0.0;
        UNROLLED
        for (int i = 0; i < HALF; i++) {
          ERROR_OF_POSITION
          fresh[i] = y[i] + step * change;
          apart += squared(fresh[i] - stage[i]);
          add_error(largest[i], fresh[i], five, three, tolerance, fifth, third);
        }
        UNROLLED
        for (int i = 0; i < HALF; i++) {
          ERROR_OF_SPEED
          fresh[HALF + i] = y[HALF + i] + step * change;
          apart += squared(fresh[HALF + i] - stage[HALF + i]);
          add_error(largest[HALF + i], fresh[HALF + i], five, three, tolerance, fifth, third);
        }
        const double below = fifth + 0.01 * third;
        error = below <= 0.0 ? 0.0 : fabs(step) * fifth / sqrt(below * SIZE);
      }
      bool accepted = false, is_stiff = false;
      const double t_new = last ? end : t + step;
      if (error < 1.0) {
        double big = 0.0;
        UNROLLED
        for (int i = 0; i < SIZE; i++) big = greater(big, fabs(fresh[i]));
        if (big > TOO_LARGE) {
          status = BLOW_UP;
          break;
        }
        double above = 0.0;
#if CONSTRAINED
        UNROLLED
        for (int i = 0; i < SIZE; i++) slope[i] = fresh[i];  // the end before the projection
#endif
        if (!project(t_new, fresh, p, ranks, residual, rate)) found = PROJECTION_FAILED;
#if CONSTRAINED
        UNROLLED
        for (int i = 0; i < SIZE; i++) {  // as `dop853.leaps`: onto another branch
          const double scale = tolerance * greater(greater(largest[i], fabs(slope[i])), FLOOR);
          if (!(fabs(fresh[i] - slope[i]) <= LEAP * scale)) found = PROJECTION_FAILED;
        }
#endif
        if (found == DONE) {
          evaluations++;
          found = evaluate(t_new, fresh, p, false, slope, ranks);
          keep_half(slope, k[12]);
        }
        if (found == DONE) {
          UNROLLED
          for (int i = 0; i < HALF; i++)
            above += squared(fresh[HALF + i] - stage[HALF + i]) + squared(k[12][i] - k[11][i]);
          if (apart > 0.0 && step * sqrt(above / apart) > 6.1) {
            calm = 0;
            stiff++;
          } else if (++calm == 6) {
            stiff = 0;
          }
          is_stiff = stiff >= 15 && (end - t) / step > patience;
        }
        accepted = found == DONE;
#if SAMPLED
        const bool inside = accepted && sample < sample_count && sample_times[sample] < t_new;
        if (inside) {
          STAGES_OF_DENSE
          accepted = found == DONE;
        }
#endif
        if (accepted) {
          double growth = smaller(6.0, SAFETY / eighth_root(greater(error, 1e-10)));
          if (rejected) growth = smaller(growth, 1.0);
          if (!last || growth < 1.0) h = step * growth;
          steps++;
        }
#if SAMPLED
        if (accepted && sample < sample_count && sample_times[sample] <= t_new) {
          Vector dense[7];
          if (inside) dense_output(step, y, fresh, k, dense);
          ROLLED
          for (; sample < sample_count && sample_times[sample] <= t_new; sample++) {
            const double at = sample_times[sample];
            UNROLLED
            for (int i = 0; i < SIZE; i++) stage[i] = fresh[i];
            if (at < t_new) {
              const double s = (at - t) / step;
              between(s, y, dense, stage);
              if (!project(t + s * (t_new - t), stage, p, ranks, residual, rate)) {
                status = PROJECTION_FAILED;
                break;
              }
            }
            for (int i = 0; i < SIZE; i++) sampled[(motion * sample_count + sample) * SIZE + i] = stage[i];
          }
          if (status != DONE) break;
        }
#endif
      }
      if (accepted) {
        UNROLLED
        for (int i = 0; i < HALF; i++) k[0][i] = k[12][i];
        UNROLLED
        for (int i = 0; i < SIZE; i++) {
          y[i] = fresh[i];
          largest[i] = greater(largest[i], fabs(fresh[i]));
        }
        t = t_new;
        rejected = false;
        reason = UNDERFLOW;
        if (is_stiff) status = IS_STIFF;
      } else if (found == LEFT) {
        status = LEFT;
      } else {
        rejected = true;
        reason = found != DONE ? found : UNDERFLOW;
        if (found != DONE)
          h = 0.25 * step;
        else if (is_finite(error))
          h = step * greater(1.0 / 3.0, 0.9 / eighth_root(error));
        else
          h = 0.1 * step;
      }
    }
    UNROLLED
    for (int i = 0; i < SIZE; i++) finals[(long long)i * count + motion] = y[i];
    reached[motion] = t;
    note_motion(count, motion, books, status == DONE ? FINISHED : status, ranks.row, steps, evaluations, sample);
  }
}
