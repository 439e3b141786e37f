/// Traces of a device that was told to expect them: the hash of every kernel's machine code.

#include "tests/gpu/cuda_backend.hpp"
#include "tests/kernels/execute.hpp"

namespace apod::test {
namespace {

class ExpectedTraces : public OnCuda<> {
 protected:
  void SetUp() override {
    OnCuda::SetUp();
    if (IsSkipped()) return;
    // What another test has launched is loaded already, and its code is not shown again.
    if (shares_its_process()) GTEST_SKIP() << needs_a_process;
    backend->expect_traces();
  }

  /// The kernels of `runs` runs of a variant on the last of its family's small cases that it
  /// takes, checked and traced as a traced pass does it.
  std::vector<Activity> kernels_of(const std::string& family_name, const std::string& variant_name,
                                   int runs = 1) {
    const auto* family = Registry::instance().family(family_name);
    const auto variant = Registry::instance().variant(family_name, variant_name)->make();
    const auto cases = cases_of(*family);
    const auto last = std::find_if(cases.rbegin(), cases.rend(), [&](const Case& c) {
      return c.chunks == 1 && c.data.kind == DataSpec::Kind::ones && !variant->rejects(c.params);
    });
    if (last == cases.rend()) {
      ADD_FAILURE() << "no case is for it";
      return {};
    }
    const auto& params = last->params;
    const auto problem = family->make(params, last->data);
    Executor executor(*backend, *variant, *problem, params, 1);
    EXPECT_TRUE(problem->verify(executor.run(), 1).passed);
    trace([&] { executor.run(runs); });
    std::vector<Activity> kernels;
    for (const auto& activity : seen.activities) {
      if (activity.kind == Activity::Kind::kernel) kernels.push_back(activity);
    }
    return kernels;
  }
};

TEST_F(ExpectedTraces, HaveTheHashOfEachKernelsCode) {
  const auto copies = kernels_of("copy", "grid_stride", 2);
  if (IsSkipped()) return;
  const auto sums = kernels_of("reduction", "grid_stride");
  const auto copies_again = kernels_of("copy", "grid_stride");
  ASSERT_EQ(copies.size(), 2u);
  ASSERT_FALSE(sums.empty());
  ASSERT_EQ(copies_again.size(), 1u) << "of this trace alone";
  EXPECT_NE(copies[0].code, 0u) << "its module was loaded unseen";
  EXPECT_NE(sums[0].code, 0u) << "its module was loaded unseen";
  EXPECT_EQ(copies[0].code, copies[1].code);
  EXPECT_EQ(copies[0].code, copies_again[0].code);
  EXPECT_NE(copies[0].code, sums[0].code) << "other kernels";
}

TEST_F(ExpectedTraces, HaveTheHashOfTheKernelsOfEveryVariant) {
  for (const auto& [family, variant] : built_variants(BackendKind::cuda)) {
    SCOPED_TRACE(family + "/" + variant);
    const auto* built = Registry::instance().variant(family, variant);
    if (built->missing && !built->missing().empty()) continue;  // its library
    if (family == "peer") continue;                             // copies alone, between two GPUs
    const auto kernels = kernels_of(family, variant);
    if (IsSkipped()) return;
    EXPECT_EQ(kernels.empty(), variant == "memcpy_async");
    for (const auto& kernel : kernels) EXPECT_NE(kernel.code, 0u) << kernel.name;
  }
}

}  // namespace
}  // namespace apod::test
