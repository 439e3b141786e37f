#include "kernels/convolution/fft_tiles.hpp"

namespace apod::convolution {
namespace {

const OptionalVariantRegistrar<Fft<float>> registrar(
    "convolution", "fft_fp32", BackendKind::cuda,
    "fft in fp32; inaccurate for dark pixels beside bright pixels", cufft_missing);

}  // namespace
}  // namespace apod::convolution
