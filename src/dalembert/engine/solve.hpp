// The constrained linear solve. There is no other.
//
//     D a = d + R ν,   A a = b          with a null basis C of A, one of Rᵀ called L, and A a₀ = b:
//     (Lᵀ D C) y = Lᵀ (d − D a₀),   a = a₀ + C y,   R ν = D a − d in the sense of least norm
//
// Complete pivoting chooses the dependent columns at every state, so no choice becomes bad during a motion. There,
// coordinates are measured in their natural sizes: next to an angle, a length of 1e11 m counts as much as one of 1 m.
// Redundant rows drop out. Sizes are small, so loops are plain, but for large definite matrices.
#pragma once

#include "definite.hpp"
#include "model.hpp"

namespace dalembert {

constexpr double RANK = 1e-10;      // smallest valid pivot, if rows are scaled to a largest entry of one
constexpr double VANISHED = 1e-14;  // relative to the largest row: smaller rows are zero, smaller pivots invalid
constexpr double AGREES = 1e-9;     // of the natural accelerations: largest remainder of redundant rows
constexpr int LARGE = 13;           // rows of a definite matrix that is solved by blocks

// The equations M x = b, and the order in which `reduce` takes their rows and columns.
struct LinearEquations {
    Matrix M;
    double* b;
    int rows, cols;
    int *row_at, *col_at;
};

// Gauss–Jordan elimination in place with complete pivoting and scaled rows. Returns the rank r.
//
// Afterwards x[col_at[:r]] + M[:r, r:] x[col_at[r:]] = b[:r], and b[r:] is the remainder of redundant rows. With limit
// >= 0 exactly that many pivots are taken, if they are not zero.
HD APART inline int reduce(const LinearEquations& equations, int limit = -1) {
    const auto& [M, b, rows, cols, row_at, col_at] = equations;
    double largest = 0.0;
    for (int i = 0; i < rows; ++i) largest = larger(largest, largest_of(M.row(i), cols));
    for (int i = 0; i < rows; ++i) {
        const double big = largest_of(M.row(i), cols);
        const bool vanishes = !(big > VANISHED * largest);
        for (int j = 0; j < cols; ++j) M(i, j) = vanishes ? 0.0 : M(i, j) / big;
        if (!vanishes) b[i] /= big;
        row_at[i] = i;
    }
    for (int j = 0; j < cols; ++j) col_at[j] = j;
    const int most = smaller(smaller(rows, cols), limit >= 0 ? limit : cols);
    for (int r = 0; r < most; ++r) {
        double best = 0.0;
        int at = r, to = r;
        for (int i = r; i < rows; ++i)
            for (int j = r; j < cols; ++j)
                if (fabs(M(i, j)) > best) best = fabs(M(i, j)), at = i, to = j;
        if (!(best > (limit >= 0 ? VANISHED : RANK))) return r;
        if (at != r) {
            for (int j = 0; j < cols; ++j) swap(M(r, j), M(at, j));
            swap(b[r], b[at]);
            swap(row_at[r], row_at[at]);
        }
        if (to != r) {
            for (int i = 0; i < rows; ++i) swap(M(i, r), M(i, to));
            swap(col_at[r], col_at[to]);
        }
        const double inverse = 1.0 / M(r, r);
        M(r, r) = 1.0;
        for (int j = r + 1; j < cols; ++j) M(r, j) *= inverse;
        b[r] *= inverse;
        for (int i = 0; i < rows; ++i) {
            const double factor = M(i, r);
            if (i == r || factor == 0.0) continue;
            M(i, r) = 0.0;
            for (int j = r + 1; j < cols; ++j) M(i, j) -= factor * M(r, j);
            b[i] -= factor * b[r];
        }
    }
    return most;
}

// Solve in b, with the factors that `factored` left in M: above the diagonal (L Δ)ᵀ, on it the inverse pivots.
HD APART inline void definite_again(const Matrix& M, double* b, int n) {
    for (int j = 0; j < n; ++j) {
        b[j] *= M(j, j);
        for (int i = j + 1; i < n; ++i) b[i] -= M(j, i) * b[j];
    }
    for (int j = n - 1; j >= 0; --j) {
        double entry = b[j];
        for (int i = j + 1; i < n; ++i) entry -= M(j, i) * M(j, j) * b[i];
        b[j] = entry;
    }
}

// M = L Δ Lᵀ in place, with M symmetric and given by its upper triangle; the first column is overwritten. A pivot below
// `least` of its diagonal entry is left out if `skips`; otherwise the result is false.
HD APART inline bool factored(const Matrix& M, int n, double least, bool skips) {
    for (int j = 1; j < n; ++j) M(j, 0) = M(j, j);
    for (int j = 0; j < n; ++j) {
        const double* pivots = M.row(j);
        const bool counts = M(j, j) > least * M(j, 0) && M(j, j) > 0.0;
        if (!counts && !skips) return false;
        const double inverse = counts ? 1.0 / M(j, j) : 0.0;
        M(j, j) = inverse;
        for (int i = j + 1; i < n; ++i) {
            const double factor = pivots[i];
            double* row = M.row(i);
            for (int k = i; k < n; ++k) row[k] -= pivots[k] * factor * inverse;
        }
    }
    return true;
}

// Solve M x = b in b; false if M is not positive definite (b is then invalid).
HD inline bool definite(const Matrix& M, double* b, int n) {
    if (!factored(M, n, DEFINITE, false)) return false;
    definite_again(M, b, n);
    return true;
}

// The smallest x with M x = b, without redundant rows. M and b are overwritten; G has room for rank². Returns the rank.
// The limit is that of `reduce`.
//
// With x_p = b − N x_f, the smallest x has (I + N Nᵀ) x_p = b, x_f = Nᵀ x_p. This matrix is never ill-conditioned.
HD APART inline int least_norm(const LinearEquations& equations, int limit, const Matrix& G, double* x) {
    const auto& [M, b, rows, cols, row_at, col_at] = equations;
    const int rank = reduce(equations, limit);
    for (int i = 0; i < rank; ++i)
        for (int j = 0; j <= i; ++j)
            G(j, i) = dot(M.row(i) + rank, M.row(j) + rank, cols - rank, i == j ? 1.0 : 0.0);
    definite(G, b, rank);
    for (int i = 0; i < rank; ++i) x[col_at[i]] = b[i];
    for (int f = rank; f < cols; ++f) x[col_at[f]] = column_dot(M, f, b, rank);
    return rank;
}

// The active rows of A and columns of R.
struct ActiveRows {
    const int* active;
    int count;
    const int* columns;
    int column_count;
    bool general;  // R comes after b in F; otherwise it is Aᵀ
};

// What is solved at one state: the output of the dynamics with the active rows.
//
// With `fixed` the ranks in the solver are kept: between states on the constraints, redundancy has the step's error.
struct Posed {
    const double* F;
    const Counts& c;
    const ActiveRows& rows;
    bool fixed;
};

// Memory for one solve, its result, and its ranks and factors.
struct Solver {
    Matrix D, A, L, W, T, R, G, J;
    double *b, *zero, *right, *force, *solution, *residual, *change, *a, *nu;
    int *row_at, *col_at, *left_row_at, *left_col_at;
    int rank = -1, left_rank = -1;  // of A, of R
    int row = 0;                    // the failed row
    const double* sizes = nullptr;  // natural sizes of the coordinates; 1 if null
    double slow = 1.0;              // natural size of accelerations in units of the coordinates' sizes

    HD double size(int j) const { return sizes && sizes[j] > 0.0 ? sizes[j] : 1.0; }

    // `natural` has the sizes of coordinates, then those of speeds.
    HD void measure(const double* natural, int n) {
        sizes = natural;
        const double rate = n > 0 && natural[0] > 0.0 ? natural[n] / natural[0] : 1.0;
        slow = rate * rate;
    }

    // Memory for a model's solves, with up to `rows` rows of constraints.
    HD APART static Solver in(Block& block, const Counts& c, int rows) {
        const int most = larger(larger(c.n, rows), larger(c.reactions, 1));
        const bool large = c.symmetric && c.n >= LARGE;
        Solver s;
        matrices(block, most, most, s.D, s.A, s.L, s.R, s.G, s.J);
        s.T = large ? blocks(block, most) : matrix(block, most, most);
        s.W = large ? blocks(block, most) : matrix(block, most, most);
        block.each(in_blocks(most), s.solution);
        block.each(most, s.b, s.zero, s.right, s.force, s.residual, s.change, s.a, s.nu);
        block.each(most, s.row_at, s.col_at, s.left_row_at, s.left_col_at);
        return s;
    }
};

HD APART inline void unpack(const double* F, int n, bool symmetric, const Matrix& D) {
    for (int i = 0; i < n; ++i) {
        const int first = symmetric ? i : 0;
        for (int j = first; j < n; ++j) D(i, j) = F[j - first];
        for (int j = i + 1; symmetric && j < n; ++j) D(j, i) = F[j - first];
        F += n - first;
    }
}

// Solve T y = right by complete pivoting, with columns scaled too. Surplus rows must agree.
HD APART inline Status pivoted(Solver& s, int rows, int cols, double* y) {
    if (rows < cols) return SINGULAR;
    double* scale = s.G.row(0);
    double widest = 0.0;
    for (int j = 0; j < cols; ++j) {
        const double big = largest_of(rows, [&](int i) { return fabs(s.T(i, j)); });
        if (!(big > 0.0)) return SINGULAR;
        scale[j] = big;
        widest = larger(widest, big);
        for (int i = 0; i < rows; ++i) s.T(i, j) /= big;
    }
    const double largest = largest_of(s.right, rows);
    const int rank = reduce({s.T, s.right, rows, cols, s.left_row_at, s.left_col_at});
    if (rank < cols) return SINGULAR;
    for (int i = rank; i < rows; ++i)
        if (fabs(s.right[i]) > AGREES * s.slow * widest + 1e-7 * largest) {
            s.row = s.left_row_at[i];
            return OVERDETERMINED;
        }
    for (int i = 0; i < cols; ++i) y[s.left_col_at[i]] = s.right[i] / scale[s.left_col_at[i]];
    return DONE;
}

// T = Lᵀ D C (or its upper half) and right = Lᵀ (d − D a₀). N of C = [−N; I] is in A, that of L in A or L.
HD APART inline void project(const double* d, int n, bool general, Solver& s, bool half) {
    const int rank = s.rank, left = s.left_rank, free = n - rank;
    if (half && rank == 0) {
        for (int i = 0; i < n; ++i) {
            s.right[i] = d[i];
            for (int j = i; j < n; ++j) s.T(i, j) = s.D(i, j);
        }
        return;
    }
    for (int i = 0; i < n; ++i) {
        double entry = d[i];
        for (int k = 0; k < rank; ++k) entry -= s.D(i, s.col_at[k]) * s.b[k];
        s.force[i] = entry;
        for (int j = 0; j < free; ++j) {
            entry = s.D(i, s.col_at[rank + j]);
            for (int k = 0; k < rank; ++k) entry -= s.D(i, s.col_at[k]) * s.A(k, rank + j);
            s.W(i, j) = entry;
        }
    }
    const int* left_at = general ? s.left_col_at : s.col_at;
    const Matrix& N = general ? s.L : s.A;
    for (int i = 0; i < n - left; ++i) {
        const int source = left_at[left + i];
        double entry = s.force[source];
        for (int k = 0; k < left; ++k) entry -= N(k, left + i) * s.force[left_at[k]];
        s.right[i] = entry;
        const int columns = half ? i + 1 : free;
        for (int j = 0; j < columns; ++j) {
            entry = s.W(source, j);
            for (int k = 0; k < left; ++k) entry -= N(k, left + i) * s.W(left_at[k], j);
            (half ? s.T(j, i) : s.T(i, j)) = entry;
        }
    }
}

// a = a₀ + C y from y in s.solution.
HD inline void expand(const Solver& s, int n, double* a) {
    const int rank = s.rank, free = n - rank;
    for (int j = 0; j < free; ++j) a[s.col_at[rank + j]] = s.solution[j];
    for (int k = 0; k < rank; ++k) {
        double entry = s.b[k];
        for (int j = 0; j < free; ++j) entry -= s.A(k, rank + j) * s.solution[j];
        a[s.col_at[k]] = entry;
    }
}

// Solve D a = d, with a symmetric D and without rows; false if D is not positive definite.
HD inline bool unbound(const double* F, const Counts& c, Solver& s, double* a) {
    const int n = c.n;
    for (int i = 0; i < n; ++i) s.solution[i] = F[c.at_d() + i];
    if (n < LARGE) {
        for (int i = 0; i < n; ++i)
            for (int j = i; j < n; ++j) s.T(i, j) = *F++;
        if (!definite(s.T, s.solution, n)) return false;
    } else if (!definite_here({F, s.T.at, s.W.at, s.T.stride, s.solution, n})) {
        return false;
    }
    for (int i = 0; i < n; ++i) a[i] = s.solution[i];
    return true;
}

// Solve for a: without pivoting if D is symmetric and the reduced matrix definite, otherwise with complete pivoting.
HD APART inline Status reduced(const double* F, const Counts& c, bool general, Solver& s, double* a) {
    const int n = c.n, free = n - s.rank;
    const double* d = F + c.at_d();
    bool solved = c.symmetric && !general;
    if (solved) {
        project(d, n, general, s, true);
        for (int i = 0; i < free; ++i) s.solution[i] = s.right[i];
        solved = free < LARGE ? definite(s.T, s.solution, free)
                              : definite_here({nullptr, s.T.at, s.W.at, s.T.stride, s.solution, free});
    }
    if (!solved) {
        project(d, n, general, s, false);
        if (const Status status = pivoted(s, n - s.left_rank, free, s.solution); status != DONE) return status;
    }
    expand(s, n, a);
    return DONE;
}

// Convert x_p + N x_f = b, as `reduce` leaves it, from the unknowns x_j / size_j to x_j.
HD APART inline void unscale(const Matrix& N, double* b, int rank, int n, const int* col_at, const Solver& s) {
    for (int k = 0; k < rank; ++k) {
        const double size = s.size(col_at[k]);
        b[k] *= size;
        for (int f = rank; f < n; ++f) N(k, f) *= size / s.size(col_at[f]);
    }
}

HD APART inline Status eliminated(const Posed& posed, Solver& s, double* a) {
    const auto& [F, c, rows, fixed] = posed;
    const int n = c.n;
    const bool alone = c.symmetric && rows.count == 0 && !rows.general && !(fixed && s.rank > 0);
    if (alone && unbound(F, c, s, a)) {
        s.rank = s.left_rank = 0;
        return DONE;
    }
    unpack(F, n, c.symmetric, s.D);
    double largest = 0.0;
    for (int i = 0; i < rows.count; ++i) {
        const double* source = F + c.at_A() + rows.active[i] * n;
        for (int j = 0; j < n; ++j) s.A(i, j) = source[j] * s.size(j);
        const double big = largest_of(s.A.row(i), n);
        s.b[i] = F[c.at_b() + rows.active[i]];
        largest = larger(largest, fabs(s.b[i]) / (big > 0.0 ? big : 1.0));
    }
    const int rank = reduce({s.A, s.b, rows.count, n, s.row_at, s.col_at}, fixed ? s.rank : -1);
    if (!fixed) {
        s.rank = rank;
        for (int i = rank; i < rows.count; ++i)
            if (fabs(s.b[i]) > AGREES * s.slow + 1e-7 * largest) {
                s.row = rows.active[s.row_at[i]];
                return INCONSISTENT;
            }
    } else if (rank < s.rank) {
        return SINGULAR;
    }
    unscale(s.A, s.b, rank, n, s.col_at, s);
    int left = rank;
    if (rows.general) {
        for (int i = 0; i < rows.column_count; ++i) {
            s.zero[i] = 0.0;
            for (int j = 0; j < n; ++j) s.L(i, j) = F[c.at_R() + j * c.reactions + rows.columns[i]] * s.size(j);
        }
        left = reduce({s.L, s.zero, rows.column_count, n, s.left_row_at, s.left_col_at}, fixed ? s.left_rank : -1);
        unscale(s.L, s.zero, left, n, s.left_col_at, s);
    }
    if (!fixed || !rows.general) s.left_rank = left;
    return reduced(F, c, rows.general, s, a);
}

// The smallest ν with R ν = D a − d, in its places; inactive ones are zero.
HD APART inline void multipliers(const Posed& posed, Solver& s, const double* a, double* nu) {
    const auto& [F, c, rows, fixed] = posed;
    const int n = c.n;
    for (int i = 0; i < c.reactions; ++i) nu[i] = 0.0;
    if (rows.column_count == 0) return;
    for (int i = 0; i < n; ++i) {
        s.right[i] = dot(s.D.row(i), a, n, -F[c.at_d() + i]) * s.size(i);
        for (int k = 0; k < rows.column_count; ++k) {
            const int source = rows.columns[k];
            s.R(i, k) = s.size(i) * (rows.general ? F[c.at_R() + i * c.reactions + source] : F[c.at_A() + source * n + i]);
        }
    }
    const LinearEquations equations = {s.R, s.right, n, rows.column_count, s.left_row_at, s.left_col_at};
    least_norm(equations, fixed ? s.left_rank : -1, s.G, s.solution);
    for (int k = 0; k < rows.column_count; ++k) nu[rows.columns[k]] = s.solution[k];
}

// Solve for a, and for ν unless it is null.
HD APART inline Status accelerations(const Posed& posed, Solver& s, double* a, double* nu) {
    const auto& [F, c, rows, fixed] = posed;
    Status status = eliminated(posed, s, a);
    if (status == DONE && nu) multipliers(posed, s, a, nu);
    if (status == DONE && !(all_finite(a, c.n) && (!nu || all_finite(nu, c.reactions)))) status = NONFINITE;
    const int known = c.at_R() + (rows.general ? c.n * c.reactions : 0);
    return status == DONE || all_finite(F, known) ? status : NONFINITE;
}

}  // namespace dalembert
