// Dormand and Prince's eighth order as Hairer, Nørsett and Wanner have it (II.5, II.10), with their control of steps.
extern "C" __global__ void by_hand(
    long long count, const double *states, double end, double tolerance, double *finals, int *made) {
  const long long motion = (long long)blockIdx.x*blockDim.x + threadIdx.x;
  if (motion >= count) return;
  double all[ALL], y[N], k[12][N], stage[N];
  for (int i = 0; i < ALL; i++) all[i] = states[i*count + motion];
  begin(all, y);
  slopes(y, k[0]);
  double t = 0.0, h = 1e-2*end;
  int steps = 0;
  bool rejected = false;
  while (t < end) {
    const bool last = t + 1.01*h >= end;
    if (last) h = end - t;
    STAGES
    double fifth = 0.0, third = 0.0;
    for (int i = 0; i < N; i++) {
      stage[i] = y[i] + h*(SUM_B);
      const double scale = 1.0/(tolerance + tolerance*fmax(fabs(y[i]), fabs(stage[i]))), five = (SUM_E5)*scale, three = (SUM_E3)*scale;
      fifth += five*five;
      third += three*three;
    }
    const double below = fifth + 0.01*third, error = below > 0.0 ? h*fifth*rsqrt(below*N) : 0.0;
    const double root = sqrt(sqrt(sqrt(fmax(error, 1e-10))));  // of the eighth order
    if (error < 1.0) {
      t = last ? end : t + h;
      for (int i = 0; i < N; i++) y[i] = stage[i];
      settle(y);
      slopes(y, k[0]);
      h *= fmin(rejected ? 1.0 : 6.0, 0.9/root);
      rejected = false;
      steps++;
    } else {
      h *= fmax(1.0/3.0, 0.9/root);
      rejected = true;
    }
  }
  finish(y, all);
  for (int i = 0; i < ALL; i++) finals[i*count + motion] = all[i];
  made[motion] = steps;
}
