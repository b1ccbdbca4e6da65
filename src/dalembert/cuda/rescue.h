// Where the written-out solve does not do: the default engine's evaluation and projection.
APART int rescued_slopes(const double t, double *y, const double *p, const bool fixed, double *out, Ranks *ranks) {
  int wholes[WHOLES];
  MEMORY_OF_ONE_MOTION
  for (int i = 0; i < WHOLES; i++) wholes[i] = 0;
  for (int i = 0; i < PARAMETERS; i++) mem.x()[1 + SIZE + i] = p[i];
  mem.w().rank()[0] = ranks->a;
  mem.w().rank()[1] = ranks->r;
  const int status = EVALUATE({}, mem, {wholes}, t, {y}, fixed, {out});
  ranks->a = mem.w().rank()[0];
  ranks->r = mem.w().rank()[1];
  ranks->row = wholes[AT_ROW];
  return status;
}

APART bool rescued_projection(const double t, double *y, const double *p, double *residuals, Ranks *ranks) {
  double reals[REALS];
  int wholes[WHOLES];
  MEMORY_OF_ONE_MOTION
  for (int i = 0; i < REALS; i++) reals[i] = 0.0;
  for (int i = 0; i < WHOLES; i++) wholes[i] = 0;
  for (int i = 0; i < PARAMETERS; i++) mem.x()[1 + SIZE + i] = p[i];
  wholes[AT_RANK_PHI] = ranks->phi;
  wholes[AT_RANK_PSI] = ranks->psi;
  const bool done = PROJECT({}, mem, {reals}, {wholes}, t, {y});
  ranks->phi = wholes[AT_RANK_PHI];
  ranks->psi = wholes[AT_RANK_PSI];
  for (int i = 0; i < 2; i++) residuals[i] = reals[AT_RESIDUAL + i];
  return done;
}
