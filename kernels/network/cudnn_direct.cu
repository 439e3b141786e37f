#include "kernels/network/cudnn_step.hpp"

namespace apod::network {
namespace {

const OptionalVariantRegistrar<CudnnVariant<Algorithms::without_transforms>> registrar(
    "network", "cudnn_direct", BackendKind::cuda,
    "cudnn without Winograd and FFT, whose errors grow with the largest value of a tile",
    cudnn_missing);

}  // namespace
}  // namespace apod::network
