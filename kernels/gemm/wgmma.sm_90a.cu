#include <cuda.h>

#include <algorithm>
#include <string>
#include <type_traits>

#include "kernels/api/registry.hpp"
#include "kernels/backends/cuda/check.hpp"
#include "kernels/backends/cuda/library.hpp"
#include "kernels/backends/cuda/multiprocessors.hpp"
#include "kernels/backends/cuda/stream.hpp"
#include "kernels/gemm/corner.hpp"
#include "kernels/gemm/element.hpp"

// Each block stays on its multiprocessor and makes one tile of C after the other. One of its
// threads has the copy engine bring slices of A and B into a ring of stages in shared memory. Two
// warpgroups, of 128 threads each, multiply the slices of a stage, each for half of the tile's
// rows, and keep their sums in registers. The layouts and instructions are those of the PTX ISA,
// "Asynchronous warpgroup level matrix instructions" and "Tensors".

namespace apod::gemm {
namespace {

struct Tile {
  static constexpr int rows = 128;
  static constexpr int columns = 256;
  static constexpr int depth = 64;  ///< of its slices of A and B
};
constexpr int stages = 4;
constexpr int warpgroup = 128;  ///< threads
constexpr int multipliers = 2;  ///< warpgroups
constexpr int threads = (1 + multipliers) * warpgroup;
constexpr int rows_each = Tile::rows / multipliers;
constexpr int sums_each = rows_each * Tile::columns / warpgroup;  ///< of a thread

/// Elements of a row of a box: 128 bytes, the longest that the copy engine swizzles. It exchanges
/// the 16-byte pieces within 8 rows so that a column of them lies in different banks.
constexpr int box_columns = 64;
constexpr int row_bytes = box_columns * 2;
constexpr int eight_rows = 8 * row_bytes;

__device__ unsigned shared_address(const void* in_shared) {
  return static_cast<unsigned>(__cvta_generic_to_shared(in_shared));
}

/// A barrier in shared memory: a phase ends when `arrivals` threads have arrived and the bytes that
/// were expected are there.
class Barrier {
 public:
  __device__ void init(int arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address()), "r"(arrivals));
  }
  __device__ void arrive() {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address()) : "memory");
  }
  __device__ void arrive_and_expect(unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address()),
                 "r"(bytes)
                 : "memory");
  }
  /// Until the phase of this parity has ended. The phase before the first one has parity 1.
  __device__ void wait(unsigned parity) {
    asm volatile(
        "{\n"
        ".reg .pred ended;\n"
        "again:\n"
        "mbarrier.try_wait.parity.shared::cta.b64 ended, [%0], %1;\n"
        "@!ended bra again; }" ::"r"(address()),
        "r"(parity)
        : "memory");
  }
  __device__ unsigned address() const { return shared_address(&state_); }

 private:
  std::uint64_t state_;
};

/// Slices in boxes: A's rows are along k, B's along n.
template <class T>
struct Stage {
  T a[Tile::rows][box_columns];
  T b[Tile::columns / box_columns][Tile::depth][box_columns];
};

template <class T>
struct Shared {
  Stage<T> stage[stages];
  Barrier full[stages];   ///< its slices are there
  Barrier empty[stages];  ///< all warps have multiplied them
};
/// The pattern of a swizzle repeats after this many bytes, and begins at a multiple of them.
constexpr unsigned alignment = eight_rows;
template <class T>
constexpr std::size_t shared_bytes = sizeof(Shared<T>) + alignment;

/// The stage whose turn it is, and the parity of the round.
struct Turn {
  int stage = 0;
  unsigned parity = 0;
  __device__ void next() {
    if (++stage < stages) return;
    stage = 0;
    parity ^= 1;
  }
};

/// Has the copy engine bring the box at (row, column) of a matrix, with zeros outside of it.
__device__ void load_box(void* to, const CUtensorMap& matrix, int row, int column, Barrier& full) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(to)),
      "l"(&matrix), "r"(column), "r"(row), "r"(full.address())
      : "memory");
}

template <class T>
__device__ void load_slices(Shared<T>& shared, const CUtensorMap& a, const CUtensorMap& b,
                            const Part& part, unsigned all) {
  Turn turn;
  for (unsigned tile = blockIdx.x; tile < all; tile += gridDim.x) {
    const Corner at = corner<Tile>(part, tile);
    for (int k = 0; k < part.k; k += Tile::depth) {
      auto& stage = shared.stage[turn.stage];
      auto& full = shared.full[turn.stage];
      shared.empty[turn.stage].wait(turn.parity ^ 1);
      full.arrive_and_expect(sizeof stage);
      load_box(stage.a, a, at.row, k, full);
      for (int i = 0; i < Tile::columns / box_columns; ++i) {
        load_box(stage.b[i], b, k, at.column + i * box_columns, full);
      }
      turn.next();
    }
  }
}

/// Where a matrix in shared memory begins and how its boxes follow each other: `next_box` bytes
/// from one 128-byte column to the next, which a matrix of only one does not have. Swizzled by 128
/// bytes.
__device__ std::uint64_t descriptor(const void* begin, unsigned next_box = 0) {
  constexpr std::uint64_t swizzle_128 = 1;
  return (shared_address(begin) >> 4) | std::uint64_t{next_box >> 4} << 16 |
         std::uint64_t{eight_rows >> 4} << 32 | swizzle_128 << 62;
}

// Operands of an instruction: neighbours of an array.
#define APOD_4(x, i) "+f"(x[i]), "+f"(x[i + 1]), "+f"(x[i + 2]), "+f"(x[i + 3])
#define APOD_16(x, i) APOD_4(x, i), APOD_4(x, i + 4), APOD_4(x, i + 8), APOD_4(x, i + 12)
#define APOD_64(x, i) APOD_16(x, i), APOD_16(x, i + 16), APOD_16(x, i + 32), APOD_16(x, i + 48)
// sums (64 x 256) = a (64 x 16, along k) * b (16 x 256, along n), + sums if `add` isn't 0.
#define APOD_MULTIPLY(type)                                                                      \
  asm volatile(                                                                                  \
      "{\n"                                                                                      \
      ".reg .pred add;\n"                                                                        \
      "setp.ne.b32 add, %130, 0;\n"                                                              \
      "wgmma.mma_async.sync.aligned.m64n256k16.f32." type "." type                               \
      " {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23," \
      "%24,%25,%26,%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45," \
      "%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63,%64,%65,%66,%67," \
      "%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79,%80,%81,%82,%83,%84,%85,%86,%87,%88,%89," \
      "%90,%91,%92,%93,%94,%95,%96,%97,%98,%99,%100,%101,%102,%103,%104,%105,%106,%107,%108,"    \
      "%109,%110,%111,%112,%113,%114,%115,%116,%117,%118,%119,%120,%121,%122,%123,%124,%125,"    \
      "%126,%127}, %128, %129, add, 1, 1, 0, 1; }"                                               \
      : APOD_64(sums, 0), APOD_64(sums, 64)                                                      \
      : "l"(a), "l"(b), "r"(add))

template <class T>
__device__ void multiply_add(float (&sums)[sums_each], std::uint64_t a, std::uint64_t b, int add) {
  if constexpr (std::is_same_v<T, __half>) {
    APOD_MULTIPLY("f16");
  } else {
    APOD_MULTIPLY("bf16");
  }
}

/// Enqueues the products of a stage's slices, for half `half` of the rows.
template <class T>
__device__ void enqueue_products(float (&sums)[sums_each], const Stage<T>& stage, int half,
                                 bool first) {
  constexpr int depth = 16;                          // of an instruction
  constexpr int next_in_a = depth * sizeof(T) >> 4;  // along the rows
  constexpr int next_in_b = depth * row_bytes >> 4;  // that many rows on
  const auto a = descriptor(stage.a[half * rows_each]);
  const auto b = descriptor(stage.b, sizeof stage.b[0]);
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
  for (int i = 0; i < Tile::depth / depth; ++i) {
    multiply_add<T>(sums, a + i * next_in_a, b + i * next_in_b, i > 0 || !first);
  }
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

/// Until the products of all but the last `enqueued` stages are there.
template <int enqueued>
__device__ void wait_for_products() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(enqueued) : "memory");
}

/// A thread has two neighbours in every eighth column, of a row and of the eighth one below.
__device__ void store(const float (&sums)[sums_each], float* c, const Part& part, Corner at) {
  const auto thread = static_cast<int>(threadIdx.x) % warpgroup;
  const int column = at.column + thread % 4 * 2;
#pragma unroll
  for (int below = 0; below < 2; ++below) {
    const int row = at.row + thread / 32 * 16 + thread % 32 / 4 + below * 8;
    if (row >= part.rows) return;
    float* out = c + static_cast<std::size_t>(row) * static_cast<std::size_t>(part.n) + column;
#pragma unroll
    for (int i = 0; i < Tile::columns; i += 8) {
      if (column + i >= part.n) break;  // n is even
      const float* pair = sums + i / 2 + below * 2;
      __stcs(reinterpret_cast<float2*>(out + i), make_float2(pair[0], pair[1]));
    }
  }
}

template <class T>
__device__ void multiply_slices(Shared<T>& shared, float* c, const Part& part, unsigned all,
                                int half) {
  Turn turn;
  float sums[sums_each];
  const auto release = [&](int stage) {
    if (threadIdx.x % 32 == 0) shared.empty[stage].arrive();
  };
  for (unsigned tile = blockIdx.x; tile < all; tile += gridDim.x) {
    int enqueued = -1;  // the stage before
    for (int k = 0; k < part.k; k += Tile::depth) {
      shared.full[turn.stage].wait(turn.parity);
      enqueue_products(sums, shared.stage[turn.stage], half, k == 0);
      wait_for_products<1>();
      if (k > 0) release(enqueued);
      enqueued = turn.stage;
      turn.next();
    }
    wait_for_products<0>();
    release(enqueued);
    const Corner at = corner<Tile>(part, tile);
    store(sums, c, part, {at.row + half * rows_each, at.column});
  }
}

template <class T>
__global__ void __launch_bounds__(threads, 1)
    multiply_by_warpgroups(const __grid_constant__ CUtensorMap a,
                           const __grid_constant__ CUtensorMap b, float* c, Part part,
                           unsigned all) {
  extern __shared__ unsigned char memory[];
  const unsigned over = shared_address(memory) % alignment;
  auto& shared = *reinterpret_cast<Shared<T>*>(memory + (over == 0 ? 0 : alignment - over));
  if (threadIdx.x == 0) {
    for (int i = 0; i < stages; ++i) {
      shared.full[i].init(1);
      shared.empty[i].init(multipliers * warpgroup / 32);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");  // for the copy engine
  }
  __syncthreads();
  // The sums take more registers than a thread is launched with, so the others give some away.
  const int group = static_cast<int>(threadIdx.x) / warpgroup;
  if (group == multipliers) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x % warpgroup == 0) load_slices(shared, a, b, part, all);
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    multiply_slices(shared, c, part, all, group);
  }
}

/// A row-major matrix for the copy engine, in boxes of `box_rows` rows.
template <class T>
CUtensorMap map_of(const T* matrix, int rows, int columns, int box_rows) {
  static const cuda::Library driver("cuda", 1);
  static const auto encode =
      driver.function<decltype(cuTensorMapEncodeTiled)>("cuTensorMapEncodeTiled");
  const auto type = std::is_same_v<T, __half> ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16
                                              : CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  const cuuint64_t sides[] = {static_cast<cuuint64_t>(columns), static_cast<cuuint64_t>(rows)};
  const cuuint64_t bytes_of_a_row[] = {sides[0] * sizeof(T)};
  const cuuint32_t box[] = {box_columns, static_cast<cuuint32_t>(box_rows)};
  const cuuint32_t next[] = {1, 1};
  CUtensorMap map;
  const auto result = encode(&map, type, 2, const_cast<T*>(matrix), sides, bytes_of_a_row, box,
                             next, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                             CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result == CUDA_SUCCESS) return map;
  throw BackendError(BackendError::Code::other,
                     "cuTensorMapEncodeTiled: error " + std::to_string(result));
}

template <class T>
void launch(const Task& task) {
  const auto work = part(task);
  const auto kernel = multiply_by_warpgroups<T>;
  APOD_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 static_cast<int>(shared_bytes<T>)));
  const unsigned all = tiles<Tile>(work);
  const unsigned blocks = std::min(all, static_cast<unsigned>(cuda::multiprocessors()));
  kernel<<<blocks, threads, shared_bytes<T>, cuda::native(task.stream)>>>(
      map_of(left<T>(task), work.rows, work.k, Tile::rows),
      map_of(right<T>(task), work.k, work.n, Tile::depth), task.out().data(), work, all);
  cuda::launched("multiply_by_warpgroups");
}

struct Wgmma : Variant {
  std::optional<std::string> rejects(const Params& params) const override {
    const auto type = params.choice_or("type", Number::fp32);
    if (!is_16_bit(type)) return "type is not fp16 or bf16";
    const auto sides = product_sides(params).value();
    for (const auto& [name, side] : {std::pair{"k", sides.k}, std::pair{"n", sides.n}}) {
      if (side % 8 == 0) continue;
      return std::string(name) + " = " + std::to_string(side) +
             " is not a multiple of 8: rows must begin at multiples of 16 bytes";
    }
    return std::nullopt;
  }
  std::string_view compute_capability() const override { return "9.0"; }
  void compute(const Task& task) const override {
    const OperationScope scope([&] { return operation(part(task)); });
    part(task).type == Number::fp16 ? launch<__half>(task) : launch<__nv_bfloat16>(task);
  }
};
const VariantRegistrar<Wgmma> registrar("gemm", "wgmma", BackendKind::cuda,
                                        "Hopper's tensor cores: tiles of 128x256 through a ring "
                                        "of asynchronous copies");

}  // namespace
}  // namespace apod::gemm
