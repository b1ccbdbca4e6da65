// What one motion begins with, and what it leaves in the books.
FUNCTION void take_motion(
    const long long count, const long long motion, const double *states, const double *parameters, Vector &y,
    Parameters &p) {
  UNROLLED
  for (int i = 0; i < SIZE; i++) y[i] = states[i * count + motion];
  UNROLLED
  for (int i = 0; i < PARAMETERS; i++) p[i] = parameters[i * count + motion];
}

FUNCTION void note_motion(
    const long long count, const long long motion, int *books, int status, int row, int steps, int evaluations,
    int samples) {
  const int notes[6] = {status, row, steps, evaluations, samples, 0};
  for (int i = 0; i < 6; i++) books[i * count + motion] = notes[i];
}
