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

    // Take an array of this many entries for each pointer.
    template <class... T>
    HD void each(long count, T*&... places) {
        ((places = take<T>(count)), ...);
    }
};

// The bytes that `make` takes from a block.
template <class Make>
HD inline long bytes_of(Make&& make) {
    Block block;
    make(block);
    return block.used + 64;
}

// The entries of an array, for a loop over all of them.
template <class T>
struct Each {
    T *first, *last;

    HD T* begin() const { return first; }
    HD T* end() const { return last; }
};

// A row-major matrix in memory owned by others.
template <class T>
struct MatrixOf {
    T* at = nullptr;
    int stride = 0;

    HD T& operator()(int i, int j) const { return at[i * stride + j]; }
    HD T* row(int i) const { return at + i * stride; }
};
using Matrix = MatrixOf<double>;

template <class T = double>
HD inline MatrixOf<T> matrix(Block& block, int rows, int columns) {
    return {block.take<T>(static_cast<long>(rows) * columns), columns};
}

template <class... T>
HD inline void matrices(Block& block, int rows, int columns, MatrixOf<T>&... places) {
    ((places = matrix<T>(block, rows, columns)), ...);
}

// sum + Σ of(i); sum + Σ a_i b_i; sum + Σ M_ij v_i, by a column of M.
template <class Of>
HD inline double sum_of(int count, Of&& of, double sum = 0.0) {
    for (int i = 0; i < count; ++i) sum += of(i);
    return sum;
}
HD inline double dot(const double* a, const double* b, int count, double sum = 0.0) {
    return sum_of(count, [&](int i) { return a[i] * b[i]; }, sum);
}
HD inline double column_dot(const Matrix& M, int j, const double* v, int count, double sum = 0.0) {
    return sum_of(count, [&](int i) { return M(i, j) * v[i]; }, sum);
}

// The largest of(i), at least 0; and the largest |v_i|.
template <class Of>
HD inline double largest_of(int count, Of&& of) {
    double most = 0.0;
    for (int i = 0; i < count; ++i) most = larger(most, of(i));
    return most;
}
HD inline double largest_of(const double* v, int count) {
    return largest_of(count, [&](int i) { return fabs(v[i]); });
}

// Whether is(i) holds for any i below count, or for all.
template <class Is>
HD inline bool any_of(int count, Is&& is) {
    for (int i = 0; i < count; ++i)
        if (is(i)) return true;
    return false;
}
template <class Is>
HD inline bool all_of(int count, Is&& is) {
    return !any_of(count, [&](int i) { return !is(i); });
}

// By their sum, which needs one comparison.
HD inline bool all_finite(const double* v, int count) {
    return finite(sum_of(count, [&](int i) { return v[i]; }));
}

}  // namespace dalembert
