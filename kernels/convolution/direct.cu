#include "kernels/convolution/direct.hpp"

namespace apod::convolution {
namespace {

/// Seed 2's kernel as it stands after its correction. Its `i, j = cuda.grid(2)` lets the threads of
/// a warp go down the rows, so that each of their loads touches 32 rows: what the seed's profiler
/// means by "bound by memory bandwidth". `direct_coalesced` is the same with rows and columns
/// exchanged.
struct Direct : Variant {
  void compute(const Task& task) const override {
    task.accumulator() == Scalar::fp64 ? launch_direct<double, double, Along::rows>(task)
                                       : launch_direct<float, float, Along::rows>(task);
  }
};
const VariantRegistrar<Direct> registrar("convolution", "direct", BackendKind::cuda,
                                         "seed 2: one thread a pixel, warps down the rows");

}  // namespace
}  // namespace apod::convolution
