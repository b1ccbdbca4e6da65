// Steps in lanes and the solve of large matrices, for one kind of processor. The build compiles this file once for each
// kind, under different names:
//
//     -Ddalembert=dalembert_avx2 -DLEAN_CODE=dalembert_lean_avx2 -mavx2
//
// The namespace is renamed so that the linker does not mix functions of different kinds. Products and sums are never
// contracted, so all kinds give the same bits.
#include "definite.hpp"
#include "wide.hpp"

using namespace dalembert;

extern "C" LeanCode LEAN_CODE() {
    return {[](void* lean) { static_cast<WideLean*>(lean)->begin(); },
            [](void* lean) { static_cast<WideLean*>(lean)->try_step(); },
            [](void* lean) { static_cast<WideLean*>(lean)->interpolate(); },
            [](void* lean) { static_cast<WideLean*>(lean)->commit(); },
            [](const void* equations) { return definite_by_blocks(*static_cast<const Definite*>(equations)); }};
}
