#include "benchmarks/report/ceilings_document.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace apod::report {
namespace {

TEST(CeilingsDocument, SaysWhatWasNotMeasured) {
  Ceilings ceilings;
  ceilings.read_bytes_per_s = 4.55e12;
  ceilings.fp32_flops = 62.8e12;
  std::ostringstream out;
  write_ceilings_table(out, ceilings, {});
  EXPECT_NE(out.str().find("4.55 TB/s"), std::string::npos) << out.str();
  EXPECT_NE(out.str().find("62.8 TFLOP/s"), std::string::npos);
  EXPECT_NE(out.str().find("not measured"), std::string::npos);
}

}  // namespace
}  // namespace apod::report
