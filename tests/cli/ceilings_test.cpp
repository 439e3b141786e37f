// bench ceilings: measured once, found again by later runs, and expectations about findings.

#include <regex>

#include "tests/cli/run_program.hpp"

namespace apod::test {
namespace {

const std::string few =
    "schema: 1\nmeasure: {cache: hot, warmup: 0ms, max_time: 10ms, min_samples: 3, processes: 1}\n"
    "experiments:\n"
    "  - {workload: read, axes: {variant: host, size: 1000000}}\n"
    "  - {workload: fma, axes: {variant: host, size: 1000}}\n";

class CeilingsTest : public ProgramTest {
 protected:
  CeilingsTest() { write("few.yaml", few); }

  /// Measures, does `change` to the file of ceilings, and sees that a run does without it.
  void expect_passed_over(const std::string& change, const std::string& why) const {
    std::filesystem::create_directory(path("results"));
    shell(measure + "few.yaml; " + change + " results/ceilings/*.json");
    EXPECT_TRUE(holds(passes("bench --config few.yaml --backend host -q -o r.json").err, why));
    EXPECT_TRUE(json("r.json")["context"]["apod"]["ceilings"].is_null());
  }

  const std::string measure = "bench ceilings --backend host -q --config ";
};

TEST_F(CeilingsTest, AreKeptAndFoundByLaterRuns) {
  std::filesystem::create_directory(path("results"));
  const auto measured = fails(measure + "few.yaml --set precision=0.0001%");
  EXPECT_TRUE(holds(measured.err, "not measured: fp64 multiply-adds"));
  EXPECT_TRUE(holds(measured.err, "bench ceilings: note: ")) << "no run is that precise";
  EXPECT_TRUE(holds(measured.out, "B/s", "Wrote results/ceilings/"));

  passes("bench --config few.yaml --backend host -q -o r.json");
  const auto ceilings = json("r.json")["context"]["apod"]["ceilings"];
  EXPECT_GT(ceilings["read_bytes_per_s"].get<double>(), 0);
  EXPECT_EQ(ceilings["fp64_flops"], 0);

  // Under the device's name alone, as scripts/measure keeps them.
  shell("cd results/ceilings; for file in *; do mv $file ${file%-*}.json; done");
  passes("bench --config few.yaml --backend host -q -o s.json");
  auto again = json("s.json")["context"]["apod"]["ceilings"];
  EXPECT_NE(again["file"], ceilings["file"]);
  again["file"] = ceilings["file"];
  EXPECT_EQ(again, ceilings);
}

TEST_F(CeilingsTest, SayFirstWhatIsMeasuredAndHowLong) {
  const std::string loud = "bench ceilings --backend host --config few.yaml";
  EXPECT_TRUE(holds(passes(loud + " --dry-run").out, "2 cases would run, about "));
  EXPECT_FALSE(exists("results"));
  EXPECT_EQ(
      shell(loud + " --out c.json")
          .err.find("bench ceilings: measuring the ceilings of this processor; this takes about "),
      0U);
}

TEST_F(CeilingsTest, AFileThatIsDamagedIsPassedOverWithANote) {
  expect_passed_over("truncate -s 1", "the file is cut off");
}

TEST_F(CeilingsTest, AFileWithoutAnyIsPassedOverWithANote) {
  expect_passed_over("sed -i -E 's/(per_s|flops)\": .*,/\\1\": 0,/'",
                     "none of its ceilings was measured");
}

TEST_F(CeilingsTest, AFileThatOthersCanChangeIsPassedOverWithANote) {
  expect_passed_over("chmod o+w", "other users can write to ");
}

TEST_F(CeilingsTest, AFileIsNotReplacedByOneThatKnowsLess) {
  const auto partly = few.substr(0, few.rfind("  - "));
  write("read.yaml", partly);
  write("none.yaml", std::regex_replace(partly, std::regex("read"), "normalize"));
  shell(measure + "few.yaml -o c.json");
  const auto before = read("c.json");
  ASSERT_NE(before, "");

  const auto none = ends(4, measure + "none.yaml -o c.json");
  EXPECT_TRUE(holds(none.err,
                    "none.yaml: no experiment measures a ceiling; nothing was run (workloads that "
                    "measure ceilings: "));
  EXPECT_EQ(none.out, "");
  EXPECT_TRUE(holds(fails(measure + "read.yaml -o c.json").err,
                    "has ceilings that this run did not measure: fp32 multiply-adds;"));
  EXPECT_EQ(read("c.json"), before);

  shell(measure + "read.yaml -o d.json");
  EXPECT_TRUE(holds(shell(measure + "few.yaml -o d.json").out, "Wrote d.json"));
  EXPECT_GT(json("d.json")["fp32_flops"].get<double>(), 0);
}

TEST_F(CeilingsTest, AnExpectedFindingThatIsNotThereIsAMiss) {
  const std::string aliased =
      "schema: 1\nmeasure: {cache: hot, warmup: 0ms, max_time: 10ms, min_samples: 3, processes: 1, "
      "trace: "
      "true}\n"
      "experiments:\n"
      "  - workload: copy\n    scope: end_to_end\n"
      "    axes: {variant: host, size: 100000, streams: 4, stream_pool: [distinct, aliased]}\n"
      "    expect:\n";
  write("a.yaml",
        aliased +
            "      - {where: {stream_pool: aliased}, findings: aliased-streams}\n"
            "      - {where: {stream_pool: distinct}, findings: \"!= aliased-streams\"}\n");
  passes("bench --config a.yaml --backend host -q -o r.json");
  const auto findings = json("r.json")["apod_cases"][1]["findings"];
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0]["id"], "aliased-streams");
  EXPECT_EQ(findings[0]["severity"], "warning");
  EXPECT_TRUE(holds(findings[0]["evidence"], "the case asks for 4 streams but uses 1"));
  EXPECT_FALSE(findings[0]["advice"].empty());
  write("b.yaml", aliased + "      - {findings: none}\n");
  EXPECT_TRUE(holds(ends(3, "bench --config b.yaml --backend host -q").out,
                    "findings are aliased-streams (warning)"));
}

}  // namespace
}  // namespace apod::test
