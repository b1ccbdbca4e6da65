// The C interface to the constrained solve for one state that Python has evaluated.
#include "door.hpp"
#include "solve.hpp"

using namespace dalembert;

DOOR int dalembert_reduce(double* M, double* b, int rows, int cols, int* row_at, int* col_at) {
    return reduce({M, cols}, b, rows, cols, -1, row_at, col_at);
}

// The smallest x with M x = b; `room` has rows² numbers.
DOOR int dalembert_least_norm(double* M, double* b, int rows, int cols, int* places, double* room, double* x) {
    return least_norm({M, cols}, b, rows, cols, -1, places, places + rows, {room, rows}, x);
}

DOOR long dalembert_solver_memory(const Counts* counts) {
    Block block;
    Solver::in(block, counts->n, counts->m, larger(counts->reactions, counts->m));
    return block.used + 64;
}

struct Question {
    const double* F;  // output of the dynamics
    const int* rows;  // the active rows
    const int* columns;
    int row_count, column_count;
    const double* natural;  // sizes of coordinates, then of speeds
    void* memory;
};

struct Answer {
    double *a, *nu;
    int rank, left_rank, row;
};

DOOR int dalembert_accelerations(const Counts* counts, const Question* asked, Answer* answer) {
    Block block{static_cast<char*>(asked->memory), 0};
    Solver solver = Solver::in(block, counts->n, counts->m, larger(counts->reactions, counts->m));
    solver.measure(asked->natural, counts->n);
    const Rows rows = {asked->rows, asked->row_count, asked->columns, asked->column_count, counts->general != 0};
    const Status status = accelerations(asked->F, *counts, rows, false, solver, solver.a, solver.nu, true);
    for (int i = 0; i < counts->n; ++i) answer->a[i] = solver.a[i];
    for (int i = 0; i < counts->reactions; ++i) answer->nu[i] = solver.nu[i];
    answer->rank = solver.rank, answer->left_rank = solver.left_rank, answer->row = solver.row;
    return status;
}
