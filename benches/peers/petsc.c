/* PETSc's conjugate gradients on a system of 3x3 blocks in Matrix Market form
   (examples/matrix_market.rs). Measures the iterations and the time from the matrix
   to |r| <= 1e-6 |b|, starting from zero, with the preconditioner's set-up.

   mpirun -n R ./petsc -folder F -partition P
   F holds matrix.mtx and rhs.mtx. P is the partition.csv of a run on R ranks, so
   that the ranks own the same vertices as ours, in the same order. */
#include <petscksp.h>
#include <petsctime.h>

enum { REPEATS = 31 };

typedef struct {
  int rank, patch, vertex;
} Vertex;

static PetscInt vertices, own, *place; /* vertices of all ranks; vertices of this rank; parallel number of each vertex */

static FILE *open_file(const char *folder, const char *name) {
  char path[PETSC_MAX_PATH_LEN];
  snprintf(path, sizeof path, "%s%s", folder, name);
  FILE *file = fopen(path, "r");
  if (!file) {
    fprintf(stderr, "cannot open %s\n", path);
    MPI_Abort(PETSC_COMM_WORLD, 1);
  }
  return file;
}

static int by_rank_patch_vertex(const void *left, const void *right) {
  const Vertex *a = left, *b = right;
  if (a->rank != b->rank) return a->rank - b->rank;
  if (a->patch != b->patch) return a->patch - b->patch;
  return a->vertex - b->vertex;
}

static void read_partition(const char *path, int rank) {
  FILE *file = open_file(path, "");
  char line[128];
  Vertex vertex, *all = NULL;
  while (fgets(line, sizeof line, file)) {
    if (sscanf(line, "%d,%d,%d", &vertex.vertex, &vertex.patch, &vertex.rank) != 3) continue;
    all = realloc(all, (vertices + 1) * sizeof *all);
    all[vertices++] = vertex;
    own += vertex.rank == rank;
  }
  fclose(file);
  qsort(all, vertices, sizeof *all, by_rank_patch_vertex);
  place = malloc(vertices * sizeof *place);
  for (PetscInt i = 0; i < vertices; i++) place[all[i].vertex] = i;
  free(all);
}

/* Row or column of the mesh's numbering, counted from 1, in the parallel one. */
static PetscInt scalar(PetscInt mesh) { return 3 * place[(mesh - 1) / 3] + (mesh - 1) % 3; }

static PetscErrorCode read_matrix(const char *folder, Mat *matrix) {
  FILE *file = open_file(folder, "/matrix.mtx");
  PetscInt first, end;
  int row, column;
  double value;
  PetscFunctionBeginUser;
  PetscCall(MatCreateBAIJ(PETSC_COMM_WORLD, 3, 3 * own, 3 * own, 3 * vertices, 3 * vertices, 32, NULL, 16, NULL, matrix));
  PetscCall(MatSetOption(*matrix, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscCall(MatGetOwnershipRange(*matrix, &first, &end));
  if (fscanf(file, "%*[^\n] %*[^\n] %*d %*d %*d") == EOF) MPI_Abort(PETSC_COMM_WORLD, 1);
  while (fscanf(file, "%d %d %lf", &row, &column, &value) == 3) {
    PetscInt i = scalar(row);
    if (i >= first && i < end) PetscCall(MatSetValue(*matrix, i, scalar(column), value, INSERT_VALUES));
  }
  fclose(file);
  PetscCall(MatAssemblyBegin(*matrix, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*matrix, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

static PetscErrorCode read_rhs(const char *folder, Mat matrix, Vec *rhs) {
  FILE *file = open_file(folder, "/rhs.mtx");
  PetscInt first, end;
  double value;
  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(matrix, NULL, rhs));
  PetscCall(VecGetOwnershipRange(*rhs, &first, &end));
  if (fscanf(file, "%*[^\n] %*d %*d") == EOF) MPI_Abort(PETSC_COMM_WORLD, 1);
  for (PetscInt row = 1; fscanf(file, "%lf", &value) == 1; row++) {
    PetscInt i = scalar(row);
    if (i >= first && i < end) PetscCall(VecSetValue(*rhs, i, value, INSERT_VALUES));
  }
  fclose(file);
  PetscCall(VecAssemblyBegin(*rhs));
  PetscCall(VecAssemblyEnd(*rhs));
  PetscFunctionReturn(0);
}

static int rising(const void *a, const void *b) { return (*(double *)a > *(double *)b) - (*(double *)a < *(double *)b); }

static PetscErrorCode solve(Mat matrix, Vec rhs, const char *name, PCType type) {
  KSP ksp;
  PC pc;
  Vec x, r;
  PetscInt iterations;
  KSPConvergedReason reason;
  PetscReal b_norm, r_norm;
  PetscLogDouble start, end;
  double seconds[REPEATS];
  int rank, ranks;
  PetscFunctionBeginUser;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
  PetscCall(VecDuplicate(rhs, &x));
  PetscCall(VecDuplicate(rhs, &r));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetType(ksp, KSPCG));
  PetscCall(KSPSetNormType(ksp, KSP_NORM_UNPRECONDITIONED));
  PetscCall(KSPSetTolerances(ksp, 1e-6, 0.0, PETSC_DEFAULT, 2000));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, type));
  PetscCall(KSPSetFromOptions(ksp)); /* options of the blocks' solver */
  PetscCall(KSPSetOperators(ksp, matrix, matrix));
  PetscCall(KSPSolve(ksp, rhs, x)); /* symbolic set-up */
  for (int i = 0; i < REPEATS; i++) {
    PetscCall(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY)); /* makes PETSc treat the values as new */
    PetscCall(MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY));
    PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
    PetscCall(PetscTime(&start));
    PetscCall(KSPSolve(ksp, rhs, x));
    PetscCall(PetscTime(&end));
    seconds[i] = end - start;
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &seconds[i], 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  }
  qsort(seconds, REPEATS, sizeof *seconds, rising);
  PetscCall(KSPGetIterationNumber(ksp, &iterations));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(MatMult(matrix, x, r));
  PetscCall(VecAXPY(r, -1.0, rhs));
  PetscCall(VecNorm(r, NORM_2, &r_norm));
  PetscCall(VecNorm(rhs, NORM_2, &b_norm));
  if (rank == 0)
    printf("| PETSc, %s | MPI | %d | 1 | %d | %.2f | %.2f | %.1e%s |\n", name, ranks, (int)iterations, 1e3 * seconds[0],
           1e3 * seconds[REPEATS / 2], r_norm / b_norm, reason > 0 ? "" : ", not converged");
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&r));
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(0);
}

int main(int argc, char **argv) {
  char folder[PETSC_MAX_PATH_LEN] = ".", partition[PETSC_MAX_PATH_LEN] = "partition.csv";
  int rank;
  Mat matrix;
  Vec rhs;
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(PetscOptionsSetValue(NULL, "-sub_pc_type", "icc"));
  /* At steps of 4 ms and more the factor is indefinite without a shift, which
     PETSc has for scalar matrices alone. */
  PetscCall(PetscOptionsSetValue(NULL, "-sub_pc_factor_shift_type", "positive_definite"));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-folder", folder, sizeof folder, NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-partition", partition, sizeof partition, NULL));
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  read_partition(partition, rank);
  PetscCall(read_matrix(folder, &matrix));
  PetscCall(read_rhs(folder, matrix, &rhs));
  PetscCall(solve(matrix, rhs, "point-block Jacobi", PCPBJACOBI));
  PetscCall(solve(matrix, rhs, "block Jacobi with ICC(0)", PCBJACOBI));
  PetscCall(MatConvert(matrix, MATAIJ, MAT_INPLACE_MATRIX, &matrix));
  PetscCall(solve(matrix, rhs, "the same, scalar, shifted", PCBJACOBI));
  PetscCall(VecDestroy(&rhs));
  PetscCall(MatDestroy(&matrix));
  return PetscFinalize();
}
