// Memory is one block that the caller hands in. A room asks a `Block` for its arrays, once to learn their size and
// once to get them, by the same function.
#pragma once

#include "target.hpp"

namespace dalembert {

struct Block {
    char* base = nullptr;  // null while sizes are counted
    long used = 0;

    template <class T>
    HD T* take(long count) {
        constexpr long grain = sizeof(T) % 64 == 0 ? 64 : 16;  // vectors lie on cache lines
        used = (used + grain - 1) / grain * grain;
        T* place = base ? reinterpret_cast<T*>(base + used) : nullptr;
        used += count * static_cast<long>(sizeof(T));
        return place;
    }
};

// A row-major matrix in somebody's memory.
struct Matrix {
    double* at = nullptr;
    int stride = 0;

    HD double& operator()(int i, int j) const { return at[i * stride + j]; }
    HD double* row(int i) const { return at + i * stride; }
};

HD inline Matrix matrix(Block& block, int rows, int columns) {
    return {block.take<double>(static_cast<long>(rows) * columns), columns};
}

}  // namespace dalembert
