/// Traces of a device that was told to expect them: the hash of every kernel's machine code.

#include "tests/kernels/execute.hpp"

namespace apod::test {
namespace {

class ExpectedTraces : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* entry = Registry::instance().backend(BackendKind::cuda);
    if (entry == nullptr) GTEST_SKIP() << "built without CUDA";
    std::string why;
    if (entry->devices(why).empty()) GTEST_SKIP() << why;
    // What another test has launched is loaded already, and its code is not shown again.
    if (testing::UnitTest::GetInstance()->test_to_run_count() > 1) {
      GTEST_SKIP() << "needs a process of its own: run it alone, as ctest does";
    }
    backend_ = entry->open(0);
    backend_->expect_traces();
  }

  /// The kernels of `runs` runs of a variant on the last of its family's small cases that it
  /// takes, checked and traced as a traced pass does it.
  std::vector<Activity> kernels_of(const std::string& family_name, const std::string& variant_name,
                                   int runs = 1) {
    const auto* family = Registry::instance().family(family_name);
    const auto variant = Registry::instance().variant(family_name, variant_name)->make();
    const auto cases = cases_of(*family);
    const auto last = std::find_if(cases.rbegin(), cases.rend(), [&](const Case& c) {
      auto with_variant = c.params;
      with_variant.set("variant", variant_name);
      return c.chunks == 1 && c.data.kind == DataSpec::Kind::ones && !family->rejects(with_variant);
    });
    if (last == cases.rend()) {
      ADD_FAILURE() << "no case is for it";
      return {};
    }
    const auto& params = last->params;
    const auto problem = family->make(params, last->data);
    Executor executor(*backend_, *variant, *problem, params, 1);
    EXPECT_TRUE(problem->verify(executor.run(), 1).passed);
    const auto trace = backend_->trace([&] { executor.run(runs); });
    if (trace.activities.empty() && !trace.notes.empty()) no_trace_ = trace.notes.front();
    std::vector<Activity> kernels;
    for (const auto& activity : trace.activities) {
      if (activity.kind == Activity::Kind::kernel) kernels.push_back(activity);
    }
    return kernels;
  }

  std::unique_ptr<Backend> backend_;
  std::string no_trace_;  ///< why the machine can't trace
};

TEST_F(ExpectedTraces, HaveTheHashOfEachKernelsCode) {
  const auto copies = kernels_of("copy", "grid_stride", 2);
  if (!no_trace_.empty()) GTEST_SKIP() << no_trace_;
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
    const auto* entry = Registry::instance().variant(family, variant);
    if (entry->missing && !entry->missing().empty()) continue;  // its library
    const auto kernels = kernels_of(family, variant);
    if (!no_trace_.empty()) GTEST_SKIP() << no_trace_;
    EXPECT_EQ(kernels.empty(), variant == "memcpy_async");
    for (const auto& kernel : kernels) EXPECT_NE(kernel.code, 0u) << kernel.name;
  }
}

}  // namespace
}  // namespace apod::test
