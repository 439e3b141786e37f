#include <gtest/gtest.h>

#include "tests/benchmarks/show/texts.hpp"
#include "tests/support/texts.hpp"

namespace apod::show {
namespace {

TEST(CeilingsDocument, SaysWhatWasNotMeasured) {
  Ceilings ceilings;
  ceilings.read_bytes_per_s = 4.55e12;
  ceilings.fp32_flops = 62.8e12;
  const auto text = written(ceilings, Format::console);
  EXPECT_TRUE(contains(text, "4.55 TB/s"));
  EXPECT_TRUE(contains(text, "62.8 TFLOP/s"));
  EXPECT_TRUE(contains(text, "not measured"));
}

}  // namespace
}  // namespace apod::show
