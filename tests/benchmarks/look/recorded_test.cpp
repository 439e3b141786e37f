// What is found in recordings of real programs on an H200. Each finding has a case where it is and
// one where it is not, most of them in a recording of habits.yaml or warps.yaml in
// tests/data/inspect; the others are of the shipped experiments and of other people's programs.
// Only what was measured is read: findings are derived anew.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/files/recording_file.hpp"
#include "benchmarks/look/findings.hpp"
#include "benchmarks/look/nsys_import.hpp"
#include "benchmarks/look/trace/profile_of.hpp"
#include "benchmarks/look/trace/step_parts.hpp"
#include "benchmarks/look/trace/timeline.hpp"
#include "tests/benchmarks/look/recorded_result.hpp"
#include "tests/support/texts.hpp"

namespace apod::look {
namespace {

constexpr auto habits = "tests/data/inspect/habits_h200.json";
constexpr auto warps = "tests/data/inspect/warps_h200.json";
constexpr auto convolution = "tests/data/inspect/convolution_h200.json";
constexpr auto streams_bug = "tests/data/inspect/streams_bug_h200.json";
constexpr auto gemm = "tests/data/inspect/gemm_h200.json";

/// A case of a result file, by a part of its id that no other case has.
struct Recorded {
  const char* file;
  const char* id;
  /// Its trace is judged as if nobody knew what the case was asked for.
  bool foreign = false;
};
struct Evidences {
  std::string finding;  ///< its id, with a mark where it must be a warning
  std::vector<Recorded> there;
  std::vector<Recorded> not_there;
};

const std::vector<Evidences>& evidences() {
  static const std::vector<Evidences> all{
      {"pageable-transfer!",
       {{habits, "copies/copy_pageable/"}, {habits, "copies/copy_pageable/", true}},
       {{habits, "copies/copy_pinned/"}, {habits, "copies/copy_async/"}}},
      {"synchronous-copy!",
       {{habits, "copies/copy_pinned/"}, {habits, "copies/copy_pinned/", true}},
       {{habits, "copies/copy_async/"}}},
      {"aliased-streams!",
       {{habits, "stream_pool:aliased"}, {streams_bug, "stream_pool:aliased"}},
       {{habits, "stream_pool:distinct"}, {streams_bug, "stream_pool:distinct"}}},
      {"serialized-streams!", {{habits, "host_memory:pageable"}}, {{habits, "host_memory:pinned"}}},
      {"idle-gaps!", {{habits, "sleep/sleeping/"}}, {{habits, "sleep/full_grid/"}}},
      {"unaligned-product!",
       {{gemm, "tensor_cores/cublas/type:fp16/size:4095x4095"},
        {gemm, "tensor_cores/cublas/type:bf16/size:4095x4095"}},
       {{gemm, "tensor_cores/cublas/type:fp16/size:4096x4096"},
        {gemm, "tensor_cores/cublas/type:tf32/size:4096x4096"}}},
      {"launch-bound!", {{habits, "launches:500"}}, {{habits, "launches:4"}}},
      {"fp64-in-fp32!",
       {{habits, "doubles/in_double/"}, {convolution, "direct_double/size:1024x1024"}},
       {{habits, "doubles/full_grid/"}, {convolution, "direct/size:1024x1024"}}},
      {"unused-tensor-cores!", {{habits, "products/half/"}}, {{habits, "products/wmma/"}}},
      {"single-thread-kernel!",
       {{habits, "grids/one_thread/"}},
       {{habits, "grids/sixteen_blocks/"}, {habits, "grids/full_grid/"}}},
      {"small-grid!",
       {{habits, "grids/sixteen_blocks/"},
        {habits, "grids/sixteen_blocks/", true},
        {convolution, "direct/size:200x200"}},
       {{habits, "grids/full_grid/"}, {convolution, "direct/size:1024x1024"}}},
      {"tail-effect!",
       {{habits, "waves_1_2/size:4194304/depth:1024"}},
       {{habits, "/waves_2/"}, {habits, "overlapping_waves/"}}},
      {"low-occupancy!",
       {{habits, "occupancy/shared_memory/"}, {gemm, "fp32/tiled/type:fp32/size:1024x1024"}},
       {{habits, "occupancy/small_"},
        {gemm, "tensor_cores/cublas/type:fp16/size:4096x4096"},
        {gemm, "tensor_cores/cublas/type:tf32/size:4096x4096"}}},
      {"latency-bound",
       {{gemm, "fp32/plain/type:fp32/size:1024x1024"},
        {gemm, "fp32/plain/type:fp32/size:4096x4096"},
        {warps, "barriers/"},
        {warps, "product/plain/"}},
       {{habits, "cold_read/"}, {habits, "arithmetic/"}, {habits, "grids/sixteen_blocks/"}}},
      {"register-spills",
       {{gemm, "fp32/tiled/type:fp32/size:4095x4095"}},
       {{gemm, "fp32/tiled/type:fp32/size:4096x4096"}}},
      {"power-capped",
       {{gemm, "tensor_cores/cublas/type:fp16/size:8192x8192"}},
       {{gemm, "fp32/plain/type:fp32/size:4096x4096"}, {habits, "cold_read/"}}},
      {"uncoalesced-access!",
       {{habits, "accesses/strided/"}},
       {{habits, "accesses/full_grid/"},
        {habits, "cold_read/"},
        {habits, "hot_read/"},
        {habits, "grids/one_thread/"}}},
      {"bank-conflicts!",
       {{warps, "tiles/conflicting/"}},
       {{warps, "tiles/padded/"}, {warps, "branches/divergent/"}}},
      {"divergent-warps!",
       {{warps, "branches/divergent/"}},
       {{warps, "branches/full_grid/"}, {warps, "tiles/conflicting/"}}},
      {"atomics-bound!", {{warps, "counting/tickets/"}}, {{warps, "counting/full_grid/"}}},
      {"allocation-in-loop!",
       {{habits, "allocations/allocating/"}},
       {{habits, "allocations/preallocated/"}}},
      {"jit-at-start!", {{habits, "loading/compiled_"}}, {{habits, "loading/full_grid/"}}},
      {"memory-bound", {{habits, "cold_read/"}}, {{habits, "arithmetic/"}}},
      {"compute-bound",
       {{habits, "arithmetic/"}},
       {{habits, "cold_read/"}, {gemm, "fp32/tiled/type:fp32/size:4095x4095"}}},
      {"cache-resident", {{habits, "hot_read/"}}, {{habits, "cold_read/"}}},
  };
  return all;
}

/// A result with what is found in it.
struct Judged {
  explicit Judged(const std::string& file)
      : result(read_result(file)), summaries(summarize(result)) {
    found = case_findings(result, summaries);
  }
  std::vector<Finding> as_foreign(std::size_t index) const {
    for (const auto& measurement : result.measurements) {
      if (measurement.case_index != index || measurement.profile.empty()) continue;
      return findings({measurement.profile, summaries[index].values(), result.environment.device});
    }
    return {};
  }

  Result result;
  std::vector<CaseSummary> summaries;
  std::vector<std::vector<Finding>> found;  ///< by case
};

std::string id_of(const std::string& finding) {
  return finding.substr(0, finding.find('!'));
}

/// The ids that are found in a case, those of warnings with a mark too; adds a failure where it is
/// not one measured case.
std::set<std::string> found_in(const Recorded& recorded) {
  static std::map<std::string, Judged> files;
  const auto& file = files.try_emplace(recorded.file, recorded.file).first->second;
  std::set<std::string> ids;
  int cases = 0;
  for (const auto& info : file.result.plan.cases) {
    if (info.id.find(recorded.id) == std::string::npos) continue;
    ++cases;
    EXPECT_EQ(file.summaries[info.index].status, CaseStatus::measured) << info.id;
    const auto found = recorded.foreign ? file.as_foreign(info.index) : file.found[info.index];
    for (const auto& finding : found) {
      ids.insert(finding.id);
      if (finding.severity == Severity::warning) ids.insert(finding.id + "!");
    }
  }
  EXPECT_EQ(cases, 1) << recorded.id << " in " << recorded.file;
  return ids;
}

TEST(Recorded, EachFindingIsThereWhereItMustBeAndNotWhereItMustNot) {
  for (const auto& [finding, there, not_there] : evidences()) {
    for (const auto& recorded : there) {
      EXPECT_TRUE(found_in(recorded).contains(finding)) << finding << " in " << recorded.id;
    }
    for (const auto& recorded : not_there) {
      EXPECT_FALSE(found_in(recorded).contains(id_of(finding))) << finding << " in " << recorded.id;
    }
  }
}

TEST(Recorded, ProductsInFp32AreToldOfTheTensorCoresAndNotWarned) {
  for (const char* id : {"plain/m:1024", "odd_products/"}) {
    const auto found = found_in({habits, id});
    EXPECT_TRUE(found.contains("unused-tensor-cores")) << id;
    EXPECT_FALSE(found.contains("unused-tensor-cores!")) << id;
  }
}

TEST(Recorded, ALatencyBoundKernelIsToldWhatItsWarpsWaitFor) {
  const Judged judged(warps);
  std::map<std::string, std::string> waits;
  for (std::size_t i = 0; i < judged.found.size(); ++i) {
    for (const auto& finding : judged.found[i]) {
      const auto begin = finding.evidence.find("the warps wait for ");
      if (begin == std::string::npos) continue;
      EXPECT_EQ(finding.id, "latency-bound");
      waits[judged.summaries[i].info->id] = finding.evidence.substr(begin, 32);
    }
  }
  const std::map<std::string, std::string> known{
      {"barriers/together/size:4194304/depth:512", "the warps wait for other warps o"},
      {"counting/full_grid/size:33554432", "the warps wait for global or loc"},
      {"product/plain/type:fp32/size:1024x1024/n:1024", "the warps wait for global or loc"}};
  EXPECT_EQ(waits, known);
}

TEST(Recorded, OfTheBestVariantsOnlyCudnnsAreWarned) {
  const std::string network = "network/cudnn/size:56x56/batch:32/channels:64/direction:";
  std::map<std::string, std::set<std::string>> known{
      {network + "fprop/type:tf32", {"low-occupancy"}},
      {network + "bprop/type:tf32", {"uncoalesced-access"}}};
  for (const std::string gpu : {"h100", "h200"}) {
    if (gpu == "h200") known[network + "bprop/type:tf32"].insert("tail-effect");
    const Judged best("tests/data/inspect/best_" + gpu + ".json");
    ASSERT_EQ(best.summaries.size(), 30U);
    std::map<std::string, std::set<std::string>> warned;
    for (std::size_t i = 0; i < best.found.size(); ++i) {
      EXPECT_EQ(best.summaries[i].status, CaseStatus::measured) << best.summaries[i].info->id;
      for (const auto& finding : best.found[i]) {
        if (finding.severity == Severity::warning) {
          warned[best.summaries[i].info->id].insert(finding.id);
        }
      }
    }
    EXPECT_EQ(warned, known) << gpu;
  }
}

TEST(Recorded, NoFindingIsLeftOut) {
  std::set<std::string> recorded;
  for (const auto& [finding, there, not_there] : evidences()) {
    EXPECT_TRUE(recorded.insert(id_of(finding)).second) << finding << " stands twice";
    EXPECT_FALSE(there.empty()) << finding;
    EXPECT_FALSE(not_there.empty()) << finding;
  }
  // No device that was too hot, or faster than its ceilings, has been recorded; see host_test.cpp
  // and bound_test.cpp.
  recorded.insert({"throttled", "above-ceiling"});
  // No experiment of ours has copies of such different sizes; see trace/copy_queue_test.cpp.
  recorded.insert("queued-copy");
  // Of the steps of programs; see step_rules_test.cpp.
  recorded.insert({"host-bound", "blocking-reads", "many-small-kernels", "exposed-copies",
                   "exposed-communication", "rank-skew", "first-use", "slow-step",
                   "copying-kernels", "fp64-kernels"});
  std::set<std::string> known;
  for (const auto& finding : known_findings()) known.insert(std::string(finding.id));
  EXPECT_EQ(recorded, known);
}

std::string path_of(const std::string& name) {
  return APOD_SOURCE_DIR "/tests/data/inspect/" + name;
}

/// A recording of a program that is not ours: an export of nsys, or of `bench inspect`.
struct Export {
  explicit Export(const std::string& name) : Export(read_nsys(path_of(name + ".sqlite"))) {}
  explicit Export(Recording made)
      : recording(std::move(made)),
        profile(trace::profile_of(recording.trace)),
        facts(trace::facts_of(recording.trace, recording.devices.at(0))) {}

  /// "idle-gaps! memory-bound": ids in order, warnings with a mark.
  std::string found(const CaseEvidence* asked = nullptr) const {
    std::string text;
    const auto steps = trace::steps_of(recording.trace, 0, recording.thread_names);
    const auto steady = trace::steady_part(recording.trace, steps);
    const auto steady_profile = trace::profile_of(steady);
    const auto steady_facts = trace::facts_of(steady, recording.devices.at(0));
    const auto all = asked != nullptr
                         ? findings({profile, facts, recording.devices.at(0), nullptr, asked})
                         : findings({.profile = steady_profile,
                                     .facts = steady_facts,
                                     .device = recording.devices.at(0),
                                     .steps = &steps,
                                     .framework = framework_of(recording)});
    for (const auto& finding : all) {
      text += (text.empty() ? "" : " ") + finding.id +
              (finding.severity == Severity::warning ? "!" : "");
    }
    return text;
  }

  Recording recording;
  Profile profile;
  std::map<std::string, double> facts;
};

// The tutorial's scripts on streams: v1, v3, and v3 with one stream for four. Their grids have 1280
// blocks where 1056 fit at once.

TEST(RecordedElsewhere, V1IsPageableAndV3IsPinnedAndBothAddUpInOneThread) {
  EXPECT_EQ(Export("numba_v1").found(), "exposed-copies single-thread-kernel first-use");
  EXPECT_EQ(Export("numba_v3_8streams").found(),
            "single-thread-kernel! tail-effect! exposed-copies!");
}

TEST(RecordedElsewhere, TheBugIsFoundWhereItIsKnownThatFourStreamsWereAsked) {
  Export bug("numba_v3_bug");
  EXPECT_EQ(bug.found(), "single-thread-kernel! exposed-copies! tail-effect!")
      << "all work is on one stream, so nothing hides a copy";
  Params params;
  params.set("streams", std::int64_t{4});
  const CaseEvidence asked{
      .params = params, .end_to_end = true, .traffic = {}, .time_s = bug.facts.at("span")};
  bug.facts["distinct_streams"] = 1;
  EXPECT_TRUE(contains(bug.found(&asked), "aliased-streams!"));
}

TEST(RecordedElsewhere, TheNetworkSpendsItsTimeLoadingKernels) {
  const auto found = Export("torch_net").found();
  EXPECT_TRUE(contains(found, "first-use"));
  EXPECT_TRUE(contains(found, "host-bound!"));
  EXPECT_TRUE(contains(found, "unused-tensor-cores"));
}

// A graph with a WHILE node of ten iterations, launched three times between other work on an H100.
TEST(RecordedElsewhere, TheIterationsOfAWhileNodeAreInTheTimelineAndAreJudged) {
  const Export loops(files::read_recording(path_of("while_graph.json")).recording);
  const auto steps = trace::steps_of(loops.recording.trace, 0, loops.recording.thread_names);
  EXPECT_EQ(steps.name, "set");
  EXPECT_EQ(steps.found, 3U);
  EXPECT_EQ(steps.kernels, 2 * 22U) << "set, ten of body and decide, and one body behind them";
  EXPECT_GT(steps.mean()[StepPart::kernels], 0.8 * steps.mean_s());
  EXPECT_TRUE(contains(loops.found(), "host-bound!"));
}

}  // namespace
}  // namespace apod::look
