// The product of matrices with and without the tensor cores.

#include <cuda_fp16.h>
#include <mma.h>

#include "kernels/api/registry.hpp"
#include "kernels/backends/cuda/check.hpp"
#include "kernels/backends/cuda/stream.hpp"
#include "tests/habits/product.hpp"

namespace apod::habits {
namespace {

constexpr unsigned side = 16;  // of a tile

/// What of a tile lies outside of the matrix is zero.
__device__ float at(const float* matrix, std::size_t rows, std::size_t columns, std::size_t row,
                    std::size_t column) {
  return row < rows && column < columns ? matrix[row * columns + column] : 0.0F;
}

/// A thread for each element, with tiles of both factors in shared memory.
__global__ void multiply(const float* a, const float* b, float* c, Sides sides) {
  __shared__ float of_a[side][side];
  __shared__ float of_b[side][side];
  const std::size_t row = blockIdx.y * side + threadIdx.y;
  const std::size_t column = blockIdx.x * side + threadIdx.x;
  float sum = 0;
  for (std::size_t step = 0; step < sides.k; step += side) {
    of_a[threadIdx.y][threadIdx.x] = at(a, sides.m, sides.k, row, step + threadIdx.x);
    of_b[threadIdx.y][threadIdx.x] = at(b, sides.k, sides.n, step + threadIdx.y, column);
    __syncthreads();
    for (unsigned i = 0; i < side; ++i) sum += of_a[threadIdx.y][i] * of_b[i][threadIdx.x];
    __syncthreads();
  }
  if (row < sides.m && column < sides.n) c[row * sides.n + column] = sum;
}

/// The same tiles in half precision, two products at once. A sum of `side` products is a whole
/// number that a half holds exactly; all of them together are not, so they are added up in fp32.
__global__ void multiply_half(const float* a, const float* b, float* c, Sides sides) {
  __shared__ __half2 of_a[side][side / 2];
  __shared__ __half2 of_b[side][side / 2];  // by columns
  const std::size_t row = blockIdx.y * side + threadIdx.y;
  const std::size_t column = blockIdx.x * side + threadIdx.x;
  float sum = 0;
  for (std::size_t step = 0; step < sides.k; step += side) {
    if (threadIdx.x < side / 2) {
      const std::size_t i = step + 2 * threadIdx.x;
      const std::size_t its_column = blockIdx.x * side + threadIdx.y;
      of_a[threadIdx.y][threadIdx.x] =
          __floats2half2_rn(at(a, sides.m, sides.k, row, i), at(a, sides.m, sides.k, row, i + 1));
      of_b[threadIdx.y][threadIdx.x] = __floats2half2_rn(
          at(b, sides.k, sides.n, i, its_column), at(b, sides.k, sides.n, i + 1, its_column));
    }
    __syncthreads();
    __half2 partial = __floats2half2_rn(0, 0);
    for (unsigned i = 0; i < side / 2; ++i) {
      partial = __hfma2(of_a[threadIdx.y][i], of_b[threadIdx.x][i], partial);
    }
    sum += __low2float(partial) + __high2float(partial);
    __syncthreads();
  }
  if (row < sides.m && column < sides.n) c[row * sides.n + column] = sum;
}

/// A warp for each tile of the result, with matrix instructions.
__global__ void multiply_wmma(const float* a, const float* b, float* c, Sides sides) {
  using namespace nvcuda;
  __shared__ __half of_a[side * side];
  __shared__ __half of_b[side * side];
  __shared__ float of_c[side * side];
  const std::size_t row = blockIdx.y * side;
  const std::size_t column = blockIdx.x * side;
  wmma::fragment<wmma::accumulator, side, side, side, float> sum;
  wmma::fill_fragment(sum, 0.0F);
  for (std::size_t step = 0; step < sides.k; step += side) {
    for (unsigned i = threadIdx.x; i < side * side; i += 32) {
      of_a[i] = __float2half(at(a, sides.m, sides.k, row + i / side, step + i % side));
      of_b[i] = __float2half(at(b, sides.k, sides.n, step + i / side, column + i % side));
    }
    __syncwarp();
    wmma::fragment<wmma::matrix_a, side, side, side, __half, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, side, side, side, __half, wmma::row_major> right;
    wmma::load_matrix_sync(left, of_a, side);
    wmma::load_matrix_sync(right, of_b, side);
    wmma::mma_sync(sum, left, right, sum);
    __syncwarp();
  }
  wmma::store_matrix_sync(of_c, sum, side, wmma::mem_row_major);
  __syncwarp();
  for (unsigned i = threadIdx.x; i < side * side; i += 32) {
    const std::size_t r = row + i / side;
    const std::size_t to = column + i % side;
    if (r < sides.m && to < sides.n) c[r * sides.n + to] = of_c[i];
  }
}

using Kernel = void (*)(const float*, const float*, float*, Sides);

template <Kernel kernel, unsigned threads_x, unsigned threads_y>
struct Multiply : Variant {
  void compute(const Task& task) const override {
    if (task.chunk.output_bytes == 0) return;
    const Sides sides(task.params);
    const dim3 grid(static_cast<unsigned>((sides.n + side - 1) / side),
                    static_cast<unsigned>((sides.m + side - 1) / side));
    const auto* a = static_cast<const float*>(task.input);
    kernel<<<grid, dim3(threads_x, threads_y), 0, cuda::native(task.stream)>>>(
        a, a + sides.m * sides.k, static_cast<float*>(task.output), sides);
    cuda::launched("multiply");
  }
};

constexpr auto cuda_kind = BackendKind::cuda;
const VariantRegistrar<Multiply<multiply, side, side>> plain("product", "plain", cuda_kind,
                                                             "fp32, no tensor cores");
const VariantRegistrar<Multiply<multiply_half, side, side>> half("product", "half", cuda_kind,
                                                                 "fp16, no tensor cores");
const VariantRegistrar<Multiply<multiply_wmma, 32, 1>> wmma_("product", "wmma", cuda_kind,
                                                             "fp16 on the tensor cores");

}  // namespace
}  // namespace apod::habits
