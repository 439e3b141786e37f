/// Every host variant of every family, on the host backend.

#include <gtest/gtest-spi.h>

#include "tests/kernels/execute.hpp"

namespace apod::test {
namespace {

class HostVariant : public testing::TestWithParam<Pair> {};

TEST_P(HostVariant, ComputesEveryCase) {
  const auto* entry = Registry::instance().backend(BackendKind::host);
  ASSERT_NE(entry, nullptr);
  const auto backend = entry->open(0);
  run_cases(*backend, GetParam(), cases_of(*Registry::instance().family(GetParam().family)));
}

INSTANTIATE_TEST_SUITE_P(Kernels, HostVariant, testing::ValuesIn(built_variants(BackendKind::host)),
                         pair_name);

struct Greedy : Variant {
  std::size_t most_scratch_bytes(const Params&) const override { return 99; }
  std::size_t scratch_bytes(const Problem&, const Params&, const Chunk&) const override {
    return 100;
  }
  void compute(const Task&) const override {}
};

TEST(Scratch, ThatIsMoreThanAPlanWasToldIsFound) {
  const auto& family = *Registry::instance().family("copy");
  const Case c{params_of(family, {{"size", 64}}), {.kind = DataSpec::Kind::ones}};
  const auto problem = make_problem(family, c);
  EXPECT_NONFATAL_FAILURE(expect_footprint(family, Greedy(), c, *problem), "scratch");
}

/// Counts how often it is asked for work.
struct Counting : Variant {
  explicit Counting(int& calls) : calls_(calls) {}
  void compute(const Task&) const override { ++calls_; }
  int& calls_;
};

TEST(EmptyChunk, IsNoWorkOfAVariant) {
  const auto& family = *Registry::instance().family("copy");
  const auto backend = Registry::instance().backend(BackendKind::host)->open(0);
  const Case c{params_of(family, {{"size", 64}}), {.kind = DataSpec::Kind::ones}, 3};
  const auto problem = make_problem(family, c);
  int calls = 0;
  Executor(*backend, Counting(calls), *problem, c.params, 3).run();
  EXPECT_EQ(calls, 1) << "64 values are one chunk of three";
}

TEST(Registered, EveryFamilyHasAHostVariantAndOneForTheGpu) {
  const auto families = Registry::instance().families();
  EXPECT_GE(families.size(), 4U);
  for (const auto* family : families) {
    SCOPED_TRACE(std::string(family->name()));
    bool host = false;
    bool cuda = false;
    for (const auto* variant : Registry::instance().variants(family->name())) {
      (variant->backend == BackendKind::host ? host : cuda) = true;
      EXPECT_EQ(variant->make ? variant->summary.empty() : false, false) << variant->name;
    }
    EXPECT_TRUE(host);
    EXPECT_TRUE(cuda) << "declared even where it is not built";
  }
}

}  // namespace
}  // namespace apod::test
