#include "tests/support/fake_registry.hpp"

#include <memory>

namespace apod::test {
namespace {

class FakeVariant : public Variant {
 public:
  void compute(const Task&) const override {}
};

/// A vector family: `size` is a count, `accumulator` a choice, `repeats` a small count.
class SumFamily : public Family {
 public:
  std::string_view name() const override { return "sum"; }
  std::string_view summary() const override { return "sum of a vector"; }
  std::vector<AxisSpec> axes() const override {
    AxisSpec size{"size", AxisSpec::Kind::integer, "elements", std::int64_t{1000}};
    size.max = std::int64_t{1} << 36;
    AxisSpec accumulator{"accumulator", AxisSpec::Kind::choice, "type", std::string("fp32")};
    accumulator.choices = {"fp32", "fp64"};
    AxisSpec repeats{"repeats", AxisSpec::Kind::integer, "repeats", std::int64_t{1}};
    repeats.max = 1000;
    return {size, accumulator, repeats};
  }
  Footprint footprint(const Params& params) const override {
    return {4 * static_cast<std::uint64_t>(params.integer("size")), 8};
  }
  Traffic traffic(const Params& params) const override {
    const auto n = static_cast<double>(params.integer("size") * params.integer("repeats"));
    return {.bytes_read = 4 * n, .bytes_written = 8, .flops_fp32 = n};
  }
  std::unique_ptr<Problem> make(const Params&, const DataSpec&) const override { return nullptr; }
};

/// An image family: `size` is a shape, `mask` must be odd.
class BlurFamily : public Family {
 public:
  std::string_view name() const override { return "blur"; }
  std::string_view summary() const override { return "blur of an image"; }
  std::vector<AxisSpec> axes() const override {
    AxisSpec size{"size", AxisSpec::Kind::shape, "pixels", std::string("64x64")};
    size.max = 1 << 16;
    AxisSpec mask{"mask", AxisSpec::Kind::integer, "side of the mask", std::int64_t{3}};
    mask.max = 31;
    return {size, mask};
  }
  std::optional<std::string> rejects(const Params& params) const override {
    if (params.integer("mask") % 2 == 0) return "the mask must be odd";
    return std::nullopt;
  }
  Footprint footprint(const Params& params) const override {
    const auto shape = params.shape("size");
    const auto bytes = 4 * static_cast<std::uint64_t>(shape.rows * shape.cols);
    return {bytes, bytes};
  }
  Traffic traffic(const Params& params) const override {
    const auto shape = params.shape("size");
    const auto pixels = static_cast<double>(shape.rows * shape.cols);
    const auto weights = static_cast<double>(params.integer("mask") * params.integer("mask"));
    return {
        .bytes_read = 4 * pixels, .bytes_written = 4 * pixels, .flops_fp32 = 2 * weights * pixels};
  }
  std::unique_ptr<Problem> make(const Params&, const DataSpec&) const override { return nullptr; }
};

}  // namespace

Registry fake_registry() {
  Registry registry;
  registry.add(std::make_unique<SumFamily>());
  registry.add(std::make_unique<BlurFamily>());
  const auto make = [] { return std::make_unique<FakeVariant>(); };
  registry.add(VariantEntry{"sum", "fast", BackendKind::cuda, "", make});
  registry.add(VariantEntry{"sum", "slow", BackendKind::cuda, "", make});
  registry.add(VariantEntry{"sum", "unbuilt", BackendKind::cuda, "", {}});
  registry.add(VariantEntry{"sum", "host", BackendKind::host, "", make});
  registry.add(VariantEntry{"blur", "tile", BackendKind::cuda, "", make});
  registry.add(VariantEntry{"blur", "host", BackendKind::host, "", make});
  return registry;
}

}  // namespace apod::test
