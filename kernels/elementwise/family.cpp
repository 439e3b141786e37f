#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "kernels/api/registry.hpp"
#include "kernels/data/worst.hpp"
#include "kernels/elementwise/problem.hpp"

namespace apod::elementwise {
namespace {

/// Floats from one temporary of an arena to the next: whole multiples of 256 bytes.
std::size_t stride(std::size_t size) {
  constexpr std::size_t granule = 256 / sizeof(float);
  return (size + granule - 1) / granule * granule;
}

/// The largest error of a correct square, relative to the reference: its difference is rounded once
/// and enters twice, the product is rounded once, so (1 + u)^3 - 1 with u = 2^-24 (Higham 2002,
/// "Accuracy and Stability of Numerical Algorithms", 2.2). The fp64 reference is off by 2^-51 at
/// most. Squares below the smallest normal number are rounded to a multiple of 2^-149, that is by u
/// of it at most: they are compared with that number.
constexpr double unit = 0x1p-24;
constexpr double tolerance = (1 + unit) * (1 + unit) * (1 + unit) - 1 + 0x1p-50;
constexpr double smallest_square = std::numeric_limits<float>::min();

}  // namespace

Part part(const Task& task) {
  const auto& problem = static_cast<const SquaredDifferences&>(task.problem);
  return {.in = task.in().data(),
          .out = task.out().data(),
          .size = static_cast<std::size_t>(problem.size()),
          .pairs = static_cast<std::size_t>(task.chunk.end - task.chunk.begin)};
}

Allocator allocator_of(const Params& params) {
  return params.choice_or("allocator", Allocator::arena);
}

std::size_t arena_bytes(const Params& params) {
  if (allocator_of(params) != Allocator::arena) return 0;
  return temporaries * stride(static_cast<std::size_t>(params.integer("size"))) * sizeof(float);
}

std::optional<std::string> rejects_allocator(const Params& params) {
  if (allocator_of(params) == Allocator::arena) return std::nullopt;
  return "this variant has no temporaries, so it is measured only with allocator arena";
}

float* in_arena(void* arena, std::size_t which, std::size_t size) {
  return static_cast<float*>(arena) + which * stride(size);
}

SquaredDifferences::SquaredDifferences(std::shared_ptr<const Floats> values, std::int64_t size)
    : values_(std::move(values)),
      size_(size),
      pairs_(static_cast<std::int64_t>(values_->size()) / size - 1) {}

Chunk SquaredDifferences::chunk(std::int64_t index, std::int64_t count) const {
  Chunk chunk;
  chunk.index = index;
  chunk.count = count;
  chunk.begin = chunk.input_begin = chunk.input_end = pairs_ * index / count;
  chunk.end = pairs_ * (index + 1) / count;
  if (chunk.begin < chunk.end) chunk.input_end = chunk.end + 1;
  const auto bytes = [this](std::int64_t arrays) {
    return static_cast<std::size_t>(arrays * size_) * sizeof(float);
  };
  chunk.input_offset = bytes(chunk.input_begin);
  chunk.input_bytes = bytes(chunk.input_end - chunk.input_begin);
  chunk.output_offset = bytes(chunk.begin);
  chunk.output_bytes = bytes(chunk.end - chunk.begin);
  return chunk;
}

std::size_t SquaredDifferences::output_bytes(std::int64_t) const {
  return static_cast<std::size_t>(pairs_ * size_) * sizeof(float);
}

Verification SquaredDifferences::verify(std::span<const std::byte> output, std::int64_t) const {
  Verification check;
  check.measure = "largest relative error of a square";
  check.tolerance = tolerance;
  if (!has_size(output, output_bytes(1), check)) return check;
  const auto value = [&](std::size_t index) { return element_of<float>(output, index); };
  const auto size = static_cast<std::size_t>(size_);
  // The square of two neighbours has the place of the first of them.
  const auto expected = [&](std::size_t index) {
    const double difference =
        static_cast<double>((*values_)[index]) - static_cast<double>((*values_)[index + size]);
    return difference * difference;
  };
  const auto worst = worst_of(output.size() / sizeof(float), [&](std::size_t i) {
    const double wanted = expected(i);
    // Also where both are infinite, because no float is as large as the square.
    if (value(i) == static_cast<float>(wanted)) return 0.0;
    return std::abs(value(i) - wanted) / std::max(wanted, smallest_square);
  });
  check.error = worst.error;
  judge(check,
        "element " + std::to_string(worst.index % size) + " of pair " +
            std::to_string(worst.index / size),
        value(worst.index), expected(worst.index));
  return check;
}

namespace {

class ElementwiseFamily : public Family {
 public:
  std::string_view name() const override { return "elementwise"; }
  std::string_view summary() const override {
    return "squared differences of neighbours in a list of fp32 arrays";
  }
  std::vector<AxisSpec> axes() const override {
    return {count_axis("size", "elements per array", std::int64_t{1} << 20),
            {.name = "arrays",
             .help = "arrays in the list",
             .default_value = std::int64_t{16},
             .min = 2,
             .max = std::int64_t{1} << 20},
            {.name = "allocator",
             .kind = AxisSpec::Kind::choice,
             .help = "how variants allocate their temporaries",
             .default_value = std::string("arena"),
             .choices = {"malloc", "pool", "arena"}}};
  }

  std::optional<std::string> rejects(const Params& params) const override {
    if (params.integer("size") < 1) {
      return "size " + std::to_string(params.integer("size")) +
             " is too small: an array needs one element or more";
    }
    if (params.integer("arrays") < 2) {
      return "arrays " + std::to_string(params.integer("arrays")) +
             " is too few: a difference needs two arrays or more";
    }
    return std::nullopt;
  }

  /// With the array that neighbouring chunks share, of which both have a copy.
  Footprint footprint(const Params& params) const override {
    const auto array = static_cast<std::uint64_t>(params.integer("size")) * sizeof(float);
    const auto pairs = static_cast<std::uint64_t>(params.integer("arrays") - 1);
    const auto streams =
        static_cast<std::uint64_t>(std::max<std::int64_t>(1, params.integer_or("streams", 1)));
    const std::uint64_t used = std::min(streams, pairs);
    return {(pairs + used) * array, pairs * array};
  }

  /// Every array read once, every square written once; a subtraction and a multiplication each.
  Traffic traffic(const Params& params) const override {
    const auto size = static_cast<double>(params.integer("size"));
    const auto arrays = static_cast<double>(params.integer("arrays"));
    return {.bytes_read = arrays * size * sizeof(float),
            .bytes_written = (arrays - 1) * size * sizeof(float),
            .flops_fp32 = 2 * (arrays - 1) * size};
  }

  std::unique_ptr<Problem> make(const Params& params, const DataSpec& data) const override {
    if (const auto reason = rejects(params)) throw std::runtime_error(*reason);
    const auto size = params.integer("size");
    return std::make_unique<SquaredDifferences>(make_vector(data, size * params.integer("arrays")),
                                                size);
  }
};
const FamilyRegistrar<ElementwiseFamily> registrar;

}  // namespace
}  // namespace apod::elementwise
