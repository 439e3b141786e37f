/// Masks that are products of two vectors, where the usual cases have random ones, and images with
/// as many rows as there may be.

#include "tests/gpu/cuda_backend.hpp"
#include "tests/kernels/problems.hpp"

namespace apod::test {
namespace {

using SeparableMask = OnCuda<>;

TEST_F(SeparableMask, IsConvolvedByEveryVariant) {
  std::vector<Case> cases;
  for (auto& c : large_cases_of(family("convolution"))) {
    for (const char* size : {"71x150", "1x1", "1x300", "300x1", "513x1025"}) {
      c.params.set("size", size);
      c.params.set("weights", "separable");
      c.data.kind = c.chunks == 1 ? DataSpec::Kind::uniform : DataSpec::Kind::normal;
      cases.push_back(c);
    }
  }
  for (const auto& pair : built_variants(BackendKind::cuda)) {
    if (pair.family != "convolution" || pair.variant.starts_with("direct")) continue;
    SCOPED_TRACE(pair.variant);
    run_cases(*backend, pair, promised(pair, cases));
  }
}

using LongImage = OnCuda<>;

TEST_F(LongImage, IsConvolvedToItsEndByEveryVariant) {
  std::vector<Case> cases;
  for (const std::int64_t mask : {3, 9, 13}) {
    auto c = large_cases_of(family("convolution")).front();
    c.params.set("size", "1048576x4");
    c.params.set("mask", mask);
    cases.push_back(c);
  }
  for (const auto& pair : built_variants(BackendKind::cuda)) {
    if (pair.family != "convolution") continue;
    SCOPED_TRACE(pair.variant);
    run_cases(*backend, pair, promised(pair, cases));
  }
}

}  // namespace
}  // namespace apod::test
