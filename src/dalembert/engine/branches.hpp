// Branches of a model with kinks: the side of each kink while a piece of a motion is smooth, and the kinks that slide.
//
// If the accelerations a₋ and a₊ on the two sides of g = 0 both drive a motion into g = 0, it stays there (Filippov):
//     a = a₋ + Σ w_j (a₊j − a₋),   w in [0, 1]^k with   A_i a = b_i   for every kink i that slides
// A and b are the kink's own row, as if g = 0 were a constraint (mechanics/branches.py). The changes of accelerations
// at several kinks are added. This is valid only if one kink does not change the effect of another.
//
// If a kink bends constraints, A₊ = A₋ + γ A_k, reactions between both normals hold a system at rest in the corner:
//     D a = d + Aᵀν + w (Δd + ΔAᵀν),   A a = b,   A_k a = b_k       w (Δd + ΔAᵀν) = α A_k,   w in [0, 1]
#pragma once

#include "solve.hpp"

namespace dalembert {

constexpr int MOST_TOGETHER = 16;  // most kinks decided at one instant

// A kink while its side is decided: values of its branch on both sides of its zero.
struct Kink {
    double minus, plus;
    double weight;      // w while it slides
    double last, interval;  // time of the last crossing, and its distance from the one before
    int passes;         // crossings in a row, each after a shorter time than the last
    bool near;          // at its zero
    bool left;          // it has just stopped sliding, or is known to go to the side of its present branch
    bool still;         // its rate counts as zero
    bool slid;          // it slid before the event
};

struct Branches {
    int count = 0, switches = 0;
    double* value = nullptr;  // branches where programs read them: after the parameters
    double* rows = nullptr;   // for every kink: g, ψ, b, A
    Kink* kink = nullptr;
    int* sliding = nullptr;   // the kinks that slide
    int sliding_count = 0;
    bool held = false;        // the kink that slides bends constraints, and the motion rests in their corner
    double *before = nullptr, *event = nullptr;  // branches and a state, saved at an event
    Matrix sides;             // (a, ν) on the minus side of all kinks, then the change that each kink makes
    Matrix W, G;
    double *right, *solution;
    double* speeds;
    double *base, *other;     // a function on the minus side of all kinks, and with one kink on its plus side
    int *row_at, *col_at;

    HD APART static Branches in(Block& block, const Counts& c, double* x) {
        Branches b;
        if (c.switches == 0) return b;
        b.count = c.branches, b.switches = c.switches;
        b.value = x + c.inputs();
        b.rows = block.take<double>(c.switches * (c.n + 3));
        block.each(c.switches, b.kink, b.sliding);
        b.before = block.take<double>(c.branches);
        block.each(c.size() + 1, b.event, b.speeds);
        b.sides = matrix(block, MOST_TOGETHER + 2, c.n + c.reactions);
        matrices(block, MOST_TOGETHER, MOST_TOGETHER, b.W, b.G);
        block.each(MOST_TOGETHER, b.right, b.solution, b.row_at, b.col_at);
        block.each(c.at_R() + c.n * c.reactions + c.states + 1, b.base, b.other);
        return b;
    }

    HD const double* row(int i, int n) const { return rows + i * (n + 3); }

    HD bool slides(int i) const { return any_of(sliding_count, [&](int j) { return sliding[j] == i; }); }
};

}  // namespace dalembert
