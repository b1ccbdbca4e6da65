// The C interface to the constrained solve for states that Python has evaluated.
#include "scales.hpp"
#include "solve.hpp"

using namespace dalembert;

DOOR int dalembert_reduce(double* M, double* b, int rows, int cols, int* row_at, int* col_at) {
    return reduce({{M, cols}, b, rows, cols, row_at, col_at});
}

// The smallest x with M x = b; `x` has room for rows² numbers more.
DOOR int dalembert_least_norm(double* M, double* b, int rows, int cols, int* places, double* x) {
    return least_norm({{M, cols}, b, rows, cols, places, places + rows}, -1, {x + cols, rows}, x);
}

DOOR long dalembert_solver_memory(const Counts* counts) {
    Block block;
    Solver::in(block, *counts, counts->m);
    block.take<double>(2 * counts->n);
    return block.used + 64;
}

// States with the outputs of their dynamics, a row for each.
struct SolveAsked {
    const double *F, *x;
    const int* rows;  // the active rows
    const int* columns;
    int row_count, column_count;
    int count, outputs, inputs;  // states; length of a row of F, and of x
    const int* angles;
    void* memory;
};

// Accelerations, multipliers, the status, the ranks of A and R, and the row at fault, for every state.
struct SolveFound {
    double *a, *nu;
    int *status, *rank, *left_rank, *row;
};

DOOR void dalembert_accelerations(const Counts* counts, const SolveAsked* asked, const SolveFound* answer) {
    Block block{static_cast<char*>(asked->memory), 0};
    const int n = counts->n;
    Counts sized = *counts;  // of coordinates and speeds alone
    sized.extra = sized.states = 0;
    Solver solver = Solver::in(block, *counts, counts->m);
    double* natural = block.take<double>(2 * n);
    const ActiveRows rows = {asked->rows, asked->row_count, asked->columns, asked->column_count, counts->general != 0};
    for (int k = 0; k < asked->count; ++k) {
        const double *F = asked->F + k * asked->outputs, *y = asked->x + k * asked->inputs + 1;
        for (int i = 0; i < n; ++i) solver.a[i] = free_acceleration(sized, F, i);
        natural_sizes(sized, {asked->angles, y, F, nullptr, solver.a, 1.0, natural});
        solver.measure(natural, n);
        answer->status[k] = accelerations({F, *counts, rows, false}, solver, solver.a, solver.nu);
        for (int i = 0; i < n; ++i) answer->a[k * n + i] = solver.a[i];
        for (int i = 0; i < counts->reactions; ++i) answer->nu[k * counts->reactions + i] = solver.nu[i];
        answer->rank[k] = solver.rank, answer->left_rank[k] = solver.left_rank, answer->row[k] = solver.row;
    }
}
