// bench ceilings: measured once, found again by later runs, and expectations about findings.

#include <nlohmann/json.hpp>
#include <regex>

#include "tests/cli/run_program.hpp"

namespace apod::test {
namespace {

const std::string few =
    "schema: 1\nmeasure: {warmup: 0ms, max_time: 10ms, min_samples: 3, processes: 1}\n"
    "experiments:\n"
    "  - {workload: read, axes: {variant: host, size: 1000000}}\n"
    "  - {workload: fma, axes: {variant: host, size: 1000}}\n";

class CeilingsTest : public ProgramTest {
 protected:
  nlohmann::json json(const std::string& name) const {
    return nlohmann::json::parse(read_file(path(name)));
  }
};

TEST_F(CeilingsTest, AreKeptAndFoundByLaterRuns) {
  write("few.yaml", few);
  std::filesystem::create_directory(path("results"));
  const auto measured =
      shell("bench ceilings --backend host -q --config few.yaml --set precision=0.0001%");
  EXPECT_EQ(measured.exit_code, 1) << "some are missing";
  EXPECT_TRUE(holds(measured.err, "not measured: fp64"));
  EXPECT_TRUE(holds(measured.err, "bench ceilings: note: ")) << "no run is that precise";
  EXPECT_TRUE(holds(measured.out, "B/s"));
  EXPECT_TRUE(holds(measured.out, "Wrote results/ceilings/"));

  const auto run = shell("bench --config few.yaml --backend host -q -o r.json");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const auto ceilings = json("r.json")["context"]["apod"]["ceilings"];
  EXPECT_GT(ceilings["read_bytes_per_s"].get<double>(), 0);
  EXPECT_EQ(ceilings["fp64_flops"], 0);
}

TEST_F(CeilingsTest, AFileThatIsDamagedIsPassedOverWithANote) {
  write("few.yaml", few);
  std::filesystem::create_directory(path("results"));
  shell("bench ceilings --backend host -q --config few.yaml");
  shell("for f in results/ceilings/*.json; do echo '{' > $f; done");
  const auto run = shell("bench --config few.yaml --backend host -q -o r.json");
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_TRUE(holds(run.err, "the file is cut off"));
  EXPECT_TRUE(json("r.json")["context"]["apod"]["ceilings"].is_null());
}

TEST_F(CeilingsTest, AFileIsNotReplacedByOneThatKnowsLess) {
  write("few.yaml", few);
  const auto partly = few.substr(0, few.rfind("  - "));
  write("read.yaml", partly);
  write("none.yaml", std::regex_replace(partly, std::regex("read"), "normalize"));
  shell("bench ceilings --backend host -q --config few.yaml -o c.json");
  const auto before = read_file(path("c.json"));
  ASSERT_NE(before, "");

  const auto none = shell("bench ceilings --backend host -q --config none.yaml -o c.json");
  EXPECT_EQ(none.exit_code, 4) << none.err;
  EXPECT_TRUE(holds(none.err, "none.yaml: no experiment measures a ceiling; these workloads do: "));
  EXPECT_EQ(none.out, "");
  const auto less = shell("bench ceilings --backend host -q --config read.yaml -o c.json");
  EXPECT_EQ(less.exit_code, 1) << less.err;
  EXPECT_TRUE(holds(less.err, "has ceilings that were not measured now: fp32 multiply-adds;"));
  EXPECT_EQ(read_file(path("c.json")), before);

  shell("bench ceilings --backend host -q --config read.yaml -o d.json");
  const auto more = shell("bench ceilings --backend host -q --config few.yaml -o d.json");
  EXPECT_TRUE(holds(more.out, "Wrote d.json"));
  EXPECT_GT(json("d.json")["fp32_flops"].get<double>(), 0);
}

TEST_F(CeilingsTest, AFileWithoutAnyIsPassedOverWithANote) {
  write("few.yaml", few);
  std::filesystem::create_directory(path("results"));
  shell("bench ceilings --backend host -q --config few.yaml");
  shell("sed -i -E 's/(per_s|flops)\": .*,/\\1\": 0,/' results/ceilings/*.json");
  const auto run = shell("bench --config few.yaml --backend host -q -o r.json");
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_TRUE(holds(run.err, "none of its ceilings was measured"));
  EXPECT_TRUE(json("r.json")["context"]["apod"]["ceilings"].is_null());
}

TEST_F(CeilingsTest, AnExpectedFindingThatIsNotThereIsAMiss) {
  const std::string aliased =
      "schema: 1\nmeasure: {warmup: 0ms, max_time: 10ms, min_samples: 3, processes: 1, trace: "
      "true}\n"
      "experiments:\n"
      "  - workload: copy\n    scope: end_to_end\n"
      "    axes: {variant: host, size: 100000, streams: 4, stream_pool: [distinct, aliased]}\n"
      "    expect:\n";
  write("a.yaml",
        aliased +
            "      - {where: {stream_pool: aliased}, findings: aliased-streams}\n"
            "      - {where: {stream_pool: distinct}, findings: \"!= aliased-streams\"}\n");
  EXPECT_EQ(shell("bench --config a.yaml --backend host -q -o r.json").exit_code, 0);
  const auto findings = json("r.json")["apod_cases"][1]["findings"];
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0]["id"], "aliased-streams");
  EXPECT_EQ(findings[0]["severity"], "warning");
  EXPECT_TRUE(holds(findings[0]["evidence"], "asked for 4 streams, used 1"));
  EXPECT_FALSE(findings[0]["advice"].empty());
  write("b.yaml", aliased + "      - {findings: none}\n");
  const auto run = shell("bench --config b.yaml --backend host -q");
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_TRUE(holds(run.out, "findings are aliased-streams (warning)"));
}

}  // namespace
}  // namespace apod::test
