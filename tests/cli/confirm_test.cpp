// Files first, then fresh blocks for what may have changed by them.

#include "tests/cli/faults_test.hpp"
#include "tests/cli/side_by_side.hpp"

namespace apod::test {
namespace {

const std::string steady_case = "e/v/size:8/streams:1";
const std::string other_case = "e/v/size:9/streams:1";

/// A file of Google Benchmark's with times (ns) of these cases, five rows each.
std::string file_of(const std::vector<std::pair<std::string, double>>& cases) {
  Json all{{"context", {{"host_name", "h"}}}, {"benchmarks", Json::array()}};
  for (const auto& [name, ns] : cases) {
    const auto one =
        Json::parse(google(name, {ns, ns * 1.0002, ns * 0.9998, ns * 1.0001, ns * 0.9999}));
    for (const auto& row : one["benchmarks"]) all["benchmarks"].push_back(row);
  }
  return all.dump();
}

class ConfirmTest : public SideBySideTest {
 protected:
  /// In the files the other case is so much slower.
  void files(double slower) const {
    write("base.json", file_of({{steady_case, 1000}, {other_case, 2000}}));
    write("new.json", file_of({{steady_case, 1000.1}, {other_case, 2000 * slower}}));
  }
  Outcome confirm(int exit_code, const std::string& more = "") const {
    return ends(exit_code,
                "bench compare base.json new.json --confirm --base-bin ./a --new-bin ./b"
                " --config ./x.yaml --format json -q --seed 7 " +
                    more);
  }
};

TEST_F(ConfirmTest, OnlyASuspectRunsAndItsBlocksDecide) {
  files(1.2);
  program("b", fake_bench("2100"));
  const auto run = confirm(3, "--out r.txt --out r.md --out r.xml");
  const auto slower = case_of(run, other_case);
  EXPECT_EQ(slower.at("verdict"), "regression");
  EXPECT_NEAR(slower.at("change").get<double>(), 0.05, 0.002) << "that of the blocks";
  EXPECT_EQ(slower.at("replicate"), "block");
  EXPECT_EQ(slower.at("base_units"), 12);
  EXPECT_EQ(slower.at("p_adjusted"), slower.at("p")) << "Holm over the suspects";
  EXPECT_EQ(case_of(run, steady_case).at("replicate"), "process");
  EXPECT_EQ(Json::parse(run.out).at("method"), "confirmed");
  const auto all = slots();
  ASSERT_EQ(all.size(), 4U * 12 + 2) << "and a traced look at both";
  for (const auto& slot : all) EXPECT_TRUE(holds(slot, "--only"));
  for (const char* report : {"r.txt", "r.md", "r.xml"}) {
    const auto text = read(report);
    EXPECT_TRUE(holds(text, "decided from 12 new blocks; the files show a change of +20.0 %"))
        << report;
    EXPECT_TRUE(holds(text, "the files show a possible change in 1 of 2 cases")) << report;
  }
}

TEST_F(ConfirmTest, WhatTheBlocksDoNotShowIsNoRegression) {
  files(1.2);
  const auto run = confirm(0);
  EXPECT_EQ(case_of(run, other_case).at("verdict"), "unchanged");
  EXPECT_EQ(slots().size(), 4U * 12);
}

TEST_F(ConfirmTest, WhatTheFilesDoNotSuspectIsNoRegressionEither) {
  files(1.2);
  // The other case is the suspect; this one is slower by now, and nobody asks.
  builds(fake_bench("2000"), fake_bench("2000", "row " + steady_case + " 3000"));
  EXPECT_EQ(case_of(confirm(0), steady_case).at("verdict"), "within noise");
}

TEST_F(ConfirmTest, WithoutASuspectNothingRuns) {
  files(1.0001);
  const auto run = confirm(0);
  EXPECT_TRUE(holds(run.out, "the files show no possible change: nothing was measured again",
                    "NO CLEAR CHANGE in 2 cases"));
  EXPECT_FALSE(exists("slots"));
}

TEST_F(ConfirmTest, AConfigThatIsNotThereIsRefusedBeforeTheFilesAreRead) {
  files(1.0001);
  const auto run =
      ends(1, "bench compare base.json new.json --confirm --base-bin ./a --config nope.yaml");
  EXPECT_TRUE(holds(run.err, "--config: nope.yaml: there is no such file"));
}

TEST_F(ConfirmTest, ASuspectThatABuildDoesNotHaveIsInconclusive) {
  write("base.json", file_of({{steady_case, 1000}, {"gone", 2000}}));
  write("new.json", file_of({{steady_case, 1000.1}, {"gone", 3000}}));
  const auto run = confirm(4, "--fail-on inconclusive");
  EXPECT_TRUE(holds(run.out, "no suspect case could be measured again"));
  const auto gone = case_of(run, "gone");
  EXPECT_EQ(gone.at("verdict"), "inconclusive");
  EXPECT_TRUE(holds(gone.at("reason"),
                    "the files show a change of +50.0 %, which was not measured again: ./a",
                    "does not have this case in this experiment"));
  EXPECT_FALSE(exists("slots"));
}

TEST_F(ConfirmTest, AProgramThatRefusesLeavesItsReasonAndDoesNotPass) {
  files(1.2);
  program("b", "#!/bin/bash\necho 'x.yaml:1:1: no such axis' >&2\nexit 1\n");
  const auto run = confirm(4);
  EXPECT_TRUE(holds(Json::parse(run.out).at("verdict"), "INCOMPLETE (ended early)"));
  const auto suspect = case_of(run, other_case);
  EXPECT_EQ(suspect.at("verdict"), "inconclusive");
  EXPECT_TRUE(holds(suspect.at("reason"), "./b can't run this experiment", "no such axis"));
}

TEST_F(ConfirmTest, ABudgetAndBlocksDecideHowOften) {
  files(1.2);
  confirm(0, "--blocks 5");
  EXPECT_EQ(slots().size(), 4U * 5);
  std::filesystem::remove(path("slots"));
  confirm(0, "--blocks 3 --budget 10m");
  EXPECT_EQ(slots().size(), 4U * 3) << "what is asked for fits";
}

/// The real program, with a case that is slower in one of two builds.
class TimedSlowdown : public FaultsTest {
 protected:
  TimedSlowdown() {
    write("x.yaml", config(0));
    write("slow.yaml", config(10000));
  }
  /// Two cases, of which the second is slower by so many thousandths.
  static std::string config(int slowdown) {
    const std::string one = "  - {workload: slowed, name: one, axes: {variant: spin_host";
    const std::string two =
        "  - {workload: slowed, name: two, axes: {variant: spin_host, slowdown: ";
    return "schema: 1\nname: slowed\nmeasure: {cache: hot, warmup: 0ms, max_time: 20ms, "
           "min_samples: 3,"
           " processes: 5}\nexperiments:\n" +
           one + "}}\n" + two + std::to_string(slowdown) + "}}\n";
  }
  const std::string compare =
      " faulty compare base.json new.json --confirm --base-bin \"$FAULTY\" --config x.yaml"
      " --blocks 8 --format json -q ";
  static Json verdicts(const Outcome& run) {
    Json all;
    const auto comparison = Json::parse(run.out);
    for (const auto& c : comparison.at("cases")) all[c.at("name")] = c.at("verdict");
    return all;
  }
};

TEST_F(TimedSlowdown, IsTheOnlyRegression) {
  // Its cases are called as those of the other build.
  write("slow", R"(#!/bin/bash
for word; do
  [[ $last != --out ]] || out=$word
  [[ $last != --only ]] || sed -i 's/slowdown:0/slowdown:10000/' "$word"
  last=$word
done
"$FAULTY" "${@/x.yaml/slow.yaml}" | sed 's/slowdown:10000/slowdown:0/'
code=${PIPESTATUS[0]}
[[ ! -e $out ]] || sed -E -i 's/(slowdown"?: ?)10000/\10/g' "$out"
exit $code
)");
  std::filesystem::permissions(path("slow"), std::filesystem::perms::owner_all);
  const auto run = ends(3,
                        "export FAULTY; faulty --config x.yaml -q --out base.json >/dev/null;"
                        " ./slow --config x.yaml -q --out new.json >/dev/null;" +
                            compare + "--new-bin ./slow --threshold 50%");
  const auto all = verdicts(run);
  ASSERT_EQ(all.size(), 2U) << run.out;
  for (const auto& [name, verdict] : all.items()) {
    EXPECT_EQ(verdict == "regression", name.starts_with("two")) << run.out;
  }
}

TEST_F(TimedSlowdown, ThatWasForgedInAFileIsNone) {
  passes("faulty --config x.yaml -q --out base.json >/dev/null");
  auto forged = json("base.json");
  for (auto& row : forged["benchmarks"]) {
    if (row["name"].get<std::string>().starts_with("two")) {
      row["real_time"] = row["real_time"].get<double>() * 1.2;
    }
  }
  write("new.json", forged.dump());
  const auto run = shell(compare + "--threshold 10%");
  EXPECT_TRUE(run.exit_code == 0 || run.exit_code == 4) << "on a loaded machine nothing is decided";
  for (const auto& [name, verdict] : verdicts(run).items()) {
    EXPECT_NE(verdict, "regression") << run.out;
  }
  const auto comparison = Json::parse(run.out);
  EXPECT_EQ(comparison.at("cases")[1].at("replicate"), "block") << run.out;
}

}  // namespace
}  // namespace apod::test
