// The kind of x86-64 processor of this machine, from the processor itself.
//
// The compilers' own `__builtin_cpu_supports` needs a part of their run-time libraries that not every platform links.
#pragma once

#include <cpuid.h>

namespace dalembert {

enum Processor { BASELINE = 0, AVX2 = 1, AVX512 = 2 };

// The registers that the operating system saves (XCR0). Other wide registers exist but must not be used.
inline unsigned saved_registers() {
    unsigned low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

// The best kind. A kind needs its instructions and the system's support of its registers.
inline Processor processor() {
    constexpr unsigned YMM = 0x06, ZMM = 0xe6;  // bits of XCR0
    constexpr unsigned NEEDED = bit_AVX512F | bit_AVX512DQ | bit_AVX512VL | bit_AVX512BW;
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE) || !(c & bit_AVX)) return BASELINE;
    const unsigned saved = saved_registers();
    if ((saved & YMM) != YMM || !__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(b & bit_AVX2)) return BASELINE;
    return (saved & ZMM) == ZMM && (b & NEEDED) == NEEDED ? AVX512 : AVX2;
}

}  // namespace dalembert
