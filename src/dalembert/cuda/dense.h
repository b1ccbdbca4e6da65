// The dense output of a step of DOP853: its coefficients, and a state at a fraction of the step.
FUNCTION void dense_output(
    const double step, const Vector &y, const Vector &fresh, const Half (&k)[16], Vector (&dense)[7]) {
  UNROLLED
  for (int i = 0; i < HALF; i++) {
    const int j = HALF + i;
    const double moved = fresh[i] - y[i], change = fresh[j] - y[j];
    dense[0][i] = moved;
    dense[1][i] = step * y[j] - moved;
    dense[2][i] = 2.0 * moved - step * (fresh[j] + y[j]);
    dense[0][j] = change;
    dense[1][j] = step * k[0][i] - change;
    dense[2][j] = 2.0 * change - step * (k[12][i] + k[0][i]);
    DENSE_OF_STEP
  }
}

FUNCTION void between(const double s, const Vector &y, const Vector (&dense)[7], Vector &out) {
  const double r = 1.0 - s;
  UNROLLED
  for (int i = 0; i < SIZE; i++) {
    double entry = dense[6][i] * s;
    entry = (entry + dense[5][i]) * r;
    entry = (entry + dense[4][i]) * s;
    entry = (entry + dense[3][i]) * r;
    entry = (entry + dense[2][i]) * s;
    entry = (entry + dense[1][i]) * r;
    out[i] = y[i] + (entry + dense[0][i]) * s;
  }
}
