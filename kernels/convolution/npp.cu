#include <algorithm>
#include <cstdint>
#include <string>

#include "kernels/api/registry.hpp"
#include "kernels/backends/cuda/check.hpp"
#include "kernels/backends/cuda/library.hpp"
#include "kernels/backends/cuda/stream.hpp"
#include "kernels/convolution/padded.hpp"

#if __has_include(<nppi_filtering_functions.h>)
#include <npp.h>

namespace apod::convolution {
namespace {

const cuda::Library& library() {
  static const cuda::Library nppif("nppif", NPP_VER_MAJOR);
  return nppif;
}

/// NPP asks for the device's properties with every call, so that it need not look them up itself.
NppStreamContext context(cudaStream_t stream) {
  NppStreamContext context{};
  context.hStream = stream;
  APOD_CUDA(cudaGetDevice(&context.nCudaDeviceId));
  const auto attribute = [&](cudaDeviceAttr which) {
    int value = 0;
    APOD_CUDA(cudaDeviceGetAttribute(&value, which, context.nCudaDeviceId));
    return value;
  };
  context.nMultiProcessorCount = attribute(cudaDevAttrMultiProcessorCount);
  context.nMaxThreadsPerMultiProcessor = attribute(cudaDevAttrMaxThreadsPerMultiProcessor);
  context.nMaxThreadsPerBlock = attribute(cudaDevAttrMaxThreadsPerBlock);
  context.nSharedMemPerBlock =
      static_cast<std::size_t>(attribute(cudaDevAttrMaxSharedMemoryPerBlock));
  context.nCudaDevAttrComputeCapabilityMajor = attribute(cudaDevAttrComputeCapabilityMajor);
  context.nCudaDevAttrComputeCapabilityMinor = attribute(cudaDevAttrComputeCapabilityMinor);
  context.nStreamFlags = cudaStreamNonBlocking;  // as all are; while one is captured it can't tell
  return context;
}

/// Rows of one call: NPP lays blocks along them, of which a grid holds 65535. Of an image of 2^20
/// rows it made nothing, and answered with status -1000 (NPP 13.0, H200).
constexpr int most_rows = 65535;

/// Copies the image into a buffer with zeros around it, and filters from there: NPP's filters
/// either read beyond a border or repeat the outermost pixels. The zeros are those that the scratch
/// begins with; nothing else is ever written there.
void convolve(const Task& task) {
  const Part work = part(task);
  const Padded padded(work.out_rows, work.cols, work.width);
  const int radius = work.width / 2;
  const auto stream = cuda::native(task.stream);
  float* const pixels = static_cast<float*>(task.scratch) + Padded::border;
  const auto bytes = [](std::int64_t floats) {
    return static_cast<std::size_t>(floats) * sizeof(float);
  };
  APOD_CUDA(cudaMemcpy2DAsync(pixels + (radius - work.first) * padded.pitch, bytes(padded.pitch),
                              task.input, bytes(work.cols), bytes(work.cols),
                              static_cast<std::size_t>(work.rows), cudaMemcpyDeviceToDevice,
                              stream));
  // NPP wants the weights "in reverse order", which means that it turns the mask itself: what it
  // computes is a convolution. The centre of an odd mask is the same either way.
  const auto filter =
      library().function<decltype(nppiFilter_32f_C1R_Ctx)>("nppiFilter_32f_C1R_Ctx");
  const auto where = context(stream);
  for (int first = 0; first < work.out_rows; first += most_rows) {
    const NppStatus status = filter(
        pixels + (radius + first) * padded.pitch, static_cast<int>(bytes(padded.pitch)),
        static_cast<float*>(task.output) + std::int64_t{first} * work.cols,
        static_cast<int>(bytes(work.cols)), {work.cols, std::min(work.out_rows - first, most_rows)},
        static_cast<const float*>(task.constants), {work.width, work.width}, {radius, radius},
        where);
    if (status != NPP_SUCCESS) {
      throw BackendError(BackendError::Code::other,
                         "nppiFilter_32f_C1R_Ctx: NppStatus " + std::to_string(status));
    }
  }
}

struct Npp : Variant {
  std::optional<std::string> rejects(const Params& params) const override {
    if (accumulator_of(params) == Number::fp64) {
      return "NPP's filters of fp32 images sum in fp32, not in fp64";
    }
    const auto width = params.integer("mask");
    if (width != 3 && width != 5) return std::nullopt;
    return "NPP's filters for masks of 3 and 5 repeat the image's border, but this workload needs "
           "zeros there";
  }
  std::size_t most_scratch_bytes(const Params& params) const override {
    const Shape shape = params.shape("size");
    const auto streams = params.integer_or("streams", 1);
    const auto longest = (shape.rows + streams - 1) / streams;
    return Padded(longest, shape.cols, params.integer("mask")).bytes();
  }
  std::size_t scratch_bytes(const Problem& problem, const Params&,
                            const Chunk& chunk) const override {
    const Part work = part(static_cast<const Convolution&>(problem), chunk);
    return Padded(work.out_rows, work.cols, work.width).bytes();
  }
  void compute(const Task& task) const override { convolve(task); }
};
using Built = Npp;
std::string missing() {
  return library().missing();
}

}  // namespace
}  // namespace apod::convolution
#else
namespace apod::convolution {
namespace {
using Built = void;
std::string missing() {
  return "built without NPP: nppi_filtering_functions.h was not found";
}
}  // namespace
}  // namespace apod::convolution
#endif

namespace apod::convolution {
namespace {

const OptionalVariantRegistrar<Built> registrar(
    "convolution", "npp", BackendKind::cuda,
    "NVIDIA's NPP in fp32; includes the padded copy that NPP needs", missing);

}  // namespace
}  // namespace apod::convolution
