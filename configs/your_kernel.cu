// The kernels of your_kernel.yaml. They are compiled when the experiment runs.

// y = a x + y, in place. TILE elements a thread, each of them a block's width from the next.
template <int TILE>
__global__ void saxpy(float* y, const float* x, float a, long long n) {
  const long long first = (long long)blockIdx.x * blockDim.x * TILE + threadIdx.x;
#pragma unroll
  for (int t = 0; t < TILE; ++t) {
    const long long i = first + (long long)t * blockDim.x;
    if (i < n) y[i] = a * x[i] + y[i];
  }
}

// y[r][c] = x[c][r], of squares of `side`; one block of 32 x ROWS threads a tile of 32 x 32.
template <int ROWS>
__global__ void transpose(float* y, const float* x, int side) {
  __shared__ float tile[32][33];  // a column more, so that its elements lie in different banks
  const int column = blockIdx.x * 32 + threadIdx.x;
  for (int r = threadIdx.y; r < 32; r += ROWS) {
    const int row = blockIdx.y * 32 + r;
    if (row < side && column < side) tile[r][threadIdx.x] = x[(long long)row * side + column];
  }
  __syncthreads();
  const int to = blockIdx.y * 32 + threadIdx.x;
  for (int r = threadIdx.y; r < 32; r += ROWS) {
    const int row = blockIdx.x * 32 + r;
    if (row < side && to < side) y[(long long)row * side + to] = tile[threadIdx.x][r];
  }
}

// Each row's softmax: e^(x - largest) / sum of these. One block a row.
__global__ void softmax(float* y, const float* x, int columns) {
  extern __shared__ float part[];
  const float* in = x + (long long)blockIdx.x * columns;
  float* out = y + (long long)blockIdx.x * columns;
  const auto all = [&](float mine, auto combine) {
    part[threadIdx.x] = mine;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
      if (threadIdx.x < half)
        part[threadIdx.x] = combine(part[threadIdx.x], part[threadIdx.x + half]);
      __syncthreads();
    }
    const float result = part[0];
    __syncthreads();
    return result;
  };
  float largest = in[threadIdx.x < columns ? threadIdx.x : 0];
  for (int c = threadIdx.x; c < columns; c += blockDim.x) largest = fmaxf(largest, in[c]);
  largest = all(largest, [](float a, float b) { return fmaxf(a, b); });
  float sum = 0;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) sum += expf(in[c] - largest);
  sum = all(sum, [](float a, float b) { return a + b; });
  for (int c = threadIdx.x; c < columns; c += blockDim.x) out[c] = expf(in[c] - largest) / sum;
}

// The same in fp64, one thread a row, in the order in which it is written.
__global__ void softmax_in_turn(float* y, const float* x, int columns) {
  const float* in = x + (long long)blockIdx.x * columns;
  double largest = in[0], sum = 0;
  for (int c = 1; c < columns; ++c) largest = fmax(largest, (double)in[c]);
  for (int c = 0; c < columns; ++c) sum += exp(in[c] - largest);
  for (int c = 0; c < columns; ++c)
    y[(long long)blockIdx.x * columns + c] = exp(in[c] - largest) / sum;
}

// How often each of 128 values stands in x; counts in shared memory first.
__global__ void histogram(unsigned* bins, const unsigned char* x, long long n) {
  __shared__ unsigned mine[128];
  for (int b = threadIdx.x; b < 128; b += blockDim.x) mine[b] = 0;
  __syncthreads();
  for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n;
       i += (long long)gridDim.x * blockDim.x) {
    atomicAdd(&mine[x[i] & 127], 1u);
  }
  __syncthreads();
  for (int b = threadIdx.x; b < 128; b += blockDim.x) atomicAdd(&bins[b], mine[b]);
}

// The same with one counter a value, in device memory alone.
__global__ void histogram_plain(unsigned* bins, const unsigned char* x, long long n) {
  for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n;
       i += (long long)gridDim.x * blockDim.x) {
    atomicAdd(&bins[x[i] & 127], 1u);
  }
}

// The mean of a point and its four neighbours; the edge keeps its values.
__global__ void stencil(float* y, const float* x, int side) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  const int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (c >= side || r >= side) return;
  const long long i = (long long)r * side + c;
  const bool edge = c == 0 || r == 0 || c == side - 1 || r == side - 1;
  y[i] = edge ? x[i] : 0.2f * (x[i] + x[i - 1] + x[i + 1] + x[i - side] + x[i + side]);
}
