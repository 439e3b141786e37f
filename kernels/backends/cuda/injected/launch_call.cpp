#include "kernels/backends/cuda/injected/launch_call.hpp"

#include <cuda.h>

namespace apod::cuda {
namespace {

std::string attribute_name(int id) {
  switch (id) {
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
      return "the launch's access policy window";
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
      return "the launch's overlap with the launch before it";
    case CU_LAUNCH_ATTRIBUTE_PRIORITY:
      return "the launch's priority";
    default:
      return "the launch attribute " + std::to_string(id);
  }
}

}  // namespace

template <class Call, class Shape>
void LaunchCall::take(const Call& call, const Shape& shape) {
  function = call.f;
  parameters = call.kernelParams;
  grid = {shape.gridDimX, shape.gridDimY, shape.gridDimZ};
  block = {shape.blockDimX, shape.blockDimY, shape.blockDimZ};
  shared = shape.sharedMemBytes;
  stream = shape.hStream;
}

LaunchCall::LaunchCall(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  name = data.symbolName != nullptr ? data.symbolName : "";
  if (id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx ||
      id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz) {
    const auto& p = *static_cast<const cuLaunchKernelEx_params*>(data.functionParams);
    const auto& q = *p.config;
    take(p, q);
    extra = p.extra;
    for (unsigned i = 0; i < q.numAttrs; ++i) take(q.attrs[i]);
    return;
  }
  // The parameters of the cooperative call begin as these.
  const auto& p = *static_cast<const cuLaunchKernel_params*>(data.functionParams);
  take(p, p);
  cooperative = id == CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel ||
                id == CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz;
  if (!cooperative) extra = p.extra;
}

void LaunchCall::take(const CUlaunchAttribute& attribute) {
  const auto& value = attribute.value;
  switch (attribute.id) {
    case CU_LAUNCH_ATTRIBUTE_IGNORE:
      return;
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
      cluster = {value.clusterDim.x, value.clusterDim.y, value.clusterDim.z};
      return;
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
      cooperative = value.cooperative != 0;
      return;
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      carveout = static_cast<std::int32_t>(value.sharedMemCarveout);
      return;
    default:
      left_out.push_back(attribute_name(static_cast<int>(attribute.id)));
  }
}

const std::byte* LaunchCall::argument(std::size_t index, std::size_t offset) const {
  if (parameters != nullptr) return static_cast<const std::byte*>(parameters[index]);
  for (auto* item = extra; item != nullptr && *item != CU_LAUNCH_PARAM_END; item += 2) {
    if (*item != CU_LAUNCH_PARAM_BUFFER_POINTER) continue;
    return static_cast<const std::byte*>(item[1]) + offset;
  }
  return nullptr;
}

}  // namespace apod::cuda
