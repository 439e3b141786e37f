#include "kernels/convolution/direct.hpp"

namespace apod::convolution {
namespace {

/// `direct` with one line changed: the threads of a warp go along a row, so that they load and
/// store neighbours.
struct DirectCoalesced : Variant {
  void compute(const Task& task) const override {
    task.accumulator() == Number::fp64 ? launch_direct<double, double, Along::columns>(task)
                                       : launch_direct<float, float, Along::columns>(task);
  }
};
const VariantRegistrar<DirectCoalesced> registrar("convolution", "direct_coalesced",
                                                  BackendKind::cuda,
                                                  "one thread per pixel; a warp goes along a row");

}  // namespace
}  // namespace apod::convolution
