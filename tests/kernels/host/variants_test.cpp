/// Every host variant of every family, on the host backend.

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
