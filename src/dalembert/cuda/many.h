// Threads that claim motions until none is left.
ENTRY void many(
    int count, double *start_of_reals, int sample_count, double *sample_times, double *all_sampled, int *all_modes,
    double *parameters, double *states, double *ends, int *status, double *values, double *notes, double *kept,
    int *kept_modes, int *claimed, int *stop) {
  MEMORY_OF_A_THREAD
  const long long room = sample_count > 0 ? sample_count : 1;
  View1<double> samples = {sample_times, sample_count};
  View2<double, SIZE_OF_STATE> sampled = {all_sampled + THREAD * room * SIZE_OF_STATE, sample_count};
  View2<int, SIZE_OF_MODE> modes = {all_modes + THREAD * room * SIZE_OF_MODE, sample_count};
  (void)modes;
  MOTIONS_TYPE motions = {
      {parameters, count}, {states, count}, {ends, count}, {status, count}, {values, count}, {notes, count},
      KEPT_OF_MOTIONS, {claimed}, {stop}};
  FOLLOW_MOTIONS;
}
