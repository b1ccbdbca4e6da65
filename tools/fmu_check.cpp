// Tries the library of an FMU on its own platform: `fmu_check LIBRARY TOKEN END STATES`.
//
// The FMU (FMI 3.0) is simulated as a slave in twenty steps, and prints its first STATES variables at the end.
// `make wheels` builds and runs this program, and compares the numbers with those of the engine.
#include <stdio.h>
#include <stdlib.h>

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

static void told(void*, int, const char* category, const char* message) { fprintf(stderr, "%s: %s\n", category, message); }

int main(int count, char** words) {
    if (count != 5) return 2;
    void* library = opened(words[1]);
    if (!library) return printf("%s could not be loaded\n", words[1]), 1;
    const auto make = reinterpret_cast<void* (*)(const char*, const char*, const char*, bool, bool, bool, bool,
                                                 const unsigned*, size_t, void*, decltype(&told), void*)>(
        found(library, "fmi3InstantiateCoSimulation"));
    const auto enter = reinterpret_cast<int (*)(void*, bool, double, double, bool, double)>(
        found(library, "fmi3EnterInitializationMode"));
    const auto leave = reinterpret_cast<int (*)(void*)>(found(library, "fmi3ExitInitializationMode"));
    const auto step = reinterpret_cast<int (*)(void*, double, double, bool, bool*, bool*, bool*, double*)>(
        found(library, "fmi3DoStep"));
    const auto get = reinterpret_cast<int (*)(void*, const unsigned*, size_t, double*, size_t)>(
        found(library, "fmi3GetFloat64"));
    if (!make || !enter || !leave || !step || !get) return printf("a function of FMI is missing\n"), 1;

    void* model = make("checked", words[2], "", false, false, false, false, nullptr, 0, nullptr, told, nullptr);
    if (!model) return printf("there is no instance\n"), 1;
    const double end = atof(words[3]);
    int status = enter(model, true, 1e-10, 0, true, end) | leave(model);
    for (int i = 0; i < 20; ++i) {
        bool event, terminate, early;
        double last;
        status |= step(model, end * i / 20, end / 20, true, &event, &terminate, &early, &last);
    }
    for (unsigned i = 1; i <= static_cast<unsigned>(atoi(words[4])); ++i) {
        double value = 0;
        status |= get(model, &i, 1, &value, 1);
        printf("%.17g ", value);
    }
    printf("\n");
    return status;
}
