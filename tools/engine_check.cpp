// Tries an engine's library on its own platform, without Python: `engine_check LIBRARY SOURCES NAME...`.
//
// SOURCES is the hash of the headers, and every NAME must be a function of the library. Then one motion is followed: a planet on an ellipse of Kepler's,
// q̈ = −q/|q|³ with a = 1, which must be back where it started after 2π. `make wheels` builds and runs this program.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "motion.hpp"

#if defined(_WIN32)
#include <windows.h>
static void* opened(const char* path) { return reinterpret_cast<void*>(LoadLibraryA(path)); }
static void* found(void* library, const char* name) {
    return reinterpret_cast<void*>(GetProcAddress(static_cast<HMODULE>(library), name));
}
#else
#include <dlfcn.h>
static void* opened(const char* path) { return dlopen(path, RTLD_NOW); }
static void* found(void* library, const char* name) { return dlsym(library, name); }
#endif

using namespace dalembert;

// D (upper triangle), d at x = (t, q, v).
static void kepler(double* out, const double* x, void*) {
    const double r = sqrt(x[1] * x[1] + x[2] * x[2]);
    out[0] = 1, out[1] = 0, out[2] = 1;
    out[3] = -x[1] / (r * r * r), out[4] = -x[2] / (r * r * r);
}

static int back_after_a_turn(void* library) {
    const auto memory = reinterpret_cast<long (*)(const Model*)>(found(library, "dalembert_memory"));
    const auto begin = reinterpret_cast<void* (*)(void*, const Model*)>(found(library, "dalembert_motion"));
    const auto set = reinterpret_cast<void (*)(void*, const Settings*, const double*, const double*)>(
        found(library, "dalembert_set"));
    const auto run = reinterpret_cast<int (*)(void*, Desk*, long)>(found(library, "dalembert_run"));

    Model model = {};
    model.counts.n = 2;
    model.counts.symmetric = 1;
    const int angles[2] = {0, 0};
    model.angles = angles;
    model.dynamics.function = kepler;
    const double turn = 6.283185307179586, e = 0.5;
    const double start[4] = {1 - e, 0, 0, sqrt((1 + e) / (1 - e))}, natural[4] = {1, 1, 1, 1};
    double end[4], before[4], after[4];
    Event event;
    Settings settings = {};
    settings.end = turn, settings.tolerance = 1e-12, settings.longest = turn, settings.patience = 1e9;
    Desk desk = {};
    desk.sample_times = &turn, desk.samples = end, desk.sample_count = 1;
    desk.events = &event, desk.before = before, desk.after = after, desk.event_room = 1;

    void* motion = begin(calloc(1, memory(&model)), &model);
    set(motion, &settings, start, natural);
    int status = CONTINUE;
    while (status == CONTINUE) status = run(motion, &desk, 1000);
    double worst = 0;
    for (int i = 0; i < 4; ++i) worst = larger(worst, fabs(end[i] - start[i]));
    printf("status %d, back to %.1e\n", status, worst);
    return status == FINISHED && worst < 1e-9 ? 0 : 1;
}

int main(int count, char** words) {
    void* library = count > 1 ? opened(words[1]) : nullptr;
    if (!library) return printf("the library cannot be loaded\n"), 1;
    for (int i = 3; i < count; ++i)
        if (!found(library, words[i])) return printf("there is no %s\n", words[i]), 1;
    const auto sources = reinterpret_cast<const char* (*)()>(found(library, "dalembert_sources"));
    if (!sources || strcmp(sources(), words[2])) return printf("the library was built from other headers\n"), 1;
    return back_after_a_turn(library);
}
