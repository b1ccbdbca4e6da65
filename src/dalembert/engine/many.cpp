// The C interface to many motions and their starts; see also library.cpp.
#include "definite.hpp"
#include "many.hpp"
#include "start.hpp"
#if defined(DALEMBERT_X86)
#include "processor.hpp"
#endif

using namespace dalembert;

using Thread = ThreadOf<Model>;

extern "C" LeanCode dalembert_lean_baseline();
#if defined(DALEMBERT_X86)
extern "C" LeanCode dalembert_lean_avx2();
extern "C" LeanCode dalembert_lean_avx512();
#endif

// The lane code for this kind of processor, or for the best kind that this machine has.
static LeanCode lean_code([[maybe_unused]] int kind) {
#if defined(DALEMBERT_X86)
    const int best = processor();
    if (kind < 0 || kind > best) kind = best;
    if (kind == AVX512) return dalembert_lean_avx512();
    if (kind == AVX2) return dalembert_lean_avx2();
#endif
    return dalembert_lean_baseline();
}

#if defined(DALEMBERT_X86)
bool (*const dalembert::definite_by_kind)(const void*) = lean_code(-1).definite;
#endif

// Solve by blocks, by the code for a kind of processor (−1 for the best); 0 if the matrix is not definite.
DOOR int dalembert_definite(int kind, const Definite* equations) { return lean_code(kind).definite(equations); }

// Bytes that a thread needs.
DOOR long long dalembert_worker_memory(const Model* model, const Plan* plan, const WideModel* wide) {
    return bytes_of([&](Block& block) { block.take<Thread>(1), Thread::make(nullptr, block, model, plan, wide); });
}

// A model as a GPU sees it.
struct Light : Model {
    static constexpr bool ALL_STEPPERS = false;
};

// The memory of a GPU thread in bytes: a system, a keeper, books.
DOOR void dalembert_rooms(const Model* model, const Plan* plan, long long* bytes) {
    const Light light = {*model};
    bytes[0] = bytes_of([&](Block& block) { System<Light>::in(block, &light); });
    bytes[1] = bytes_of([&](Block& block) { Keeper<Light>::in(block, &light, plan); });
    bytes[2] = bytes_of([&](Block& block) { Books::in(block, model->counts, *plan); });
    bytes[3] = bytes_of([&](Block& block) { Carried::in(block, model->counts, *plan); });
}

// Prepare a thread's memory. `kind` is the kind of processor, −1 for the best.
DOOR Thread* dalembert_worker(void* memory, const Model* model, const Plan* plan, const WideModel* wide, int kind) {
    Block block{static_cast<char*>(memory), 0};
    Thread* place = block.take<Thread>(1);
    Thread::make(place, block, model, plan, wide);
    place->code = lean_code(kind);
    return place;
}

// Claim and run motions until none waits or a stop is requested. Several threads call this in parallel.
DOOR void dalembert_many(Thread* worker, const Motions* motions) { worker->run(*motions); }

// Replace given states by consistent ones as they are claimed, and write each status. Several threads may call this.
DOOR void dalembert_starts(void* memory, const Model* model, const Starts* starts) {
    Block block{static_cast<char*>(memory), 0};
    auto start = Start<Model>::in(block, model, starts->given);
    for (long long i = next_of(starts->claimed); i < starts->count; i = next_of(starts->claimed)) starts->run(start, i);
}

// The smallest x with the least |M x − b|; M (rows × cols) and b are overwritten.
DOOR void dalembert_least_squares(double* M, int rows, int cols, double* b, double* x) {
    least_squares({M, cols}, rows, cols, {b, 1}, x);
}

// Natural sizes at a state.
DOOR void dalembert_sizes(const Counts* counts, const Sizing* sizing) { natural_sizes(*counts, *sizing); }
