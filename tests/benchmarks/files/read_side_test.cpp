#include "benchmarks/files/read_side.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <sstream>

#include "benchmarks/base/os/input_file.hpp"
#include "benchmarks/base/summary.hpp"
#include "benchmarks/files/read_result.hpp"
#include "benchmarks/files/recording_file.hpp"
#include "benchmarks/files/side_builder.hpp"
#include "tests/benchmarks/files/side_fixture.hpp"

namespace apod::files {
namespace {

namespace fs = std::filesystem;

/// A file of one row.
std::string google(const std::string& name, const std::string& ns) {
  return R"({"context":{},"benchmarks":[{"name":")" + name + R"(","real_time":)" + ns + "}]}";
}

class Sides : public ::testing::Test {
 protected:
  std::string refusal(const std::vector<std::string>& paths, const std::string& filter = "") const {
    return error_of<BadResult>([&] { read_side(paths, text::Pattern(filter)); });
  }

  const TemporaryFolder folder_;
};

TEST_F(Sides, FilesArePooledAsSessions) {
  const std::string a = folder_.write("a", google("x", "1000"));
  const std::string b = folder_.write("b", google("x", "3000"));
  const Side side = read_side({b, a});
  EXPECT_EQ(side.label, b + " and 1 more");
  ASSERT_EQ(side.sessions.size(), 2u);
  EXPECT_EQ(side.sessions[0].file, b) << "in the order given";
  ASSERT_EQ(side.cases.size(), 1u);
  const auto& times = side.cases[0].times;
  ASSERT_EQ(times.size(), 2u);
  EXPECT_DOUBLE_EQ(times[0].seconds, 3e-6);
  EXPECT_EQ(times[0].session, 0u);
  EXPECT_DOUBLE_EQ(times[1].seconds, 1e-6);
  EXPECT_EQ(times[1].session, 1u);
  EXPECT_EQ(read_side({a}).label, a);
}

TEST_F(Sides, AFolderStandsForTheResultsInItsTreeSorted) {
  folder_.write("b.json", google("x", "2"));
  folder_.write("a.json", google("x", "1"));
  fs::create_directories(folder_.path("deeper.json/still"));
  folder_.write("deeper.json/still/c.json", google("x", "3"));
  fs::create_directory(folder_.path(".hidden"));
  folder_.write(".hidden/d.json", "not looked at");
  const Side side = read_side({folder_.path()});
  ASSERT_EQ(side.sessions.size(), 3u);
  EXPECT_EQ(fs::path(side.sessions[0].file).filename(), "a.json");
  EXPECT_EQ(fs::path(side.sessions[1].file).filename(), "b.json");
  EXPECT_EQ(side.sessions[2].file, folder_.path("deeper.json/still/c.json"));
  EXPECT_TRUE(side.notes.empty());
}

TEST_F(Sides, WhatIsNoResultInAFolderIsNamedAndLeftOut) {
  const auto good = folder_.write("good.json", google("x", "1"));
  const auto readme = folder_.write("README.md", "# Runs");
  for (int i = 0; i < 6; ++i) folder_.write("table" + std::to_string(i) + ".csv", "a,b");
  const auto comparison =
      folder_.write("comparison.json", R"({"kind":"comparison","schema":1,"cases":[]})");
  const auto calibration = folder_.write("calibration.json", R"({"apod_calibration":2})");
  const auto foreign = folder_.write("package.json", R"({"dependencies":{}})");
  const auto empty = folder_.write("empty.json", "");
  // It begins as a result, and one of its cases is read before it breaks.
  const auto broken = folder_.write(
      "broken.json", R"({"context":{},"benchmarks":[{"name":"x","real_time":7},{"name":"y",)");
  const Side side = read_side({folder_.path()});
  ASSERT_EQ(side.sessions.size(), 1u);
  EXPECT_EQ(side.sessions[0].file, good);
  ASSERT_EQ(side.cases.size(), 1u);
  ASSERT_EQ(side.cases[0].times.size(), 1u) << "nothing of the broken file";
  EXPECT_EQ(side.cases[0].times[0].session, 0u);
  EXPECT_TRUE(
      note_of(
          side,
          ": left out, it is text, but in an unknown format (docs/formats.md lists the formats)")
          .starts_with(readme + ", "));
  EXPECT_TRUE(
      contains(note_of(side, "text, but in an unknown format"), "table3.csv and 2 more: left out"));
  EXPECT_TRUE(note_of(side, "report of bench compare")
                  .starts_with(comparison + ": left out, it is a report"))
      << note_of(side, "bench compare");
  EXPECT_TRUE(note_of(side, "bench calibrate").starts_with(calibration + ": left out"));
  EXPECT_TRUE(note_of(side, "a package.json").starts_with(foreign + ": left out"));
  EXPECT_TRUE(note_of(side, "is empty").starts_with(empty + ": left out"));
  EXPECT_TRUE(note_of(side, "broken.json").starts_with(broken + ": left out, "));
  for (const auto& named : {comparison, calibration, foreign, empty, broken}) {
    EXPECT_TRUE(contains(refusal({good, named}), named)) << "a file that is named is an error";
  }
}

TEST_F(Sides, ARecordingBesideResultsIsLeftOut) {
  folder_.write("a.json", google("x", "1"));
  const auto profile = folder_.write("profile.json", R"({"traceEvents":[{"ph":"X"}]})");
  const Side side = read_side({folder_.path()});
  EXPECT_EQ(side.sessions.size(), 1u);
  EXPECT_EQ(note_of(side, "profile.json"), profile + ": left out, a recording among results");
}

TEST_F(Sides, LongNamesOfTheKernelsOfARecordingAreToldInShort) {
  const std::string elementwise = "void at::native::elementwise_kernel<128, 2, " +
                                  std::string(100, 'x') + "::direct_copy_kernel_cuda>(int)";
  KeptRecording kept;
  kept.facts["span"] = 1;
  for (const auto& name : {std::string("mine<float>(int)"), elementwise,
                           "void at::native::elementwise_kernel<128, 4, " + std::string(99, 'y') +
                               "::direct_copy_kernel_cuda>(int)"}) {
    kept.recording.trace.activities.push_back({.name = name, .end_ns = 1'000'000});
  }
  std::ostringstream text;
  write_recording(text, kept);
  const Side side = read_side({folder_.write("r.json", text.str())});
  ASSERT_EQ(side.cases.size(), 3U);
  EXPECT_EQ(side.cases[0].name, "program");
  EXPECT_EQ(side.cases[1].name, "at::native::elementwise_kernel (copying)");
  ASSERT_EQ(side.cases[1].times.size(), 1U);
  EXPECT_NEAR(side.cases[1].times[0].seconds, 2e-3, 1e-9) << "both together";
  EXPECT_EQ(side.cases[2].name, "mine<float>(int)");
}

TEST_F(Sides, AFolderOfWhichNothingIsLeftIsAnError) {
  folder_.write("README.md", "# Runs");
  EXPECT_EQ(
      refusal({folder_.path()}),
      folder_.path() + ": the folder contains no result; " + folder_.path("README.md") +
          ": left out, it is text, but in an unknown format (docs/formats.md lists the formats)");
  folder_.write("broken.json", R"({"context":{},"benchmarks":[{"name":"x","real_time":7},)");
  const auto reason = refusal({folder_.path()});
  EXPECT_TRUE(contains(reason, "no result is left; ")) << reason;
  EXPECT_TRUE(contains(reason, "broken.json: left out")) << reason;
}

/// A result of one case, with a process for each period, of `count` samples in rounds of phases.
record::Json with_phases(const std::vector<double>& periods, std::size_t count) {
  auto result = record::Json::parse(os::read_file(two_processes, 1 << 20));
  auto row = result["benchmarks"][1];
  auto& own = row["apod"];
  std::vector<double> samples;
  std::vector<int> phases;
  for (std::size_t i = 0; i < count; ++i) {
    phases.push_back(static_cast<int>(i % 8));
    samples.push_back(i % 8 < 5 ? 1e-6 : 2e-6);
  }
  own["samples_s"] = samples;
  own["launch_phases"] = phases;
  own["throttled"] = std::vector<int>();
  row["real_time"] = 1375;
  result["benchmarks"] = record::Json::array();
  for (std::size_t i = 0; i < periods.size(); ++i) {
    own["process"] = i;
    own["facts"] = {{"phase_period", periods[i]},
                    {"phase_spread", periods[i] > 1 ? 0.5 : 0},
                    {"phases_visited", 8}};
    result["benchmarks"].push_back(row);
  }
  result["apod_cases"] = {result["apod_cases"][0]};
  result["apod_failed"] = result["apod_untimed"] = record::Json::array();
  return result;
}

TEST_F(Sides, PhasesAreWhatAReportShows) {
  for (const auto& periods :
       std::vector<std::vector<double>>{{8, 8, 4}, {3, 3}, {8, 1, 1}, {8, 16, 3}, {1}, {2, 8, 8}}) {
    for (const std::size_t count : {16u, 24u}) {
      const auto file = folder_.write("phases.json", record::dump(with_phases(periods, count)));
      const auto shown = summarize(read_result(file)).at(0);
      for (const auto samples : {Samples::skip, Samples::spread}) {
        const auto side = read_side(std::vector{file}, {}, samples);
        for (const char* fact : {"phase_period", "phase_spread", "phases_visited"}) {
          EXPECT_EQ(side.cases.at(0).facts.find(fact), shown.number(fact)) << fact;
        }
      }
      EXPECT_EQ(shown.value("phases_visited"), 8);
      EXPECT_EQ(shown.facts.contains("phase_period"), count == 24);
    }
  }
}

TEST_F(Sides, ATimeIsTheOneThatTheFileSaysWhereOlderVersionsGaveFewSamplesNoPhases) {
  auto older = with_phases({1, 1, 1}, 16);
  for (const auto& [time_ns, visited] : {std::pair{1375.0, 8.0}, {1000.0, 0.0}}) {
    for (auto& row : older["benchmarks"]) {
      row["real_time"] = time_ns;
      row["apod"]["facts"].erase("phases_visited");
    }
    const auto file = folder_.write("older.json", record::dump(older));
    const auto shown = summarize(read_result(file)).at(0);
    EXPECT_DOUBLE_EQ(shown.time().value, time_ns * 1e-9);
    EXPECT_EQ(shown.value("phases_visited"), visited);
    const auto side = read_side(std::vector{file});
    EXPECT_DOUBLE_EQ(side.cases.at(0).times.at(0).seconds, time_ns * 1e-9);
  }
}

TEST_F(Sides, AFoldersSessionsAreInTheOrderOfTheirDates) {
  const auto dated = [](const std::string& date) {
    return R"({"context":{"date":")" + date + R"("},"benchmarks":[{"name":"x","real_time":1}]})";
  };
  const auto names = [&](const std::vector<std::string>& paths) {
    std::string all;
    for (const SideSession& session : read_side(paths).sessions) {
      all += fs::path(session.file).stem().string();
    }
    return all;
  };
  folder_.write("a.json", dated("2026-05-17T10:00:00+00:00"));
  folder_.write("b.json", dated("2026-05-17T11:00:00+02:00"));
  folder_.write("c.json", dated("2026-05-17T04:30:00-05:00"));
  EXPECT_EQ(names({folder_.path()}), "bca") << "9:00, 9:30 and 10:00 UTC";
  EXPECT_EQ(names({folder_.path("c.json"), folder_.path("a.json"), folder_.path("b.json")}), "cab")
      << "files are in the order given";
  folder_.write("d.json", google("x", "1"));
  EXPECT_EQ(names({folder_.path()}), "abcd") << "one without a date";
}

TEST_F(Sides, PathsStandForTheirFiles) {
  const std::string b = folder_.write("b.json", google("x", "1"));
  const std::string a = folder_.write("a.json", google("x", "2"));
  const std::string other = folder_.write("other", "not read");
  const auto found = result_files({other, folder_.path()});
  ASSERT_EQ(found.files.size(), 3u);
  EXPECT_EQ(found.files[0].path, other);
  EXPECT_FALSE(found.files[0].found);
  EXPECT_EQ(found.files[1].path, a);
  EXPECT_TRUE(found.files[1].found);
  EXPECT_EQ(found.files[2].path, b);
  EXPECT_EQ(
      found.left_out.notes(),
      std::vector<std::string>{
          other +
          ": left out, it is text, but in an unknown format (docs/formats.md lists the formats)"});
  EXPECT_THROW(result_files({}), BadResult);
  EXPECT_THROW(result_files({folder_.path("gone")}), BadResult);
}

TEST_F(Sides, TheSameFileTwiceIsRefusedWhereItIsNamedAndLeftOutWhereItIsFound) {
  const std::string a = folder_.write("a.json", google("x", "1"));
  fs::create_symlink(a, folder_.path("latest.json"));
  EXPECT_TRUE(contains(refusal({a, a}), "named twice"));
  EXPECT_TRUE(contains(refusal({folder_.path("latest.json"), a}), "named twice"));
  EXPECT_TRUE(contains(refusal({folder_.path(), a}), "named twice"));
  const Side side = read_side({folder_.path()});
  EXPECT_EQ(side.sessions.size(), 1u);
  EXPECT_TRUE(contains(note_of(side, "latest.json: left out"), "named twice"));
}

TEST_F(Sides, ACopyIsTheSameRunUnderAnotherName) {
  const std::string a = folder_.write("a.json", google("x", "1"));
  const std::string b = folder_.write("b.json", google("x", "1"));
  folder_.write("c.json", google("x", "2"));
  EXPECT_TRUE(contains(refusal({a, b}), "it is a copy of " + a));
  const Side side = read_side({folder_.path()});
  EXPECT_EQ(side.sessions.size(), 2u);
  EXPECT_TRUE(contains(note_of(side, "b.json: left out"), "a copy of " + a));
}

TEST_F(Sides, FilesThatBeginAndMeasureAlikeAreNoCopies) {
  const std::string long_name(5000, 'n');  // longer than what is looked at first
  const std::string a = folder_.write("a.json", google(long_name, "1"));
  const std::string b = folder_.write("b.json", google(long_name, "2"));
  const std::string c = folder_.write("c.json", google(long_name, "1"));
  KnownFiles known;
  known.add(a);
  EXPECT_EQ(known.find(b), "");
  EXPECT_EQ(known.find(c), a);
  EXPECT_EQ(known.find(folder_.path("gone.json")), "");
}

TEST_F(Sides, TheSamplesOfNvbenchInAFolderBelongToTheirFile) {
  folder_.write("a.json", google("x", "1"));
  for (const char* folder : {"a.json-bin", "a.json-freqs-bin", "b.json-bin"}) {
    fs::create_directory(folder_.path(folder));
    folder_.write(std::string(folder) + "/0.bin", "1234");
  }
  EXPECT_EQ(
      result_files({folder_.path()}).left_out.notes(),
      std::vector<std::string>{
          folder_.path("b.json-bin/0.bin") +
          ": left out, it is text, but in an unknown format (docs/formats.md lists the formats)"});
}

TEST_F(Sides, PathsThatAreNoFilesAreRefused) {
  EXPECT_EQ(refusal({}), "name at least one result file");
  EXPECT_TRUE(contains(refusal({folder_.path("gone")}), "there is no such file"));
  EXPECT_NE(refusal({""}), "");
  EXPECT_TRUE(contains(refusal({folder_.path()}), "the folder contains no result"));
  EXPECT_TRUE(contains(refusal({"/dev/null"}), "not a regular file"));
  const std::string fifo = folder_.path("fifo");
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_TRUE(contains(refusal({fifo}), "not a regular file")) << "and is not waited for";
  const std::string makes_one = " (to make a result: bench X.yaml --out FILE.json)";
  const std::string empty = folder_.write("empty", "");
  EXPECT_EQ(refusal({empty}), empty + ": the file is empty" + makes_one);
  const std::string list = folder_.write("list.json", "[]");
  EXPECT_EQ(refusal({list}), list + ": its top level is not an object" + makes_one);
  const std::string yaml = folder_.write("mine.yaml", "schema: 1\n");
  EXPECT_EQ(
      refusal({yaml}),
      yaml + ": it seems to be an experiment file, not a result: run it first (bench X.yaml)");
  fs::create_symlink(folder_.path("loop"), folder_.path("loop"));
  EXPECT_NE(refusal({folder_.path("loop")}), "");
}

TEST_F(Sides, AFileWithoutPermissionIsRefused) {
  if (::geteuid() == 0) GTEST_SKIP() << "nothing is forbidden to the superuser";
  const std::string path = folder_.write("a.json", google("x", "1"));
  fs::permissions(path, fs::perms::none);
  EXPECT_TRUE(contains(refusal({path}), "can't be opened"));
}

TEST_F(Sides, ATooLargeFileIsRefused) {
  const std::string path = folder_.write("a.json", google("x", "1"));
  std::error_code error;
  fs::resize_file(path, (std::uintmax_t{4} << 30) + 1, error);  // a hole, which takes no space
  if (error) GTEST_SKIP() << "this file system has no such large files: " << error.message();
  EXPECT_TRUE(contains(refusal({path}), "the limit is 4294967296"));
}

TEST_F(Sides, TheFilterKeepsWhatItFinds) {
  const std::string path = fixture("apod/two_processes.json");
  const Side side = read_side({path}, text::Pattern("/(cub|broken)/"));
  ASSERT_EQ(side.cases.size(), 2u);
  EXPECT_EQ(side.cases[0].name, "sum/cub/size:1024");
  EXPECT_EQ(read_side({path}, text::Pattern("^sum.*1024$")).cases.size(), 3u);
  EXPECT_TRUE(contains(refusal({path}, "no such case"), "'no such case' matches no case"));
}

TEST_F(Sides, ThereAreNoMoreCasesThanAPlanMayHave) {
  SideBuilder side("many", {});
  side.begin("file", "format");
  for (std::size_t i = 0; i < most_cases; ++i) side.add({.info = {.name = std::to_string(i)}});
  EXPECT_EQ(error_of<std::runtime_error>([&] { side.add({.info = {.name = "one more"}}); }),
            "more than 1000000 cases");
}

TEST_F(Sides, TheFilterAppliesToEveryFormat) {
  EXPECT_EQ(read_side({fixture("google/repetitions.json")}, text::Pattern("Slow")).cases.size(),
            1u);
  EXPECT_EQ(read_side({fixture("google/aggregates_only.json")}, text::Pattern("A")).cases.size(),
            1u);
  EXPECT_EQ(read_side({fixture("nvbench/samples.json")}, text::Pattern("device:1")).cases.size(),
            1u);
}

TEST_F(Sides, TheFilterMayMeetALongName) {
  // By backtracking, a match of it would take more stack than there is.
  const std::string longest = folder_.write("a", google(std::string(1'000'000, 'a'), "1"));
  EXPECT_EQ(read_side({longest}, text::Pattern("^(a|b)*$")).cases.size(), 1u);
  const std::string longer = folder_.write("b", google(std::string(5'000'000, 'a'), "1"));
  EXPECT_TRUE(contains(refusal({longer}, "^(a|b)*$"), "a name has 5000000 bytes"));
  EXPECT_EQ(read_side({longer}).cases.size(), 1u);
}

TEST_F(Sides, AFileThatTheFilterLeavesEmptyIsStillASession) {
  const std::string a = folder_.write("a", google("x", "1"));
  const std::string b = folder_.write("b", google("y", "1"));
  const Side side = read_side({a, b}, text::Pattern("x"));
  EXPECT_EQ(side.cases.size(), 1u);
  EXPECT_EQ(side.sessions.size(), 2u);
}

TEST_F(Sides, CasesMeasuredInTwoWaysHaveNoTime) {
  const std::string bench = R"({"devices":[],"benchmarks":[{"name":"x","states":[{"summaries":[)"
                            R"({"tag":"TAG","data":[{"name":"value","value":"1"}]}]}]}]})";
  const auto with = [&](const std::string& file, const std::string& tag) {
    std::string text = bench;
    return folder_.write(file, text.replace(text.find("TAG"), 3, tag));
  };
  const Side side = read_side({with("a", "nv/cold/time/gpu/mean"),  //
                               with("b", "nv/cpu_only/time/cpu/mean")});
  ASSERT_EQ(side.cases.size(), 1u);
  EXPECT_EQ(side.cases[0].failed,
            "one side has measurements with different settings: time:gpu mean; time:cpu mean");
  EXPECT_TRUE(side.cases[0].times.empty());
}

TEST_F(Sides, AFileInWhichACaseFailedCostsItsTimeThereAlone) {
  const auto a = folder_.write("a", google("x", "1"));
  const auto zero = folder_.write("b", google("x", "0"));
  const auto c = folder_.write("c", google("x", "3"));
  const Side side = read_side({a, zero, c});
  EXPECT_EQ(side.cases.at(0).times.size(), 2u);
  EXPECT_EQ(side.cases[0].failed, "");
  EXPECT_EQ(note_of(side, "not a time"), zero + ": time: 0 s is not a time: x");
  const Side last = read_side({a, zero});
  EXPECT_EQ(last.cases.at(0).times.size(), 1u);
  EXPECT_EQ(last.cases[0].failed, "time: 0 s is not a time") << "in the last file";
  EXPECT_TRUE(read_side({zero}).cases.at(0).times.empty());
}

TEST_F(Sides, EqualNotesAreCounted) {
  const std::string path =
      folder_.write("a", R"({"context":{},"benchmarks":[{"name":"x","real_time":1},)"
                         R"({"name":"y","skipped":true,"skip_message":"cold"},)"
                         R"({"name":"z","skipped":true,"skip_message":"cold"}]})");
  EXPECT_EQ(note_of(read_side({path}), "cold"), path + ": skipped, cold: 2 cases, the first y");
}

TEST_F(Sides, MessagesAreFitForATerminal) {
  const std::string path = folder_.write(
      "a\x1b[31m", R"({"context":{},"benchmarks":[{"name":"\u001b[31m","skipped":"\u001b"}]})");
  const std::string reason = refusal({path});
  EXPECT_NE(reason, "");
  EXPECT_FALSE(contains(reason, "\x1b"));
}

}  // namespace
}  // namespace apod::files
