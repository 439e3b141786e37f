#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "kernels/api/registry.hpp"
#include "kernels/data/data.hpp"
#include "kernels/network/operations.hpp"
#include "kernels/network/reference.hpp"

namespace apod::network {
namespace {

/// Tensors begin where device memory does: at multiples of 256 bytes.
std::int64_t aligned(std::int64_t floats) {
  return (floats + 63) / 64 * 64;
}

/// Gives each tensor its place, one after the other.
class Places {
 public:
  std::int64_t next(std::int64_t floats) {
    const auto place = size_;
    size_ += aligned(floats);
    return place;
  }
  std::int64_t size() const { return size_; }

 private:
  std::int64_t size_ = 0;
};

/// The image: values of their own for all channels of the batch, or a file's image in all of them.
void fill_image(std::span<float> image, const Dims& d, const DataSpec& data) {
  const bool file = data.kind == DataSpec::Kind::file;
  const auto values = file ? make_image(data, {d.rows, d.cols}) : make_vector(data, d.values());
  for (std::int64_t begin = 0; begin < d.values(); begin += std::ssize(*values)) {
    std::copy(values->begin(), values->end(), image.begin() + begin);
  }
}

/// `count` values from `least` on, 1 wide; `stream` keeps them apart from others of the same seed.
void fill_uniform(std::span<float> values, std::uint64_t seed, std::uint64_t stream, float least,
                  float width) {
  const auto uniform = make_vector({.kind = DataSpec::Kind::uniform, .seed = seed + stream},
                                   static_cast<std::int64_t>(values.size()));
  std::transform(uniform->begin(), uniform->end(), values.begin(),
                 [&](float x) { return least + width * x; });
}

/// Each tensor's planes turned: of `channels` rows of `plane` values, or the other way round.
std::vector<float> turned(std::vector<float> floats, std::span<const Place> places, bool back) {
  for (const auto& [offset, images, channels, plane] : places) {
    const auto rows = static_cast<std::size_t>(back ? plane : channels);
    const auto cols = static_cast<std::size_t>(back ? channels : plane);
    std::vector<float> image(rows * cols);
    auto at = floats.begin() + offset;
    for (std::int64_t n = 0; n < images; ++n, at += std::ssize(image)) {
      std::copy_n(at, image.size(), image.begin());
      for (std::size_t i = 0; i < image.size(); ++i) {
        at[static_cast<std::ptrdiff_t>(i)] = image[i % rows * cols + i / rows];
      }
    }
  }
  return floats;
}

constexpr std::uint64_t weight_stream = 0x9E3779B97F4A7C15;
constexpr std::uint64_t scale_stream = 2 * weight_stream;
constexpr std::uint64_t bias_stream = 3 * weight_stream;
constexpr std::uint64_t gradient_stream = 4 * weight_stream;

}  // namespace

Dims dims_of(const Params& params) {
  const Shape shape = params.shape("size");
  return {params.integer("batch"), params.integer("channels"), shape.rows, shape.cols};
}

bool is_backward(const Params& params) {
  return params.text("direction") == "bprop";
}

InputLayout input_layout(const Dims& d, bool backward) {
  Places places;
  InputLayout layout;
  layout.image = places.next(d.values());
  if (backward) layout.gradient = places.next(d.pooled());
  layout.size = places.size();
  return layout;
}

ConstantLayout constant_layout(const Dims& d) {
  Places places;
  ConstantLayout layout;
  layout.weights = places.next(d.weights());
  layout.scale = places.next(d.channels);
  layout.bias = places.next(d.channels);
  layout.size = places.size();
  return layout;
}

OutputLayout output_layout(const Dims& d, bool backward) {
  Places places;
  OutputLayout layout;
  layout.convolved = places.next(d.values());
  layout.mean = places.next(d.channels);
  layout.inv_std = places.next(d.channels);
  layout.pooled = places.next(d.pooled());
  if (backward) {
    layout.d_normed = places.next(d.values());
    layout.d_scale = places.next(d.channels);
    layout.d_bias = places.next(d.channels);
    layout.d_convolved = places.next(d.values());
    layout.d_weights = places.next(d.weights());
    layout.d_image = places.next(d.values());
  }
  layout.size = places.size();
  return layout;
}

std::vector<float> to_nhwc(std::vector<float> floats, std::span<const Place> places) {
  return turned(std::move(floats), places, false);
}

std::vector<float> to_nchw(std::vector<float> floats, std::span<const Place> places) {
  return turned(std::move(floats), places, true);
}

std::vector<Place> output_places(const Dims& d, bool backward) {
  const auto layout = output_layout(d, backward);
  const auto of_image = [&](std::int64_t offset) {
    return Place{offset, d.batch, d.channels, d.plane()};
  };
  std::vector<Place> places{
      of_image(layout.convolved),
      {layout.pooled, d.batch, d.channels, d.pooled_rows() * d.pooled_cols()}};
  if (backward) {
    for (const auto offset : {layout.d_normed, layout.d_convolved, layout.d_image}) {
      places.push_back(of_image(offset));
    }
    places.push_back({layout.d_weights, d.channels, d.channels, taps});
  }
  return places;
}

/// The image is what the experiment asks for. The others are uniform, from the same seed: weights
/// symmetric about 0, with the variance 2 / (9 channels) of He et al. 2015 ("Delving deep into
/// rectifiers"); scales in [1/2, 3/2), biases in [-1/2, 1/2); the gradient of the result in
/// [-1/4, 3/4), so that its sums do not vanish.
Network::Network(const Dims& dims, bool backward, Number math, Order order, const DataSpec& data)
    : dims_(dims), backward_(backward), math_(math), order_(order) {
  const auto given = input_layout(dims, backward);
  const auto parameters = constant_layout(dims);
  input_.resize(static_cast<std::size_t>(given.size));
  constants_.resize(static_cast<std::size_t>(parameters.size));
  const auto part = [](std::vector<float>& all, std::int64_t offset, std::int64_t size) {
    return std::span(all).subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(size));
  };
  fill_image(part(input_, given.image, dims.values()), dims, data);
  const auto weights = part(constants_, parameters.weights, dims.weights());
  const float reach = std::sqrt(6.0F / static_cast<float>(taps * dims.channels));
  fill_uniform(weights, data.seed, weight_stream, -reach, 2 * reach);
  fill_uniform(part(constants_, parameters.scale, dims.channels), data.seed, scale_stream, 0.5F, 1);
  fill_uniform(part(constants_, parameters.bias, dims.channels), data.seed, bias_stream, -0.5F, 1);
  if (backward) {
    fill_uniform(part(input_, given.gradient, dims.pooled()), data.seed, gradient_stream, -0.25F,
                 1);
  }
  convolved_ = std::make_shared<const std::vector<double>>(
      convolve(dims, part(input_, given.image, dims.values()), weights));
  if (order == Order::nchw) return;
  std::vector<Place> places{{given.image, dims.batch, dims.channels, dims.plane()}};
  if (backward) {
    places.push_back(
        {given.gradient, dims.batch, dims.channels, dims.pooled_rows() * dims.pooled_cols()});
  }
  given_ = to_nhwc(input_, places);
  parameters_ = to_nhwc(
      constants_, std::vector<Place>{{parameters.weights, dims.channels, dims.channels, taps}});
}

Chunk Network::chunk(std::int64_t index, std::int64_t count) const {
  const bool whole = index == 0;
  Chunk chunk;
  chunk.index = index;
  chunk.count = count;
  chunk.begin = chunk.input_begin = whole ? 0 : dims_.batch;
  chunk.end = chunk.input_end = dims_.batch;
  const auto in = input().size();
  const auto out = output_bytes(count);
  chunk.input_offset = whole ? 0 : in;
  chunk.input_bytes = whole ? in : 0;
  chunk.output_offset = whole ? 0 : out;
  chunk.output_bytes = whole ? out : 0;
  return chunk;
}

std::size_t Network::output_bytes(std::int64_t) const {
  return static_cast<std::size_t>(output_layout(dims_, backward_).size) * sizeof(float);
}

namespace {

class NetworkFamily : public Family {
 public:
  std::string_view name() const override { return "network"; }
  std::string_view summary() const override {
    return "convolution, batch norm, relu and max-pooling, with their gradients";
  }
  std::vector<AxisSpec> axes() const override {
    return {
        {.name = "size",
         .kind = AxisSpec::Kind::shape,
         .help = "rows x columns of each image",
         .default_value = std::string("56x56"),
         .min = 2,
         .max = largest_side},
        count_axis("batch", "images", 32, largest_batch),
        count_axis("channels", "channels per image, and filters", 64, largest_channels),
        {.name = "direction",
         .kind = AxisSpec::Kind::choice,
         .help = "fprop: the result; bprop: the gradients too",
         .default_value = std::string("bprop"),
         .choices = {"fprop", "bprop"}},
        choice_axis("type", "type to which convolutions may round their inputs", {"fp32", "tf32"}),
        choice_axis("layout", "order of tensors in memory; nhwc: cuDNN only", {"nchw", "nhwc"})};
  }

  std::optional<std::string> rejects(const Params& params) const override {
    const auto d = dims_of(params);
    const auto within = [](const char* what, std::int64_t value, std::int64_t least,
                           std::int64_t most) -> std::optional<std::string> {
      if (value >= least && value <= most) return std::nullopt;
      return std::string(what) + " " + std::to_string(value) + " is not within " +
             std::to_string(least) + " to " + std::to_string(most);
    };
    if (d.rows < 2 || d.cols < 2) {
      return "size " + to_string(params.shape("size")) +
             " is smaller than the 2x2 window of the pooling";
    }
    if (const auto reason = within("a side of", std::max(d.rows, d.cols), 2, largest_side)) {
      return reason;
    }
    if (const auto reason = within("batch", d.batch, 1, largest_batch)) return reason;
    if (const auto reason = within("channels", d.channels, 1, largest_channels)) return reason;
    if (d.per_channel() > largest_per_channel) {
      return "batch " + std::to_string(d.batch) + " of " + to_string(params.shape("size")) +
             " has more than " + std::to_string(largest_per_channel) + " values a channel";
    }
    if (const auto streams = params.integer_or("streams", 1); streams > 1) {
      return "batch norm needs statistics of the whole batch, so the work can't be split over " +
             std::to_string(streams) + " streams; use streams: 1";
    }
    return std::nullopt;
  }

  Footprint footprint(const Params& params) const override {
    const auto d = dims_of(params);
    const bool backward = is_backward(params);
    const auto bytes = [](std::int64_t floats) {
      return static_cast<std::uint64_t>(floats) * sizeof(float);
    };
    return {bytes(input_layout(d, backward).size + constant_layout(d).size),
            bytes(output_layout(d, backward).size)};
  }

  /// Each input read once, each output written once, whatever is between them. Multiplications and
  /// additions as the operations count them.
  Traffic traffic(const Params& params) const override {
    const auto d = dims_of(params);
    const bool backward = is_backward(params);
    const auto values = static_cast<double>(d.values());
    const auto pooled = static_cast<double>(d.pooled());
    const auto weights = static_cast<double>(d.weights());
    const auto channels = static_cast<double>(d.channels);
    Traffic traffic;
    traffic.is_product = true;
    traffic.bytes_read = sizeof(float) * (values + weights + 2 * channels);
    traffic.bytes_written = sizeof(float) * (values + 2 * channels + pooled);
    double convolutions = 0;
    double others = 0;
    const auto add = [&](const Operation& operation) {
      (operation.name == "conv2d" ? convolutions : others) += operation.flops;
    };
    for (const auto& operation : forward_operations(d, Number::fp32)) add(operation);
    if (backward) {
      traffic.bytes_read += sizeof(float) * pooled;
      traffic.bytes_written += sizeof(float) * (3 * values + weights + 2 * channels);
      for (const auto& operation : backward_operations(d, Number::fp32)) add(operation);
    }
    traffic.flops_fp32 = others;
    traffic.flops(params.choice_or("type", Number::fp32)) += convolutions;
    return traffic;
  }

  /// The convolution once; its two gradients are those of each result that is verified.
  double reference_flops(const Params& params) const override {
    const auto d = dims_of(params);
    return (is_backward(params) ? 3 : 1) * convolution_operation(d, Number::fp32).flops;
  }

  std::unique_ptr<Problem> make(const Params& params, const DataSpec& data) const override {
    if (const auto reason = rejects(params)) throw std::runtime_error(*reason);
    return std::make_unique<Network>(dims_of(params), is_backward(params),
                                     params.choice_or("type", Number::fp32),
                                     params.choice_or("layout", Order::nchw), data);
  }
};
const FamilyRegistrar<NetworkFamily> registrar;

}  // namespace
}  // namespace apod::network
