#pragma once

/// \file
/// Evidence made by hand: an H200 with its measured ceilings, and an end_to_end case on it.

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>

#include "benchmarks/look/findings.hpp"

namespace apod::look {

class FindingsTest : public testing::Test {
 protected:
  FindingsTest() {
    device.backend = BackendKind::cuda;
    device.name = "NVIDIA H200";
    device.multiprocessors = 132;
    device.max_threads_per_multiprocessor = 2048;
    device.l2_bytes = 60 << 20;
    device.peak_fp32_flops = 66.9e12;
    device.peak_fp64_flops = 33.5e12;
    ceilings.read_bytes_per_s = 4550e9;
    ceilings.copy_bytes_per_s = 4000e9;
    ceilings.fp32_flops = 62.8e12;
    ceilings.fp64_flops = 33.2e12;
    ceilings.tensor_fp16_flops = 600e12;
    ceilings.tensor_tf32_flops = 300e12;
    ceilings.h2d_pinned_bytes_per_s = 55e9;
    ceilings.d2h_pinned_bytes_per_s = 55e9;
    ceilings.launch_s = 2e-6;
  }

  /// A kernel with a grid that fills the device in whole waves.
  KernelProfile& add_kernel(const std::string& name, double total_s, std::uint64_t launches = 1) {
    KernelProfile kernel;
    kernel.name = name;
    kernel.grid = {132 * 8 * 10, 1, 1};
    kernel.block = {256, 1, 1};
    kernel.registers_per_thread = 32;
    kernel.resident_blocks = 8;
    kernel.time = tally(total_s, launches);
    profile.kernels.push_back(kernel);
    return profile.kernels.back();
  }
  CopyProfile& add_copy(MemoryKind source, MemoryKind target, std::uint64_t bytes, double total_s) {
    CopyProfile copy;
    copy.name = target == MemoryKind::device ? "HtoD" : "DtoH";
    copy.source = source;
    copy.target = target;
    copy.bytes = bytes;
    copy.time = tally(total_s, 1);
    profile.copies.push_back(copy);
    return profile.copies.back();
  }
  void add_call(const std::string& name, double total_s, std::uint64_t calls) {
    profile.calls.push_back({name, false, tally(total_s, calls)});
  }
  static Tally tally(double total_s, std::uint64_t count) {
    Tally time;
    time.count = count;
    time.total_s = total_s;
    time.min_s = time.max_s = count == 0 ? 0 : total_s / static_cast<double>(count);
    return time;
  }

  std::vector<Finding> all() const {
    return findings(
        {profile, facts, device, with_ceilings ? &ceilings : nullptr, foreign ? nullptr : &asked});
  }
  /// The finding called `id`; nothing where it was not found.
  std::optional<Finding> find(const std::string& id) const {
    EXPECT_NE(find_finding(id), nullptr) << id << " is not in known_findings()";
    for (const auto& finding : all()) {
      EXPECT_NE(find_finding(finding.id), nullptr) << finding.id;
      EXPECT_FALSE(finding.evidence.empty());
      EXPECT_FALSE(finding.advice.empty());
      EXPECT_GE(finding.gain, 0);
      EXPECT_LE(finding.gain, 1);
      if (finding.id == id) return finding;
    }
    return std::nullopt;
  }

  Profile profile;
  std::map<std::string, double> facts;
  DeviceFacts device;
  Ceilings ceilings;
  Params params;
  CaseEvidence asked{.params = params, .end_to_end = true, .traffic = {}};
  bool with_ceilings = true;
  bool foreign = false;  ///< a trace of another program
};

inline constexpr auto pageable = MemoryKind::pageable;
inline constexpr auto pinned = MemoryKind::pinned;
inline constexpr auto on_device = MemoryKind::device;

}  // namespace apod::look
