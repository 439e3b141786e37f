#include <algorithm>

#include "kernels/api/registry.hpp"
#include "kernels/backends/cuda/check.hpp"
#include "kernels/backends/cuda/stream.hpp"
#include "kernels/bilinear/problem.hpp"

namespace apod::bilinear {
namespace {

constexpr unsigned threads = 256;
constexpr std::int64_t most_planes_of_a_grid = 65535;

/// The four inputs around an output, and their weights, which every thread computes anew.
struct Neighbours {
  std::size_t top_left, top_right, bottom_left, bottom_right;  ///< places in a plane
  float top, bottom, left, right;                              ///< weights

  __device__ Neighbours(const Images& images, unsigned pixel) {
    const Side& rows = images.rows;
    const Side& cols = images.cols;
    const Position y = position(rows, pixel / cols.out);
    const Position x = position(cols, pixel % cols.out);
    const std::size_t above = std::size_t{y.index} * cols.in;
    const std::size_t below = std::size_t{rows.next(y.index)} * cols.in;
    top_left = above + x.index;
    top_right = above + cols.next(x.index);
    bottom_left = below + x.index;
    bottom_right = below + cols.next(x.index);
    top = weight_before(rows, y.rest);
    bottom = weight_behind(rows, y.rest);
    left = weight_before(cols, x.rest);
    right = weight_behind(cols, x.rest);
  }
};

/// KeBilinearInterpFw: one thread per output.
__global__ void interpolate_forward(const float* in, float* out, Images images) {
  const std::size_t pixel = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (pixel >= images.outputs()) return;
  for (std::size_t plane = blockIdx.y; plane < images.planes; plane += gridDim.y) {
    const Neighbours at(images, static_cast<unsigned>(pixel));
    const float* values = in + plane * images.inputs();
    const float upper = at.left * values[at.top_left] + at.right * values[at.top_right];
    const float lower = at.left * values[at.bottom_left] + at.right * values[at.bottom_right];
    out[plane * images.outputs() + pixel] = at.top * upper + at.bottom * lower;
  }
}

/// KeBilinearInterpBw: one thread per output adds its gradient to four inputs. Other outputs add to
/// the same inputs in any order, so sums may differ between runs in their last bits.
__global__ void interpolate_backward(const float* in, float* out, Images images) {
  const std::size_t pixel = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (pixel >= images.outputs()) return;
  for (std::size_t plane = blockIdx.y; plane < images.planes; plane += gridDim.y) {
    const Neighbours at(images, static_cast<unsigned>(pixel));
    const float gradient = in[plane * images.outputs() + pixel];
    float* sums = out + plane * images.inputs();
    atomicAdd(sums + at.top_left, at.top * at.left * gradient);
    atomicAdd(sums + at.top_right, at.top * at.right * gradient);
    atomicAdd(sums + at.bottom_left, at.bottom * at.left * gradient);
    atomicAdd(sums + at.bottom_right, at.bottom * at.right * gradient);
  }
}

struct PerPixel : Variant {
  void compute(const Task& task) const override {
    const Part work = part(task);
    const auto stream = cuda::native(task.stream);
    const dim3 grid(static_cast<unsigned>((work.images.outputs() + threads - 1) / threads),
                    static_cast<unsigned>(std::min(work.images.planes, most_planes_of_a_grid)));
    if (work.direction == Direction::fprop) {
      interpolate_forward<<<grid, threads, 0, stream>>>(work.input, work.output, work.images);
      cuda::launched("interpolate_forward");
      return;
    }
    APOD_CUDA(cudaMemsetAsync(work.output, 0, task.chunk.output_bytes, stream));
    interpolate_backward<<<grid, threads, 0, stream>>>(work.input, work.output, work.images);
    cuda::launched("interpolate_backward");
  }
};
const VariantRegistrar<PerPixel> registrar(
    "bilinear", "per_pixel", BackendKind::cuda,
    "one thread per output; atomic adds in the backward pass");

}  // namespace
}  // namespace apod::bilinear
