#include "kernels/convolution/direct.hpp"

namespace apod::convolution {
namespace {

/// The first kernel of the nvprof tutorial. `s = 0` gave the sum no type, so it became a double:
/// products in fp32, widened one by one, added in fp64. A profiler sees FP64 additions and not one
/// FP64 multiplication, which is how the tutorial finds its mistake. The types are the point here,
/// so the `accumulator` axis does not change them.
struct DirectDouble : Variant {
  void compute(const Task& task) const override { launch_direct<float, double, Along::rows>(task); }
};
const VariantRegistrar<DirectDouble> registrar(
    "convolution", "direct_double", BackendKind::cuda,
    "a mistake from the tutorial: fp32 products summed in fp64");

}  // namespace
}  // namespace apod::convolution
