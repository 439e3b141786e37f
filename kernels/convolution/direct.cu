#include "kernels/convolution/direct.hpp"

namespace apod::convolution {
namespace {

/// The corrected kernel of the nvprof tutorial. Its `i, j = cuda.grid(2)` runs the threads of a
/// warp down the rows, so each load of a warp touches 32 rows. That is what the tutorial's profiler
/// calls "bound by memory bandwidth". `direct_coalesced` exchanges rows and columns.
struct Direct : Variant {
  void compute(const Task& task) const override {
    task.accumulator() == Number::fp64 ? launch_direct<double, double, Along::rows>(task)
                                       : launch_direct<float, float, Along::rows>(task);
  }
};
const VariantRegistrar<Direct> registrar(
    "convolution", "direct", BackendKind::cuda,
    "from the tutorial: one thread per pixel; a warp goes down the rows");

}  // namespace
}  // namespace apod::convolution
