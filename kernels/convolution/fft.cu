#include "kernels/convolution/fft_tiles.hpp"

namespace apod::convolution {
namespace {

const OptionalVariantRegistrar<Fft<double>> registrar(
    "convolution", "fft", BackendKind::cuda,
    "cuFFT in fp64, tiles of up to 512 x 512 (overlap-save)", cufft_missing);

}  // namespace
}  // namespace apod::convolution
