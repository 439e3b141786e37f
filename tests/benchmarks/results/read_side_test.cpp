#include "benchmarks/results/read_side.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "benchmarks/results/side_builder.hpp"
#include "tests/benchmarks/results/side_fixture.hpp"

namespace apod::results {
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

TEST_F(Sides, AFolderStandsForItsJsonFilesSorted) {
  folder_.write("b.json", google("x", "2"));
  folder_.write("a.json", google("x", "1"));
  folder_.write("notes.txt", "not looked at");
  fs::create_directory(folder_.path("deeper.json"));
  folder_.write("deeper.json/c.json", "not looked at either");
  const Side side = read_side({folder_.path()});
  ASSERT_EQ(side.sessions.size(), 2u);
  EXPECT_EQ(fs::path(side.sessions[0].file).filename(), "a.json");
  EXPECT_EQ(fs::path(side.sessions[1].file).filename(), "b.json");
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
  const std::string b = folder_.write("b.json", "not read");
  const std::string a = folder_.write("a.json", "not read");
  const std::string other = folder_.write("other", "not read");
  EXPECT_EQ(result_files({other, folder_.path()}), (std::vector<std::string>{other, a, b}));
  EXPECT_THROW(result_files({}), BadResult);
  EXPECT_THROW(result_files({a, folder_.path()}), BadResult);
  EXPECT_THROW(result_files({folder_.path("gone")}), BadResult);
}

TEST_F(Sides, AFolderWithAnythingElseNamesIt) {
  folder_.write("a.json", google("x", "1"));
  folder_.write("package.json", R"({"name":"web"})");
  const std::string reason = refusal({folder_.path()});
  EXPECT_TRUE(contains(reason, "package.json: no result of"));
  folder_.write("package.json", R"({"benchmarks":[{"name":"x","stats":{"mean":1}}]})");
  EXPECT_TRUE(contains(refusal({folder_.path()}), "package.json: no result of"))
      << "rows of a program that is not known";
}

TEST_F(Sides, TheSameFileTwiceIsRefused) {
  const std::string a = folder_.write("a.json", google("x", "1"));
  fs::create_symlink(a, folder_.path("link"));
  EXPECT_TRUE(contains(refusal({a, a}), "named twice"));
  EXPECT_TRUE(contains(refusal({a, folder_.path()}), "named twice"));
  EXPECT_TRUE(contains(refusal({folder_.path("link"), a}), "named twice"));
}

TEST_F(Sides, PathsThatAreNoFilesAreRefused) {
  EXPECT_EQ(refusal({}), "no result file is named");
  EXPECT_TRUE(contains(refusal({folder_.path("gone")}), "there is no such file"));
  EXPECT_NE(refusal({""}), "");
  EXPECT_TRUE(contains(refusal({folder_.path()}), "no *.json in it"));
  EXPECT_TRUE(contains(refusal({"/dev/null"}), "not a regular file"));
  const std::string fifo = folder_.path("fifo");
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_TRUE(contains(refusal({fifo}), "not a regular file")) << "and is not waited for";
  const std::string makes_one = " (bench --config X.yaml --out FILE.json makes one)";
  const std::string empty = folder_.write("empty", "");
  EXPECT_EQ(refusal({empty}), empty + ": the file is empty" + makes_one);
  const std::string list = folder_.write("list.json", "[]");
  EXPECT_EQ(refusal({list}), list + ": the top is not an object" + makes_one);
  const std::string yaml = folder_.write("mine.yaml", "schema: 1\n");
  EXPECT_EQ(refusal({yaml}),
            yaml + ": it seems to be an experiment file, not a result: run it first" + makes_one);
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
  EXPECT_TRUE(contains(refusal({path}), "at most 4294967296"));
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
  for (int i = 0; i < 200'000; ++i) side.add({.info = {.name = std::to_string(i)}});
  EXPECT_EQ(error_of<std::runtime_error>([&] { side.add({.info = {.name = "one more"}}); }),
            "more than 200000 cases");
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
  const std::string longest = folder_.write("a", google(std::string(1024, 'a'), "1"));
  EXPECT_EQ(read_side({longest}, text::Pattern("^(a|b)*$")).cases.size(), 1u);
  const std::string longer = folder_.write("b", google(std::string(1'000'000, 'a'), "1"));
  EXPECT_TRUE(contains(refusal({longer}, "^(a|b)*$"), "benchmarks[0]: a name of 1000000 bytes"))
      << "which would take more stack than there is";
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
  EXPECT_EQ(side.cases[0].failed, "measured in two ways on one side: time:gpu mean; time:cpu mean");
  EXPECT_TRUE(side.cases[0].times.empty());
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
      "a\x1b[31m", R"({"context":{},"benchmarks":[{"name":"\u001b[31m","real_time":"\u001b"}]})");
  const std::string reason = refusal({path});
  EXPECT_NE(reason, "");
  EXPECT_FALSE(contains(reason, "\x1b"));
}

}  // namespace
}  // namespace apod::results
