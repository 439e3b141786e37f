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

TEST(CeilingsDocument, ShowsEachPairOfGpus) {
  Ceilings ceilings;
  ceilings.links = {{"GPU-a", "GPU-b", 371e9, 0}, {"GPU-b", "GPU-a", 372e9, 701e9}};
  const auto text = written(ceilings, Format::console);
  EXPECT_TRUE(contains(text, "GPU to GPU, one way (slowest pair)        371 GB/s")) << text;
  EXPECT_TRUE(contains(text, "one way, GB/s, from the GPU of the column to the GPU of the row"))
      << text;
  EXPECT_TRUE(contains(text, "0: GPU-a    -  371")) << text;
  EXPECT_TRUE(contains(text, "1: GPU-b  372    -")) << text;
  EXPECT_TRUE(contains(text, "not measured")) << text;
  const auto page = written(ceilings, Format::html);
  EXPECT_TRUE(contains(page, "<table class=matrix>\n<caption>one way, GB/s"));
  EXPECT_TRUE(contains(page, "GPU-b to GPU-a, one way: 371 GB/s"));
  EXPECT_TRUE(contains(page, "reach 371 GB/s to 372 GB/s"));
}

}  // namespace
}  // namespace apod::show
