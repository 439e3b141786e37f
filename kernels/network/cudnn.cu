#include "kernels/network/cudnn_step.hpp"

namespace apod::network {
namespace {

const OptionalVariantRegistrar<CudnnVariant<Algorithms::all>> registrar(
    "network", "cudnn", BackendKind::cuda,
    "NVIDIA's cuDNN, operation by operation, with the algorithms that it measures to be fastest",
    cudnn_missing);

}  // namespace
}  // namespace apod::network
