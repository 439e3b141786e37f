#include "benchmarks/files/read_nvidia_tests.hpp"

#include <gtest/gtest.h>

#include "tests/support/texts.hpp"

namespace apod::files {
namespace {

// As nccl-tests prints it: titles, units, a row a size.
const std::string titles = R"(# nThread 1 nGpus 8 minBytes 1048576 maxBytes 2097152 step: 2(factor)
#
#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
)";
const std::string units =
    "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            "
    "(us)\n";

TEST(ReadNcclTests, EachRowIsACaseOutOfPlaceAndInPlace) {
  const auto found =
      read_nccl_tests(titles + units +
                      "     1048576        262144     float     sum      -1    50.00   20.97   "
                      "36.70      0    40.00   26.21   45.87      0\n"
                      "NCCL WARN something else is printed\n"
                      "     2097152        524288     float     sum      -1    62.50   33.55   "
                      "58.72      2      N/A     N/A     N/A    N/A\n"
                      "# Out of bounds values : 2 FAILED\n# Avg bus bandwidth    : 47.1\n");
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].name, "size:1048576/type:float/redop:sum/root:-1/out-of-place");
  EXPECT_DOUBLE_EQ(found[0].samples_s.at(0), 50e-6);
  EXPECT_DOUBLE_EQ(found[0].facts.at("bandwidth"), 20.97e9);
  EXPECT_DOUBLE_EQ(found[0].facts.at("bus_bandwidth"), 36.70e9);
  EXPECT_EQ(found[1].name, "size:1048576/type:float/redop:sum/root:-1/in-place");
  EXPECT_DOUBLE_EQ(found[1].samples_s.at(0), 40e-6);
  EXPECT_EQ(found[2].failed, "2 wrong values");
  EXPECT_TRUE(found[2].samples_s.empty());
}

TEST(ReadNcclTests, OlderVersionsNameTheirCasesAsTodays) {
  const auto name = [&](const std::string& of, const std::string& row) {
    const auto found = read_nccl_tests("# size count type " + of +
                                       " time algbw busbw error time algbw busbw error\n"
                                       "# (B) (elements) (us) (GB/s) (GB/s) (us) (GB/s) (GB/s)\n" +
                                       row + " 5 1 1 0 6 1 1 0\n");
    return found.at(0).name;
  };
  const std::string reduced = "size:8/type:float/redop:sum/root:-1/out-of-place";
  EXPECT_EQ(name("redop", "8 2 float sum"), reduced);
  EXPECT_EQ(name("redop root", "8 2 float sum -1"), reduced);
  const std::string moved = "size:8/type:float/redop:none/root:-1/out-of-place";
  EXPECT_EQ(name("", "8 2 float"), moved);
  EXPECT_EQ(name("redop root", "8 2 float none -1"), moved);
  EXPECT_EQ(name("root", "8 2 float 0"), "size:8/type:float/redop:none/root:0/out-of-place");
}

TEST(ReadNcclTests, WhatIsNoTableIsRefused) {
  const std::string row = "1 1 float sum -1 5 1 1 0 5 1 1 0\n";
  EXPECT_EQ(error_of([&] { read_nccl_tests(""); }), "its output has no table of nccl-tests");
  EXPECT_EQ(error_of([&] { read_nccl_tests(row); }), "its output has no table of nccl-tests");
  EXPECT_EQ(error_of([&] { read_nccl_tests(titles + row); }),
            "the times of nccl-tests are not in us");
  const auto found = read_nccl_tests(titles + units + "1 1 float sum -1 fast 1 1 0 5 nan 1 0\n");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].failed, "its time is not a finite number");
  EXPECT_DOUBLE_EQ(found[1].samples_s.at(0), 5e-6);
  EXPECT_FALSE(found[1].facts.contains("bandwidth"));
}

std::string nvbandwidth(const std::string& testcases) {
  return R"({"nvbandwidth": {"CUDA Runtime Version": 12090, "testcases": [)" + testcases + "]}}";
}

TEST(ReadNvbandwidth, EachCellIsACase) {
  std::vector<std::string> notes;
  const auto found = read_nvbandwidth(
      nvbandwidth(
          R"json({"name": "host_to_device_memcpy_ce", "status": "Passed", "sum": 100,
              "bandwidth_description": "memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)",
              "bandwidth_matrix": [["50.5", "49.5"]]
},
             {"name": "device_to_device_memcpy_read_ce", "status": "Passed",
              "bandwidth_description": "memcpy CE GPU(row) -> GPU(column) bandwidth (GB/s)",
              "bandwidth_matrix": [["N/A", "200"], ["250", "N/A"]]},
             {"name": "host_device_latency_sm", "status": "Passed",
              "bandwidth_description": "memory latency SM CPU(row) <-> GPU(column) (ns)",
              "bandwidth_matrix": [["800"]]},
             {"name": "multinode", "status": "Waived"}, {"name": "broken", "status": "Error"})json"),
      notes);
  ASSERT_EQ(found.size(), 6U);
  EXPECT_EQ(found[1].name, "host_to_device_memcpy_ce/0,1");
  EXPECT_DOUBLE_EQ(found[1].facts.at("bandwidth"), 49.5e9);
  EXPECT_DOUBLE_EQ(found[1].samples_s.at(0), 1 / 49.5);
  EXPECT_EQ(found[2].name, "device_to_device_memcpy_read_ce/0,1");
  EXPECT_EQ(found[3].name, "device_to_device_memcpy_read_ce/1,0");
  EXPECT_DOUBLE_EQ(found[4].samples_s.at(0), 800e-9);
  EXPECT_EQ(found[5].failed, "status Error");
  EXPECT_EQ(notes, std::vector<std::string>{"waived: multinode"});
}

TEST(ReadNvbandwidth, ATestIsWaivedOnlyIfNothingIsOfIt) {
  std::vector<std::string> notes;
  const auto found = read_nvbandwidth_matrices(
      "Running a.\nmemcpy (GB/s)\n   0\n 0  50\n\nSUM a 50\n\nWaived:\nWaived:\n"
      "Running b.\nWaived:\n",
      notes);
  EXPECT_EQ(found.size(), 1u);
  EXPECT_EQ(notes, (std::vector<std::string>{"waived: b",
                                             "waived: 2 tests without a name in the output"}));
}

TEST(ReadNvbandwidth, WhatIsNoneIsRefused) {
  std::vector<std::string> notes;
  const auto refusal = [&](const std::string& output) {
    return error_of([&] { read_nvbandwidth(output, notes); });
  };
  EXPECT_TRUE(contains(refusal("Running host_to_device"), "does not come from nvbandwidth --json"));
  EXPECT_EQ(refusal("{}"), "its output has no test of nvbandwidth");
  EXPECT_EQ(refusal(R"({"nvbandwidth": {"error": "no device"}})"), "no device");
  EXPECT_EQ(refusal(nvbandwidth(R"({"status": "Passed"})")).substr(0, 4), "name");
}

}  // namespace
}  // namespace apod::files
