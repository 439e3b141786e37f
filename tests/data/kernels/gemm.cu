// A template whose arguments are in the launch; nothing says how large the matrices are.
constexpr int TILE = 16;

template <int SIDE, typename T>
__global__ void gemm(const T* a, const T* b, T* c, int m, int n, int k) {
  __shared__ T as[SIDE][SIDE], bs[SIDE][SIDE];
  const int row = blockIdx.y * SIDE + threadIdx.y;
  const int col = blockIdx.x * SIDE + threadIdx.x;
  T sum = 0;
  for (int step = 0; step < k; step += SIDE) {
    const int x = step + threadIdx.x;
    const int y = step + threadIdx.y;
    as[threadIdx.y][threadIdx.x] = row < m && x < k ? a[row * k + x] : T(0);
    bs[threadIdx.y][threadIdx.x] = y < k && col < n ? b[y * n + col] : T(0);
    __syncthreads();
    for (int i = 0; i < SIDE; ++i) sum += as[threadIdx.y][i] * bs[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && col < n) c[row * n + col] = sum;
}

void multiply(const float* a, const float* b, float* c, int m, int n, int k) {
  dim3 block(TILE, TILE);
  dim3 grid((n + TILE - 1) / TILE, (m + TILE - 1) / TILE);
  gemm<TILE, float><<<grid, block>>>(a, b, c, m, n, k);
}
