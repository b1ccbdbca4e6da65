// The common part of the interfaces FMI 2.0 and 3.0: results, sentences, and arrays of quantities and saved states.
#if defined(_WIN32)
#define FMI extern "C" __declspec(dllexport)
#else
#define FMI extern "C" __attribute__((visibility("default")))
#endif

namespace {

using dalembert::Fmu;
using Real = double;
using String = const char*;
using Reference = unsigned;

enum Result : int { OK, WARNING, DISCARD, ERROR, FATAL };

Fmu* of(void* instance) { return static_cast<Fmu*>(instance); }

void say(Fmu* fmu, int result, String message);  // by the version's logger

int failed(Fmu* fmu, String message, int result = ERROR) {
    say(fmu, result, message);
    return result;
}

int told(Fmu* fmu, dalembert::Status status, int result = ERROR) {
    return status == dalembert::DONE ? OK : failed(fmu, fmu->sentence(), result);
}

Fmu* made(String name, String token, void* logger, void* environment) {
    if (!token || strcmp(token, TOKEN) != 0) return nullptr;
    Fmu* fmu = Fmu::make();
    if (!fmu) return nullptr;
    fmu->name = static_cast<char*>(malloc(strlen(name ? name : "") + 1));
    if (fmu->name) strcpy(fmu->name, name ? name : "");
    fmu->logger = logger, fmu->environment = environment;
    return fmu;
}

void experiment(Fmu* fmu, bool has_tolerance, Real tolerance, Real start, bool has_stop, Real stop) {
    if (has_tolerance && tolerance > 0.0) fmu->tolerance = tolerance;
    fmu->time = start, fmu->begun = false;
    fmu->end = has_stop && stop > start ? stop : start + dalembert::DURATION;
}

int initialized(Fmu* fmu) {
    const dalembert::Status status = fmu->begin();
    fmu->running = status == dalembert::DONE;
    return told(fmu, status);
}

int got(Fmu* fmu, const Reference* at, size_t count, Real* values) {
    for (size_t i = 0; i < count; ++i) {
        fmu->status = dalembert::DONE;
        if (fmu->get(at[i], values[i])) continue;
        if (!fmu->holds(at[i])) return failed(fmu, "a value reference names no real quantity of this FMU");
        const bool state = fmu->status != dalembert::DONE;
        return failed(fmu, state ? fmu->sentence() : "a quantity has no value at this state");
    }
    return OK;
}

int put(Fmu* fmu, const Reference* at, size_t count, const Real* values) {
    for (size_t i = 0; i < count; ++i)
        if (!fmu->set(at[i], values[i]))
            return failed(fmu, "only states, parameters and inputs can be set, to finite numbers");
    return OK;
}

int got_modes(Fmu* fmu, const Reference* at, size_t count, int* values) {
    for (size_t i = 0; i < count; ++i) {
        const int which = static_cast<int>(at[i]) - fmu->at_modes();
        if (which < 0 || which >= fmu->modes()) return failed(fmu, "a value reference names no mode of this FMU");
        values[i] = fmu->mode(which);
        if (values[i] < 0) return failed(fmu, fmu->sentence());
    }
    return OK;
}

// A saved state contains its size, so that bytes of another model are refused.
struct Kept {
    size_t size;
    char bytes[1];
};

Kept* room_for(size_t size) {
    Kept* kept = static_cast<Kept*>(malloc(sizeof(Kept) + size));
    if (kept) kept->size = size;
    return kept;
}

int keep(Fmu* fmu, void** state) {
    Kept* kept = *state ? static_cast<Kept*>(*state) : room_for(fmu->saved_size());
    if (!kept) return failed(fmu, "there is no memory for a state");
    fmu->save(kept->bytes);
    *state = kept;
    return OK;
}

int pack(Fmu* fmu, void* state, void* bytes, size_t size) {
    const Kept* kept = static_cast<Kept*>(state);
    if (size < kept->size) return failed(fmu, "the buffer for a state is too small");
    memcpy(bytes, kept->bytes, kept->size);
    return OK;
}

int unpack(Fmu* fmu, const void* bytes, size_t size, void** state) {
    if (size != fmu->saved_size()) return failed(fmu, "these bytes are not a state of this FMU");
    Kept* kept = room_for(size);
    if (!kept) return failed(fmu, "there is no memory for a state");
    memcpy(kept->bytes, bytes, size);
    *state = kept;
    return OK;
}

int differentiated(Fmu* fmu, const Reference* unknown, size_t unknowns, const Reference* known, size_t knowns,
                   const Real* direction, Real* out) {
    const bool fine = fmu->derivative(unknown, static_cast<int>(unknowns), known, static_cast<int>(knowns), direction, out);
    return fine ? OK : failed(fmu, "a quantity has no derivative at this state", DISCARD);
}

int copied(Fmu* fmu, dalembert::Status status, const Real* from, Real* to, size_t count, int result = ERROR) {
    for (size_t i = 0; i < count; ++i) to[i] = from[i];
    return told(fmu, status, result);
}

// Make a step of a co-simulation. DISCARD means that an event of the model ended it.
int stepped(Fmu* fmu, Real t, Real h) {
    if (fmu->stopped) return failed(fmu, fmu->sentence(), DISCARD);
    const double far = 1e-9 * dalembert::larger(fabs(t), fabs(h));
    if (fabs(fmu->now() - t) > far) return failed(fmu, "the communication point is not where the last step ended");
    const dalembert::Status status = fmu->advance(t + h);
    return told(fmu, status, fmu->stopped ? DISCARD : ERROR);
}

}  // namespace
