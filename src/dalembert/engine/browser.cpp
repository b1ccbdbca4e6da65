// The C interface for the browser: library.cpp compiled for wasm32, with starts and memory management. A page
// (view/static/engine.js) writes structs as rows of 32-bit numbers, because all their members have four bytes there.
// The model's programs are a separate module. Their functions are in this module's table.
#include "library.cpp"
#include "scales.hpp"

extern "C" char __heap_base;
static char* next_place = &__heap_base;

// A block of zeroed memory of this many bytes. Giving a block back also frees every block taken after it.
DOOR char* dalembert_take(long bytes) {
    constexpr unsigned long PAGE = 65536;
    char* place = next_place;
    next_place += (bytes + 63) / 64 * 64;
    const unsigned long end = reinterpret_cast<unsigned long>(next_place), have = __builtin_wasm_memory_size(0) * PAGE;
    if (end > have && __builtin_wasm_memory_grow(0, (end - have + PAGE - 1) / PAGE) == static_cast<unsigned long>(-1)) {
        next_place = place;
        return nullptr;
    }
    for (char* c = place; c < next_place; ++c) *c = 0;
    return place;
}

DOOR void dalembert_give_back(char* place) { next_place = place; }

// Replace the given state by a consistent one. The model's parameters are those of the motion.
DOOR int dalembert_start(void* memory, const Model* model, const unsigned char* given, double t, double* state) {
    Block block{static_cast<char*>(memory), 0};
    return Start<Model>::in(block, model, given).run(t, model->parameters, state);
}

DOOR int dalembert_natural(Native* motion, double t, const double* y, double duration, double* out) {
    return natural_sizes(motion->system, t, y, duration, out);
}
