#pragma once

/// \file
/// One block of a network in training: a convolution of 3x3, batch norm, relu and max-pooling of
/// 2x2, and the gradients of all of it. Tensors are fp32.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/api/workload.hpp"

namespace apod::network {

inline constexpr std::int64_t taps = 9;  ///< of the 3x3 filters
inline constexpr float epsilon = 1e-5F;  ///< added to the variance, PyTorch's default
inline constexpr std::int64_t largest_side = 4096;
inline constexpr std::int64_t largest_channels = 4096;
inline constexpr std::int64_t largest_batch = 65536;
inline constexpr std::int64_t largest_per_channel = std::int64_t{1} << 30;

/// The part of a row of `cols` whose neighbour at `shift` (-1, 0, 1) is in the row too.
struct Overlap {
  Overlap(std::int64_t cols, std::int64_t shift)
      : begin(std::max<std::int64_t>(0, -shift)), end(std::min(cols, cols - shift)) {}
  std::int64_t begin;
  std::int64_t end;
};

/// How tensors lie in memory: all pixels of a channel together, or all channels of a pixel.
enum class Order : std::uint8_t { nchw, nhwc };

/// The shapes of all tensors.
struct Dims {
  std::int64_t batch = 0;
  std::int64_t channels = 0;  ///< of the image, and the number of filters
  std::int64_t rows = 0;
  std::int64_t cols = 0;

  std::int64_t plane() const { return rows * cols; }
  std::int64_t values() const { return batch * channels * plane(); }
  std::int64_t pooled_rows() const { return rows / 2; }
  std::int64_t pooled_cols() const { return cols / 2; }
  std::int64_t pooled() const { return batch * channels * pooled_rows() * pooled_cols(); }
  std::int64_t weights() const { return channels * channels * taps; }
  /// Values over which the statistics of a channel are taken.
  std::int64_t per_channel() const { return batch * plane(); }
  friend bool operator==(const Dims&, const Dims&) = default;
};
Dims dims_of(const Params& params);
/// Whether the gradients are computed too.
bool is_backward(const Params& params);

/// The tensors of one buffer, as floats from its begin. Each begins at a multiple of 256 bytes.
struct InputLayout {
  std::int64_t image = 0;     ///< x
  std::int64_t gradient = 0;  ///< of the result; backward only
  std::int64_t size = 0;
};
struct ConstantLayout {
  std::int64_t weights = 0;  ///< filter, channel, row, column
  std::int64_t scale = 0;    ///< of batch norm, a channel each
  std::int64_t bias = 0;
  std::int64_t size = 0;
};
/// The tensors that a framework keeps from such a step: the activations that the backward pass
/// needs, their gradients, and the gradients of image and parameters.
struct OutputLayout {
  std::int64_t convolved = 0;  ///< c = conv(x, w)
  std::int64_t mean = 0;       ///< of c, a channel each
  std::int64_t inv_std = 0;    ///< 1 / sqrt(variance of c + epsilon)
  std::int64_t pooled = 0;     ///< y = maxpool(relu(z)), z = scale * (c - mean) * inv_std + bias
  // backward only
  std::int64_t d_normed = 0;  ///< dz
  std::int64_t d_scale = 0;
  std::int64_t d_bias = 0;
  std::int64_t d_convolved = 0;  ///< dc
  std::int64_t d_weights = 0;    ///< dw
  std::int64_t d_image = 0;      ///< dx
  std::int64_t size = 0;
};
InputLayout input_layout(const Dims& dims, bool backward);
ConstantLayout constant_layout(const Dims& dims);
OutputLayout output_layout(const Dims& dims, bool backward);

/// Where a tensor of several planes lies in a buffer, and how its planes form it.
struct Place {
  std::int64_t offset;  ///< in floats
  std::int64_t images;  ///< or filters
  std::int64_t channels;
  std::int64_t plane;  ///< values of one channel of one image
};
/// `floats` in NCHW, with the tensors at `places` in NHWC; what else there is stays as it is.
std::vector<float> to_nhwc(std::vector<float> floats, std::span<const Place> places);
/// The way back.
std::vector<float> to_nchw(std::vector<float> floats, std::span<const Place> places);
std::vector<Place> output_places(const Dims& dims, bool backward);

/// One pass over one batch. Batch norm's statistics are those of the whole batch, so one chunk
/// holds all; the others are empty.
class Network : public Problem {
 public:
  /// Convolutions may round their factors to `math`; everything else is fp32.
  Network(const Dims& dims, bool backward, Number math, Order order, const DataSpec& data);

  const Dims& dims() const { return dims_; }
  bool backward() const { return backward_; }
  Number math() const { return math_; }
  Order order() const { return order_; }

  std::span<const std::byte> input() const override {
    return std::as_bytes(std::span(order_ == Order::nchw ? input_ : given_));
  }
  std::span<const std::byte> constants() const override {
    return std::as_bytes(std::span(order_ == Order::nchw ? constants_ : parameters_));
  }
  Chunk chunk(std::int64_t index, std::int64_t count) const override;
  std::size_t output_bytes(std::int64_t chunks) const override;
  /// Compares every tensor with its operation in fp64, applied to the tensors in the output:
  /// gradients follow the maxima that the variant chose and the statistics that it computed. So no
  /// error is blamed on a later operation, and two candidates of a maximum that differ by less than
  /// rounding may both win. See check.cpp for the bounds.
  Verification verify(std::span<const std::byte> output, std::int64_t chunks) const override;

 private:
  Dims dims_;
  bool backward_;
  Number math_;
  Order order_;
  std::vector<float> input_;  ///< in NCHW, as the check wants it
  std::vector<float> constants_;
  std::vector<float> given_;                              ///< input_ in NHWC, if that was asked for
  std::vector<float> parameters_;                         ///< constants_, likewise
  std::shared_ptr<const std::vector<double>> convolved_;  ///< conv(x, w) in fp64
};

}  // namespace apod::network

template <>
struct apod::EnumNames<apod::network::Order> {
  static constexpr std::array<std::string_view, 2> names{"nchw", "nhwc"};
};
