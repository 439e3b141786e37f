// The workload `habits`: values that come out as they went in, carried over by kernels and calls of
// which each has one bad habit, or is its clean counterpart. Linked into bench_with_faults only;
// what it is recorded for is told in docs/findings.md.

#include "kernels/data/data.hpp"
#include "tests/support/function_variant.hpp"

namespace apod::habits {
namespace {

class Habits : public Family {
 public:
  std::string_view name() const override { return "habits"; }
  std::string_view summary() const override { return "has the bad habit that its variant says"; }
  std::vector<AxisSpec> axes() const override {
    return {{.name = "size",
             .help = "values of 4 bytes",
             .default_value = std::int64_t{1} << 20,
             .max = std::int64_t{1} << 30},
            {.name = "depth",
             .help = "multiply-adds for each value, which leave it as it is",
             .default_value = std::int64_t{1},
             .max = 1 << 20}};
  }
  Footprint footprint(const Params& params) const override {
    const auto bytes = bytes_of(params);
    return {bytes, bytes};
  }
  Traffic traffic(const Params& params) const override {
    const auto bytes = static_cast<double>(bytes_of(params));
    return {.bytes_read = bytes,
            .bytes_written = bytes,
            .flops_fp32 = 2.0 * static_cast<double>(params.integer("size")) *
                          static_cast<double>(params.integer("depth"))};
  }
  std::unique_ptr<Problem> make(const Params& params, const DataSpec& data) const override {
    return std::make_unique<test::SameValues>(make_vector(data, params.integer("size")));
  }

 private:
  static std::uint64_t bytes_of(const Params& params) {
    return static_cast<std::uint64_t>(params.integer("size")) * sizeof(float);
  }
};
const FamilyRegistrar<Habits> family;

}  // namespace
}  // namespace apod::habits
