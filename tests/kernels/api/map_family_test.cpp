// A family that is one function: what follows from it, and that a wrong result does not pass.

#include "kernels/data/map_family.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace apod {
namespace {

const MapRegistrar cube("map_test_cube", "x^3",
                        {.value = [](double x) { return x * x * x; }, .flops = 2});
const MapRegistrar root("map_test_root", "square root of x",
                        {.value = [](double x) { return std::sqrt(x); }, .flops = 1});
const MapRegistrar exponential("map_test_exp", "e^100x",
                               {.value = [](double x) { return std::exp(100 * x); }, .flops = 2});

const Family& family(std::string_view name) {
  return *Registry::instance().family(name);
}

Params sized(std::int64_t size) {
  Params params;
  params.set("size", size);
  return params;
}

std::unique_ptr<Problem> normal(std::string_view name, std::int64_t size) {
  return family(name).make(sized(size), {.kind = DataSpec::Kind::normal, .seed = 7});
}

/// f in fp32 of the problem's values.
template <class F>
std::vector<float> result(const Problem& problem, F f) {
  std::vector<float> y(problem.input().size() / sizeof(float));
  const auto* x = reinterpret_cast<const float*>(problem.input().data());
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = f(x[i]);
  return y;
}

Verification verify(const Problem& problem, const std::vector<float>& y) {
  return problem.verify(std::as_bytes(std::span(y)), 1);
}

TEST(MapFamily, KnowsWhatItCosts) {
  const auto traffic = family("map_test_cube").traffic(sized(1000));
  EXPECT_EQ(traffic.bytes_read, 4000);
  EXPECT_EQ(traffic.bytes_written, 4000);
  EXPECT_EQ(traffic.flops_fp32, 2000);
  EXPECT_EQ(traffic.flops_fp64, 0);
  const auto footprint = family("map_test_cube").footprint(sized(1000));
  EXPECT_EQ(footprint.input_bytes, 4000u);
  EXPECT_EQ(footprint.output_bytes, 4000u);
}

TEST(MapFamily, ChunksCoverItOnce) {
  const auto problem = normal("map_test_cube", 1001);
  std::size_t next = 0;
  for (std::int64_t i = 0; i < 5; ++i) {
    const auto chunk = problem->chunk(i, 5);
    EXPECT_EQ(chunk.input_offset, next);
    EXPECT_EQ(chunk.output_offset, next);
    EXPECT_EQ(chunk.output_bytes, chunk.input_bytes);
    next += chunk.output_bytes;
  }
  EXPECT_EQ(next, problem->output_bytes(5));
  EXPECT_EQ(next, 4004u);
}

TEST(MapFamily, AToleranceIsThatOfTheFunction) {
  // x^3: the error of x counts three times, that of the result once; k = 8.
  const MapFunction function{.value = [](double x) { return x * x * x; }};
  EXPECT_NEAR(map_tolerance(function, 2), 4 * 8 * 0x1p-24 * 8, 1e-11);
  EXPECT_EQ(map_tolerance(function, 0), 0x1p-126);
  // Beside the end of its domain a root is judged by the side on which there is one.
  const MapFunction domain{.value = [](double x) { return std::sqrt(x - 1); }};
  EXPECT_NEAR(map_tolerance(domain, 1), std::sqrt(8 * 0x1p-24), 1e-9);
}

TEST(MapFamily, AResultInFp32IsRightAndOneWrongElementIsFound) {
  const auto problem = normal("map_test_cube", 10007);
  auto y = result(*problem, [](float x) { return x * x * x; });
  EXPECT_TRUE(verify(*problem, y).passed) << verify(*problem, y).detail;
  EXPECT_LT(verify(*problem, y).error, 0.5);
  y[4321] *= 1.00001F;
  const auto check = verify(*problem, y);
  EXPECT_FALSE(check.passed);
  EXPECT_NE(check.detail.find("element 4321, "), std::string::npos) << check.detail;
  y[4321] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(verify(*problem, y).passed);
}

/// Half of the roots are of negative numbers, and e^x overflows from 88.7 on.
TEST(MapFamily, ARightResultMayBeNoNumberOrOverflow) {
  const struct {
    const char* name;
    float (*function)(float);
    bool (*is_special)(float);
  } table[] = {{"map_test_root", [](float x) { return std::sqrt(x); },
                [](float y) { return std::isnan(y); }},
               {"map_test_exp", [](float x) { return std::exp(100 * x); },
                [](float y) { return std::isinf(y); }}};
  for (const auto& [name, function, is_special] : table) {
    const auto problem = normal(name, 1000);
    auto y = result(*problem, function);
    EXPECT_TRUE(verify(*problem, y).passed) << verify(*problem, y).detail;
    EXPECT_TRUE(std::any_of(y.begin(), y.end(), is_special)) << name;
    std::replace_if(y.begin(), y.end(), is_special, std::numeric_limits<float>::max());
    EXPECT_FALSE(verify(*problem, y).passed) << name;
  }
}

}  // namespace
}  // namespace apod
