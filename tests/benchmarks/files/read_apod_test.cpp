#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "benchmarks/base/estimator.hpp"
#include "benchmarks/base/side.hpp"
#include "benchmarks/files/write_result.hpp"
#include "benchmarks/show/report.hpp"
#include "tests/benchmarks/files/side_fixture.hpp"
#include "tests/benchmarks/show/sample_result.hpp"

namespace apod::files {
namespace {

using nlohmann::json;

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
    std::size_t of_kernels = 0;
    for (const auto& [name, value] : side.cases.at(0).facts) {
      if (!is_of_one_kernel(name.str())) continue;
      ++of_kernels;
      EXPECT_NEAR(value, expected.find(name.str()).value_or(0), 1e-12) << name.str();
    }
    EXPECT_EQ(of_kernels, 4u);
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
  Result result = show::sample_with_findings();
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
    if (summary.info->variant == show::hostile) continue;  // its name has bytes that are replaced
    EXPECT_EQ(read.name, summary.info->id);
    EXPECT_EQ(read.failed.empty(), summary.status == CaseStatus::measured) << read.name;
    EXPECT_EQ(read.times.size(), static_cast<std::size_t>(summary.value("processes"))) << read.name;
    if (summary.status != CaseStatus::measured) continue;
    EXPECT_EQ(summary.value("processes"), summary.info->index == 1 ? 2 : 3) << "one was throttled";
    EXPECT_NEAR(estimate_time(medians_of(side, read)).value / summary.time().value, 1, 1e-9)
        << "one estimate, from the file and from the result: " << read.name;
  }
  EXPECT_EQ(next, side.cases.size());
  EXPECT_NEAR(side.cases[0].times[0].seconds, 26.6e-3 * 1.0005, 1e-9);
  EXPECT_EQ(side.cases[2].facts.find("transfer_bytes"), 8e8);
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

TEST(ReadApod, ReadsAFolderOfRunsOfOneMachine) {
  const std::filesystem::path kept = APOD_SOURCE_DIR "/tests/data/results/kept";
  const TemporaryFolder folder;
  for (const char* name : {"smoke.json", "streams.json"}) {
    std::filesystem::copy_file(kept / name, folder.path(name));
  }
  const Side side = read_side({folder.path()});
  EXPECT_EQ(side.sessions.size(), 2u);
  for (const SideSession& session : side.sessions) {
    EXPECT_EQ(session.environment.at("gpu"), "NVIDIA H200") << session.file;
  }
  for (const SideCase& c : side.cases) {
    EXPECT_FALSE(c.version.empty()) << c.name;
    EXPECT_FALSE(c.times.empty()) << c.name;
    EXPECT_EQ(c.failed, "") << c.name;
  }
}

TEST(ReadApod, OfCommandsTheProgramThatStartedThemIsNotDescribed) {
  Result result;
  result.environment.commit = "1234567";
  result.environment.compiler = "GNU 12.2.0";
  result.environment.os = "Debian";
  result.plan.experiments.emplace_back().command.emplace();
  result.plan.cases.emplace_back().id = "e/sh";
  auto& one = result.measurements.emplace_back();
  one.case_id = "e/sh";
  one.samples_s = {1, 1};
  one.verification.passed = true;
  const auto environment = [&] {
    std::ostringstream text;
    write_json(text, result);
    const TemporaryFolder folder;
    return read_side({folder.write("a.json", text.str())}).sessions.at(0).environment;
  };
  EXPECT_EQ(environment().count("commit") + environment().count("compiler"), 0U);
  EXPECT_EQ(environment().at("os"), "Debian");
  result.plan.experiments.front().command.reset();
  EXPECT_EQ(environment().at("commit"), "1234567");
}

TEST(ReadApod, AFactThatIsATimeCanBeTheTime) {
  auto result = show::sample_result();
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
      "no metric 'peer_tim' (did you mean 'peer_time'?); known: real_time, bandwidth, "));
}

TEST(ReadApod, TheThresholdIsTheSmallestOfTheFiles) {
  const TemporaryFolder folder;
  auto result = show::sample_result();
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
}  // namespace apod::files
