#include <array>

#include "kernels/api/registry.hpp"
#include "kernels/data/data.hpp"
#include "kernels/data/random.hpp"
#include "kernels/groupby/problem.hpp"

namespace apod {
template <>
struct EnumNames<groupby::Keys> {
  static constexpr std::array<std::string_view, 3> names{"uniform", "skewed", "sorted"};
};
}  // namespace apod

namespace apod::groupby {
namespace {

constexpr std::int64_t most_groups = std::int64_t{1} << 20;

/// Keys of a seed of their own, so that they don't follow the values.
std::vector<Row> make_rows(const Floats& values, std::int64_t groups, Keys keys,
                           std::uint64_t seed) {
  const auto n = std::ssize(values);
  const RandomBits random(~seed);
  const auto key_of = [&](std::int64_t i) -> std::int64_t {
    if (keys == Keys::sorted) return i * groups / n;  // less than 2^56
    const auto bits = random[i];
    if (keys == Keys::skewed && bits >> 63 != 0) return 0;
    return static_cast<std::int64_t>((bits & 0xffffffffU) * static_cast<std::uint64_t>(groups) >>
                                     32);
  };
  std::vector<Row> rows(values.size());
  parallel_for(n, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      const auto at = static_cast<std::size_t>(i);
      rows[at] = {static_cast<std::int32_t>(key_of(i)), values[at]};
    }
  });
  return rows;
}

class GroupByFamily : public Family {
 public:
  std::string_view name() const override { return "groupby"; }
  std::string_view summary() const override { return "count, sum and mean of fp32 values by key"; }
  std::vector<AxisSpec> axes() const override {
    return {count_axis("size", "rows, each an int32 key and an fp32 value", std::int64_t{1} << 24),
            count_axis("groups", "distinct keys", 100, most_groups),
            choice_axis("keys", "distribution of keys; skewed: half of the rows share one key",
                        {"uniform", "skewed", "sorted"}),
            choice_axis("accumulator", "type of the sums", {"fp32", "fp64"})};
  }
  Footprint footprint(const Params& params) const override {
    return {static_cast<std::uint64_t>(params.integer("size")) * sizeof(Row),
            result_bytes(params.integer("groups"), accumulator_of(params))};
  }
  /// Every row is read once and every group written once; an addition a row and a division a group,
  /// in the accumulator's type. Counting is no FLOP.
  Traffic traffic(const Params& params) const override {
    const auto n = static_cast<double>(params.integer("size"));
    const auto groups = params.integer("groups");
    const auto accumulator = accumulator_of(params);
    Traffic traffic;
    traffic.bytes_read = n * sizeof(Row);
    traffic.bytes_written = static_cast<double>(result_bytes(groups, accumulator));
    traffic.flops(accumulator) = n + static_cast<double>(groups);
    return traffic;
  }
  std::unique_ptr<Problem> make(const Params& params, const DataSpec& data) const override {
    const auto groups = params.integer("groups");
    const auto values = make_vector(data, params.integer("size"));
    return std::make_unique<GroupBy>(
        make_rows(*values, groups, params.choice_or("keys", Keys::uniform), data.seed), groups,
        accumulator_of(params));
  }
};
const FamilyRegistrar<GroupByFamily> registrar;

}  // namespace
}  // namespace apod::groupby
