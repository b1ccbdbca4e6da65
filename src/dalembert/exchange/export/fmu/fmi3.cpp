// The functions of FMI 3.0, for model exchange and co-simulation (fmi-standard.org, sections 2 to 4).
namespace {

using Logger = void (*)(void* environment, int status, String category, String message);

void say(Fmu* fmu, int result, String message) {
    if (fmu->logger) reinterpret_cast<Logger>(fmu->logger)(fmu->environment, result, "logStatusError", message);
}

Fmu* made_or_said(String name, String token, void* environment, Logger logger) {
    Fmu* fmu = made(name, token, reinterpret_cast<void*>(logger), environment);
    if (!fmu && logger)
        logger(environment, ERROR, "logStatusError", "the token is not that of this FMU, or there is no memory for it");
    return fmu;
}

}  // namespace

FMI String fmi3GetVersion() { return "3.0"; }
FMI int fmi3SetDebugLogging(void*, bool, size_t, const String*) { return OK; }

FMI void* fmi3InstantiateModelExchange(String name, String token, String, bool, bool, void* environment, Logger logger) {
    return made_or_said(name, token, environment, logger);
}
FMI void* fmi3InstantiateCoSimulation(String name, String token, String, bool, bool, bool, bool, const Reference*, size_t,
                                      void* environment, Logger logger, void*) {
    return made_or_said(name, token, environment, logger);
}
FMI void* fmi3InstantiateScheduledExecution(String, String, String, bool, bool, void*, Logger, void*, void*, void*) {
    return nullptr;
}
FMI void fmi3FreeInstance(void* c) {
    if (c) of(c)->release();
}
FMI int fmi3EnterInitializationMode(void* c, bool has_tolerance, Real tolerance, Real start, bool has_stop, Real stop) {
    experiment(of(c), has_tolerance, tolerance, start, has_stop, stop);
    return OK;
}
FMI int fmi3ExitInitializationMode(void* c) { return initialized(of(c)); }
FMI int fmi3EnterEventMode(void*) { return OK; }
FMI int fmi3Terminate(void*) { return OK; }
FMI int fmi3Reset(void* c) {
    of(c)->forget();
    return OK;
}

FMI int fmi3GetFloat64(void* c, const Reference* at, size_t count, Real* values, size_t) {
    return got(of(c), at, count, values);
}
FMI int fmi3SetFloat64(void* c, const Reference* at, size_t count, const Real* values, size_t) {
    return put(of(c), at, count, values);
}
FMI int fmi3GetInt32(void* c, const Reference* at, size_t count, int* values, size_t) {
    return got_modes(of(c), at, count, values);
}

FMI int fmi3GetFMUState(void* c, void** state) { return keep(of(c), state); }
FMI int fmi3SetFMUState(void* c, void* state) { return told(of(c), of(c)->restore(static_cast<Kept*>(state)->bytes)); }
FMI int fmi3FreeFMUState(void*, void** state) {
    free(*state);
    *state = nullptr;
    return OK;
}
FMI int fmi3SerializedFMUStateSize(void*, void* state, size_t* size) {
    *size = static_cast<Kept*>(state)->size;
    return OK;
}
FMI int fmi3SerializeFMUState(void* c, void* state, unsigned char* bytes, size_t size) {
    return pack(of(c), state, bytes, size);
}
FMI int fmi3DeserializeFMUState(void* c, const unsigned char* bytes, size_t size, void** state) {
    return unpack(of(c), bytes, size, state);
}
FMI int fmi3GetDirectionalDerivative(void* c, const Reference* unknown, size_t unknowns, const Reference* known,
                                     size_t knowns, const Real* seed, size_t, Real* out, size_t) {
    return differentiated(of(c), unknown, unknowns, known, knowns, seed, out);
}

// Model exchange.
FMI int fmi3EvaluateDiscreteStates(void*) { return OK; }
FMI int fmi3UpdateDiscreteStates(void* c, bool* again, bool* terminate, bool* nominals, bool* states, bool* has_time,
                                 Real* next) {
    bool jumped = false;
    const dalembert::Status status = of(c)->update(jumped);
    *again = *nominals = false;
    *terminate = of(c)->stopped, *states = jumped, *next = of(c)->motion.system.next_stop();
    *has_time = *next < INF;
    if (!*has_time) *next = 0.0;
    return told(of(c), status);
}
FMI int fmi3EnterContinuousTimeMode(void*) { return OK; }
FMI int fmi3CompletedIntegratorStep(void* c, bool, bool* event, bool* terminate) {
    *event = *terminate = false;
    return told(of(c), of(c)->completed(*event));
}
FMI int fmi3SetTime(void* c, Real t) {
    of(c)->at(t);
    return OK;
}
FMI int fmi3SetContinuousStates(void* c, const Real* y, size_t) {
    of(c)->place(y);
    return OK;
}
FMI int fmi3GetContinuousStateDerivatives(void* c, Real* out, size_t count) {
    const dalembert::Status status = of(c)->evaluate();
    return copied(of(c), status, of(c)->slope, out, count, DISCARD);
}
FMI int fmi3GetEventIndicators(void* c, Real* out, size_t) { return told(of(c), of(c)->indicate(out), DISCARD); }
FMI int fmi3GetContinuousStates(void* c, Real* out, size_t count) {
    const dalembert::Status status = of(c)->begin();
    return copied(of(c), status, of(c)->motion.step.y, out, count);
}
FMI int fmi3GetNominalsOfContinuousStates(void* c, Real* out, size_t count) {
    const dalembert::Status status = of(c)->begin();
    return copied(of(c), status, of(c)->natural, out, count);
}
FMI int fmi3GetNumberOfEventIndicators(void* c, size_t* count) {
    *count = static_cast<size_t>(of(c)->indicators());
    return OK;
}
FMI int fmi3GetNumberOfContinuousStates(void*, size_t* count) {
    *count = static_cast<size_t>(Fmu::states());
    return OK;
}

// Co-simulation.
FMI int fmi3EnterStepMode(void*) { return OK; }
FMI int fmi3DoStep(void* c, Real t, Real h, bool, bool* event, bool* terminate, bool* early, Real* last) {
    const int result = stepped(of(c), t, h);
    *event = *early = false;
    *terminate = of(c)->stopped, *last = of(c)->now();
    return of(c)->stopped ? static_cast<int>(OK) : result;
}

// Functions for types and modes that this FMU does not have.
FMI int fmi3GetFloat32(void* c) { return failed(of(c), "fmi3GetFloat32 is not offered by this FMU"); }
FMI int fmi3GetInt8(void* c) { return failed(of(c), "fmi3GetInt8 is not offered by this FMU"); }
FMI int fmi3GetUInt8(void* c) { return failed(of(c), "fmi3GetUInt8 is not offered by this FMU"); }
FMI int fmi3GetInt16(void* c) { return failed(of(c), "fmi3GetInt16 is not offered by this FMU"); }
FMI int fmi3GetUInt16(void* c) { return failed(of(c), "fmi3GetUInt16 is not offered by this FMU"); }
FMI int fmi3GetUInt32(void* c) { return failed(of(c), "fmi3GetUInt32 is not offered by this FMU"); }
FMI int fmi3GetInt64(void* c) { return failed(of(c), "fmi3GetInt64 is not offered by this FMU"); }
FMI int fmi3GetUInt64(void* c) { return failed(of(c), "fmi3GetUInt64 is not offered by this FMU"); }
FMI int fmi3GetBoolean(void* c) { return failed(of(c), "fmi3GetBoolean is not offered by this FMU"); }
FMI int fmi3GetString(void* c) { return failed(of(c), "fmi3GetString is not offered by this FMU"); }
FMI int fmi3GetBinary(void* c) { return failed(of(c), "fmi3GetBinary is not offered by this FMU"); }
FMI int fmi3GetClock(void* c) { return failed(of(c), "fmi3GetClock is not offered by this FMU"); }
FMI int fmi3SetFloat32(void* c) { return failed(of(c), "fmi3SetFloat32 is not offered by this FMU"); }
FMI int fmi3SetInt8(void* c) { return failed(of(c), "fmi3SetInt8 is not offered by this FMU"); }
FMI int fmi3SetUInt8(void* c) { return failed(of(c), "fmi3SetUInt8 is not offered by this FMU"); }
FMI int fmi3SetInt16(void* c) { return failed(of(c), "fmi3SetInt16 is not offered by this FMU"); }
FMI int fmi3SetUInt16(void* c) { return failed(of(c), "fmi3SetUInt16 is not offered by this FMU"); }
FMI int fmi3SetInt32(void* c) { return failed(of(c), "fmi3SetInt32 is not offered by this FMU"); }
FMI int fmi3SetUInt32(void* c) { return failed(of(c), "fmi3SetUInt32 is not offered by this FMU"); }
FMI int fmi3SetInt64(void* c) { return failed(of(c), "fmi3SetInt64 is not offered by this FMU"); }
FMI int fmi3SetUInt64(void* c) { return failed(of(c), "fmi3SetUInt64 is not offered by this FMU"); }
FMI int fmi3SetBoolean(void* c) { return failed(of(c), "fmi3SetBoolean is not offered by this FMU"); }
FMI int fmi3SetString(void* c) { return failed(of(c), "fmi3SetString is not offered by this FMU"); }
FMI int fmi3SetBinary(void* c) { return failed(of(c), "fmi3SetBinary is not offered by this FMU"); }
FMI int fmi3SetClock(void* c) { return failed(of(c), "fmi3SetClock is not offered by this FMU"); }
FMI int fmi3GetNumberOfVariableDependencies(void* c) { return failed(of(c), "fmi3GetNumberOfVariableDependencies is not offered by this FMU"); }
FMI int fmi3GetVariableDependencies(void* c) { return failed(of(c), "fmi3GetVariableDependencies is not offered by this FMU"); }
FMI int fmi3GetAdjointDerivative(void* c) { return failed(of(c), "fmi3GetAdjointDerivative is not offered by this FMU"); }
FMI int fmi3EnterConfigurationMode(void* c) { return failed(of(c), "fmi3EnterConfigurationMode is not offered by this FMU"); }
FMI int fmi3ExitConfigurationMode(void* c) { return failed(of(c), "fmi3ExitConfigurationMode is not offered by this FMU"); }
FMI int fmi3GetIntervalDecimal(void* c) { return failed(of(c), "fmi3GetIntervalDecimal is not offered by this FMU"); }
FMI int fmi3GetIntervalFraction(void* c) { return failed(of(c), "fmi3GetIntervalFraction is not offered by this FMU"); }
FMI int fmi3GetShiftDecimal(void* c) { return failed(of(c), "fmi3GetShiftDecimal is not offered by this FMU"); }
FMI int fmi3GetShiftFraction(void* c) { return failed(of(c), "fmi3GetShiftFraction is not offered by this FMU"); }
FMI int fmi3SetIntervalDecimal(void* c) { return failed(of(c), "fmi3SetIntervalDecimal is not offered by this FMU"); }
FMI int fmi3SetIntervalFraction(void* c) { return failed(of(c), "fmi3SetIntervalFraction is not offered by this FMU"); }
FMI int fmi3SetShiftDecimal(void* c) { return failed(of(c), "fmi3SetShiftDecimal is not offered by this FMU"); }
FMI int fmi3SetShiftFraction(void* c) { return failed(of(c), "fmi3SetShiftFraction is not offered by this FMU"); }
FMI int fmi3GetOutputDerivatives(void* c) { return failed(of(c), "fmi3GetOutputDerivatives is not offered by this FMU"); }
FMI int fmi3ActivateModelPartition(void* c) { return failed(of(c), "fmi3ActivateModelPartition is not offered by this FMU"); }
