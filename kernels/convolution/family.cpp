#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <list>
#include <mutex>
#include <stdexcept>

#include "kernels/api/registry.hpp"
#include "kernels/convolution/problem.hpp"
#include "kernels/data/data.hpp"
#include "kernels/data/worst.hpp"

namespace apod::convolution {

namespace {

#ifdef __x86_64__
#define APOD_WIDE_VECTORS [[gnu::target_clones("default", "avx2", "avx512f")]]
#else
#define APOD_WIDE_VECTORS
#endif

/// sums[j] += sum over l of weights[l] * pixels[j + width - 1 - l], in this order, for `count`
/// sums. Four weights at a time, because loading and storing a sum takes longer than adding to it.
APOD_WIDE_VECTORS
void add_row(double* sums, const double* pixels, const float* weights, std::int64_t width,
             std::int64_t count) {
  std::int64_t l = 0;
  for (; l + 4 <= width; l += 4) {
    const std::array<double, 4> w{weights[l], weights[l + 1], weights[l + 2], weights[l + 3]};
    const double* at = pixels + (width - 1 - l);
    for (std::int64_t j = 0; j < count; ++j) {
      sums[j] = sums[j] + w[0] * at[j] + w[1] * at[j - 1] + w[2] * at[j - 2] + w[3] * at[j - 3];
    }
  }
  for (; l < width; ++l) {
    const double weight = weights[l];
    const double* at = pixels + (width - 1 - l);
    for (std::int64_t j = 0; j < count; ++j) sums[j] += weight * at[j];
  }
}

/// Calls store(index, sum) for each pixel. Kept simple, so that its correctness is obvious: one row
/// and one weight at a time, over a strip of columns whose pixels and sums stay in the first-level
/// cache.
template <class Store>
void convolve(std::span<const float> image, Shape shape, const std::vector<float>& mask,
              std::int64_t width, const Store& store) {
  constexpr std::int64_t strip = 1024;
  const std::int64_t radius = width / 2;
  parallel_for(shape.rows, [&](std::int64_t first, std::int64_t last) {
    std::array<double, strip> sums;
    std::array<double, strip + largest_mask> pixels;  // from column begin - radius on
    for (std::int64_t begin = 0; begin < shape.cols; begin += strip) {
      const std::int64_t end = std::min(shape.cols, begin + strip);
      const std::int64_t from = std::max<std::int64_t>(0, begin - radius);
      const std::int64_t to = std::min(shape.cols, end + radius);
      const std::int64_t count = end - begin;
      pixels.fill(0);
      for (std::int64_t i = first; i < last; ++i) {
        std::fill_n(sums.begin(), count, 0.0);
        for (std::int64_t k = 0; k < width; ++k) {
          const std::int64_t row = i - k + radius;
          if (row < 0 || row >= shape.rows) continue;
          const float* source = image.data() + row * shape.cols;
          std::copy(source + from, source + to, pixels.data() + (from - (begin - radius)));
          add_row(sums.data(), pixels.data(), mask.data() + k * width, width, count);
        }
        for (std::int64_t j = begin; j < end; ++j) {
          store(static_cast<std::size_t>(i * shape.cols + j),
                sums[static_cast<std::size_t>(j - begin)]);
        }
      }
    }
  });
}

/// The last references, because an experiment asks for the same one again and again, once for each
/// variant and accumulator.
class References {
 public:
  std::shared_ptr<const Reference> get(const std::shared_ptr<const Floats>& image, Shape shape,
                                       const std::vector<float>& mask, std::int64_t width) {
    // Held while a reference is made, so that nobody makes it a second time.
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
      return entry.image == image && entry.shape == shape && entry.mask == mask;
    });
    if (found != entries_.end()) {
      entries_.splice(entries_.begin(), entries_, found);
      return found->reference;
    }
    make_room(image->size());
    auto reference = std::make_shared<Reference>(make_reference(*image, shape, mask, width));
    if (image->size() <= most_pixels) entries_.push_front({image, shape, mask, reference});
    return reference;
  }

 private:
  struct Entry {
    std::shared_ptr<const Floats> image;  // held, so that its address stays its name
    Shape shape;
    std::vector<float> mask;
    std::shared_ptr<const Reference> reference;
  };

  static constexpr std::size_t most_pixels = std::size_t{1} << 28;  // 4 GiB at most, with images
  static constexpr std::size_t most_entries = 16;

  void make_room(std::size_t pixels) {
    for (const auto& entry : entries_) pixels += entry.image->size();
    while (!entries_.empty() && (pixels > most_pixels || entries_.size() >= most_entries)) {
      pixels -= entries_.back().image->size();
      entries_.pop_back();
    }
  }

  std::mutex mutex_;
  std::list<Entry> entries_;  // the last used first
};

References& references() {
  static References cache;
  return cache;
}

/// Pairs (position, weight) inside an image side of n, for all positions.
double pairs_inside(std::int64_t n, std::int64_t radius) {
  double pairs = static_cast<double>(n);
  for (std::int64_t d = 1; d <= radius; ++d) {
    pairs += 2 * static_cast<double>(std::max<std::int64_t>(0, n - d));
  }
  return pairs;
}

/// The largest error of a correct result, relative to the sum of |mask * image|.
///
/// fp32: the tutorial's 1e-5. The errors of n additions in fp32 stay below n u = 5.8e-5 for the
/// largest mask (u = 2^-24; Higham 2002, "Accuracy and Stability of Numerical Algorithms", 4.2),
/// but they cancel: their spread is about sqrt(n) u / 3 = 6e-7, so even the worst of 10^9 pixels is
/// well under 1e-5, while a wrong or absent weight is not. Where tensor cores make the products
/// those add up to 8e-6 (tensor.cu), and with few weights, whose sums have next to no error, all of
/// it.
///
/// fp64: fp32 products (at most u), summed in fp64, rounded to fp32 (at most u). Twice that, so
/// that a sum in fp32, which would be good enough above, does not pass for one in fp64.
double tolerance(Number accumulator) {
  constexpr double unit = std::numeric_limits<float>::epsilon() / 2;
  return accumulator == Number::fp64 ? 4 * unit : 1e-5;
}

/// Below this sum of |mask * image| products in fp32 underflow, so that the error is no longer in
/// proportion to it: it is relative to this instead.
constexpr double smallest_magnitude = 1e-30;

/// A black region must be zero, or as close to it as transforms in fp64 come: their error is in
/// proportion to the brightest pixel, by some units of rounding (Higham 2002, 24.1: of the order
/// of log2 n of them for n values, in the root mean square).
constexpr double transform_error = 64 * std::numeric_limits<double>::epsilon() / 2;

}  // namespace

Reference make_reference(std::span<const float> image, Shape shape, const std::vector<float>& mask,
                         std::int64_t width) {
  Reference reference;
  reference.result.resize(image.size());
  convolve(image, shape, mask, width,
           [&](std::size_t index, double sum) { reference.result[index] = sum; });
  if (std::any_of(image.begin(), image.end(), [](float x) { return x < 0; })) {
    Floats magnitudes(image.size());
    std::transform(image.begin(), image.end(), magnitudes.begin(),
                   [](float x) { return std::abs(x); });
    reference.magnitude.resize(image.size());
    convolve(magnitudes, shape, mask, width, [&](std::size_t index, double sum) {
      reference.magnitude[index] = static_cast<float>(sum);
    });
  }
  return reference;
}

Part part(const Task& task) {
  return part(static_cast<const Convolution&>(task.problem), task.chunk);
}

Part part(const Convolution& problem, const Chunk& chunk) {
  return {.rows = static_cast<int>(chunk.input_end - chunk.input_begin),
          .cols = static_cast<int>(problem.shape().cols),
          .first = static_cast<int>(chunk.begin - chunk.input_begin),
          .out_rows = static_cast<int>(chunk.end - chunk.begin),
          .width = static_cast<int>(problem.width())};
}

Convolution::Convolution(std::shared_ptr<const Floats> image, Shape shape, std::vector<float> mask,
                         std::int64_t width, Number accumulator)
    : image_(std::move(image)),
      shape_(shape),
      mask_(std::move(mask)),
      width_(width),
      accumulator_(accumulator),
      reference_(references().get(image_, shape_, mask_, width_)),
      brightest_(std::abs(*std::max_element(image_->begin(), image_->end(), [](float a, float b) {
        return std::abs(a) < std::abs(b);
      }))) {}

Chunk Convolution::chunk(std::int64_t index, std::int64_t count) const {
  Chunk chunk;
  chunk.index = index;
  chunk.count = count;
  chunk.begin = shape_.rows * index / count;
  chunk.end = shape_.rows * (index + 1) / count;
  chunk.input_begin = chunk.input_end = chunk.begin;
  if (chunk.begin < chunk.end) {
    chunk.input_begin = std::max<std::int64_t>(0, chunk.begin - width_ / 2);
    chunk.input_end = std::min(shape_.rows, chunk.end + width_ / 2);
  }
  const auto bytes = [this](std::int64_t rows) {
    return static_cast<std::size_t>(rows * shape_.cols) * sizeof(float);
  };
  chunk.input_offset = bytes(chunk.input_begin);
  chunk.input_bytes = bytes(chunk.input_end - chunk.input_begin);
  chunk.output_offset = bytes(chunk.begin);
  chunk.output_bytes = bytes(chunk.end - chunk.begin);
  return chunk;
}

std::size_t Convolution::output_bytes(std::int64_t) const {
  return image_->size() * sizeof(float);
}

Verification Convolution::verify(std::span<const std::byte> output, std::int64_t) const {
  Verification check;
  check.measure = "largest error of a pixel, relative to its sum of |mask * image|";
  check.tolerance = tolerance(accumulator_);
  if (!has_size(output, image_->size() * sizeof(float), check)) return check;
  const auto value = [&](std::size_t index) -> double { return element_of<float>(output, index); };
  const Reference& reference = *reference_;
  const double least = std::max(smallest_magnitude, transform_error * brightest_ / check.tolerance);
  const Worst worst = worst_of(image_->size(), [&](std::size_t i) {
    const double expected = reference.result[i];
    const double magnitude = reference.magnitude.empty() ? expected : reference.magnitude[i];
    return std::abs(value(i) - expected) / std::max(magnitude, least);
  });
  check.error = worst.error;
  judge(check, place_in(static_cast<std::size_t>(shape_.cols), worst.index), value(worst.index),
        reference.result[worst.index]);
  return check;
}

namespace {

class ConvolutionFamily : public Family {
 public:
  std::string_view name() const override { return "convolution"; }
  std::string_view summary() const override {
    return "2-D convolution of an fp32 image with a random mask, zeros outside";
  }
  std::vector<AxisSpec> axes() const override {
    return {
        {.name = "size",
         .kind = AxisSpec::Kind::shape,
         .help = "rows x columns of the image",
         .default_value = std::string("2048x2048"),
         .max = largest_side},
        {.name = "mask",
         .help = "width of the square mask; must be odd",
         .default_value = std::int64_t{13},
         .max = largest_mask},
        choice_axis("accumulator", "type of products and sums", {"fp32", "fp64"}),
        choice_axis("weights", "random, or the product of two vectors", {"random", "separable"})};
  }

  std::optional<std::string> rejects(const Params& params) const override {
    const std::int64_t width = params.integer("mask");
    if (width < 1 || width > largest_mask) {
      return "mask " + std::to_string(width) + " is not within 1 to " +
             std::to_string(largest_mask);
    }
    if (width % 2 == 0) {
      return "mask " + std::to_string(width) + " is even, but a mask needs a centre: try " +
             std::to_string(width - 1) + " or " + std::to_string(width + 1);
    }
    const Shape shape = params.shape("size");
    if (shape.rows > largest_side || shape.cols > largest_side) {
      return "size " + to_string(shape) + " has a dimension of more than " +
             std::to_string(largest_side);
    }
    return std::nullopt;
  }

  /// With the rows that chunks share, of which every stream has its own copy, and its own mask.
  Footprint footprint(const Params& params) const override {
    const Shape shape = params.shape("size");
    const std::int64_t width = params.integer("mask");
    const std::int64_t chunks = std::max<std::int64_t>(1, params.integer_or("streams", 1));
    const std::int64_t used = std::min(chunks, shape.rows);
    // A chunk never holds more than the image.
    const std::int64_t rows =
        std::min(shape.rows + (used - 1) * 2 * (width / 2), used * shape.rows);
    const auto row_bytes = static_cast<std::uint64_t>(shape.cols) * sizeof(float);
    const auto mask_bytes = static_cast<std::uint64_t>(chunks * width * width) * sizeof(float);
    return {static_cast<std::uint64_t>(rows) * row_bytes + mask_bytes,
            static_cast<std::uint64_t>(shape.rows) * row_bytes};
  }

  /// Image and mask read once, result written once. A multiplication and an addition for each
  /// weight that falls inside the image, both in the accumulator's type.
  Traffic traffic(const Params& params) const override {
    const Shape shape = params.shape("size");
    const std::int64_t width = params.integer("mask");
    const auto image_bytes = static_cast<double>(shape.rows * shape.cols) * sizeof(float);
    const double flops =
        2 * pairs_inside(shape.rows, width / 2) * pairs_inside(shape.cols, width / 2);
    Traffic traffic;
    traffic.bytes_read = image_bytes + static_cast<double>(width * width) * sizeof(float);
    traffic.bytes_written = image_bytes;
    traffic.flops(accumulator_of(params)) = flops;
    return traffic;
  }

  std::unique_ptr<Problem> make(const Params& params, const DataSpec& data) const override {
    if (const auto reason = rejects(params)) throw std::runtime_error(*reason);
    const Shape shape = params.shape("size");
    const std::int64_t width = params.integer("mask");
    return std::make_unique<Convolution>(
        make_image(data, shape), shape,
        make_mask(data.seed, width, params.choice_or("weights", Weights::random)), width,
        accumulator_of(params));
  }
};
const FamilyRegistrar<ConvolutionFamily> registrar;

}  // namespace
}  // namespace apod::convolution
