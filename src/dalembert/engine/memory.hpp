// All memory is one block that the caller provides. A struct takes its arrays from a `Block` by one function, called
// twice: first to count the bytes, then to get the memory.
#pragma once

#include "target.hpp"

namespace dalembert {

struct Block {
    char* base = nullptr;  // null while sizes are counted
    long used = 0;

    template <class T>
    HD T* take(long count) {
        constexpr long grain = sizeof(T) % 64 == 0 ? 64 : 16;  // vectors are aligned to cache lines
        used = (used + grain - 1) / grain * grain;
        T* place = base ? reinterpret_cast<T*>(base + used) : nullptr;
        used += count * static_cast<long>(sizeof(T));
        return place;
    }
};

// A row-major matrix in memory owned by others.
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
