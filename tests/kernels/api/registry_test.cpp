#include "kernels/api/registry.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace apod {
namespace {

class EmptyProblem : public Problem {
 public:
  std::span<const std::byte> input() const override { return {}; }
  Chunk chunk(std::int64_t, std::int64_t) const override { return {}; }
  std::size_t output_bytes(std::int64_t) const override { return 0; }
  Verification verify(std::span<const std::byte>, std::int64_t) const override { return {}; }
};

class NamedFamily : public Family {
 public:
  explicit NamedFamily(std::string name, std::string summary = "")
      : name_(std::move(name)), summary_(std::move(summary)) {}
  std::string_view name() const override { return name_; }
  std::string_view summary() const override { return summary_; }
  std::vector<AxisSpec> axes() const override { return {}; }
  Footprint footprint(const Params&) const override { return {}; }
  Traffic traffic(const Params&) const override { return {}; }
  std::unique_ptr<Problem> make(const Params&, const DataSpec&) const override {
    return std::make_unique<EmptyProblem>();
  }

 private:
  std::string name_;
  std::string summary_;
};

class NoWork : public Variant {
 public:
  void compute(const Task&) const override {}
};

VariantEntry built(const std::string& family, const std::string& name) {
  return {family, name, BackendKind::host, "built", [] { return std::make_unique<NoWork>(); }};
}
VariantEntry declared(const std::string& family, const std::string& name) {
  return {family, name, BackendKind::cuda, "", {}};
}

TEST(RegistryOfKernels, KnowsNothingAtFirst) {
  const Registry registry;
  EXPECT_EQ(registry.family("reduction"), nullptr);
  EXPECT_EQ(registry.variant("reduction", "host"), nullptr);
  EXPECT_EQ(registry.backend(BackendKind::host), nullptr);
  EXPECT_TRUE(registry.families().empty());
  EXPECT_TRUE(registry.variants("reduction").empty());
}

TEST(RegistryOfKernels, ListsFamiliesByName) {
  Registry registry;
  for (const char* name : {"reduction", "copy", "normalize"}) {
    registry.add(std::make_unique<NamedFamily>(name));
  }
  std::vector<std::string_view> names;
  for (const auto* each : registry.families()) names.push_back(each->name());
  EXPECT_EQ(names, (std::vector<std::string_view>{"copy", "normalize", "reduction"}));
  ASSERT_NE(registry.family("copy"), nullptr);
  EXPECT_EQ(registry.family("copy")->name(), "copy");
  EXPECT_EQ(registry.family("cop"), nullptr);
}

TEST(RegistryOfKernels, ListsTheVariantsOfOneFamilyByName) {
  Registry registry;
  registry.add(built("reduction", "warp_shuffle"));
  registry.add(built("copy", "host"));
  registry.add(built("reduction", "cub"));
  const auto variants = registry.variants("reduction");
  ASSERT_EQ(variants.size(), 2u);
  EXPECT_EQ(variants[0]->name, "cub");
  EXPECT_EQ(variants[1]->name, "warp_shuffle");
  EXPECT_EQ(registry.variant("copy", "cub"), nullptr);
}

// The family may come after its variants.
TEST(RegistryOfKernels, VariantsOfAFamilyThatIsNotThereAreStrays) {
  Registry registry;
  registry.add(built("reduction", "cub"));
  registry.add(built("reductoin", "fast"));
  registry.add(std::make_unique<NamedFamily>("reduction"));
  ASSERT_EQ(registry.strays().size(), 1u);
  EXPECT_EQ(registry.strays()[0]->name, "fast");
  EXPECT_EQ(registry.strays()[0]->family, "reductoin");
}

// Static objects of several files register in an order that nobody controls.
TEST(RegistryOfKernels, ABuiltVariantWinsOverADeclaredOneInAnyOrder) {
  for (const bool built_first : {true, false}) {
    Registry registry;
    if (built_first) registry.add(built("reduction", "cub"));
    registry.add(declared("reduction", "cub"));
    const auto* entry = registry.variant("reduction", "cub");
    ASSERT_NE(entry, nullptr);
    EXPECT_EQ(static_cast<bool>(entry->make), built_first) << "known, but not built";
    if (!built_first) registry.add(built("reduction", "cub"));
    ASSERT_TRUE(entry->make);
    EXPECT_EQ(entry->summary, "built");
    EXPECT_NE(entry->make(), nullptr);
    EXPECT_EQ(registry.variants("reduction").size(), 1u);
  }
}

TEST(RegistryOfKernels, AReasonIsKeptInAnyOrder) {
  auto without_headers = declared("gemm", "library");
  without_headers.missing = [] { return std::string("no headers"); };
  for (const bool reason_first : {true, false}) {
    Registry registry;
    registry.add(reason_first ? without_headers : declared("gemm", "library"));
    registry.add(reason_first ? declared("gemm", "library") : without_headers);
    const auto* entry = registry.variant("gemm", "library");
    ASSERT_TRUE(entry->missing);
    EXPECT_EQ(entry->missing(), "no headers");
    EXPECT_FALSE(entry->make);
  }
}

TEST(RegistryOfKernels, FindsBackendsByKind) {
  Registry registry;
  BackendEntry entry;
  entry.kind = BackendKind::cuda;
  entry.devices = [](std::string& why) {
    why = "no driver";
    return std::vector<DeviceFacts>{};
  };
  registry.add(entry);
  EXPECT_EQ(registry.backend(BackendKind::host), nullptr);
  ASSERT_NE(registry.backend(BackendKind::cuda), nullptr);
  std::string why;
  EXPECT_TRUE(registry.backend(BackendKind::cuda)->devices(why).empty());
  EXPECT_EQ(why, "no driver");
}

struct Registered : NamedFamily {
  Registered() : NamedFamily("family_of_registry_test", "one line") {}
};

TEST(RegistryOfKernels, RegistrarsReachTheOneInstance) {
  const FamilyRegistrar<Registered> family;
  const VariantRegistrar<NoWork> variant("family_of_registry_test", "no_work", BackendKind::host,
                                         "does nothing");
  const auto& registry = Registry::instance();
  ASSERT_NE(registry.family("family_of_registry_test"), nullptr);
  EXPECT_EQ(registry.family("family_of_registry_test")->summary(), "one line");
  const auto* entry = registry.variant("family_of_registry_test", "no_work");
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(entry->backend, BackendKind::host);
  EXPECT_EQ(entry->summary, "does nothing");
  EXPECT_NE(dynamic_cast<NoWork*>(entry->make().get()), nullptr);
}

TEST(ProblemOfOnePass, HasNothingToCombine) {
  const EmptyProblem problem;
  EXPECT_EQ(problem.partial_bytes(), 0u);
  EXPECT_TRUE(problem.constants().empty());
  EXPECT_THROW(problem.combine({}), std::logic_error);
}

}  // namespace
}  // namespace apod
