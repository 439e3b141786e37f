#include <gtest/gtest.h>

#include <limits>
#include <sstream>
#include <stdexcept>

#include "benchmarks/files/small_file.hpp"
#include "tests/kernels/api/temporary_folder.hpp"

namespace apod::files {
namespace {

Calibration calibration() {
  return {"2026-11-21T08:00:00+00:00",
          "judging",
          "1a2b3c",
          5,
          3,
          0.01,
          {{"gpu", "NVIDIA H200"}, {"driver", "580.1"}},
          {{"a/b", "cold", 1e-3, 0.01, 0.004, 0.002, 0.003, 0.002},
           {"c \"d\"\n", "hot", 2e-6, 0.1, 0, 0.05, 0.05, 0.3}},
          0.003,
          {"Incomplete: 3 of 5 sessions"}};
}

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

class CalibrationFile : public testing::Test {
 protected:
  std::string file(const std::string& text) const { return folder_.write("c.json", text); }
  static std::string text_of(const Calibration& calibration) {
    std::ostringstream out;
    write_calibration(out, calibration);
    return out.str();
  }
  std::string refusal(const std::string& text) const {
    return error_of([&] { read_calibration(file(text)); });
  }
  const TemporaryFolder folder_;
};

TEST_F(CalibrationFile, ReadsBackWhatWasWritten) {
  const auto read = read_calibration(file(text_of(calibration())));
  EXPECT_EQ(read.date, calibration().date);
  EXPECT_EQ(read.config, "judging");
  EXPECT_EQ(read.commit, "1a2b3c");
  EXPECT_EQ(read.sessions, 5);
  EXPECT_EQ(read.processes, 3);
  EXPECT_EQ(read.environment, calibration().environment);
  ASSERT_EQ(read.cases.size(), 2u);
  EXPECT_EQ(read.cases[1].name, "c \"d\"\n");
  EXPECT_DOUBLE_EQ(read.cases[1].session, 0.05);
  EXPECT_DOUBLE_EQ(read.cases[0].sample, 0.01);
  EXPECT_DOUBLE_EQ(read.cases[0].session_mean, 0.003);
  EXPECT_DOUBLE_EQ(read.cases[1].floor, 0.3);
  EXPECT_EQ(read.cases[1].version, "hot");
  EXPECT_DOUBLE_EQ(read.alpha, 0.01);
  EXPECT_DOUBLE_EQ(read.threshold, 0.003);
  EXPECT_EQ(read.notes, calibration().notes);
}

TEST_F(CalibrationFile, AnEarlierOneHasNeitherAThresholdNorNotes) {
  auto text = text_of(calibration());
  text.erase(text.find(",\n \"threshold\""));
  const auto read = read_calibration(file(text + "}"));
  EXPECT_DOUBLE_EQ(read.threshold, 0.01);
  EXPECT_TRUE(read.notes.empty());
}

TEST_F(CalibrationFile, WhatIsNoneIsRefusedWithItsPlace) {
  EXPECT_TRUE(contains(refusal(""), "is not JSON"));
  EXPECT_TRUE(contains(refusal("[1]"), "is not a calibration"));
  EXPECT_TRUE(contains(refusal("{\"context\": {}}"), "is not a calibration"));
  EXPECT_TRUE(contains(refusal("{\"apod_calibration\": 1}"), "calibrate again"));
  EXPECT_TRUE(contains(refusal("{\"apod_calibration\": 2}"), "missing"));
  EXPECT_THROW(read_calibration(folder_.path("absent.json")), std::runtime_error);
  EXPECT_THROW(read_calibration(folder_.path()), std::runtime_error);
}

TEST_F(CalibrationFile, EveryPrefixIsRefused) {
  const auto whole = text_of(calibration());
  for (std::size_t size = 0; size + 2 < whole.size(); ++size) {
    EXPECT_NE(refusal(whole.substr(0, size)), "") << size;
  }
}

TEST_F(CalibrationFile, ValuesThatCantBeAreRefused) {
  for (const double value : {-0.01, 1e200, nan}) {
    auto bad = calibration();
    bad.cases[0].session = value;
    EXPECT_TRUE(contains(refusal(text_of(bad)), "a/b"));
  }
  for (const double value : {-0.01, 1.0, nan}) {
    auto bad = calibration();
    bad.threshold = value;
    EXPECT_TRUE(contains(refusal(text_of(bad)), "threshold: ")) << value;
  }
  auto bad = calibration();
  bad.cases.push_back(bad.cases[0]);
  EXPECT_TRUE(contains(refusal(text_of(bad)), "a/b: occurs twice"));
  bad = calibration();
  bad.sessions = 1;
  EXPECT_TRUE(contains(refusal(text_of(bad)), "fewer than two sessions"));
}

}  // namespace
}  // namespace apod::files
