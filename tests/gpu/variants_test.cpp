/// Every CUDA variant of every family, on the first device.

#include "tests/kernels/execute.hpp"

namespace apod::test {
namespace {

/// The first device; null, with the reason, where there is none.
std::unique_ptr<Backend> open_device(std::string& why) {
  const auto* entry = Registry::instance().backend(BackendKind::cuda);
  if (entry == nullptr) {
    why = "built without CUDA";
    return nullptr;
  }
  try {
    return entry->open(0);
  } catch (const BackendError& error) {
    why = error.what();
    return nullptr;
  }
}

class CudaVariant : public testing::TestWithParam<Pair> {
 protected:
  void SetUp() override {
    const auto* entry = Registry::instance().variant(GetParam().family, GetParam().variant);
    const auto missing = entry->missing ? entry->missing() : "";
    if (!missing.empty()) GTEST_SKIP() << missing;
  }
};
// A host-only build has no CUDA variants: nothing to instantiate.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(CudaVariant);

TEST_P(CudaVariant, ComputesEveryCase) {
  std::string why;
  const auto backend = open_device(why);
  if (!backend) GTEST_SKIP() << why;
  run_cases(*backend, GetParam(), cases_of(*Registry::instance().family(GetParam().family)));
}

TEST_P(CudaVariant, ComputesLargeCases) {
  std::string why;
  const auto backend = open_device(why);
  if (!backend) GTEST_SKIP() << why;
  run_cases(*backend, GetParam(), large_cases_of(*Registry::instance().family(GetParam().family)));
}

INSTANTIATE_TEST_SUITE_P(Kernels, CudaVariant, testing::ValuesIn(built_variants(BackendKind::cuda)),
                         pair_name);

/// The streams tutorial's own size: 10^8 ones in fp32, where a sum in one strand would stop at
/// 2^24.
TEST(StreamsTutorial, SumsAHundredMillionOnesInFp32) {
  std::string why;
  const auto backend = open_device(why);
  if (!backend) GTEST_SKIP() << why;
  const auto& family = *Registry::instance().family("reduction");
  auto params = default_params(family);
  params.set("size", std::int64_t{100'000'000});
  const auto problem = family.make(params, {.kind = DataSpec::Kind::ones});
  for (const auto* entry : Registry::instance().variants("reduction")) {
    if (entry->backend != BackendKind::cuda || !entry->make) continue;
    SCOPED_TRACE(entry->name);
    const auto variant = entry->make();
    for (const std::int64_t chunks : {1, 4}) {
      Executor executor(*backend, *variant, *problem, params, chunks);
      const auto check = problem->verify(executor.run(), chunks);
      EXPECT_TRUE(check.passed) << check.detail;
    }
  }
}

}  // namespace
}  // namespace apod::test
