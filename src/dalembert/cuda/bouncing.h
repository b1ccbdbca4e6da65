// Steps, guards, impacts and the friction's mode, one motion to a thread, in the order of `simulate.hybrid`. One turn of the
// loop is one try of a step with what ends it, so that the threads of a warp stay together.
FUNCTION double tiny_speed(const Vector &y) {
  double largest = 1e-3;
  UNROLLED
  for (int i = 0; i < HALF; i++) largest = greater(largest, fabs(y[HALF + i]));
  return TINY * largest;
}

// A try of a step, its dense output, and where it ends: DONE with an error below one where it is accepted.
template <class MODE>
FUNCTION int tried(
    const double t, const double step, const double t_new, const Vector &y, const Parameters &p, const Vector &largest,
    const double tolerance, Half (&k)[16], Vector &fresh, Vector (&dense)[7], double &error) {
  Vector stage, slope;
  Ranks ranks = {0, 0, -1, -1, 0};
  double residual = 0.0, rate = 0.0;
  int found = DONE, evaluations = 0;
  STAGES_OF_STEP
  error = INFINITY;
  if (found != DONE) return found;
  double fifth = 0.0, third = 0.0, big = 0.0;
  UNROLLED
  for (int i = 0; i < HALF; i++) {
    ERROR_OF_POSITION
    fresh[i] = y[i] + step * change;
    add_error(largest[i], fresh[i], five, three, tolerance, fifth, third);
  }
  UNROLLED
  for (int i = 0; i < HALF; i++) {
    ERROR_OF_SPEED
    fresh[HALF + i] = y[HALF + i] + step * change;
    add_error(largest[HALF + i], fresh[HALF + i], five, three, tolerance, fifth, third);
  }
  const double below = fifth + 0.01 * third;
  error = below <= 0.0 ? 0.0 : fabs(step) * fifth / sqrt(below * SIZE);
  if (!(error < 1.0)) return DONE;
  UNROLLED
  for (int i = 0; i < SIZE; i++) {
    big = greater(big, fabs(fresh[i]));
    stage[i] = fresh[i];
  }
  if (!(big <= TOO_LARGE) || !MODE::project(t_new, fresh, p, ranks, residual, rate)) return LEFT;
  UNROLLED
  for (int i = 0; i < SIZE; i++) {
    const double scale = tolerance * greater(greater(largest[i], fabs(stage[i])), FLOOR);
    if (!(fabs(fresh[i] - stage[i]) <= LEAP * scale)) return LEFT;
  }
  found = MODE::evaluate(t_new, fresh, p, false, slope, ranks);
  keep_half(slope, k[12]);
  STAGES_OF_DENSE
  if (found != DONE) return found;
  dense_output(step, y, fresh, k, dense);
  return DONE;
}

// The state in its mode: projected, its slope taken.
template <class MODE>
FUNCTION bool resumed(const double t, Vector &y, const Parameters &p, Vector &largest, Half &slope_of_speeds, Vector &slope) {
  Ranks ranks = {0, 0, -1, -1, 0};
  double residual = 0.0, rate = 0.0;
  if (!MODE::project(t, y, p, ranks, residual, rate)) return false;
  UNROLLED
  for (int i = 0; i < SIZE; i++) largest[i] = greater(largest[i], fabs(y[i]));
  if (MODE::evaluate(t, y, p, false, slope, ranks) != DONE) return false;
  keep_half(slope, slope_of_speeds);
  return true;
}

#if FRICTION
// The friction's mode where its slip is none, or is what it is; false where that is not told.
FUNCTION bool settled(
    const double t, const Vector &y, Parameters &p, const bool stopped, const bool left, bool &rolls, bool &begins, int *events) {
  p[PARAMETERS] = 1.0;
  const double slip = Slip::at(t, y, p);
  const bool resting = stopped || fabs(slip) <= tiny_speed(y), rolled = rolls;
  begins = false;
  rolls = false;
  p[PARAMETERS] = slip > 0.0 ? 1.0 : -1.0;
  if (resting) {
    double guard, force, rate, around;
    Rolls::watched(t, y, p, guard, force, rate);
    around = 1e-9 * (fabs(guard) + force * force);
    if (!(fabs(guard) > around) && !left) return false;
    rolls = guard > 0.0 && !left;
    p[PARAMETERS] = force > 0.0 ? -1.0 : 1.0;
    begins = !rolls;
    if (!rolls && !left) {
      double cone, none, gains;
      Slips::watched(t, y, p, cone, none, gains);
      if (!(gains * p[PARAMETERS] > 0.0)) return false;
    }
  }
  if (rolls && !rolled) events[CONTACTS]++;
  if (!rolls && (resting || rolled)) events[CONTACTS + 1]++;
  return true;
}
#endif

ENTRY void bouncing_motions(
    int count, const double *parameters, const double *states, double start, double end, double tolerance,
    double longest, double *finals, double *reached, int *books, int *tallies) {
  if (!(longest > 0.0)) longest = end - start;
  EACH(motion, count) {
    Half k[16];
    Vector y, largest, fresh, dense[7];
    Parameters p;
    take_motion(count, motion, states, parameters, y, p);
    p[PARAMETERS] = 1.0;
    bool begins[CONTACTS + 1];
    int decays[CONTACTS + 1], events[EVENTS_OF], steps = 0, at_once = 0;
    double last_time[CONTACTS + 1], last_flight[CONTACTS + 1], ratios[CONTACTS + 1], firsts[CONTACTS + 1];
    UNROLLED
    for (int i = 0; i <= CONTACTS; i++) {
      begins[i] = false;
      decays[i] = 0;
      last_time[i] = start;
      last_flight[i] = 0.0;
    }
    UNROLLED
    for (int i = 0; i < EVENTS_OF; i++) events[i] = 0;
    double t = start, h = 0.0;
    bool good = true, rolls = false, rejected = false;
    ALL_OPEN
#if FRICTION
    good = good && settled(t, y, p, false, false, rolls, begins[CONTACTS], events);
    events[CONTACTS] = events[CONTACTS + 1] = 0;  // what is merely found is no event
#endif
    UNROLLED
    for (int i = 0; i < SIZE; i++) largest[i] = fabs(y[i]);
    bool fresh_start = true;
    ROLLED
    while (good && t < end) {
      if (fresh_start) {
        Ranks ranks = {0, 0, -1, -1, 0};
        Vector slope;
        int evaluations = 0;
#if FRICTION
        good = rolls ? resumed<Rolls>(t, y, p, largest, k[0], slope) : resumed<Slips>(t, y, p, largest, k[0], slope);
#else
        good = resumed<Slips>(t, y, p, largest, k[0], slope);
#endif
        if (!good) break;
        if (h == 0.0) {
#if FRICTION
          h = rolls ? first_step<Rolls, SIZE>(t, y, slope, p, largest, end, tolerance, longest, ranks, evaluations)
                    : first_step<Slips, SIZE>(t, y, slope, p, largest, end, tolerance, longest, ranks, evaluations);
#else
          h = first_step<Slips, SIZE>(t, y, slope, p, largest, end, tolerance, longest, ranks, evaluations);
#endif
        }
        fresh_start = false;
      }
      const double smallest = greater(16.0 * EPSILON_OF_ONE * fabs(t), 1e-15 * (end - start));
      double step = smaller(h, longest), error;
      const bool last = t + 1.01 * step >= end;
      if (last) step = end - t;
      if (step < smallest && !last) {
        good = false;
        break;
      }
      const double t_new = last ? end : t + step;
#if FRICTION
      const int found = rolls ? tried<Rolls>(t, step, t_new, y, p, largest, tolerance, k, fresh, dense, error)
                              : tried<Slips>(t, step, t_new, y, p, largest, tolerance, k, fresh, dense, error);
#else
      const int found = tried<Slips>(t, step, t_new, y, p, largest, tolerance, k, fresh, dense, error);
#endif
      if (found != DONE) {
        good = false;
        break;
      }
      if (!(error < 1.0)) {
        rejected = true;
        h = is_finite(error) ? step * greater(1.0 / 3.0, 0.9 / eighth_root(error)) : 0.1 * step;
        continue;
      }
      double growth = smaller(6.0, SAFETY / eighth_root(greater(error, 1e-10)));
      if (rejected) growth = smaller(growth, 1.0);
      if (!last || growth < 1.0) h = step * growth;
      rejected = false;
      steps++;
      const Stretch span = {t, t_new};
      First first = {NOWHERE, -1, true};
      ROOTS_OF_GAPS
#if FRICTION
      if (!rolls) first.take(first_root<Slip>(span, y, fresh, dense, p, begins[CONTACTS]), CONTACTS);
#endif
#if FRICTION
      if (rolls) {
        if (!Rolls::SURE) first.take(first_root<Rolls>(span, y, fresh, dense, p, false), CONTACTS + 1);
      } else if (!Slips::SURE) {
        first.told = first.told && first_root<Slips>(span, y, fresh, dense, p, false) == NOWHERE;
      }
#endif
      if (!first.told) {
        good = false;
        break;
      }
      if (first.place > 1.0) {
        UNROLLED
        for (int i = 0; i < SIZE; i++) {
          y[i] = fresh[i];
          largest[i] = greater(largest[i], fabs(y[i]));
        }
        UNROLLED
        for (int i = 0; i < HALF; i++) k[0][i] = k[12][i];
        UNROLLED
        for (int i = 0; i <= CONTACTS; i++) begins[i] = false;
        t = t_new;
        at_once = 0;
        continue;
      }
      const double s = first.place, now = t + s * (t_new - t);
      const int what = first.what;
      if (s < 1.0) {
        Vector state;
        Ranks ranks = {0, 0, -1, -1, 0};
        double residual = 0.0, rate = 0.0;
        between(s, y, dense, state);
#if FRICTION
        good = rolls ? Rolls::project(now, state, p, ranks, residual, rate)
                     : Slips::project(now, state, p, ranks, residual, rate);
#else
        good = Slips::project(now, state, p, ranks, residual, rate);
#endif
        UNROLLED
        for (int i = 0; i < SIZE; i++) fresh[i] = state[i];
      }
      if (s < FAR) h = smaller(h, greater(4.0 * (now - t), SHORTEST * longest));
      UNROLLED
      for (int i = 0; i < SIZE; i++) {
        y[i] = fresh[i];
        largest[i] = greater(largest[i], fabs(y[i]));
      }
      at_once = now > t ? 0 : at_once + 1;
      t = now;
      fresh_start = true;
      good = good && at_once < 3;
      UNROLLED
      for (int i = 0; i <= CONTACTS; i++) begins[i] = false;
      if (what < CONTACTS) {
        Half change;
        Struck struck;
        IMPACTS
        OTHERS_APART
        const double tiny = tiny_speed(y), level = fabs(struck.impulse * struck.rate);
        good = good && struck.rate < -tiny && struck.impulse > 0.0;
        UNROLLED
        for (int i = 0; i < HALF; i++) y[HALF + i] += change[i];
        good = good && struck.energy <= 1e-9 * level + struck.impulse * tiny_speed(y);
        double speed = 0.0, rebound = 0.0;
        UNROLLED
        for (int i = 0; i < HALF; i++) speed = greater(speed, largest[HALF + i]);
        UNROLLED
        for (int i = 0; i < CONTACTS; i++)
          if (i == what) {  // the books of its flights, as `cascades.accumulates` keeps them
            const double flight = t - last_time[i], before = last_flight[i];
            const bool low = 0.25 * flight * -struck.rate < LOWEST * struck.scale && -struck.rate < SLOW * speed;
            if (low) good = false;
            if (decays[i] > 0 && flight < before) {
              const double ratio = flight / before, rest = flight * ratio / (1.0 - ratio);
              decays[i] = fabs(ratio - ratios[i]) < 0.1 * (1.0 - ratio) ? decays[i] + 1 : 1;
              ratios[i] = ratio;
              if (decays[i] >= STEADY && rest < SHORT * firsts[i]) good = false;
            } else {
              decays[i] = 1;
              ratios[i] = 2.0;
              firsts[i] = flight;
            }
            last_time[i] = t;
            last_flight[i] = flight;
            begins[i] = true;
            events[i]++;
          }
        REBOUNDS
        good = good && rebound > tiny_speed(y);
#if FRICTION
        good = good && settled(t, y, p, false, false, rolls, begins[CONTACTS], events);
#endif
      } else {
#if FRICTION
        good = good && settled(t, y, p, true, what > CONTACTS, rolls, begins[CONTACTS], events);
#endif
      }
    }
    UNROLLED
    for (int i = 0; i < SIZE; i++) {
      good = good && is_finite(y[i]);
      finals[(long long)i * count + motion] = y[i];
    }
    UNROLLED
    for (int i = 0; i < EVENTS_OF; i++) tallies[(long long)i * count + motion] = events[i];
    reached[motion] = t;
    note_motion(count, motion, books, good ? FINISHED : LEFT, 0, steps, 0, 0);
  }
}
