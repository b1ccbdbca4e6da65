// Kernels over many motions: one for each thread of a GPU, in a loop on the processor.
#pragma once

#include "target.hpp"

#if defined(__CUDACC__)
#define KERNEL extern "C" __global__ void
#define THREAD (static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x)
#define EACH(i, count)          \
    const long long i = THREAD; \
    if (i < (count))
#else
#define KERNEL extern "C" __attribute__((visibility("default"))) void
#define THREAD 0LL
#define EACH(i, count) for (long long i = 0; i < (count); ++i)
#endif
