// Consistent starts on a GPU, one for each thread. The text of a model comes before this text (motions/inlined.py).
#include "start.hpp"

using namespace dalembert;

// Consistent states replace the given ones. Each has a status, and the residuals if it failed.
KERNEL starts(const Starts* all) {
    EACH(i, all->count) {
        alignas(16) char room[START_ROOM];
        const Inlined model;
        Block block{room, 0};
        auto start = Start<Inlined>::in(block, &model, all->given);
        all->run(start, i);
    }
}
