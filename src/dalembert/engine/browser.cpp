// The browser's door: what library.cpp has, compiled for wasm32, with starts and memory. A page (view/static/engine.js)
// writes structs as rows of numbers, since all their members have four bytes there; the model's programs are a module
// of their own, whose functions stand in this module's table.
#include "library.cpp"
#include "scales.hpp"
#include "start.hpp"

extern "C" char __heap_base;
static char* next_place = &__heap_base;

// Memory for so many bytes, zero at first; all that was taken after a place is given back together.
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

// One consistent state in place of the one given.
DOOR int dalembert_start(void* memory, const Constraints* problem, double t, const double* parameters, double* state) {
    Block block{static_cast<char*>(memory), 0};
    return Start::in(block, problem).run(t, parameters, state);
}

DOOR long dalembert_start_memory(const Constraints* problem) {
    Block block;
    Start::in(block, problem);
    return block.used + 64;
}

DOOR int dalembert_natural(Native* motion, double t, const double* y, double duration, double* out) {
    return natural_sizes(motion->system, t, y, duration, out);
}
