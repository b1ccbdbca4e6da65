// Least squares of small systems by one-sided Jacobi rotations.
//
// Rows of M are rotated in pairs, M ← Vᵀ M with V orthogonal, until they are orthogonal to each other. Then their
// lengths are the singular values, and with B ← Vᵀ B, rotated in the same way,
//
//     M⁺ b = Σ_i M_i (Vᵀ b)_i / σ_i²     over the nonzero σ_i        Hestenes 1958; Demmel & Veselić 1992 on accuracy
#pragma once

#include "memory.hpp"

namespace dalembert {

constexpr int SWEEPS = 40;
constexpr double COUNTS = 1e-10;  // of the largest singular value: smaller ones count as zero

// The square of a row's length.
HD inline double length_of(const Matrix& M, int row, int cols) { return dot(M.row(row), M.row(row), cols); }

HD inline void turn(const Matrix& M, int i, int j, int cols, double cosine, double sine) {
    for (int c = 0; c < cols; ++c) {
        const double a = M(i, c), b = M(j, c);
        M(i, c) = cosine * a - sine * b, M(j, c) = sine * a + cosine * b;
    }
}

// Make the rows of M orthogonal, and rotate those of B in the same way. Returns the largest squared length.
HD APART inline double turn_rows(const Matrix& M, int rows, int cols, const Matrix& B, int width) {
    for (int sweep = 0; sweep < SWEEPS; ++sweep) {
        bool turned = false;
        for (int i = 0; i < rows - 1; ++i)
            for (int j = i + 1; j < rows; ++j) {
                const double ab = dot(M.row(i), M.row(j), cols), aa = length_of(M, i, cols), bb = length_of(M, j, cols);
                if (!(fabs(ab) > EPSILON * sqrt(aa * bb))) continue;
                turned = true;
                const double zeta = (bb - aa) / (2.0 * ab);
                double tangent = 1.0 / (fabs(zeta) + sqrt(1.0 + zeta * zeta));
                if (zeta < 0.0) tangent = -tangent;
                const double cosine = 1.0 / sqrt(1.0 + tangent * tangent), sine = cosine * tangent;
                turn(M, i, j, cols, cosine, sine);
                turn(B, i, j, width, cosine, sine);
            }
        if (!turned) break;
    }
    return largest_of(rows, [&](int i) { return length_of(M, i, cols); });
}

// The smallest x with the least |M x − b|; b is the first column of B. M and B are overwritten.
HD APART inline void least_squares(const Matrix& M, int rows, int cols, const Matrix& B, double* x) {
    const double least = COUNTS * COUNTS * turn_rows(M, rows, cols, B, 1);
    for (int c = 0; c < cols; ++c) x[c] = 0.0;
    for (int i = 0; i < rows; ++i) {
        const double sum = length_of(M, i, cols);
        if (!(sum > least)) continue;
        const double share = B(i, 0) / sum;
        for (int c = 0; c < cols; ++c) x[c] += share * M(i, c);
    }
}

}  // namespace dalembert
