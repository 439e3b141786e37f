/// What is wrong in a file of ours.

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/benchmarks/files/side_fixture.hpp"

namespace apod::files {
namespace {

using nlohmann::json;

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
  json_["context"]["apod"]["schema"] = 4;
  const std::string reason = refusal();
  EXPECT_TRUE(contains(reason, "schema: 4"));
  EXPECT_TRUE(contains(reason, "newer"));
}

TEST_F(ChangedApod, RefusesTwoRowsOfOneProcess) {
  row(2)["apod"]["process"] = 0;
  EXPECT_EQ(refusal(), "benchmarks[2]: process 0 of sum/cub/size:1024 has two rows");
}

TEST_F(ChangedApod, RefusesTwoCasesOfOneNameOrIndex) {
  json_["apod_cases"][3]["id"] = "sum/late/size:1024";
  EXPECT_EQ(refusal(), "apod_cases[4]: id: two cases have the same id");
  json_["apod_cases"][3]["id"] = "sum/host/size:1024";
  json_["apod_cases"][4]["index"] = 3;
  EXPECT_EQ(refusal(), "apod_cases[4]: index: occurs twice");
}

TEST_F(ChangedApod, RefusesRowsAndCasesThatContradictEachOther) {
  row(0)["apod"]["case_index"] = 7;
  EXPECT_EQ(refusal(), "case 7 (sum/cub/size:1024) has rows, but is missing in apod_cases");
  row(0)["apod"]["case_index"] = 1;
  row(0)["name"] = "sum/other/size:1024";
  EXPECT_TRUE(contains(refusal(), "sum/other/size:1024"));
  row(0)["name"] = "sum/cub/size:1024";
  json_["apod_cases"][4]["status"] = "measured";
  EXPECT_EQ(refusal(), "case 4 (sum/late/size:1024) has the status 'measured', but no row");
  json_["apod_cases"][4]["status"] = "not_run";
  json_["apod_cases"][1]["status"] = "skipped";
  EXPECT_EQ(refusal(), "case 1 (sum/cub/size:1024) has rows, but its status is not 'measured'");
  json_["apod_cases"][1]["status"] = "measured";
  json_["apod_cases"][0]["experiment"] = 3;
  EXPECT_EQ(refusal(), "case 0 (sum/naive/size:1024) belongs to experiment 3, which is missing");
}

TEST_F(ChangedApod, RefusesACaseWithoutAllOfItsRows) {
  for (std::size_t i = 0; i < json_["benchmarks"].size(); ++i) row(i)["repetitions"] = 2;
  EXPECT_EQ(refusal(), "");
  const json good = json_;
  json_["benchmarks"].erase(2);
  EXPECT_EQ(refusal(), "case 1 (sum/cub/size:1024) has 1 rows, but its repetitions are 2");
  json_ = good;
  row(2)["repetitions"] = 1;
  EXPECT_EQ(refusal(), "benchmarks[2]: repetitions: 1, but in an earlier row it is 2");
}

TEST_F(ChangedApod, RefusesABaselineThatIsNoCase) {
  json_["apod_cases"][1]["baseline"] = 77;
  EXPECT_EQ(refusal(),
            "case 1 (sum/cub/size:1024) has the baseline 77, but a baseline must be another case "
            "of the file");
  json_["apod_cases"][1]["baseline"] = 1;
  EXPECT_EQ(refusal(),
            "case 1 (sum/cub/size:1024) has the baseline 1, but a baseline must be another case of "
            "the file");
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
  expected.merge({{"kernel_time/k()", 0.75}});
  expected.merge({{"launches/k()", 6}});
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
  const std::string& here = read.cases.at(0).findings.get().at(0).second;
  const std::string& there = read.cases.at(1).findings.get().at(0).second;
  EXPECT_EQ(&here, &there) << "equal lists are kept once, as long as a case has one";
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

}  // namespace
}  // namespace apod::files
