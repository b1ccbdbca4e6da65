// Runge and Kutta's fourth order, all steps of one length; of the slopes only their sum is kept.
DEVICE void moved(const double (&y)[N], const double h, const double (&k)[N], double (&to)[N]) {
  for (int i = 0; i < N; i++) to[i] = y[i] + h*k[i];
}
extern "C" __global__ void by_hand(long long count, const double *states, double h, int steps, double *finals) {
  const long long motion = (long long)blockIdx.x*blockDim.x + threadIdx.x;
  if (motion >= count) return;
  double all[ALL], y[N], k[N], sum[N], stage[N];
  for (int i = 0; i < ALL; i++) all[i] = states[i*count + motion];
  begin(all, y);
  for (int step = 0; step < steps; step++) {
    slopes(y, k);
    moved(y, h/6.0, k, sum);
    moved(y, 0.5*h, k, stage);
    slopes(stage, k);
    moved(sum, h/3.0, k, sum);
    moved(y, 0.5*h, k, stage);
    slopes(stage, k);
    moved(sum, h/3.0, k, sum);
    moved(y, h, k, stage);
    slopes(stage, k);
    moved(sum, h/6.0, k, y);
    settle(y);
  }
  finish(y, all);
  for (int i = 0; i < ALL; i++) finals[i*count + motion] = all[i];
}
