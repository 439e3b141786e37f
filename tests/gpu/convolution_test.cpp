/// Masks that are products of two vectors: the usual cases have random ones.

#include "tests/kernels/problems.hpp"

namespace apod::test {
namespace {

TEST(SeparableMask, IsConvolvedByEveryVariant) {
  const auto* entry = Registry::instance().backend(BackendKind::cuda);
  if (entry == nullptr) GTEST_SKIP() << "built without CUDA";
  std::unique_ptr<Backend> backend;
  try {
    backend = entry->open(0);
  } catch (const BackendError& error) {
    GTEST_SKIP() << error.what();
  }
  std::vector<Case> cases;
  for (auto& c : large_cases_of(family("convolution"))) {
    for (const char* size : {"71x150", "1x1", "1x300", "300x1", "513x1025"}) {
      c.params.set("size", std::string(size));
      c.params.set("weights", std::string("separable"));
      c.data.kind = c.chunks == 1 ? DataSpec::Kind::uniform : DataSpec::Kind::normal;
      cases.push_back(c);
    }
  }
  for (const auto& pair : built_variants(BackendKind::cuda)) {
    if (pair.family != "convolution" || pair.variant.starts_with("direct")) continue;
    SCOPED_TRACE(pair.variant);
    run_cases(*backend, pair, cases);
  }
}

}  // namespace
}  // namespace apod::test
