#include "benchmarks/report/calibration_document.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace apod::report {
namespace {

TEST(CalibrationDocument, WarnsWhereTheThresholdLiesUnderTheFloor) {
  Calibration calibration;
  calibration.sessions = 5;
  calibration.processes = 3;
  calibration.cases = {{"a/b", "cold", 1e-3, 0.01, 0.004, 0.002, 0.003, 0.002},
                       {"c", "hot", 2e-6, 0.1, 0, 0.05, 0.05, 0.3}};
  std::ostringstream out;
  write_calibration_table(out, calibration, 0.01, {false, 120});
  EXPECT_NE(out.str().find("5 sessions of 3 processes, 2 cases"), std::string::npos);
  EXPECT_NE(out.str().find("30.00 %"), std::string::npos);
  EXPECT_NE(out.str().find("1 of 2 cases: two files can't show a change of 1.00 %"),
            std::string::npos);
  std::ostringstream fine;
  write_calibration_table(fine, calibration, 0.4, {false, 120});
  EXPECT_EQ(fine.str().find("can't show"), std::string::npos);
}

}  // namespace
}  // namespace apod::report
