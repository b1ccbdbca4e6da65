// A program that computes the model's motion and prints it as a table of comma-separated values.
//
//     NAME [until=TIME] [samples=COUNT] [tolerance=SIZE] [QUANTITY=VALUE ...]
//
// Quantities are parameters, coordinates and speeds. Events are lines that begin with #.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

namespace {

using namespace dalembert;

int found_in(const char* const* names, int count, const char* word, long length) {
    for (int i = 0; i < count; ++i)
        if (strncmp(names[i], word, static_cast<size_t>(length)) == 0 && names[i][length] == '\0') return i;
    return -1;
}

struct Request {
    double until = START_TIME + DURATION, tolerance = TOLERANCE;
    long samples = SAMPLES;
    double* p;
    double* y;
    Given* given;

    // Read one argument NAME=VALUE; false if it is not valid.
    bool take(const char* word) {
        const char* sign = strchr(word, '=');
        if (!sign) return false;
        char* rest = nullptr;
        const double value = strtod(sign + 1, &rest);
        if (rest == sign + 1 || *rest != '\0' || !dalembert::finite(value)) return false;
        const long length = sign - word;
        const int parameter = found_in(PARAMETER_NAMES, PARAMETERS, word, length);
        const int state = found_in(STATE_NAMES, STATES, word, length);
        const int input = parameter >= 0 ? Given::at(parameter) : -1;
        if (parameter >= 0) p[parameter] = smaller(larger(value, PARAMETER_LEAST[parameter]), PARAMETER_GREATEST[parameter]);
        if (input >= 0) given->hold(input, p[parameter]);
        if (parameter >= 0) return true;
        if (state >= 0) y[state] = value;
        else if (length == 5 && strncmp(word, "until", 5) == 0) until = value;
        else if (length == 7 && strncmp(word, "samples", 7) == 0 && value >= 1.0) samples = static_cast<long>(value);
        else if (length == 9 && strncmp(word, "tolerance", 9) == 0 && value > 0.0) tolerance = value;
        else return false;
        return until >= START_TIME;
    }
};

void print_events(const Desk& desk, const Counts& c) {
    static const char* const KINDS[] = {"impact", "liftoff", "contact", "stick", "slip", "chatter", "crossing",
                                        "kink"};
    for (long e = 0; e < desk.event_count; ++e) {
        const Event& one = desk.events[e];
        const bool friction = one.kind == STICKS || one.kind == SLIPS, crossing = one.kind == CROSSING;
        const char* name = one.kind == KINK ? GUARD_NAMES[c.first_switch() + one.index]
                           : crossing       ? GUARD_NAMES[one.index]
                                            : MODE_NAMES[one.index + (friction ? c.contacts : 0)];
        printf("# %s,%s,%.17g,%.17g,%.17g\n", KINDS[one.kind], name, one.time, one.impulse, one.energy);
    }
}

// The table of all samples.
void print_samples(System<Inlined>& system, const Desk& desk, double* x, double* told) {
    const Counts& c = system.counts;
    const int size = c.size(), modes = c.contacts + c.frictions;
    printf("t");
    for (int i = 0; i < size; ++i) printf(",%s", STATE_NAMES[i]);
    for (int i = 0; i < Told::COUNT; ++i) printf(",%s", TOLD_NAMES[i]);
    for (int i = 0; i < modes; ++i) printf(",mode.%s", MODE_NAMES[i]);
    printf("\n");
    for (long s = 0; s < desk.sampled; ++s) {
        const double *y = desk.samples + s * size, *forces = desk.forces ? desk.forces + s * (c.n + c.m) : nullptr;
        const bool known = extend(system, Told::quantities(), false, {desk.sample_times[s], y, forces}, x);
        if (known) values_of(x, told);
        printf("%.17g", desk.sample_times[s]);
        for (int i = 0; i < size; ++i) printf(",%.17g", y[i]);
        for (int i = 0; i < Told::COUNT; ++i) printf(",%.17g", known ? told[i] : NOT_A_NUMBER);
        for (int i = 0; i < modes; ++i) printf(",%d", desk.modes[s * modes + i]);
        printf("\n");
    }
}

// All data of the motion, from one block: first counted, then allocated.
struct Work {
    Motion<Inlined> motion;
    Desk desk;
    double *times, *natural, *x, *told;

    Work(Block& block, const Inlined* model, long samples) {
        const Counts& c = model->counts;
        const int modes = c.contacts + c.frictions;
        times = block.take<double>(samples), natural = block.take<double>(STATES + 1);
        x = block.take<double>(Told::INPUTS + 1), told = block.take<double>(Told::COUNT + 1);
        desk = Desk();
        desk.sample_times = times, desk.sample_count = samples;
        desk.samples = block.take<double>(samples * STATES + 1);
        desk.modes = block.take<int>(samples * modes + 1);
        desk.forces = modes > 0 ? block.take<double>(samples * (c.n + c.m)) : nullptr;
        desk.event_room = 120L * (c.all_guards() + 2) + 64;
        desk.events = block.take<Event>(desk.event_room);
        desk.before = block.take<double>(desk.event_room * STATES + 1);
        desk.after = block.take<double>(desk.event_room * STATES + 1);
        motion = Motion<Inlined>::in(block, model);
    }
};

int follow_motion(const Inlined& model, const Request& asked) {
    Block counted;
    Work(counted, &model, asked.samples);
    char* memory = static_cast<char*>(calloc(1, static_cast<size_t>(counted.used) + 64));
    if (!memory) return fprintf(stderr, "there is no memory for this motion\n"), 1;
    Block block{memory, 0};
    Work work(block, &model, asked.samples);
    const double length = asked.until - START_TIME;
    for (long s = 0; s < asked.samples; ++s)
        work.times[s] = s + 1 == asked.samples ? asked.until
                                               : START_TIME + length * static_cast<double>(s) / static_cast<double>(asked.samples - 1);
    System<Inlined>& system = work.motion.system;
    Status status = natural_sizes(system, START_TIME, asked.y, length, work.natural);
    if (status == DONE) {
        work.motion.set({START_TIME, asked.until, asked.tolerance, length, 2000.0, DOP853, 1}, asked.y, work.natural);
        Patience patience{START_TIME, 0};
        do {
            status = work.motion.run(work.desk, 1000);
            print_events(work.desk, model.counts);
            work.desk.event_count = 0;
            if (status == CONTINUE && system.touches() && patience.ends(work.motion.step)) status = STUCK;
        } while (status == CONTINUE || status == NEED_ROOM);
    }
    print_samples(system, work.desk, work.x, work.told);
    const bool fine = status == FINISHED || status == STOPPED_BY_EVENT;
    if (!fine) fprintf(stderr, "at t = %.9g %s\n", work.motion.step.t, sentence_of(status));
    free(memory);
    return fine ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
    static double p[PARAMETERS + 1], y[STATES];
    for (int i = 0; i < PARAMETERS; ++i) p[i] = START_PARAMETERS[i];
    for (int i = 0; i < STATES; ++i) y[i] = START_STATES[i];
    Request asked;
    static Signal own[SIGNALS + 1];
    static double held[SIGNALS + 1];
    Given given{own, held};
    given.forget();
    asked.p = p, asked.y = y, asked.given = &given;
    for (int i = 1; i < count; ++i) {
        if (asked.take(words[i])) continue;
        fprintf(stderr, "%s is not understood; give until=TIME, samples=COUNT, tolerance=SIZE or QUANTITY=VALUE\n", words[i]);
        return 2;
    }
    Inlined model;
    model.parameters = p, model.signals = given.own;
    return follow_motion(model, asked);
}
