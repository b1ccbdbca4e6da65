// External inputs of a motion: data that are functions of time, and controllers that compute at given instants.
//
//     data         a cubic between two knots; constant before the first knot and after the last
//     controllers  new values of the states that they hold at offset, offset + every, …
//
// No step crosses a knot or an instant. Within a step every signal stays on the piece on which the step began, so the
// end of the step is the limit from the left. `arrive` moves to the next pieces, which gives the limit from the right.
#pragma once

#include "model.hpp"

namespace dalembert {

constexpr int NOT_READ = -2;         // piece of a signal that is not read: its parameter keeps the caller's value
constexpr double SAME_TICK = 1e-9;   // of a period: an instant this near to the start is the start
constexpr double SAME_TIME = 8.0 * EPSILON;  // of a time: a sample this near before a knot or an instant is at it

HD inline double signal_value(const Signal& signal, int piece, double t) {
    if (piece < 0) return signal.cubics[0];
    const double* c = signal.cubics + 4 * piece;
    const double s = t - signal.times[piece];
    return c[0] + s * (c[1] + s * (c[2] + s * c[3]));
}

struct Inputs {
    const Signal* signals;
    const Clock* clocks;
    int signal_count = 0, clock_count = 0, held = 0;
    int* piece;       // the last knot of every signal; −1 before the first
    double* tick;     // the number of the next instant of every clock
    double* computed; // new values from the controllers

    HD static Inputs in(Block& block, const Counts& c, const Signal* signals, const Clock* clocks) {
        Inputs found;
        found.signals = signals, found.clocks = clocks;
        found.signal_count = c.signals, found.clock_count = c.clocks, found.held = c.held;
        found.piece = block.take<int>(c.signals + 1);
        found.tick = block.take<double>(c.clocks + 1);
        found.computed = block.take<double>(c.held + 1);
        if (block.base) {
            for (int i = 0; i < c.signals; ++i) found.piece[i] = NOT_READ;
            for (int i = 0; i < c.clocks; ++i) found.tick[i] = INF;
        }
        return found;
    }

    HD double instant(int clock) const { return clocks[clock].offset + tick[clock] * clocks[clock].every; }

    // The next knot or instant.
    HD double next() const {
        double found = INF;
        for (int i = 0; i < signal_count; ++i)
            if (piece[i] != NOT_READ && piece[i] + 1 < signals[i].count) found = smaller(found, signals[i].times[piece[i] + 1]);
        for (int i = 0; i < clock_count; ++i) found = smaller(found, instant(i));
        return found;
    }

    // Find the pieces of the signals at t.
    HD APART void locate(double t) {
        for (int i = 0; i < signal_count; ++i) {
            int low = -1, high = signals[i].count;
            while (high - low > 1) {
                const int middle = low + (high - low) / 2;
                if (signals[i].times[middle] <= t + SAME_TIME * fabs(t)) low = middle; else high = middle;
            }
            piece[i] = low;
        }
    }

    // Write the values of the signals at t into their parameters.
    HD void read(double t, double* parameters) const {
        for (int i = 0; i < signal_count; ++i)
            if (piece[i] != NOT_READ) parameters[signals[i].place] = signal_value(signals[i], piece[i], t);
    }

    // Move to the pieces that begin at t. Returns whether a value may jump there.
    HD bool advance(double t) {
        bool jumps = false;
        for (int i = 0; i < signal_count; ++i)
            while (piece[i] != NOT_READ && piece[i] + 1 < signals[i].count && signals[i].times[piece[i] + 1] <= t) {
                ++piece[i];
                jumps = jumps || signals[i].jumps;
            }
        return jumps;
    }

    // Whether a controller computes at t; its next instant is then later. At the start all that have begun compute.
    HD bool ticks(int clock, double t, bool start) {
        const double every = clocks[clock].every;
        if (start) {
            const double passed = (t - clocks[clock].offset) / every + SAME_TICK;
            tick[clock] = larger(floor(passed) + 1.0, 0.0);
            return passed >= 0.0;
        }
        if (instant(clock) > t) return false;
        while (instant(clock) <= t) tick[clock] += 1.0;
        return true;
    }
};

}  // namespace dalembert
