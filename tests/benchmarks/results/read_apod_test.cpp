#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "benchmarks/model/estimator.hpp"
#include "benchmarks/model/fact_sums.hpp"
#include "benchmarks/report/report.hpp"
#include "benchmarks/results/write_result.hpp"
#include "tests/benchmarks/report/sample_result.hpp"
#include "tests/benchmarks/results/side_fixture.hpp"

namespace apod::results {
namespace {

using nlohmann::json;

const std::string two_processes = fixture("apod/two_processes.json");

TEST(ReadApod, EveryRowIsAProcessAndCasesAreInPlanOrder) {
  const Side side = read_side({two_processes});
  ASSERT_EQ(side.cases.size(), 3u);
  EXPECT_EQ(side.cases[0].name, "sum/naive/size:1024") << "though it was measured second";
  const SideCase& cub = side.cases[1];
  EXPECT_EQ(cub.name, "sum/cub/size:1024");
  EXPECT_EQ(cub.params, (Labels{{"size", "1024"}, {"variant", "cub"}}));
  ASSERT_EQ(cub.times.size(), 2u);
  EXPECT_DOUBLE_EQ(cub.times[0].seconds, 2e-6);
  EXPECT_DOUBLE_EQ(cub.times[1].seconds, 2.1e-6);
  EXPECT_EQ(cub.failed, "");
  EXPECT_EQ(cub.kernel_code, Labels{}) << "an older file has none";
}

TEST(ReadApod, TheVersionSaysHowACaseWasMeasured) {
  const Side side = read_side({two_processes});
  EXPECT_EQ(side.cases.at(0).version,
            "scope:kernel data:uniform seed:42 cache:flushed launch:blocked")
      << "the mode really used, and what schema 1 called cold";
  EXPECT_EQ(side.cases.at(1).version,
            "scope:kernel data:uniform seed:42 cache:flushed launch:graph "
            "graph_launches:20");
}

TEST(ReadApod, FactsAreMeansOverTheProcesses) {
  const Side side = read_side({two_processes});
  EXPECT_EQ(side.cases.at(0).facts,
            (Facts{{"bytes", 4100}, {"distinct_streams", 1}, {"throttled_share", 0.25}}))
      << "two of four samples in one of two processes; no clock where it can't be read";
  EXPECT_EQ(side.cases.at(1).facts, (Facts{{"bytes", 4100},
                                           {"distinct_streams", 2},
                                           {"kernels", 2},
                                           {"sm_clock", 1940},
                                           {"throttled_share", 0}}))
      << "kernels is from the traced pass; overlap is null";
}

TEST(ReadApod, AKernelThatATracedProcessDidNotRunTookNoTimeThere) {
  const auto process = [](const std::vector<std::string>& kernels, bool traced) {
    Measurement one;
    one.case_id = "e/sh";
    one.samples_s = {1.0};
    one.verification.passed = true;
    if (traced) one.facts["span"] = 1;
    for (const auto& name : kernels) {
      KernelProfile kernel;
      kernel.name = name;
      kernel.time.add(3e-3);
      kernel.time.add(3e-3);
      one.profile.kernels.push_back(kernel);
    }
    return one;
  };
  Result result;
  result.plan.experiments.emplace_back().command.emplace();
  result.plan.cases.emplace_back().id = "e/sh";
  result.measurements = {process({"always", "once"}, true), process({"always"}, true),
                         process({}, true), process({}, false)};
  for (int i = 0; i < 4; ++i) result.measurements[i].process = i;
  std::ostringstream text;
  write_json(text, result);
  const TemporaryFolder folder;
  const auto file = folder.write("a.json", text.str());
  const Facts expected{{"kernel_time/always", 4e-3},
                       {"kernel_time/once", 2e-3},
                       {"launches/always", 4. / 3},
                       {"launches/once", 2. / 3}};
  const auto near = [&](const Side& side) {
    auto facts = side.cases.at(0).facts;
    std::erase_if(facts, [](const auto& fact) { return !is_of_one_kernel(fact.first.str()); });
    ASSERT_EQ(facts.size(), expected.size());
    for (std::size_t i = 0; i < facts.size(); ++i) {
      EXPECT_EQ(facts[i].first, expected[i].first);
      EXPECT_NEAR(facts[i].second, expected[i].second, 1e-12) << facts[i].first.str();
    }
  };
  near(read_side({file}));
  result.measurements.front().samples_s = {2.0};  // no copy of the other file
  text.str("");
  write_json(text, result);
  near(read_side({file, folder.write("b.json", text.str())}));
}

TEST(ReadApod, FailedCasesHaveAReasonAndOthersAreNotes) {
  const Side side = read_side({two_processes});
  EXPECT_EQ(side.cases.at(2).name, "sum/broken/size:1024");
  EXPECT_EQ(side.cases[2].failed, "the sum is wrong");
  EXPECT_TRUE(side.cases[2].times.empty());
  EXPECT_EQ(note_of(side, "skipped"),
            two_processes + ": skipped, backend host was not asked for: sum/host/size:1024");
  EXPECT_EQ(note_of(side, "not run"), two_processes + ": not run: sum/late/size:1024");
}

TEST(ReadApod, TellsTheEnvironment) {
  const Side side = read_side({two_processes});
  const std::map<std::string, std::string> expected{{"backend", "cuda"},
                                                    {"build_type", "release"},
                                                    {"commit", "1a2b3c4"},
                                                    {"compiler", "GNU 12.2.0"},
                                                    {"config", "two"},
                                                    {"cpu", "A CPU"},
                                                    {"cpus", "16"},
                                                    {"cuda", "13.0"},
                                                    {"cuda_compiler", "13.0.88"},
                                                    {"date", "2026-03-01T12:00:00+00:00"},
                                                    {"driver", "580.95.05"},
                                                    {"ecc", "on"},
                                                    {"gpu", "A GPU"},
                                                    {"gpu_uuid", "GPU-1"},
                                                    {"host", "lab-7"},
                                                    {"load_average", "0.5"},
                                                    {"mig", "off"},
                                                    {"os", "Linux 6.1"},
                                                    {"power_limit_w", "700.0"},
                                                    {"version", "0.1.0"}};
  ASSERT_EQ(side.sessions.size(), 1u);
  EXPECT_EQ(side.sessions[0].format, "apod");
  EXPECT_EQ(side.sessions[0].environment, expected);
}

TEST(ReadApod, ReadsWhatWriteJsonWrites) {
  Result result = report::sample_with_findings();
  for (auto& m : result.measurements) {
    if (m.case_index == 1 && m.process == 2) m.throttled.assign(m.samples_s.size(), 1);
  }
  std::ostringstream text;
  write_json(text, result);
  const TemporaryFolder folder;
  const Side side = read_side({folder.write("result.json", text.str())});

  const std::vector<CaseSummary> summaries = summarize(result);
  std::size_t next = 0;
  for (const CaseSummary& summary : summaries) {
    const bool is_case =
        summary.status == CaseStatus::measured || summary.status == CaseStatus::failed;
    if (!is_case) continue;
    ASSERT_LT(next, side.cases.size());
    const SideCase& read = side.cases[next++];
    if (summary.info->variant == report::hostile) continue;  // its name has bytes that are replaced
    EXPECT_EQ(read.name, summary.info->id);
    EXPECT_EQ(read.failed.empty(), summary.status == CaseStatus::measured) << read.name;
    EXPECT_EQ(read.times.size(), static_cast<std::size_t>(summary.processes)) << read.name;
    if (summary.status != CaseStatus::measured) continue;
    EXPECT_EQ(summary.processes, summary.info->index == 1 ? 2 : 3) << "one was throttled";
    EXPECT_NEAR(estimate_time(medians_of(read)).value / summary.time_s.value, 1, 1e-9)
        << "one estimate, from the file and from the result: " << read.name;
  }
  EXPECT_EQ(next, side.cases.size());
  EXPECT_NEAR(side.cases[0].times[0].seconds, 26.6e-3 * 1.0005, 1e-9);
  EXPECT_EQ(side.cases[2].facts.back(), Facts::value_type("transfer_bytes", 8e8));
  EXPECT_EQ(side.cases[4].findings,
            (SideFindings{{"aliased-streams", "asked for 4 streams, used 1"},
                          {"memory-bound", "scale: 3 TB/s"}}));
  note_of(side, "interrupted");
}

TEST(ReadApod, FindingsOfSeveralFilesAreJoined) {
  const auto with = [](const std::string& finding) {
    std::ifstream file(two_processes);
    json whole = json::parse(file);
    for (auto& one : whole["apod_cases"]) one["findings"] = json::parse(finding);
    return whole.dump();
  };
  const TemporaryFolder folder;
  const Side side = read_side({folder.write("a", with(R"([{"id":"b","evidence":"first"}])")),
                               folder.write("b", with(R"([{"id":"b","evidence":"second"},"a"])"))});
  EXPECT_EQ(side.cases.at(0).findings, (SideFindings{{"a", ""}, {"b", "first"}}));
}

TEST(ReadApod, ReadsTheBaselinesThatAreShipped) {
  const std::string folder = std::string(APOD_SOURCE_DIR) + "/results/baselines/nvidia-h200";
  const Side side = read_side({folder});
  EXPECT_GT(side.sessions.size(), 1u);
  for (const SideSession& session : side.sessions) {
    EXPECT_EQ(session.environment.at("gpu"), "NVIDIA H200") << session.file;
  }
  for (const SideCase& c : side.cases) {
    EXPECT_FALSE(c.version.empty()) << c.name;
    EXPECT_FALSE(c.times.empty()) << c.name;
    EXPECT_EQ(c.failed, "") << c.name;
  }
}

/// The file of two processes with something changed.
class ChangedApod : public FromText {
 protected:
  ChangedApod() {
    std::ifstream file(two_processes);
    json_ = json::parse(file);
  }
  json& row(std::size_t i) { return json_["benchmarks"][i]; }
  std::string refusal() const { return FromText::refusal(json_.dump()); }
  Side side() const { return read(json_.dump()); }

  json json_;
};

TEST_F(ChangedApod, AxesAndFactsMayHaveTheNamesOfWhatIsNotRead) {
  json_["apod_cases"][0]["params"] = {{"threads", 4}, {"stage", "x"}, {"variant", "y"}};
  row(0)["apod"]["facts"] = {{"samples_s", 1}, {"threads", 2}};
  const std::size_t index = row(0)["apod"]["case_index"];
  const Side changed = side();
  EXPECT_EQ(changed.cases.at(json_["apod_cases"][0]["index"]).params,
            (Labels{{"stage", "x"}, {"threads", "4"}, {"variant", "y"}}));
  std::size_t found = 0;
  for (const auto& [name, value] : changed.cases.at(index).facts) {
    found += (name == "samples_s" && value == 1) || (name == "threads" && value == 2) ? 1 : 0;
  }
  EXPECT_EQ(found, 2u);
}

TEST_F(ChangedApod, RefusesANewerSchema) {
  json_["context"]["apod"]["schema"] = 3;
  const std::string reason = refusal();
  EXPECT_TRUE(contains(reason, "schema: 3"));
  EXPECT_TRUE(contains(reason, "newer"));
}

TEST_F(ChangedApod, RefusesTwoRowsOfOneProcess) {
  row(2)["apod"]["process"] = 0;
  EXPECT_EQ(refusal(), "benchmarks[2]: process 0 of sum/cub/size:1024 has a row already");
}

TEST_F(ChangedApod, RefusesTwoCasesOfOneNameOrIndex) {
  json_["apod_cases"][3]["id"] = "sum/late/size:1024";
  EXPECT_EQ(refusal(), "apod_cases[4]: id: another case has it too");
  json_["apod_cases"][3]["id"] = "sum/host/size:1024";
  json_["apod_cases"][4]["index"] = 3;
  EXPECT_EQ(refusal(), "apod_cases[4]: index: stands twice");
}

TEST_F(ChangedApod, RefusesRowsAndCasesThatContradictEachOther) {
  row(0)["apod"]["case_index"] = 7;
  EXPECT_EQ(refusal(), "case 7 (sum/cub/size:1024) has rows but is not in apod_cases");
  row(0)["apod"]["case_index"] = 1;
  row(0)["name"] = "sum/other/size:1024";
  EXPECT_TRUE(contains(refusal(), "sum/other/size:1024"));
  row(0)["name"] = "sum/cub/size:1024";
  json_["apod_cases"][4]["status"] = "measured";
  EXPECT_EQ(refusal(), "case 4 (sum/late/size:1024) was measured, but has no row");
  json_["apod_cases"][4]["status"] = "not_run";
  json_["apod_cases"][1]["status"] = "skipped";
  EXPECT_EQ(refusal(), "case 1 (sum/cub/size:1024) has rows, but was not measured");
  json_["apod_cases"][1]["status"] = "measured";
  json_["apod_cases"][0]["experiment"] = 3;
  EXPECT_EQ(refusal(), "case 0 (sum/naive/size:1024) belongs to experiment 3, which is missing");
}

TEST_F(ChangedApod, RefusesACaseWithoutAllOfItsRows) {
  for (std::size_t i = 0; i < json_["benchmarks"].size(); ++i) row(i)["repetitions"] = 2;
  EXPECT_EQ(refusal(), "");
  const json good = json_;
  json_["benchmarks"].erase(2);
  EXPECT_EQ(refusal(), "case 1 (sum/cub/size:1024) has 1 of its 2 rows (repetitions)");
  json_ = good;
  row(2)["repetitions"] = 1;
  EXPECT_EQ(refusal(), "benchmarks[2]: repetitions: 1, elsewhere 2");
}

TEST_F(ChangedApod, RefusesABaselineThatIsNoCase) {
  json_["apod_cases"][1]["baseline"] = 77;
  EXPECT_EQ(refusal(), "case 1 (sum/cub/size:1024) has the baseline 77, which is not another case");
  json_["apod_cases"][1]["baseline"] = 1;
  EXPECT_EQ(refusal(), "case 1 (sum/cub/size:1024) has the baseline 1, which is not another case");
}

TEST_F(ChangedApod, RefusesMoreColumnsThanATableShows) {
  auto& facts = row(0)["apod"]["facts"];
  for (int i = 0; i < 201; ++i) facts["f" + std::to_string(i)] = i;
  EXPECT_TRUE(contains(refusal(), "benchmarks[0]: the file has more than 200 facts"));
  facts = json::object();
  for (int i = 0; i < 201; ++i) json_["apod_cases"][1]["params"]["a" + std::to_string(i)] = i;
  EXPECT_EQ(refusal(), "apod_cases[1]: the file has more than 200 axes");
}

TEST_F(ChangedApod, RefusesWrongTypes) {
  const json good = json_;
  row(0)["real_time"] = "2000";
  EXPECT_EQ(refusal(), "benchmarks[0]: real_time: \"2000\" is not a number");
  json_ = good;
  row(0)["time_unit"] = "us";
  EXPECT_EQ(refusal(), "benchmarks[0]: time_unit: not ns");
  json_ = good;
  row(0)["apod"]["case_index"] = -1;
  EXPECT_EQ(refusal(), "benchmarks[0]: case_index: -1 is not a count");
  json_ = good;
  row(0)["apod"]["facts"]["overlap"] = "much";
  EXPECT_EQ(refusal(), "benchmarks[0]: facts: overlap: not a number");
  json_ = good;
  row(0).erase("apod");
  EXPECT_EQ(refusal(), "benchmarks[0]: not an object") << "a row of another program";
  json_ = good;
  json_["context"]["apod"] = 1;
  EXPECT_EQ(refusal(), "context: apod: not an object");
  json_ = good;
  json_.erase("context");
  EXPECT_EQ(refusal(), "context: missing");
}

TEST_F(ChangedApod, ALaunchThatDiffersBetweenProcessesIsAFailure) {
  row(2)["apod"]["launch"] = "stream";
  const SideCase cub = case_of(side(), "sum/cub/size:1024");
  EXPECT_TRUE(contains(cub.failed, "graph graph_launches:20; stream"));
  EXPECT_TRUE(cub.times.empty());
}

TEST_F(ChangedApod, TheKernelsMachineCodeIsThatOfEveryProcess) {
  row(0)["apod"]["kernel_code"] = {{"b(int)", "22"}, {"a()", "11"}};
  row(2)["apod"]["kernel_code"] = {{"b(int)", "22"}, {"c()", ""}};
  json_["apod_untimed"][0]["kernel_code"] = {{"b(int)", "33"}};
  EXPECT_EQ(case_of(side(), "sum/cub/size:1024").kernel_code,
            (Labels{{"a()", "11"}, {"b(int)", "22"}, {"b(int)", "33"}, {"c()", ""}}))
      << "by name; two codes of one kernel are both kept";
  row(0)["apod"]["kernel_code"] = "11";
  EXPECT_TRUE(contains(refusal(), "benchmarks[0]: kernel_code"));
}

TEST_F(ChangedApod, OfAProfileTheTimesOfKernelsAreRead) {
  const auto name = "sum/cub/size:1024";
  auto expected = case_of(side(), name).facts;
  const auto kernel = [](const char* called, double total_s) {
    const json time = {{"count", 3}, {"total_s", total_s}, {"min_s", 0}, {"max_s", 1}};
    return json{{"name", called}, {"grid", "of whatever kind"}, {"time", time}};
  };
  row(0)["apod"]["profile"] = {{"kernels", {kernel("k()", 0.5), kernel("k()", 0.25)}},
                               {"copies", "of whatever kind"}};
  json_["apod_untimed"][0]["profile"] = {{"kernels", json::array()}};
  expected.emplace_back("kernel_time/k()", 0.75);
  expected.emplace_back("launches/k()", 6);
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(case_of(side(), name).facts, expected) << "of all its configurations";
  json_["apod_untimed"][0]["profile"] = "of whatever kind";
  EXPECT_TRUE(contains(refusal(), "apod_untimed[0]: profile: not an object"));
}

TEST_F(ChangedApod, FindingsAreReadWithTheirEvidence) {
  const json small = {{"id", "small-grid"}, {"subject", "f()"}, {"evidence", "1 block"}};
  json idle = {{"id", "idle-gaps"}, {"severity", "warning"}, {"evidence", "idle 40 %"}};
  for (auto& one : json_["apod_cases"]) one["findings"] = {small, idle, small};
  json_["apod_cases"][0]["findings"][2]["evidence"] = "2 blocks";
  const SideFindings expected{{"idle-gaps", "idle 40 %"}, {"small-grid", "f(): 1 block"}};
  const Side read = side();
  EXPECT_EQ(read.cases.at(0).findings, expected) << "of several with one id the first";
  const std::string& here = read.cases.at(0).findings.at(0).second;
  const std::string& there = read.cases.at(1).findings.at(0).second;
  EXPECT_EQ(here, there);
  EXPECT_NE(&here, &there) << "evidence goes with its case: it is no SharedText";
  for (auto& one : json_["apod_cases"]) one["findings"] = {"small-grid", "idle-gaps"};
  EXPECT_EQ(side().cases.at(0).findings, (SideFindings{{"idle-gaps", ""}, {"small-grid", ""}}))
      << "files of before have the ids alone";
  for (auto& one : json_["apod_cases"]) one["findings"] = {{{"evidence", "of what?"}}};
  EXPECT_EQ(refusal(), "apod_cases[0]: id: missing");
}

TEST_F(ChangedApod, AHostBackendHasNoGpu) {
  json_["context"]["apod"]["device"]["backend"] = "host";
  const auto environment = side().sessions.at(0).environment;
  EXPECT_EQ(environment.count("gpu"), 0u);
  EXPECT_EQ(environment.at("cpu"), "A CPU");
}

TEST(ReadApod, AFactThatIsATimeCanBeTheTime) {
  auto result = report::sample_result();
  for (auto& m : result.measurements) {
    if (m.case_index == 0) m.facts["peer_time"] = 0.5 + 0.1 * m.process;
  }
  std::ostringstream text;
  write_json(text, result);
  const TemporaryFolder folder;
  const auto path = folder.write("result.json", text.str());
  const Side side = read_side({path}, {}, Samples::skip, metric_of("peer_time"));
  const auto& name = result.plan.cases[0].id;
  const auto with = case_of(side, name);
  ASSERT_EQ(with.times.size(), 3u) << "one of each process";
  EXPECT_DOUBLE_EQ(with.times[1].seconds, 0.6);
  EXPECT_TRUE(with.version.str().ends_with(" metric:peer_time"));
  EXPECT_EQ(with.failed, "");
  EXPECT_TRUE(contains(note_of(side, "no peer_time"), "cases, the first"));
  EXPECT_TRUE(contains(
      error_of<BadResult>([&] { read_side({path}, {}, Samples::skip, metric_of("peer_tim")); }),
      "no metric 'peer_tim' (did you mean 'peer_time'?): it has real_time, bandwidth, "));
}

TEST(ReadApod, TheThresholdIsTheSmallestOfTheFiles) {
  const TemporaryFolder folder;
  auto result = report::sample_result();
  const auto& name = result.plan.cases[0].id;
  for (const double threshold : {0.05, 0.02, 0.03, 0.0}) {
    for (auto& experiment : result.plan.experiments) experiment.measure.threshold = threshold;
    std::ostringstream text;
    write_json(text, result);
    folder.write(std::to_string(1 - threshold) + ".json", text.str());
  }
  EXPECT_DOUBLE_EQ(case_of(read_side({folder.path()}), name).threshold, 0.02)
      << "of those that have one";
}

}  // namespace
}  // namespace apod::results
