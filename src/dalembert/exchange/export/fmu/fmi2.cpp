// The functions of FMI 2.0, for model exchange and co-simulation (fmi-standard.org, sections 2 to 4).
namespace {

using Logger = void (*)(void* environment, String instance, int status, String category, String message, ...);

struct Callbacks {
    Logger logger;
    void* (*allocate)(size_t, size_t);
    void (*release)(void*);
    void (*finished)(void*, int);
    void* environment;
};

struct EventInfo {
    int again, terminate, nominals_changed, states_changed, time_defined;
    Real next_time;
};

void say(Fmu* fmu, int result, String message) {
    if (fmu->logger)
        reinterpret_cast<Logger>(fmu->logger)(fmu->environment, fmu->name, result, "logStatusError", "%s", message);
}

int none(void* c, size_t count) { return count ? failed(of(c), "this FMU has no quantity of that type to get or set") : OK; }

}  // namespace

FMI String fmi2GetTypesPlatform() { return "default"; }
FMI String fmi2GetVersion() { return "2.0"; }
FMI int fmi2SetDebugLogging(void*, int, size_t, const String*) { return OK; }

FMI void* fmi2Instantiate(String name, int, String guid, String, const Callbacks* functions, int, int) {
    void* logger = functions ? reinterpret_cast<void*>(functions->logger) : nullptr;
    void* environment = functions ? functions->environment : nullptr;
    Fmu* fmu = made(name, guid, logger, environment);
    if (!fmu && functions && functions->logger)
        functions->logger(environment, name, ERROR, "logStatusError",
                          "the GUID is not that of this FMU, or there is no memory for it");
    return fmu;
}
FMI void fmi2FreeInstance(void* c) {
    if (c) of(c)->release();
}
FMI int fmi2SetupExperiment(void* c, int has_tolerance, Real tolerance, Real start, int has_stop, Real stop) {
    experiment(of(c), has_tolerance, tolerance, start, has_stop, stop);
    return OK;
}
FMI int fmi2EnterInitializationMode(void*) { return OK; }
FMI int fmi2ExitInitializationMode(void* c) { return initialized(of(c)); }
FMI int fmi2Terminate(void*) { return OK; }
FMI int fmi2Reset(void* c) {
    of(c)->forget();
    return OK;
}

FMI int fmi2GetReal(void* c, const Reference* at, size_t count, Real* values) { return got(of(c), at, count, values); }
FMI int fmi2SetReal(void* c, const Reference* at, size_t count, const Real* values) { return put(of(c), at, count, values); }
FMI int fmi2GetInteger(void* c, const Reference* at, size_t count, int* values) { return got_modes(of(c), at, count, values); }
FMI int fmi2SetInteger(void* c, const Reference*, size_t count, const int*) { return none(c, count); }
FMI int fmi2GetBoolean(void* c, const Reference*, size_t count, int*) { return none(c, count); }
FMI int fmi2SetBoolean(void* c, const Reference*, size_t count, const int*) { return none(c, count); }
FMI int fmi2GetString(void* c, const Reference*, size_t count, String*) { return none(c, count); }
FMI int fmi2SetString(void* c, const Reference*, size_t count, const String*) { return none(c, count); }

FMI int fmi2GetFMUstate(void* c, void** state) { return keep(of(c), state); }
FMI int fmi2SetFMUstate(void* c, void* state) { return told(of(c), of(c)->restore(static_cast<Kept*>(state)->bytes)); }
FMI int fmi2FreeFMUstate(void*, void** state) {
    free(*state);
    *state = nullptr;
    return OK;
}
FMI int fmi2SerializedFMUstateSize(void*, void* state, size_t* size) {
    *size = static_cast<Kept*>(state)->size;
    return OK;
}
FMI int fmi2SerializeFMUstate(void* c, void* state, char* bytes, size_t size) { return pack(of(c), state, bytes, size); }
FMI int fmi2DeSerializeFMUstate(void* c, const char* bytes, size_t size, void** state) {
    return unpack(of(c), bytes, size, state);
}
FMI int fmi2GetDirectionalDerivative(void* c, const Reference* unknown, size_t unknowns, const Reference* known,
                                     size_t knowns, const Real* direction, Real* out) {
    return differentiated(of(c), unknown, unknowns, known, knowns, direction, out);
}

// Model exchange.
FMI int fmi2EnterEventMode(void*) { return OK; }
FMI int fmi2NewDiscreteStates(void* c, EventInfo* info) {
    bool jumped = false;
    const dalembert::Status status = of(c)->update(jumped);
    const Real next = of(c)->motion.system.next_stop();
    *info = {0, of(c)->stopped, 0, jumped, next < INF, next < INF ? next : 0.0};
    return told(of(c), status);
}
FMI int fmi2EnterContinuousTimeMode(void*) { return OK; }
FMI int fmi2CompletedIntegratorStep(void* c, int, int* event, int* terminate) {
    bool follows = false;
    const dalembert::Status status = of(c)->completed(follows);
    *event = follows, *terminate = 0;
    return told(of(c), status);
}
FMI int fmi2SetTime(void* c, Real t) {
    of(c)->at(t);
    return OK;
}
FMI int fmi2SetContinuousStates(void* c, const Real* y, size_t) {
    of(c)->place(y);
    return OK;
}
FMI int fmi2GetDerivatives(void* c, Real* out, size_t count) {
    const dalembert::Status status = of(c)->evaluate();
    return copied(of(c), status, of(c)->slope, out, count, DISCARD);
}
FMI int fmi2GetEventIndicators(void* c, Real* out, size_t) { return told(of(c), of(c)->indicate(out), DISCARD); }
FMI int fmi2GetContinuousStates(void* c, Real* out, size_t count) {
    const dalembert::Status status = of(c)->begin();
    return copied(of(c), status, of(c)->motion.step.y, out, count);
}
FMI int fmi2GetNominalsOfContinuousStates(void* c, Real* out, size_t count) {
    const dalembert::Status status = of(c)->begin();
    return copied(of(c), status, of(c)->natural, out, count);
}

// Co-simulation.
FMI int fmi2SetRealInputDerivatives(void* c, const Reference*, size_t, const int*, const Real*) {
    return failed(of(c), "inputs are held between communication points");
}
FMI int fmi2GetRealOutputDerivatives(void* c, const Reference*, size_t, const int*, Real*) {
    return failed(of(c), "derivatives of outputs are not offered");
}
FMI int fmi2DoStep(void* c, Real t, Real h, int) { return stepped(of(c), t, h); }
FMI int fmi2CancelStep(void* c) { return failed(of(c), "steps are not asynchronous"); }
FMI int fmi2GetStatus(void*, int, int*) { return DISCARD; }
FMI int fmi2GetRealStatus(void* c, int kind, Real* value) {
    *value = of(c)->now();
    return kind == 2 ? OK : DISCARD;
}
FMI int fmi2GetIntegerStatus(void*, int, int*) { return DISCARD; }
FMI int fmi2GetBooleanStatus(void* c, int kind, int* value) {
    *value = of(c)->stopped;
    return kind == 3 ? OK : DISCARD;
}
FMI int fmi2GetStringStatus(void*, int, String*) { return DISCARD; }
