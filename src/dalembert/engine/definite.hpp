// The solve of a large symmetric matrix that should be positive definite, by blocks of eight rows and columns.
//
//     M = Uᵀ L,  L = Δ⁻¹ U,  Δ = diag(U):    u_ji = m_ji − Σ_k l_kj u_ki,   y_j = b_j − Σ_k l_kj y_k,   k ascending
//                                            x_j = y_j / u_jj − Σ_k l_jk x_k,   k descending
//
// Inside a block on the diagonal everything is in registers, because each pivot waits for the one before. Beside it,
// rows are vectors of the processor. Every product and every difference is rounded, in the same order for vectors of
// any length, so all processors give the same bits. Sixteen rows take 0.4 of the time of plain loops.
#pragma once

#include "memory.hpp"

namespace dalembert {

constexpr double DEFINITE = 1e-13;  // of its diagonal entry: the smallest pivot of a definite matrix
constexpr int BLOCK = 8;

// A vector of the processor, loaded from any place, and its numbers.
#if defined(__CUDACC__) || defined(__wasm__)
typedef double Vector;
#elif defined(__AVX512F__)
typedef double Vector __attribute__((vector_size(64), aligned(8), may_alias));
#elif defined(__AVX2__)
typedef double Vector __attribute__((vector_size(32), aligned(8), may_alias));
#else
typedef double Vector __attribute__((vector_size(16), aligned(8), may_alias));
#endif
constexpr int REALS = sizeof(Vector) / sizeof(double), VECTORS = BLOCK / REALS;

HD inline Vector& part(double* row, int i) { return reinterpret_cast<Vector*>(row)[i]; }
HD inline const Vector& part(const double* row, int i) { return reinterpret_cast<const Vector*>(row)[i]; }

HD constexpr int in_blocks(int n) { return (n + BLOCK - 1) / BLOCK * BLOCK; }

// A matrix whose rows and columns are whole blocks, on cache lines.
HD inline Matrix blocks(Block& block, int n) {
    struct Line {
        double at[BLOCK];
    };
    const int all = in_blocks(n);
    return {reinterpret_cast<double*>(block.take<Line>(static_cast<long>(all) * all / BLOCK)), all};
}

// Unpack the upper triangle of n rows (at least eight), which follow each other without gaps, and numbers without a
// meaning to the left and right of it.
HD inline void unpack_blocks(const double* rows, int n, const Matrix& U) {
    for (int i = 0; i < n; ++i) {
        for (int j = i / BLOCK * BLOCK; j < n; j += BLOCK)
            FLATTENED for (int p = 0; p < VECTORS; ++p) part(U.row(i) + j, p) = part(rows + j - i, p);
        rows += n - i;
    }
}

// In eight columns from `col` on, subtract from REALS rows the terms of all pivots before `pivots`.
HD inline void subtract(const Matrix& U, const Matrix& L, int pivots, int row, int col) {
    Vector sum[REALS][VECTORS];
    FLATTENED for (int r = 0; r < REALS; ++r)
        FLATTENED for (int p = 0; p < VECTORS; ++p) sum[r][p] = part(U.row(row + r) + col, p);
    for (int k = 0; k < pivots; ++k) {
        const double* factors = L.row(k) + row;
        FLATTENED for (int r = 0; r < REALS; ++r)
            FLATTENED for (int p = 0; p < VECTORS; ++p) sum[r][p] -= part(U.row(k) + col, p) * factors[r];
    }
    FLATTENED for (int r = 0; r < REALS; ++r)
        FLATTENED for (int p = 0; p < VECTORS; ++p) part(U.row(row + r) + col, p) = sum[r][p];
}

// The same for the eight entries of the right side that follow these pivots.
HD inline void subtract(const Matrix& L, double* b, int pivots) {
    Vector sum[VECTORS];
    FLATTENED for (int p = 0; p < VECTORS; ++p) sum[p] = part(b + pivots, p);
    for (int k = 0; k < pivots; ++k)
        FLATTENED for (int p = 0; p < VECTORS; ++p) sum[p] -= part(L.row(k) + pivots, p) * b[k];
    FLATTENED for (int p = 0; p < VECTORS; ++p) part(b + pivots, p) = sum[p];
}

// Factor the block on the diagonal from `at` on, with 1/Δ on the diagonal of L, and solve for its part of y in b.
// Returns whether all pivots count; `whole` has the diagonal of M.
HD inline bool factor_block(const Matrix& U, const Matrix& L, int at, const double* whole, double* b) {
    double u[BLOCK][BLOCK], l[BLOCK][BLOCK], y[BLOCK];
    bool fine = true;
    FLATTENED for (int i = 0; i < BLOCK; ++i) {
        y[i] = b[i];
        FLATTENED for (int j = i; j < BLOCK; ++j) u[i][j] = U(at + i, at + j);
    }
    FLATTENED for (int i = 0; i < BLOCK; ++i) {
        FLATTENED for (int k = 0; k < i; ++k) {
            y[i] -= l[k][i] * y[k];
            u[i][i] -= u[k][i] * u[k][i] * l[k][k];  // the square is known before the last pivot's inverse
            FLATTENED for (int j = i + 1; j < BLOCK; ++j) u[i][j] -= u[k][j] * l[k][i];
        }
        fine = fine & (u[i][i] > DEFINITE * whole[i]) & (u[i][i] > 0.0);
        L(at + i, at + i) = l[i][i] = 1.0 / u[i][i];
        FLATTENED for (int j = i + 1; j < BLOCK; ++j) L(at + i, at + j) = l[i][j] = u[i][j] * l[i][i];
        b[i] = y[i];
    }
    return fine;
}

// The rows of a block's pivots, in eight columns to its right.
HD inline void finish_rows(const Matrix& U, const Matrix& L, int at, int col) {
    Vector u[BLOCK][VECTORS];
    FLATTENED for (int i = 0; i < BLOCK; ++i)
        FLATTENED for (int p = 0; p < VECTORS; ++p) {
            u[i][p] = part(U.row(at + i) + col, p);
            FLATTENED for (int k = 0; k < i; ++k) u[i][p] -= u[k][p] * L(at + k, at + i);
            part(U.row(at + i) + col, p) = u[i][p];
            part(L.row(at + i) + col, p) = u[i][p] * L(at + i, at + i);
        }
}

// x in b, from y in b.
HD inline void substitute_back(const Matrix& L, double* b, int n) {
    for (int at = n - BLOCK; at >= 0; at -= BLOCK) {
        double x[BLOCK];
        FLATTENED for (int i = 0; i < BLOCK; ++i) x[i] = b[at + i] * L(at + i, at + i);
        for (int after = n - BLOCK; after > at; after -= BLOCK)
            FLATTENED for (int i = 0; i < BLOCK; ++i)
                FLATTENED for (int k = BLOCK - 1; k >= 0; --k) x[i] -= L(at + i, after + k) * b[after + k];
        FLATTENED for (int i = BLOCK - 1; i >= 0; --i)
            FLATTENED for (int k = BLOCK - 1; k > i; --k) x[i] -= L(at + i, at + k) * x[k];
        FLATTENED for (int i = 0; i < BLOCK; ++i) b[at + i] = x[i];
    }
}

// The equations M x = b of n rows, with the upper triangle of M in U, or row after row in `packed` if it is not null,
// where n numbers must follow. U and L have whole blocks, with this many numbers from row to row.
struct Definite {
    const double* packed;
    double *U, *L;
    int stride;
    double* b;
    int n;
};

// Solve in b; false if M is not positive definite (b is then invalid). Rows of the identity fill the last block.
HD APART inline bool definite_by_blocks(const Definite& equations) {
    const auto& [packed, upper, lower, stride, b, n] = equations;
    const Matrix U = {upper, stride}, L = {lower, stride};
    const int all = in_blocks(n);
    if (packed) unpack_blocks(packed, n, U);
    for (int j = n; j < all; ++j) {
        for (int i = 0; i < j; ++i) U(i, j) = 0.0;
        U(j, j) = 1.0, b[j] = 0.0;
    }
    for (int at = 0; at < all; at += BLOCK) {
        double whole[BLOCK];
        for (int i = 0; i < BLOCK; ++i) whole[i] = U(at + i, at + i);
        for (int row = at; at > 0 && row < at + BLOCK; row += REALS)
            for (int col = at; col < all; col += BLOCK) subtract(U, L, at, row, col);
        subtract(L, b, at);
        if (!factor_block(U, L, at, whole, b + at)) return false;
        for (int col = at + BLOCK; col < all; col += BLOCK) finish_rows(U, L, at, col);
    }
    substitute_back(L, b, all);
    return true;
}

// The same by the code for this machine's kind of processor, if there are several kinds.
#if defined(DALEMBERT_X86)
extern bool (*const definite_by_kind)(const void* equations);  // in many.cpp
inline bool definite_here(const Definite& equations) { return definite_by_kind(&equations); }
#else
HD inline bool definite_here(const Definite& equations) { return definite_by_blocks(equations); }
#endif

}  // namespace dalembert
