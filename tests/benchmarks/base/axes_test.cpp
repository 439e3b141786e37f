#include "benchmarks/base/axes.hpp"

#include <gtest/gtest.h>

#include "tests/support/fake_registry.hpp"
#include "tests/support/texts.hpp"

namespace apod {
namespace {

/// A family with one axis of its own.
class WithAxis : public Family {
 public:
  explicit WithAxis(std::string axis) : axis_(std::move(axis)) {}
  std::string_view name() const override { return "own"; }
  std::string_view summary() const override { return "has an axis"; }
  std::vector<AxisSpec> axes() const override {
    return {{.name = axis_, .default_value = std::int64_t{256}}};
  }
  Footprint footprint(const Params&) const override { return {}; }
  Traffic traffic(const Params&) const override { return {}; }
  std::unique_ptr<Problem> make(const Params&, const DataSpec&) const override { return nullptr; }

 private:
  std::string axis_;
};

TEST(Axes, OfTheHarnessDependOnTheScope) {
  const auto registry = test::fake_registry();
  const auto& sum = *registry.family("sum");
  const auto in_kernel = axes_of(registry, sum, Scope::kernel);
  const auto end_to_end = axes_of(registry, sum, Scope::end_to_end);
  for (const char* name : {"variant", "size", "programs"}) {
    EXPECT_NE(find_axis(in_kernel, name), nullptr) << name;
    EXPECT_NE(find_axis(end_to_end, name), nullptr) << name;
  }
  for (const char* name :
       {"streams", "threads", "host_memory", "stream_pool", "order", "chunk_launch"}) {
    EXPECT_EQ(find_axis(in_kernel, name), nullptr) << name;
    EXPECT_NE(find_axis(end_to_end, name), nullptr) << name;
  }
}

TEST(Axes, AreInTheOrderOfTheParams) {
  const auto registry = test::fake_registry();
  const auto names = [&](Scope scope) {
    std::string all;
    for (const auto& spec : axes_of(registry, *registry.family("sum"), scope))
      all += spec.name + " ";
    return all;
  };
  EXPECT_EQ(names(Scope::kernel), "variant size accumulator repeats programs ");
  EXPECT_EQ(names(Scope::end_to_end),
            "variant size accumulator repeats streams threads host_memory stream_pool order "
            "chunk_launch programs ");
}

TEST(Axes, OfAFamilyMayNotBeCalledAsTheHarnessCallsItsOwn) {
  const Registry registry;
  for (const char* name : {"variant", "streams", "threads", "programs"}) {
    for (const auto scope : {Scope::kernel, Scope::end_to_end}) {
      EXPECT_THROW(axes_of(registry, WithAxis(name), scope), std::logic_error) << name;
    }
  }
  EXPECT_EQ(axes_of(registry, WithAxis("block"), Scope::kernel).size(), 3u);
}

struct Blocked : Variant {
  void compute(const Task&) const override {}
  std::vector<AxisSpec> axes() const override {
    return {{.name = "block", .help = "threads", .default_value = std::int64_t{256}}};
  }
};

TEST(Axes, AVariantMayHaveItsOwn) {
  auto registry = test::fake_registry();
  registry.add(
      {"sum", "blocked", BackendKind::host, "", [] { return std::make_unique<Blocked>(); }});
  const auto axes = axes_of(registry, *registry.family("sum"), Scope::kernel);
  const auto* block = find_axis(axes, "block");
  ASSERT_NE(block, nullptr);
  EXPECT_EQ(block->help, "threads (variant blocked)");
  EXPECT_EQ(find_axis(axes_of(registry, *registry.family("blur"), Scope::kernel), "block"),
            nullptr);

  struct Repeated : Variant {
    void compute(const Task&) const override {}
    std::vector<AxisSpec> axes() const override {
      return {{.name = "repeats", .help = "", .default_value = std::int64_t{1}}};
    }
  };
  registry.add(
      {"sum", "repeated", BackendKind::host, "", [] { return std::make_unique<Repeated>(); }});
  EXPECT_THROW(axes_of(registry, *registry.family("sum"), Scope::kernel), std::logic_error);
}

struct Waiting : Variant {
  void compute(const Task&) const override {}
  bool waits(const Params&) const override { return true; }
};

TEST(Axes, AGraphHoldsNothingThatWaits) {
  const VariantEntry waiting{.family = "own", .name = "waiting", .summary = "", .make = [] {
                               return std::make_unique<Waiting>();
                             }};
  Params params;
  EXPECT_EQ(axes_reject(waiting, params), "");
  EXPECT_EQ(host_launches(params, 50), 50);
  params.set("chunk_launch", std::string("graph"));
  EXPECT_TRUE(contains(axes_reject(waiting, params), "synchronizes with the device"));
  EXPECT_EQ(host_launches(params, 50), 0);
}

TEST(Axes, NumbersOfThingsAreNames) {
  const AxisValue two{std::int64_t{2}};
  for (const char* name :
       {"device", "Device", "gpu", "rank", "stream", "process", "job_id", "pid"}) {
    EXPECT_EQ(quantity_on(name, two), nullptr) << name;
  }
  for (const char* name : {"devices", "ranks", "streams", "size", "bid", "width"}) {
    ASSERT_NE(quantity_on(name, two), nullptr) << name;
    EXPECT_EQ(*quantity_on(name, two), 2);
  }
  EXPECT_EQ(quantity_on("size", AxisValue{std::string("2")}), nullptr);
  EXPECT_EQ(quantity_on("size", std::nullopt), nullptr);
}

}  // namespace
}  // namespace apod
