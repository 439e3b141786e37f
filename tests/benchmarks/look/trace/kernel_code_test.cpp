#include <gtest/gtest.h>

#include "benchmarks/look/trace/profile_of.hpp"

namespace apod::trace {
namespace {

using Code = std::map<std::string, std::string>;

Activity hashed_kernel(const std::string& name, std::uint64_t code) {
  Activity activity;
  activity.name = name;
  activity.code = code;
  return activity;
}

Activity an_upload() {
  Activity activity;
  activity.kind = Activity::Kind::copy;
  activity.name = "HtoD";
  return activity;
}

Code code_of(std::vector<Activity> activities) {
  return kernel_code_of({std::move(activities), {}});
}

TEST(KernelCode, HasEveryKernelOnce) {
  EXPECT_EQ(code_of({hashed_kernel("b()", 2), an_upload(), hashed_kernel("a()", 0xabc),
                     hashed_kernel("b()", 2)}),
            (Code{{"a()", "0000000000000abc"}, {"b()", "0000000000000002"}}));
}

TEST(KernelCode, KernelsOfOneNameShareAHashWhateverTheirOrder) {
  const auto one = code_of({hashed_kernel("a()", 1), hashed_kernel("a()", 2)});
  EXPECT_EQ(one,
            code_of({hashed_kernel("a()", 2), hashed_kernel("a()", 1), hashed_kernel("a()", 2)}));
  EXPECT_NE(one, code_of({hashed_kernel("a()", 1), hashed_kernel("a()", 3)}));
}

TEST(KernelCode, AKernelWhoseCodeWasNotSeenHasNone) {
  EXPECT_EQ(code_of({hashed_kernel("a()", 1), hashed_kernel("b()", 0)}),
            (Code{{"a()", "0000000000000001"}, {"b()", ""}}));
  EXPECT_EQ(code_of({hashed_kernel("a()", 1), hashed_kernel("a()", 0)}), (Code{{"a()", ""}}))
      << "one of two";
}

TEST(KernelCode, IsAbsentWhereNothingWasSeen) {
  EXPECT_EQ(code_of({}), Code{});
  EXPECT_EQ(code_of({hashed_kernel("echo", 0), an_upload()}), Code{}) << "the host's kernels";
}

}  // namespace
}  // namespace apod::trace
