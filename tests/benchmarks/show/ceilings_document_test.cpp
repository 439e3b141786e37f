#include "benchmarks/show/ceilings_document.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "tests/support/texts.hpp"

namespace apod::show {
namespace {

TEST(CeilingsDocument, SaysWhatWasNotMeasured) {
  Ceilings ceilings;
  ceilings.read_bytes_per_s = 4.55e12;
  ceilings.fp32_flops = 62.8e12;
  std::ostringstream out;
  write_ceilings_table(out, ceilings, {});
  EXPECT_TRUE(contains(out.str(), "4.55 TB/s"));
  EXPECT_TRUE(contains(out.str(), "62.8 TFLOP/s"));
  EXPECT_TRUE(contains(out.str(), "not measured"));
}

}  // namespace
}  // namespace apod::show
