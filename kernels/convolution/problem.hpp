#pragma once

/// \file
/// Two-dimensional convolution of an fp32 image with a small square mask:
///   result(i, j) = sum over k, l of mask(k, l) * image(i - k + radius, j - l + radius)
/// with zeros outside the image. A true convolution: the mask is turned by 180 degrees.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/api/workload.hpp"
#include "kernels/convolution/mask.hpp"
#include "kernels/data/array.hpp"

namespace apod::convolution {

inline constexpr std::int64_t largest_mask = 31;       ///< width, in elements
inline constexpr std::int64_t largest_side = 1 << 20;  ///< of an image: row and column fit an int

/// The convolution in fp64, pixel by pixel.
struct Reference {
  std::vector<double> result;
  /// Sum of |mask * image|, to which rounding errors are proportional. Empty if it equals `result`,
  /// because nothing in the image is negative (a mask never is).
  std::vector<float> magnitude;
};
Reference make_reference(std::span<const float> image, Shape shape, const std::vector<float>& mask,
                         std::int64_t width);

/// A chunk as kernels see it. Its memory ends either beyond the reach of the mask or at the border
/// of the image, so rows outside of it are zero.
struct Part {
  int rows = 0;      ///< rows of the image in memory
  int cols = 0;      ///< columns of the image
  int first = 0;     ///< the row in memory that the first row of the result is centred on
  int out_rows = 0;  ///< rows of the result
  int width = 0;     ///< of the mask; odd
};
class Convolution;
Part part(const Convolution& problem, const Chunk& chunk);
/// The part that `task` is about. Its problem must be a Convolution.
Part part(const Task& task);

/// An image split by rows. Chunks read `radius` more rows on both sides: neighbours overlap.
class Convolution : public Problem {
 public:
  Convolution(std::shared_ptr<const Floats> image, Shape shape, std::vector<float> mask,
              std::int64_t width, Number accumulator);

  Shape shape() const { return shape_; }
  std::int64_t width() const { return width_; }

  std::span<const std::byte> input() const override { return std::as_bytes(std::span(*image_)); }
  /// The mask, fp32, row-major.
  std::span<const std::byte> constants() const override { return std::as_bytes(std::span(mask_)); }
  Chunk chunk(std::int64_t index, std::int64_t count) const override;
  std::size_t output_bytes(std::int64_t chunks) const override;
  /// The error of a pixel is relative to its sum of |mask * image|. Where no product is negative,
  /// that is |result - reference| / |reference|, the tutorial's measure. On data of both signs
  /// the reference may be near zero by cancellation, which is not the kernel's fault.
  Verification verify(std::span<const std::byte> output, std::int64_t chunks) const override;

 private:
  std::shared_ptr<const Floats> image_;
  Shape shape_;
  std::vector<float> mask_;
  std::int64_t width_;
  Number accumulator_;
  std::shared_ptr<const Reference> reference_;
  double brightest_;  ///< the largest |pixel|
};

}  // namespace apod::convolution
