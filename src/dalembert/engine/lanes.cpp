// Steps in lanes for one kind of processor. The build compiles this file once for each kind, under different names:
//
//     -Ddalembert=dalembert_avx2 -DLEAN_CODE=dalembert_lean_avx2 -mavx2
//
// The namespace is renamed so that the linker does not mix functions of different kinds. Products and sums are never
// contracted, so all kinds give the same bits.
#include "wide.hpp"

namespace dalembert {
namespace {
WideLean& lean(void* place) { return *static_cast<WideLean*>(place); }
void begin(void* place) { lean(place).begin(); }
void try_step(void* place) { lean(place).try_step(); }
void interpolate(void* place) { lean(place).interpolate(); }
void commit(void* place) { lean(place).commit(); }
}  // namespace
}  // namespace dalembert

extern "C" void LEAN_CODE(void (**code)(void*)) {
    using namespace dalembert;
    code[0] = begin, code[1] = try_step, code[2] = interpolate, code[3] = commit;
}
