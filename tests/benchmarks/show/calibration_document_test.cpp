#include <gtest/gtest.h>

#include "tests/benchmarks/show/texts.hpp"
#include "tests/support/texts.hpp"

namespace apod::show {
namespace {

std::string shown(const Calibration& calibration) {
  return written(calibration, Format::console);
}

TEST(CalibrationDocument, WarnsWhereTheThresholdLiesUnderTheFloor) {
  Calibration calibration;
  calibration.sessions = 5;
  calibration.processes = 3;
  calibration.cases = {{"a/b", "cold", 1e-3, 0.01, 0.004, 0.002, 0.003, 0.002},
                       {"c", "hot", 2e-6, 0.1, 0, 0.05, 0.05, 0.3}};
  const auto text = shown(calibration);
  EXPECT_TRUE(contains(text, "5 sessions of 3 processes, 2 cases"));
  EXPECT_TRUE(contains(text, "30.00 %"));
  EXPECT_TRUE(contains(text, "In 1 of 2 cases, two files can't show a change of 1.00 %"));
  calibration.threshold = 0.4;
  EXPECT_FALSE(contains(shown(calibration), "can't show"));
}

TEST(CalibrationDocument, HasNoNumberForWhatItsFilesDoNotTell) {
  Calibration calibration;
  calibration.sessions = 5;
  calibration.processes = 1;
  calibration.cases = {{"a", "", 1e-3, 0, 0, 0.002, 0.003, 0.002}};
  EXPECT_TRUE(contains(shown(calibration), "-          -    0.20 %")) << shown(calibration);
  calibration.processes = 3;
  EXPECT_TRUE(contains(shown(calibration), "-     0.00 %    0.20 %")) << shown(calibration);
}

TEST(CalibrationDocument, EndsWithItsNotes) {
  Calibration calibration;
  calibration.notes = {"Incomplete: 2 of 5 sessions"};
  EXPECT_TRUE(shown(calibration).ends_with("Incomplete: 2 of 5 sessions\n"));
}

}  // namespace
}  // namespace apod::show
