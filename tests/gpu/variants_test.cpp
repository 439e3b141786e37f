/// Every CUDA variant of every family, on the first device.

#include "tests/gpu/cuda_backend.hpp"
#include "tests/kernels/execute.hpp"

namespace apod::test {
namespace {

class CudaVariant : public OnCuda<testing::TestWithParam<Pair>> {
 protected:
  void SetUp() override {
    const auto* tested = Registry::instance().variant(GetParam().family, GetParam().variant);
    const auto missing = tested->missing ? tested->missing() : "";
    if (!missing.empty()) GTEST_SKIP() << missing;
    OnCuda::SetUp();
    if (devices.empty()) return;
    if (GetParam().family == "peer" && devices.size() < 2) GTEST_SKIP() << "one GPU has no peer";
    const auto only = tested->make()->compute_capability();
    if (!only.empty() && only != devices.front().compute_capability) {
      GTEST_SKIP() << "only for compute capability " << only;
    }
  }
};
// A host-only build has no CUDA variants: nothing to instantiate.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(CudaVariant);

TEST_P(CudaVariant, ComputesEveryCase) {
  const auto& family = *Registry::instance().family(GetParam().family);
  run_cases(*backend, GetParam(), promised(GetParam(), cases_of(family)));
}

TEST_P(CudaVariant, ComputesLargeCases) {
  const auto& family = *Registry::instance().family(GetParam().family);
  run_cases(*backend, GetParam(), promised(GetParam(), large_cases_of(family)));
}

INSTANTIATE_TEST_SUITE_P(Kernels, CudaVariant, testing::ValuesIn(built_variants(BackendKind::cuda)),
                         pair_name);

/// The streams tutorial's own size: 10^8 ones in fp32, where a sum in one strand would stop at
/// 2^24.
using StreamsTutorial = OnCuda<>;
TEST_F(StreamsTutorial, SumsAHundredMillionOnesInFp32) {
  const auto& family = *Registry::instance().family("reduction");
  const auto params = params_of(family, {{"size", 100'000'000}});
  const auto problem = family.make(params, {.kind = DataSpec::Kind::ones});
  int count = 0;
  for (const auto* tested : Registry::instance().variants("reduction")) {
    if (tested->backend != BackendKind::cuda || !tested->make) continue;
    SCOPED_TRACE(tested->name);
    const auto variant = tested->make();
    if (variant->rejects(params)) continue;
    ++count;
    for (const std::int64_t chunks : {1, 4}) {
      Executor executor(*backend, *variant, *problem, params, chunks);
      const auto check = problem->verify(executor.run(), chunks);
      EXPECT_TRUE(check.passed) << check.detail;
    }
  }
  EXPECT_GT(count, 5);
}

}  // namespace
}  // namespace apod::test
