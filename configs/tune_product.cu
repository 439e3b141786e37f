// C = A B of square matrices in fp32, in tiles with choices to tune: see tune_product.yaml.

#ifndef BM
#define BM 64     // rows of C that a block makes
#define BN 64     // columns of C that a block makes
#define BK 16     // columns of A, and rows of B, that it reads at a time
#define TM 4      // rows of C that a thread makes
#define TN 4      // columns of C that a thread makes
#define PAD 0     // floats at the end of each row in shared memory
#define UNROLL 1  // steps of the inner loop that become one
#define AHEAD 0   // 1: the next tiles are read while these are multiplied
#endif
constexpr int threads = (BM / TM) * (BN / TN);

extern "C" __global__ void __launch_bounds__(threads)
    product(float* __restrict__ c, const float* __restrict__ a, const float* __restrict__ b,
            int n) {
  __shared__ float as[BK][BM + PAD];
  __shared__ float bs[BK][BN + PAD];
  const int thread = threadIdx.x;
  const int row = blockIdx.y * BM;
  const int col = blockIdx.x * BN;
  const int own_row = thread / (BN / TN) * TM;
  const int own_col = thread % (BN / TN) * TN;
  constexpr int of_a = (BM * BK + threads - 1) / threads;
  constexpr int of_b = (BN * BK + threads - 1) / threads;
  float next_a[of_a];
  float next_b[of_b];
  const auto load = [&](int k) {
#pragma unroll
    for (int i = 0; i < of_a; ++i) {
      const int at = thread + i * threads;
      if (at < BM * BK) next_a[i] = a[(row + at / BK) * n + k + at % BK];
    }
#pragma unroll
    for (int i = 0; i < of_b; ++i) {
      const int at = thread + i * threads;
      if (at < BN * BK) next_b[i] = b[(k + at / BN) * n + col + at % BN];
    }
  };
  float sum[TM][TN] = {};
  if (AHEAD) load(0);
  for (int k = 0; k < n; k += BK) {
    if (!AHEAD) load(k);
#pragma unroll
    for (int i = 0; i < of_a; ++i) {
      const int at = thread + i * threads;
      if (at < BM * BK) as[at % BK][at / BK] = next_a[i];
    }
#pragma unroll
    for (int i = 0; i < of_b; ++i) {
      const int at = thread + i * threads;
      if (at < BN * BK) bs[at / BN][at % BN] = next_b[i];
    }
    __syncthreads();
    if (AHEAD && k + BK < n) load(k + BK);
    constexpr int unroll = UNROLL;  // a pragma takes no macro
#pragma unroll unroll
    for (int l = 0; l < BK; ++l) {
      float left[TM];
      float right[TN];
#pragma unroll
      for (int i = 0; i < TM; ++i) left[i] = as[l][own_row + i];
#pragma unroll
      for (int j = 0; j < TN; ++j) right[j] = bs[l][own_col + j];
#pragma unroll
      for (int i = 0; i < TM; ++i) {
#pragma unroll
        for (int j = 0; j < TN; ++j) sum[i][j] += left[i] * right[j];
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < TM; ++i) {
#pragma unroll
    for (int j = 0; j < TN; ++j) c[(row + own_row + i) * n + col + own_col + j] = sum[i][j];
  }
}

/// The reference: a thread for each element, sums in double.
extern "C" __global__ void product_plainly(float* c, const float* a, const float* b, int n) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  double sum = 0;
  for (int k = 0; k < n; ++k) sum += static_cast<double>(a[row * n + k]) * b[k * n + col];
  c[row * n + col] = static_cast<float>(sum);
}
