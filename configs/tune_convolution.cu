// A convolution with zeros outside of the image, with choices to tune: see tune_convolution.yaml.

#ifndef BX
#define BX 16      // threads of a block along a row
#define BY 16      // threads of a block down a column
#define TX 1       // pixels of a thread along a row
#define TY 1       // pixels of a thread down a column
#define SHARED 0   // 1: the block's part of the image is read once, into shared memory
#define PAD 0      // floats at the end of each row there
#define STRIDED 0  // 1: the pixels of a thread lie BX apart, so that neighbours are of neighbours
#define UNROLL 1   // steps of the loop over the mask's columns that become one
#endif
constexpr int mask_side = 9;
constexpr int radius = mask_side / 2;

__device__ __forceinline__ float pixel(const float* image, int row, int col, int rows, int cols) {
  return row >= 0 && row < rows && col >= 0 && col < cols ? image[row * cols + col] : 0.0f;
}

extern "C" __global__ void __launch_bounds__(BX* BY)
    convolve(float* __restrict__ out, const float* __restrict__ image,
             const float* __restrict__ mask, int rows, int cols) {
  const int first_row = blockIdx.y * BY * TY;
  const int first_col = blockIdx.x * BX * TX;
  const int row = STRIDED ? threadIdx.y : threadIdx.y * TY;  // of the thread's first, in the block
  const int col = STRIDED ? threadIdx.x : threadIdx.x * TX;
  constexpr int down = STRIDED ? BY : 1;
  constexpr int along = STRIDED ? BX : 1;
#if SHARED
  constexpr int tile_rows = BY * TY + mask_side - 1;
  constexpr int tile_cols = BX * TX + mask_side - 1;
  __shared__ float tile[tile_rows][tile_cols + PAD];
  for (int i = threadIdx.y * BX + threadIdx.x; i < tile_rows * tile_cols; i += BX * BY) {
    const int r = i / tile_cols;
    const int c = i % tile_cols;
    tile[r][c] = pixel(image, first_row + r - radius, first_col + c - radius, rows, cols);
  }
  __syncthreads();
#endif
  float sum[TY][TX] = {};
  for (int k = 0; k < mask_side; ++k) {
    constexpr int unroll = UNROLL;  // a pragma takes no macro
#pragma unroll unroll
    for (int l = 0; l < mask_side; ++l) {
      const float weight = mask[k * mask_side + l];
#pragma unroll
      for (int y = 0; y < TY; ++y) {
#pragma unroll
        for (int x = 0; x < TX; ++x) {
#if SHARED
          const float value = tile[row + y * down + k][col + x * along + l];
#else
          const float value = pixel(image, first_row + row + y * down + k - radius,
                                    first_col + col + x * along + l - radius, rows, cols);
#endif
          sum[y][x] += weight * value;
        }
      }
    }
  }
#pragma unroll
  for (int y = 0; y < TY; ++y) {
#pragma unroll
    for (int x = 0; x < TX; ++x) {
      const int r = first_row + row + y * down;
      const int c = first_col + col + x * along;
      if (r < rows && c < cols) out[r * cols + c] = sum[y][x];
    }
  }
}

/// The reference: a thread for each pixel, sums in double.
extern "C" __global__ void convolve_plainly(float* out, const float* image, const float* mask,
                                            int rows, int cols) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= rows || col >= cols) return;
  double sum = 0;
  for (int k = 0; k < mask_side; ++k) {
    for (int l = 0; l < mask_side; ++l) {
      sum += static_cast<double>(mask[k * mask_side + l]) *
             pixel(image, row + k - radius, col + l - radius, rows, cols);
    }
  }
  out[row * cols + col] = static_cast<float>(sum);
}
