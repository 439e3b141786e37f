#include <algorithm>

#include "kernels/api/registry.hpp"
#include "kernels/backends/cuda/multiprocessors.hpp"
#include "kernels/backends/cuda/stream.hpp"
#include "kernels/elementwise/pairwise.hpp"
#include "kernels/elementwise/problem.hpp"

namespace apod::elementwise {
namespace {

constexpr std::size_t in_flight = 4;  // loads in flight per thread
// Most pairs per thread: enough that few arrays are read twice, by the threads before and after a
// boundary; few enough that a grid has many waves, so that the last one costs little.
constexpr std::size_t longest_walk = 16;

/// All pairs in one launch. A thread walks along `walk` arrays at its place and carries each value
/// over to the next pair in a register, so that every array is read once. Threads that are
/// neighbours have neighbouring places. `count` vectors make an array.
template <class Vector>
__global__ void __launch_bounds__(threads)
    square_all(const Vector* in, Vector* out, std::size_t count, std::size_t pairs,
               std::size_t walk) {
  const std::size_t index = static_cast<std::size_t>(blockIdx.x) * threads + threadIdx.x;
  const std::size_t first = index / count * walk;
  if (first >= pairs) return;
  const std::size_t last = std::min(first + walk, pairs);
  const std::size_t place = first * count + index % count;
  in += place;
  out += place;
  Vector x = __ldg(in);
  for (std::size_t pair = first; pair < last; pair += in_flight) {
    Vector y[in_flight];
#pragma unroll
    for (std::size_t k = 0; k < in_flight; ++k) {
      if (pair + k < last) y[k] = __ldg(in + (k + 1) * count);
    }
    // Streaming stores leave the cache to the arrays that are read twice.
#pragma unroll
    for (std::size_t k = 0; k < in_flight; ++k) {
      if (pair + k < last) {
        __stcs(out + k * count, apply(SquareDifference{}, x, y[k]));
        x = y[k];
      }
    }
    in += in_flight * count;
    out += in_flight * count;
  }
}

template <class Vector>
void launch_all(const Part& part, cudaStream_t stream) {
  const std::size_t count = part.size / lanes<Vector>;
  const std::size_t resident = cuda::resident_threads();
  // Short enough to keep every multiprocessor busy.
  const std::size_t walk = std::min((count * part.pairs + resident - 1) / resident, longest_walk);
  const std::size_t walks = (part.pairs + walk - 1) / walk;
  const auto blocks = static_cast<unsigned>((count * walks + threads - 1) / threads);
  square_all<Vector><<<blocks, threads, 0, stream>>>(reinterpret_cast<const Vector*>(part.in),
                                                     reinterpret_cast<Vector*>(part.out), count,
                                                     part.pairs, walk);
  cuda::launched("square_all");
}

struct Batched : Variant {
  std::optional<std::string> rejects(const Params& params) const override {
    return rejects_allocator(params);
  }
  void compute(const Task& task) const override {
    const Part work = part(task);
    in_quads(work.size) ? launch_all<float4>(work, cuda::native(task.stream))
                        : launch_all<float>(work, cuda::native(task.stream));
  }
};
const VariantRegistrar<Batched> registrar("elementwise", "batched", BackendKind::cuda,
                                          "all pairs in one kernel, each array read once");

}  // namespace
}  // namespace apod::elementwise
