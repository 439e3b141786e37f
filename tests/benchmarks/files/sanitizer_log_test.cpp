// What is taken out of compute-sanitizer's logs.

#include "benchmarks/files/sanitizer_log.hpp"

#include <gtest/gtest.h>

namespace apod::test {
namespace {

using files::read_sanitizer_log;

constexpr const char* out_of_bounds = R"(========= COMPUTE-SANITIZER
========= Invalid __global__ write of size 4 bytes
=========     at void scale<float>(T1 *, int)+0x110 in scale.cu:7
=========     by thread (31,0,0) in block (4,0,0)
=========     Access at 0x7f32c0001000 is out of bounds
=========     and is 1 bytes after the nearest allocation at 0x7f32c0000000 of size 4096 bytes
=========         Device Frame: main_part(float *)+0x40 in scale.cu:20
=========     Saved host backtrace up to driver entry point at kernel launch time
=========         Host Frame: cuLaunchKernel [0x334f3a] in libcuda.so.1
=========
========= Invalid __global__ write of size 4 bytes
=========     at other(float *)+0x20 in other.cu:9
=========     by thread (0,0,0) in block (0,0,0)
=========
========= Program hit cudaErrorLaunchFailure (error 719) due to "unspecified launch failure" on CUDA API call to cudaStreamSynchronize.
=========     Saved host backtrace up to driver entry point at error
=========
========= ERROR SUMMARY: 3 errors
)";

TEST(SanitizerLog, TheFirstErrorHasItsWordsAndItsPlace) {
  const auto log = read_sanitizer_log(out_of_bounds);
  EXPECT_TRUE(log.complete);
  EXPECT_EQ(log.errors, 3u);
  EXPECT_EQ(log.first,
            "Invalid __global__ write of size 4 bytes, at void scale<float>(T1 *, int)+0x110 in "
            "scale.cu:7, by thread (31,0,0) in block (4,0,0), Access at 0x7f32c0001000 is out of "
            "bounds, and is 1 bytes after the nearest allocation at 0x7f32c0000000 of size 4096 "
            "bytes");
}

TEST(SanitizerLog, ARaceHasBothPlacesAndWarningsAreNoErrors) {
  const auto log = read_sanitizer_log(
      "========= COMPUTE-SANITIZER\n"
      "========= Warning: Race reported between Read access at a(int *)+0x10 in r.cu:3\n"
      "=========     and Write access at a(int *)+0x20 in r.cu:4 [4 hazards]\n"
      "=========\n"
      "========= Error: Race reported between Write access at k(int *)+0x90 in r.cu:9\n"
      "=========     and Read access at k(int *)+0x100 in r.cu:11 [8 hazards]\n"
      "=========\n"
      "========= RACECHECK SUMMARY: 2 hazards displayed (1 error, 1 warning)\n");
  EXPECT_TRUE(log.complete);
  EXPECT_EQ(log.errors, 1u);
  EXPECT_EQ(log.first,
            "Race reported between Write access at k(int *)+0x90 in r.cu:9, and Read access at "
            "k(int *)+0x100 in r.cu:11 [8 hazards]");
}

TEST(SanitizerLog, ACleanLogHasNoError) {
  for (const std::string summary :
       {"ERROR SUMMARY: 0 errors",
        "RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)"}) {
    const auto log = read_sanitizer_log("========= COMPUTE-SANITIZER\n========= " + summary + "\n");
    EXPECT_TRUE(log.complete);
    EXPECT_EQ(log.errors, 0u);
    EXPECT_EQ(log.first, "");
  }
}

TEST(SanitizerLog, ACallThatFailedIsTheFirstOnlyWhereNothingElseIs) {
  const auto log = read_sanitizer_log(
      "========= COMPUTE-SANITIZER\n"
      "========= Program hit CUDA_ERROR_INVALID_VALUE (error 1) due to \"invalid argument\" on "
      "CUDA "
      "API call to cuLaunchKernel.\n"
      "=========\n"
      "========= ERROR SUMMARY: 1 error\n");
  EXPECT_EQ(log.errors, 1u);
  EXPECT_EQ(log.first.find("Program hit CUDA_ERROR_INVALID_VALUE"), 0u) << log.first;
}

TEST(SanitizerLog, WithoutASummaryItsLastWordsSayWhy) {
  const auto log = read_sanitizer_log(
      "========= COMPUTE-SANITIZER\n"
      "========= Error: Target application terminated before first instrumented API call\n");
  EXPECT_FALSE(log.complete);
  EXPECT_EQ(log.errors, 0u);
  EXPECT_EQ(log.last, "Target application terminated before first instrumented API call");
}

TEST(SanitizerLog, AnythingElseIsNoLog) {
  for (const std::string text :
       {"", "=========", "========= ", "ERROR SUMMARY: 7 errors\n", "=========\r\n\0x",
        "========= ERROR SUMMARY: 99999999999999999999999 errors"}) {
    EXPECT_EQ(read_sanitizer_log(text).first, "") << text;
  }
  EXPECT_EQ(read_sanitizer_log(std::string(out_of_bounds).substr(0, 200)).complete, false);
}

}  // namespace
}  // namespace apod::test
