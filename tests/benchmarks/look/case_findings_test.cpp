// From a result to its findings, and to the ceilings that its cases come to.

#include <gtest/gtest.h>

#include "benchmarks/look/findings.hpp"
#include "benchmarks/look/measured_ceilings.hpp"
#include "tests/support/texts.hpp"

namespace apod::look {
namespace {

class ResultTest : public testing::Test {
 protected:
  ResultTest() { result.environment.device.backend = BackendKind::cuda; }

  Measurement& add(const std::string& workload, std::vector<std::pair<std::string, AxisValue>> axes,
                   double time_s, Scope scope = Scope::kernel) {
    Experiment experiment;
    experiment.workload = workload;
    experiment.scope = scope;
    Case c;
    c.index = result.plan.cases.size();
    c.experiment = result.plan.experiments.size();
    c.id = workload;
    c.backend = result.environment.device.backend;
    for (auto& [axis, value] : axes) c.params.set(axis, value);
    result.plan.experiments.push_back(experiment);
    result.plan.cases.push_back(c);
    Measurement measurement;
    measurement.case_index = c.index;
    measurement.samples_s = {time_s, time_s};
    measurement.verification.passed = true;
    result.measurements.push_back(measurement);
    return result.measurements.back();
  }
  std::vector<std::vector<Finding>> found() { return case_findings(result, summarize(result)); }
  Ceilings ceilings() {
    missing.clear();
    return measured_ceilings(result, summarize(result), missing);
  }

  Result result;
  std::vector<std::string> missing;
};

TEST_F(ResultTest, AnAliasedCaseIsFoundAndANeighbourIsNot) {
  for (const double distinct : {4.0, 1.0}) {
    auto& m = add("normalize", {{"streams", std::int64_t{4}}}, 0.01, Scope::end_to_end);
    m.facts = {{"distinct_streams", distinct}, {"span", 0.01}};
    m.profile.calls.push_back({"cudaLaunchKernel", false, {}});
  }
  const auto all = found();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_TRUE(all[0].empty());
  ASSERT_EQ(all[1].size(), 1U);
  EXPECT_EQ(all[1][0].id, "aliased-streams");
}

TEST_F(ResultTest, TheTracedProcessHasTheProfileAndAFailedCaseNothing) {
  add("normalize", {}, 0.01, Scope::end_to_end).facts = {{"span", 0.01}};
  auto second = result.measurements[0];
  second.process = 1;
  CopyProfile copy;
  copy.name = "HtoD";
  copy.source = MemoryKind::pageable;
  copy.bytes = 1000;
  copy.time.add(0.009);
  second.profile.copies.push_back(copy);
  result.measurements.push_back(second);
  ASSERT_EQ(found()[0].size(), 1U);
  EXPECT_EQ(found()[0][0].id, "pageable-transfer");
  result.measurements[0].failed = "no";
  result.measurements[1].failed = "no";
  EXPECT_TRUE(found()[0].empty());
}

TEST_F(ResultTest, LinksAreOfThePeersOfTheGpu) {
  const auto add_link = [&](std::int64_t peer, const char* direction, double time_s) {
    auto& m = add("peer", {{"peer", peer}, {"direction", std::string(direction)}}, time_s);
    m.traffic = {.bytes_written = 1e9, .bytes_linked = 1e9};
    return &m;
  };
  result.environment.device.uuid = "GPU-aaaaaaaa-1";
  std::vector<DeviceFacts> devices(3);
  devices[0].uuid = result.environment.device.uuid;
  devices[1].uuid = "GPU-bbbbbbbb-2";
  devices[2].uuid = "GPU-cccccccc-3";
  add_link(1, "one_way", 0.5);
  add_link(1, "both_ways", 0.25);
  add_link(2, "one_way", 1)->failed = "no";
  const auto links = measured_links(result, summarize(result), devices, missing);
  ASSERT_EQ(links.size(), 1U);
  EXPECT_EQ(links[0], (Link{"GPU-aaaaaaaa", "GPU-bbbbbbbb", 2e9, 4e9}));
  EXPECT_EQ(missing, std::vector<std::string>{"GPU-cccccccc to GPU-aaaaaaaa"});
}

TEST_F(ResultTest, CeilingsAreOfTheBestCase) {
  add("read", {}, 1).traffic.bytes_read = 4e12;
  add("copy", {}, 1).traffic = {.bytes_read = 1e12, .bytes_written = 1e12};
  add("copy", {}, 0.5).traffic = {.bytes_read = 1e12, .bytes_written = 1e12};
  add("fma", {{"accumulator", std::string("fp32")}}, 1).traffic.flops_fp32 = 6e13;
  add("fma", {{"accumulator", std::string("fp64")}}, 1).traffic.flops_fp64 = 3e13;
  add("mma", {{"type", std::string("fp16")}}, 1).traffic.flops_tensor = 6e14;
  add("mma", {{"type", std::string("tf32")}}, 1).traffic.flops_tf32 = 3e14;
  // Others that read, or multiply, as fast: the best of all counts.
  add("reduction", {}, 1).traffic.bytes_read = 4.1e12;
  add("gemm", {{"type", std::string("fp16")}}, 1).traffic.flops_tensor = 5e14;
  add("gemm", {{"type", std::string("tf32")}}, 1).traffic.flops_tf32 = 3.5e14;
  add("gemm", {{"type", std::string("bf16")}}, 1).traffic.flops_bf16 = 9e14;
  add("gemm", {{"type", std::string("fp32")}}, 1).traffic.flops_fp32 = 9e13;
  add("launch", {{"launches", std::int64_t{1000}}}, 2e-3);
  double bytes = 1e9;
  for (const std::string direction : {"upload", "download"}) {
    for (const std::string memory : {"pageable", "pinned"}) {
      auto& m = add("transfer", {{"direction", direction}, {"host_memory", memory}}, 1,
                    Scope::end_to_end);
      m.facts["transfer_bytes"] = bytes *= 2;
    }
  }
  for (const std::string memory : {"pageable", "pinned"}) {
    add("copy", {{"host_memory", memory}}, 1, Scope::end_to_end).facts["transfer_bytes"] = bytes *=
        2;
  }
  const auto found = ceilings();
  EXPECT_TRUE(missing.empty());
  EXPECT_DOUBLE_EQ(found.read_bytes_per_s, 4.1e12);
  EXPECT_DOUBLE_EQ(found.copy_bytes_per_s, 4e12);
  EXPECT_DOUBLE_EQ(found.fp32_flops, 6e13);
  EXPECT_DOUBLE_EQ(found.fp64_flops, 3e13);
  EXPECT_DOUBLE_EQ(found.tensor_fp16_flops, 6e14);
  EXPECT_DOUBLE_EQ(found.tensor_tf32_flops, 3.5e14);
  EXPECT_DOUBLE_EQ(found.tensor_bf16_flops, 9e14);
  EXPECT_DOUBLE_EQ(found.launch_s, 2e-6);
  EXPECT_DOUBLE_EQ(found.h2d_pageable_bytes_per_s, 2e9);
  EXPECT_DOUBLE_EQ(found.h2d_pinned_bytes_per_s, 4e9);
  EXPECT_DOUBLE_EQ(found.d2h_pageable_bytes_per_s, 8e9);
  EXPECT_DOUBLE_EQ(found.d2h_pinned_bytes_per_s, 16e9);
  EXPECT_DOUBLE_EQ(found.both_ways_bytes_per_s, 64e9) << "of pinned memory";
}

TEST_F(ResultTest, WhatWasNotMeasuredIsMissing) {
  add("read", {}, 1).traffic.bytes_read = 4e12;
  result.measurements[0].failed = "out of memory";
  EXPECT_EQ(ceilings().read_bytes_per_s, 0);
  EXPECT_EQ(missing.size(), 13U);
  EXPECT_EQ(missing.front(), "device memory, read");
}

TEST_F(ResultTest, AHostHasNoTensorCores) {
  result.environment.device.backend = BackendKind::host;
  add("mma", {{"type", std::string("fp16")}}, 1).traffic.flops_tensor = 1e9;
  EXPECT_EQ(ceilings().tensor_fp16_flops, 0);
  for (const auto& name : missing) EXPECT_FALSE(contains(name, "tensor"));
}

}  // namespace
}  // namespace apod::look
