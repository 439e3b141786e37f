#include <cuda_fp16.h>

#include "kernels/api/registry.hpp"
#include "kernels/backends/cuda/check.hpp"
#include "kernels/backends/cuda/stream.hpp"
#include "kernels/backends/cuda/tensor_cores.hpp"
#include "kernels/mma/problem.hpp"

namespace apod::mma {
namespace {

constexpr int rows_a_tile = 16;
constexpr int columns = 16;    // as two instructions of 8
constexpr unsigned warps = 4;  // a block
constexpr unsigned tiles = 4;  // a warp: sums that don't wait for each other
constexpr unsigned values_a_tile = rows_a_tile * columns;

/// Where a thread of a warp stands in the instructions' layout (PTX ISA, matrix fragments for
/// mma.m16n8k16 and mma.m16n8k8): a group of four threads shares a row.
struct Lane {
  unsigned group = threadIdx.x % 32 / 4;
  unsigned in_group = threadIdx.x % 4;
};

/// A row-major matrix of 16 columns that ends after `count` values and goes on with zeros.
struct Rows {
  const float* values;
  std::size_t count;
  __device__ float at(std::size_t row, unsigned column) const {
    const std::size_t i = row * columns + column;
    return i < count ? values[i] : 0.0F;
  }
};

/// fp16: one instruction takes all 16 columns, a register holds two neighbours.
struct Fp16 {
  static constexpr int steps = 1;
  __device__ static unsigned pair(float low, float high) {
    const __half2 both = __floats2half2_rn(low, high);
    return *reinterpret_cast<const unsigned*>(&both);
  }
  __device__ static void load_a(unsigned (&a)[4], const Rows& rows, std::size_t row, int,
                                Lane lane) {
    for (unsigned i = 0; i < 4; ++i) {
      const std::size_t r = row + lane.group + i % 2 * 8;
      const unsigned c = lane.in_group * 2 + i / 2 * 8;
      a[i] = pair(rows.at(r, c), rows.at(r, c + 1));
    }
  }
  __device__ static void load_b(unsigned (&b)[2], const Rows& matrix, int, unsigned half,
                                Lane lane) {
    for (unsigned i = 0; i < 2; ++i) {
      const unsigned k = lane.in_group * 2 + i * 8;
      const unsigned column = half * 8 + lane.group;
      b[i] = pair(matrix.at(k, column), matrix.at(k + 1, column));
    }
  }
  __device__ static void multiply(float (&sum)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
    APOD_AMPERE(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%0,%1,%2,%3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
};

/// TF32: two instructions of 8 columns each, a register holds one value.
struct Tf32 {
  static constexpr int steps = 2;
  __device__ static unsigned rounded(float value) {
    unsigned bits = 0;
    APOD_AMPERE("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(value));
    return bits;
  }
  __device__ static void load_a(unsigned (&a)[4], const Rows& rows, std::size_t row, int step,
                                Lane lane) {
    for (unsigned i = 0; i < 4; ++i) {
      a[i] = rounded(rows.at(row + lane.group + i % 2 * 8, step * 8 + lane.in_group + i / 2 * 4));
    }
  }
  __device__ static void load_b(unsigned (&b)[2], const Rows& matrix, int step, unsigned half,
                                Lane lane) {
    for (unsigned i = 0; i < 2; ++i) {
      b[i] = rounded(matrix.at(step * 8 + lane.in_group + i * 4, half * 8 + lane.group));
    }
  }
  __device__ static void multiply(float (&sum)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
    cuda::multiply_tf32(sum, a, b);
  }
};

/// Each warp multiplies four tiles of 16 rows with the matrix, `depth` times.
template <class Format>
__global__ void add_products(const float* in, const float* factors, float* out, std::size_t count,
                             int depth) {
  const Lane lane;
  const Rows rows{in, count};
  const Rows matrix{factors, side * side};
  const std::size_t first =
      (static_cast<std::size_t>(blockIdx.x) * warps + threadIdx.x / 32) * tiles * rows_a_tile;
  unsigned b[Format::steps][2][2];
  unsigned a[tiles][Format::steps][4];
  float sum[tiles][2][4] = {};
#pragma unroll
  for (int step = 0; step < Format::steps; ++step) {
#pragma unroll
    for (unsigned half = 0; half < 2; ++half) {
      Format::load_b(b[step][half], matrix, step, half, lane);
    }
#pragma unroll
    for (unsigned tile = 0; tile < tiles; ++tile) {
      Format::load_a(a[tile][step], rows, first + tile * rows_a_tile, step, lane);
    }
  }
#pragma unroll 4
  for (int i = 0; i < depth; ++i) {
#pragma unroll
    for (int step = 0; step < Format::steps; ++step) {
#pragma unroll
      for (unsigned tile = 0; tile < tiles; ++tile) {
#pragma unroll
        for (unsigned half = 0; half < 2; ++half) {
          Format::multiply(sum[tile][half], a[tile][step], b[step][half]);
        }
      }
    }
  }
#pragma unroll
  for (unsigned tile = 0; tile < tiles; ++tile) {
#pragma unroll
    for (unsigned half = 0; half < 2; ++half) {
#pragma unroll
      for (unsigned i = 0; i < 4; ++i) {
        const std::size_t row = first + tile * rows_a_tile + lane.group + i / 2 * 8;
        const std::size_t to = row * columns + half * 8 + lane.in_group * 2 + i % 2;
        if (to < count) out[to] = sum[tile][half][i];
      }
    }
  }
}

template <class Format>
void multiply(const Task& task) {
  cuda::require_ampere("mma/mma_sync", add_products<Format>);
  const std::size_t count = task.out().size();
  constexpr std::size_t values_a_block = std::size_t{warps} * tiles * values_a_tile;
  const auto blocks = static_cast<unsigned>((count + values_a_block - 1) / values_a_block);
  add_products<Format><<<blocks, warps * 32, 0, cuda::native(task.stream)>>>(
      task.in().data(), static_cast<const float*>(task.constants), task.out().data(), count,
      static_cast<int>(task.params.integer_or("depth", 1)));
  cuda::launched("add_products");
}

struct MmaSync : Variant {
  void compute(const Task& task) const override {
    task.params.choice_or("type", Number::fp16) == Number::tf32 ? multiply<Tf32>(task)
                                                                : multiply<Fp16>(task);
  }
};
const VariantRegistrar<MmaSync> registrar("mma", "mma_sync", BackendKind::cuda,
                                          "warp matrix instructions, eight sums per warp");

}  // namespace
}  // namespace apod::mma
