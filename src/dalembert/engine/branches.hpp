// Branches of a model with kinks: what is locked while a piece of a motion is smooth, and what slides along a kink.
//
// Where the accelerations a₋ and a₊ on both sides of g = 0 drive a motion into it, it stays there (Filippov):
//     a = a₋ + Σ w_j (a₊j − a₋),   w in [0, 1]^k with   A_i a = b_i   for every kink i that slides
// A and b are the kink's own row, as of a constraint g = 0 (mechanics/branches.py). Accelerations on the sides of
// several kinks are summed, so that one must not change what the other does.
//
// In the corner of constraints, A₊ = A₋ + γ A_k, what rests there is held by reactions between both normals:
//     D a = d + Aᵀν + w (Δd + ΔAᵀν),   A a = b,   A_k a = b_k       w (Δd + ΔAᵀν) = α A_k,   w in [0, 1]
#pragma once

#include "solve.hpp"

namespace dalembert {

constexpr int MOST_TOGETHER = 16;  // kinks that are decided at one instant

// A kink while motions are decided: values of its branch on both sides of its zero.
struct Kink {
    double minus, plus;
    double weight;      // w while it slides
    double last, interval;  // when it was crossed last, and how long after the time before
    int passes;         // crossings in a row, each after a shorter time
    bool near;          // at its zero
    bool left;          // it has just left its slide, or is known to go to the side that its branch has
    bool still;         // its rate counts as zero
};

struct Branches {
    int count = 0, switches = 0;
    double* value = nullptr;  // as programs see them: behind the parameters
    double* rows = nullptr;   // of every kink: g, ψ, b, A
    Kink* kink = nullptr;
    int* sliding = nullptr;   // kinks that slide
    int sliding_count = 0;
    bool held = false;        // the one that slides bends constraints: it rests in their corner
    double *before = nullptr, *event = nullptr;  // branches and a state, kept at an event
    int* slid = nullptr;      // those that slid before it
    int slid_count = 0;
    Matrix sides;             // (a, ν) on the one side of all kinks, then by how much each changes that
    Matrix W, G;
    double *right, *solution;
    double *speeds, *impulse;
    double *base, *other;     // a function on the one side of all kinks, and on the other of one
    int *row_at, *col_at;

    HD APART static Branches in(Block& block, const Counts& c, double* x) {
        Branches b;
        if (c.switches == 0) return b;
        b.count = c.branches, b.switches = c.switches;
        b.value = x + c.inputs();
        b.rows = block.take<double>(c.switches * (c.n + 3));
        b.kink = block.take<Kink>(c.switches);
        b.sliding = block.take<int>(c.switches), b.slid = block.take<int>(c.switches);
        b.before = block.take<double>(c.branches), b.event = block.take<double>(c.size() + 1);
        b.sides = matrix(block, MOST_TOGETHER + 2, c.n + larger(c.reactions, c.m));
        b.W = matrix(block, MOST_TOGETHER, MOST_TOGETHER), b.G = matrix(block, MOST_TOGETHER, MOST_TOGETHER);
        b.right = block.take<double>(MOST_TOGETHER), b.solution = block.take<double>(MOST_TOGETHER);
        b.speeds = block.take<double>(c.n + 1), b.impulse = block.take<double>(c.n + 1);
        const int most = c.at_R() + c.n * c.reactions + c.states + 1;
        b.base = block.take<double>(most), b.other = block.take<double>(most);
        b.row_at = block.take<int>(MOST_TOGETHER), b.col_at = block.take<int>(MOST_TOGETHER);
        return b;
    }

    HD const double* row(int i, int n) const { return rows + i * (n + 3); }

    HD bool slides(int i) const {
        for (int j = 0; j < sliding_count; ++j)
            if (sliding[j] == i) return true;
        return false;
    }
};

}  // namespace dalembert
