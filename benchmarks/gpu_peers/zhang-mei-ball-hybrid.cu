// Zhang and Mei's ball (section 4, with the right impact law) for speed: four speeds, since x-rolling across the slope is
// held (ωx = −y′); its modes (slip −1, 1; rolling 0) are branches of the slopes; an impact and the end of a slip are
// formulas. Steps are DOP853's with its dense output; a guard is looked at in 16 places of a step, what begins it at zero
// divided out, and its first root is located to rounding. Impacts run together, again and again; one slower than SLOW
// closes the wall for good: it pushes then, whatever the friction.
#define N 9   // x, y, rx, ry, rz, x′, y′, ωy, ωz
#define ALL 10
#define PLACES 16
#define SLOW 1e-6
#define A2 0.4
#define COS_ALPHA 0.5
#define COS_BETA 0.3
#define GRIP 0.086620212563176015      // of (f cos γ)² what holding across leaves: cos β a²/(1 + a²) is taken
#define HELD (COS_ALPHA*A2/(1.0 + A2))      // what rolling would take
DEVICE void slopes_in(const int slip, const bool closed, const double (&y)[N], double (&k)[N]) {
  const double friction = slip != 0 ? -GRIP*slip : closed ? 0.0 : HELD;
  k[0] = y[5];
  k[1] = y[6];
  k[2] = -y[6];
  k[3] = y[7];
  k[4] = y[8];
  k[5] = closed ? 0.0 : friction - COS_ALPHA;
  k[6] = -COS_BETA/(1.0 + A2);
  k[7] = -friction/A2;
  k[8] = 0.0;
}
#define slopes(y, k) slopes_in(slip, closed, y, k)
// (value(s) − value(0))/s on the step, from its coefficients
DEVICE double rise(const double (&d)[7], const double s) {
  const double r = 1.0 - s;
  return d[0] + r*(d[1] + s*(d[2] + r*(d[3] + s*(d[4] + r*(d[5] + s*d[6])))));
}
DEVICE double guarded(const double at, const double (&d)[7], const double s) {
  return at == 0.0 ? rise(d, s) : at + s*rise(d, s);
}
DEVICE double first_root(const double at, const double (&d)[7], const double most) {
  double a = 0.0, left = guarded(at, d, 0.0), b = 2.0, right = 0.0;
  for (int i = 1; i <= PLACES && b > 1.0; i++) {
    const double s = (1.0/PLACES)*i, value = guarded(at, d, s);
    if (value <= 0.0) {
      b = s;
      right = value;
    } else {
      a = s;
      left = value;
    }
  }
  if (b > 1.0 || a > most) return 2.0;
  for (int turn = 0; turn < 60 && b - a > 2e-16*b && right != 0.0; turn++) {
    double s = a + (b - a)*(left/(left - right));
    if (turn % 4 == 3) s = 0.5*(a + b);
    s = fmin(fmax(s, a + 1e-16*b), b - 1e-16*b);
    const double value = guarded(at, d, s);
    if (value <= 0.0) {
      b = s;
      right = value;
      left *= 0.5 + 0.5*(turn % 2);
    } else {
      a = s;
      left = value;
      right *= 0.5 + 0.5*(turn % 2);
    }
  }
  return b;
}
extern "C" __global__ void by_hand(
    long long count, const double *states, double end, double tolerance, double *finals, int *made, int *events) {
  const long long motion = (long long)blockIdx.x*blockDim.x + threadIdx.x;
  if (motion >= count) return;
  double all[ALL], y[N], k[16][N], fresh[N];
  for (int i = 0; i < ALL; i++) all[i] = states[i*count + motion];
  for (int i = 0; i < 7; i++) y[i] = all[i];
  y[7] = all[8];
  y[8] = all[9];
  double t = 0.0, h = 1e-2*end;
  int steps = 0, happened = 0, slip = y[5] > y[7] ? 1 : -1;
  bool rejected = false, closed = false;
  while (t < end) {
    const bool last = t + 1.01*h >= end;
    const double step = last ? end - t : h;
    {
      const double h = step;
      slopes(y, k[0]);
      STAGES
    }
    double fifth = 0.0, third = 0.0;
    for (int i = 0; i < N; i++) {
      fresh[i] = y[i] + step*(SUM_B);
      const double scale = 1.0/(tolerance + tolerance*fmax(fabs(y[i]), fabs(fresh[i]))), five = (SUM_E5)*scale, three = (SUM_E3)*scale;
      fifth += five*five;
      third += three*three;
    }
    const double below = fifth + 0.01*third, error = below > 0.0 ? step*fifth*rsqrt(below*N) : 0.0;
    const double root = sqrt(sqrt(sqrt(fmax(error, 1e-10))));
    if (error >= 1.0) {
      h = step*fmax(1.0/3.0, 0.9/root);
      rejected = true;
      continue;
    }
    steps++;
    double d[N][7];
    {
      const double h = step;
      slopes(fresh, k[12]);
      EXTRA_STAGES
    }
    for (int i = 0; i < N; i++) {
      d[i][0] = fresh[i] - y[i];
      d[i][1] = step*k[0][i] - d[i][0];
      d[i][2] = 2.0*d[i][0] - step*(k[12][i] + k[0][i]);
      d[i][3] = step*(SUM_D0);
      d[i][4] = step*(SUM_D1);
      d[i][5] = step*(SUM_D2);
      d[i][6] = step*(SUM_D3);
    }
    double slipping[7], s = closed ? 2.0 : first_root(y[0], d[0], 1.0);
    for (int j = 0; j < 7; j++) slipping[j] = slip*(d[5][j] - d[7][j]);
    const double other = slip == 0 ? 2.0 : first_root(slip*(y[5] - y[7]), slipping, s);
    const bool hits = s <= other;
    s = fmin(s, other);
    if (s > 1.0) {
      for (int i = 0; i < N; i++) y[i] = fresh[i];
      t = last ? end : t + step;
      h = step*fmin(rejected ? 1.0 : 6.0, 0.9/root);
    } else {
      for (int i = 0; i < N; i++) y[i] += s*rise(d[i], s);
      t += s*step;
      happened++;
      if (hits) {
        y[0] = 0.0;
        closed = y[5] > -SLOW;
        y[5] = closed ? 0.0 : -y[5];
        const double impulse = -2.0*(y[6] - y[8])/(1.0/(1.0 + A2) + 1.0/A2);
        y[6] += impulse/(1.0 + A2);
        y[8] -= impulse/A2;
        if (slip == 0) y[7] = y[5];
        else slip = y[5] > y[7] ? 1 : -1;
      } else {
        y[7] = y[5];
        slip = closed || GRIP >= HELD ? 0 : -1;
      }
      h = step;
    }
    rejected = false;
  }
  for (int i = 0; i < 7; i++) all[i] = y[i];
  all[7] = -y[6];
  all[8] = y[7];
  all[9] = y[8];
  for (int i = 0; i < ALL; i++) finals[i*count + motion] = all[i];
  made[motion] = steps;
  events[motion] = happened;
}
