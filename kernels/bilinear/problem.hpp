#pragma once

/// \file
/// Bilinear interpolation of fp32 images to `scale` times their sides, as Paddle's
/// KeBilinearInterpFw and KeBilinearInterpBw compute it:
///   output(o, p) = sum over the four inputs (r, c) around (o, p) of row(o, r) * col(p, c) *
///   input(r, c)
/// and backward
///   input gradient(r, c) = sum over all (o, p) of row(o, r) * col(p, c) * output gradient(o, p)
/// with the weights of position.hpp.

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/api/workload.hpp"
#include "kernels/bilinear/position.hpp"
#include "kernels/data/array.hpp"

namespace apod::bilinear {

/// Outputs from inputs, or the gradient of inputs from that of outputs.
enum class Direction : std::uint8_t { fprop, bprop };

/// Planes (images times channels) of equal sides, row-major, one after the other.
struct Images {
  std::int64_t planes;
  Side rows;
  Side cols;
  constexpr std::size_t inputs() const { return std::size_t{rows.in} * cols.in; }  ///< of a plane
  constexpr std::size_t outputs() const { return std::size_t{rows.out} * cols.out; }  ///< likewise
};

/// A stack of planes, split by planes. Forward, `input` is the images; backward, it is the gradient
/// of their outputs.
class Bilinear : public Problem {
 public:
  Bilinear(std::shared_ptr<const Floats> values, const Images& images, Direction direction);

  const Images& images() const { return images_; }
  Direction direction() const { return direction_; }

  std::span<const std::byte> input() const override { return std::as_bytes(std::span(*values_)); }
  Chunk chunk(std::int64_t index, std::int64_t count) const override;
  std::size_t output_bytes(std::int64_t chunks) const override;
  /// The error of a value is relative to the sum of its terms' magnitudes, to which rounding errors
  /// are in proportion. The reference is computed here, in fp64, and not kept.
  Verification verify(std::span<const std::byte> output, std::int64_t chunks) const override;

 private:
  /// The two inputs around an output.
  struct Neighbours {
    std::array<unsigned, 2> index;
    std::array<double, 2> weight;
  };
  struct Row {
    std::vector<double> sums;
    std::vector<double> magnitudes;
  };
  static std::vector<Neighbours> neighbours(const Side& side);
  bool forward() const { return direction_ == Direction::fprop; }
  Shape result() const;  ///< of a plane
  void reference_row(const float* plane, unsigned row, Row& reference) const;
  void reference_forward(const float* plane, unsigned row, Row& reference) const;
  void reference_backward(const float* plane, unsigned row, Row& reference) const;

  std::shared_ptr<const Floats> values_;
  Images images_;
  Direction direction_;
  std::vector<Neighbours> rows_;  ///< of each output row
  std::vector<Neighbours> cols_;  ///< of each output column
};

/// A chunk as kernels see it.
struct Part {
  const float* input;
  float* output;
  Images images;
  Direction direction;
};
/// The part that `task` is about. Its problem must be a Bilinear.
Part part(const Task& task);

}  // namespace apod::bilinear

template <>
struct apod::EnumNames<apod::bilinear::Direction> {
  static constexpr std::array<std::string_view, 2> names{"fprop", "bprop"};
};
