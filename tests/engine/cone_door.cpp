// A door to the cone solver for its tests: one problem in plain arrays.
#include <stdlib.h>

#include "contact/guess.hpp"

using namespace dalembert;

extern "C" int solve_cone(const int* counts, const double* groups, const double* numbers, double* forces, int* modes) {
    const int contacts = counts[0], group_count = counts[1], size = counts[2];
    Block block;
    ConeProblem::in(block, size + 2 * group_count, contacts);
    block.base = static_cast<char*>(calloc(1, block.used + 64));
    block.used = 0;
    ConeProblem p = ConeProblem::in(block, size + 2 * group_count, contacts);
    p.begin();
    for (int i = 0; i < contacts; ++i) p.add_contact(i, i);
    for (int j = 0; j < group_count; ++j) {
        const double* one = groups + 15 * j;
        Group& g = p.add_group(p.size, int(one[0]), int(one[1]), j);
        g.rough = one[2] != 0, g.forced = one[3] != 0, g.two_sided = one[4] != 0, g.left = int(one[5]);
        g.side = int(one[6]), g.held = int(one[7]), g.kinetic = one[8], g.fixed = one[9], g.normal = one[10];
        g.given[0] = one[11], g.given[1] = one[12], g.hold[0] = one[13], g.hold[1] = one[14];
    }
    while (p.size < size) p.add_loose();
    for (int i = 0; i < size; ++i) {
        p.w0[i] = numbers[i];
        for (int k = 0; k < size; ++k) p.W(i, k) = numbers[size + i * size + k];
    }
    const double* levers = numbers + size + size * size;
    for (int j = 0; j < group_count; ++j)
        for (int k = 0; k < size; ++k) {
            p.press(j, k) = levers[j * size + k];
            p.hold[0](j, k) = levers[(group_count + j) * size + k];
            p.hold[1](j, k) = levers[(2 * group_count + j) * size + k];
        }
    const int found = solve(p);
    for (int k = 0; k < size; ++k) forces[k] = p.best_force[k] * p.unit[k], forces[size + k] = p.best_answer[k] * p.rate[k];
    for (int i = 0; i < contacts; ++i) modes[i] = p.best_closed[i];
    for (int j = 0; j < group_count; ++j) {
        modes[contacts + j] = p.best[j].mode;
        forces[2 * size + 2 * j] = p.best[j].along[0], forces[2 * size + 2 * j + 1] = p.best[j].along[1];
    }
    free(block.base);
    return found;
}
