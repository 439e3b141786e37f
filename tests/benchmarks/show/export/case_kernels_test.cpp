// PyProf's table of our own cases.

#include <gtest/gtest.h>

#include <sstream>

#include "benchmarks/show/export/kernel_table.hpp"

namespace apod::exports {
namespace {

Activity kernel(const std::string& name, std::int64_t start_ns) {
  Activity activity;
  activity.name = name;
  activity.start_ns = start_ns;
  activity.end_ns = start_ns + 10;
  activity.grid = {4, 1, 1};
  return activity;
}

Result traced_result() {
  Result result;
  result.plan.experiments.push_back({.name = "a", .workload = "reduction"});
  for (const std::size_t index : {0, 1}) {
    Case info;
    info.index = index;
    info.variant = index == 0 ? "cub" : "two_pass";
    info.params.set("size", std::int64_t{1024});
    result.plan.cases.push_back(info);
    Measurement measurement;
    measurement.case_index = index;
    measurement.traffic.bytes_read = 4096;
    measurement.traffic.flops_fp32 = 1024;
    result.measurements.push_back(measurement);
  }
  result.traces = {{0, {.activities = {kernel("k", 0), kernel("k", 20)}}},
                   {1, {.activities = {kernel("first", 0), kernel("second", 20)}}}};
  return result;
}

TEST(CaseKernels, ACaseTellsWhatItsKernelsAreFor) {
  std::ostringstream out;
  write_case_kernels(
      out, traced_result(),
      {KernelTableForm::spaces, {"idx", "op", "params", "kernel", "flops", "bytes"}, 0});
  EXPECT_EQ(out.str(),
            "Idx Op Params Kernel FLOPs Bytes\n"
            "1 reduction/cub size=1024 k 512 2048\n"
            "2 reduction/cub size=1024 k 512 2048\n"
            "3 reduction/two_pass size=1024 first na na\n"
            "4 reduction/two_pass size=1024 second na na\n");
}

TEST(CaseKernels, DirectionAndTensorCoresAreThoseOfTheCase) {
  auto result = traced_result();
  result.plan.cases[1].params.set("direction", std::string("bprop"));
  Measurement traced;
  traced.case_index = 1;
  traced.profile.kernels.resize(2);
  traced.profile.kernels[0].name = "first";
  traced.profile.kernels[0].counters = {{"tensor_instructions", 64}};
  traced.profile.kernels[1].name = "k";  // of another case too, which was not counted
  traced.profile.kernels[1].counters = {{"tensor_instructions", 64}};
  result.measurements.push_back(traced);
  std::ostringstream out;
  write_case_kernels(out, result, {KernelTableForm::spaces, {"kernel", "dir", "tc"}, 0});
  EXPECT_EQ(out.str(),
            "Kernel Direction TC\n"
            "k na -\n"
            "k na -\n"
            "first bprop 1\n"
            "second bprop -\n");
}

TEST(CaseKernels, WithoutTracesThereAreTitlesAlone) {
  auto result = traced_result();
  result.traces.clear();
  std::ostringstream out;
  write_case_kernels(out, result, {KernelTableForm::spaces, {"idx"}, 0});
  EXPECT_EQ(out.str(), "Idx\n");
  // A case that was not measured knows no work.
  result = traced_result();
  result.measurements.clear();
  std::ostringstream unmeasured;
  write_case_kernels(unmeasured, result, {KernelTableForm::spaces, {"flops"}, 0});
  EXPECT_EQ(unmeasured.str(), "FLOPs\nna\nna\nna\nna\n");
}

}  // namespace
}  // namespace apod::exports
