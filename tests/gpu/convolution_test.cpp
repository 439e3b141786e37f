/// Masks that are products of two vectors: the usual cases have random ones.

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

}  // namespace
}  // namespace apod::test
