// Offsets and indices: arrays whose values lead into others.
__global__ void spmv(int rows, const int* offsets, const int* columns, const double* values,
                     const double* x, double* y) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  double sum = 0;
  for (int i = offsets[row]; i < offsets[row + 1]; ++i) sum += values[i] * x[columns[i]];
  y[row] = sum;
}

void multiply() {
  const int rows = 10000, per_row = 16;
  int *offsets, *columns;
  double *values, *x, *y;
  cudaMalloc(&offsets, (rows + 1) * sizeof(int));
  cudaMalloc(&columns, rows * per_row * sizeof(int));
  cudaMalloc(&values, rows * per_row * sizeof(double));
  cudaMalloc(&x, rows * sizeof(double));
  cudaMalloc(&y, rows * sizeof(double));
  spmv<<<(rows + 255) / 256, 256>>>(rows, offsets, columns, values, x, y);
}
