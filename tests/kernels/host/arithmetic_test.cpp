/// The families that are sums and multiply-adds: what they allow.

#include "kernels/fma/problem.hpp"
#include "tests/kernels/problems.hpp"

namespace apod::test {
namespace {

/// x -> x factor + summand, `depth` times, as the fma family wants it.
std::vector<float> crept(std::size_t count, int depth) {
  std::vector<float> values(count, 1.0F);
  for (auto& value : values) {
    for (int i = 0; i < depth; ++i) value = value * fma::factor + fma::summand;
  }
  return values;
}

TEST(Fma, ANaNStaysTheErrorWhateverFollows) {
  const auto problem = make("fma", DataSpec::Kind::ones, {{"size", 8}, {"depth", 4}});
  auto values = crept(8, 4);
  expect_right(*problem, values);
  values[1] = 2;  // wrong, and then worse, and then wrong by less
  values[3] = std::numeric_limits<float>::quiet_NaN();
  values[5] = 1.5F;
  const auto check = problem->verify(std::as_bytes(std::span(values)), 1);
  EXPECT_FALSE(check.passed);
  EXPECT_TRUE(std::isnan(check.error)) << check.error;
  EXPECT_NE(check.detail.find("value 3"), std::string::npos) << check.detail;
}

}  // namespace
}  // namespace apod::test
