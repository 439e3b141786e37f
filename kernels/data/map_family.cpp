#include "kernels/data/map_family.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>

#include "kernels/api/chunk.hpp"
#include "kernels/data/worst.hpp"

namespace apod {
namespace {

constexpr double unit_roundoff = 0x1p-24;
constexpr double smallest_normal = 0x1p-126;

class Map : public Problem {
 public:
  Map(MapFunction function, std::shared_ptr<const Floats> values)
      : function_(function), values_(std::move(values)) {}

  std::span<const std::byte> input() const override { return std::as_bytes(std::span(*values_)); }
  Chunk chunk(std::int64_t index, std::int64_t count) const override {
    return split_map(static_cast<std::int64_t>(values_->size()), index, count);
  }
  std::size_t output_bytes(std::int64_t) const override { return values_->size() * sizeof(float); }
  Verification verify(std::span<const std::byte> output, std::int64_t) const override;

 private:
  /// The error of y at x in units of its tolerance: at most 1 where y is right.
  double error(double x, float y) const {
    const double wanted = function_.value(x);
    const auto rounded = static_cast<float>(wanted);
    if (y == rounded || (std::isnan(y) && std::isnan(rounded))) return 0;
    const double error = std::abs(y - wanted) / map_tolerance(function_, x);
    return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
  }

  MapFunction function_;
  std::shared_ptr<const Floats> values_;
};

Verification Map::verify(std::span<const std::byte> output, std::int64_t) const {
  Verification check;
  check.measure = "largest error / the error that rounding allows";
  check.tolerance = 1;
  if (!has_size(output, output_bytes(1), check)) return check;
  const auto value = [&](std::size_t index) { return element_of<float>(output, index); };
  const Worst worst =
      worst_of(values_->size(), [&](std::size_t i) { return error((*values_)[i], value(i)); });
  const double x = (*values_)[worst.index];
  std::array<char, 60> where{};
  std::snprintf(where.data(), where.size(), "element %zu, f(%.9g),", worst.index, x);
  check.error = worst.error;
  judge(check, where.data(), value(worst.index), function_.value(x));
  return check;
}

class MapFamily : public Family {
 public:
  MapFamily(std::string name, std::string summary, MapFunction function)
      : name_(std::move(name)), summary_(std::move(summary)), function_(function) {}

  std::string_view name() const override { return name_; }
  std::string_view summary() const override { return summary_; }
  std::vector<AxisSpec> axes() const override {
    return {count_axis("size", "elements", std::int64_t{1} << 24)};
  }
  Footprint footprint(const Params& params) const override {
    const auto bytes = static_cast<std::uint64_t>(params.integer("size")) * sizeof(float);
    return {bytes, bytes};
  }
  Traffic traffic(const Params& params) const override {
    const auto size = static_cast<double>(params.integer("size"));
    return {.bytes_read = size * sizeof(float),
            .bytes_written = size * sizeof(float),
            .flops_fp32 = size * function_.flops};
  }
  std::unique_ptr<Problem> make(const Params& params, const DataSpec& data) const override {
    return std::make_unique<Map>(function_, make_vector(data, params.integer("size")));
  }

 private:
  std::string name_;
  std::string summary_;
  MapFunction function_;
};

}  // namespace

double map_tolerance(const MapFunction& function, double x) {
  const double k = function.roundings * unit_roundoff;
  const double y = function.value(x);
  double spread = 0;
  for (const double near : {x * (1 - k), x * (1 + k)}) {
    const double change = std::abs(function.value(near) - y);
    // Near a pole or the end of its domain, f gives no bound of its error.
    if (std::isfinite(change)) spread = std::max(spread, change);
  }
  return spread + k * std::abs(y) + smallest_normal;
}

MapRegistrar::MapRegistrar(std::string name, std::string summary, MapFunction function) {
  Registry::instance().add(
      std::make_unique<MapFamily>(std::move(name), std::move(summary), function));
}

void MapVariant::compute(const Task& task) const {
  const auto count = task.out().size();
  map(task.in().data(), task.out().data(), count, task.stream);
}

}  // namespace apod
