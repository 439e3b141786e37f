// bench report and bench plot: pages and figures of saved results, ours and others'.

#include <string>

#include "tests/cli/faults_test.hpp"

namespace apod::test {
namespace {

using ReportTest = FaultsTest;

const std::string data = APOD_SOURCE_DIR "/tests/data/";
const std::string foreign = data + "results/";
const std::string streams = "'" + foreign + "kept/streams.json'";
const std::string reduction = "'" + foreign + "kept/reduction_thin.json'";

TEST_F(ReportTest, APageOfAFileIsWhatItsRunWrote) {
  write("a.yaml", faults("fine, wrong"));
  fails("faulty --config a.yaml --processes 2 -q --out r.json --out r.html");
  passes("bench report r.json --out s.html");
  passes("bench show r.json --out t.html");
  EXPECT_TRUE(holds(read("r.html"), "<!DOCTYPE html>", "class=\"answer\""));
  EXPECT_EQ(read("s.html"), read("r.html"));
  EXPECT_EQ(read("t.html"), read("r.html"));
}

TEST_F(ReportTest, EveryKindOfFileHasAPage) {
  passes("bench report " + streams + " '" +
         APOD_SOURCE_DIR "/tests/golden/report/comparison.json' '" + foreign +
         "google/repetitions.json' '" + foreign + "nvbench/samples.json' --out p.html");
  EXPECT_TRUE(holds(read("p.html"), "Does splitting one array over N streams pay?", "REGRESSION",
                    "figure-changes", "Google Benchmark, read from the result file", "NVBench"));
  passes("bench history " + streams + " --out h.html --out h.json");
  passes("bench report h.json --out again.html");
  EXPECT_EQ(read("again.html"), read("h.html"));
}

TEST_F(ReportTest, AComparisonSaysWithWhatItsSidesWereMeasured) {
  const auto compare = [&](const std::string& base, const std::string& new_side) {
    shell("bench compare '" + base + "' '" + new_side + "' --out c.json --out c.html");
    passes("bench report c.json --out again.html");
    EXPECT_EQ(read("again.html"), read("c.html"));
    return read("c.html");
  };
  EXPECT_TRUE(holds(compare(foreign + "kept/streams.json", foreign + "kept/streams_explained.json"),
                    "measured: Does splitting one array over N streams pay?",
                    "NVIDIA H200 · driver 580.159.04 · 383bcf39 · 2026-11-21"));
  EXPECT_TRUE(
      holds(compare(data + "inspect/network_float32.json", data + "inspect/network_half.json"),
            "· 2026-11-24 · python3 network.py half"));
  EXPECT_TRUE(holds(compare(foreign + "google/repetitions.json", foreign + "nvbench/samples.json"),
                    "lab-7 · v1.8.3 · 2026-03-01 · ./vector_bench", "NVBench 0.1.0"));
  passes("bench history " + streams + " --out h.json --out h.html");
  EXPECT_TRUE(holds(read("h.html"), "1\u00A0run · NVIDIA H200 · driver 580.159.04"));
}

TEST_F(ReportTest, WhatIsNoResultIsRefusedWithItsName) {
  write("x.json", "{}");
  write("x.sqlite", std::string("SQLite format 3") + '\0' + "no database");
  for (const char* command : {"report", "history", "export --to bmf"}) {
    EXPECT_TRUE(holds(fails(std::string("bench ") + command + " x.sqlite").err,
                      "x.sqlite: is not an SQLite file, or its start is damaged"))
        << command;
  }
  EXPECT_TRUE(holds(fails("bench report x.json --out p.html").err, "x.json: "));
  EXPECT_TRUE(
      holds(fails("bench report " + streams + " --out p.pdf").err, "the name must end in .html"));
  EXPECT_TRUE(holds(fails("bench report").err, "name result files"));
  EXPECT_TRUE(holds(fails("bench plot '" + foreign + "ceilings.json' --out p.svg").err,
                    "it is not a result, so it has no cases (to print it: bench show)"));
}

TEST_F(ReportTest, CeilingsHaveAPage) {
  passes("bench report '" + foreign + "ceilings.json' --out p.html");
  EXPECT_TRUE(holds(read("p.html"), "NVIDIA H200", "<table"));
}

TEST_F(ReportTest, ARecordingHasThePageOfARun) {
  const auto network = "'" + data + "inspect/network_float32.json'";
  passes("bench report " + network + " --out a.html");
  passes("bench inspect " + network + " --out b.html --out again.json");
  passes("bench show " + network + " --out c.html");
  passes("bench report again.json --out d.html");
  const auto page = read("a.html");
  EXPECT_TRUE(holds(page, "What limits python3 network.py float32?", "class=\"answer\"",
                    "figure-timeline", ">pt_autograd_0<", "figure-profile", "<caption>kernels",
                    "<caption>calls", "<caption>NVTX ranges", ">environment<",
                    "bench inspect --capture-range 'step 3' -- python3 network.py float32"));
  EXPECT_LT(page.find("class=\"answer\""), page.find("<figure"));
  for (const char* other : {"b.html", "c.html", "d.html"}) EXPECT_EQ(read(other), page) << other;
  passes("bench report " + streams + " " + network + " --out both.html");
  EXPECT_TRUE(holds(read("both.html"), "Does splitting one array", "What limits python3"));
  EXPECT_TRUE(holds(passes("bench plot " + network + " --show timeline").out, ">pt_autograd_0<"));
  EXPECT_TRUE(holds(fails("bench plot " + network).err, "has no cases"));
}

TEST_F(ReportTest, ThePartOfARecordingIsKeptForWhoRepeatsIt) {
  const std::string file = "'" APOD_SOURCE_DIR "/tests/data/inspect/torch_net.sqlite'";
  passes("bench inspect " + file + " --range 'step 1 torch.float16' --out r.json --out r.html");
  EXPECT_TRUE(holds(read("r.html"), "bench inspect --range 'step 1 torch.float16' "));
  EXPECT_EQ(json("r.json")["part"][0], "--range");
  EXPECT_TRUE(holds(passes("bench inspect r.json").out, "part: --range 'step 1 torch.float16'"));
}

TEST_F(ReportTest, AFigureHasTheAxesThatAreAskedFor) {
  const auto svg = passes("bench plot " + reduction +
                          " --filter 'sums/.*fp32' --x size --y bandwidth --by variant --log x")
                       .out;
  EXPECT_TRUE(holds(svg, "<svg", "bandwidth, TB/s", ">cub<", ">single_pass<", "measured ceiling",
                    ">2^25<"));
  EXPECT_TRUE(holds(fails("bench plot " + reduction + " --x sise").err, "did you mean 'size'?"));
  EXPECT_TRUE(holds(fails("bench plot " + reduction + " --log z").err, "--log: 'z'"));
}

TEST_F(ReportTest, AFigureIsAsWideAsAColumnOfAPaper) {
  passes("bench plot " + streams + " --width 1col --out f.svg");
  EXPECT_TRUE(holds(read("f.svg"), "width=\"320\""));
  EXPECT_TRUE(lacks(read("f.svg"), "class=\"title\""));
  passes("bench plot " + streams + " --width 2col --title --out f.svg");
  EXPECT_TRUE(holds(read("f.svg"), "width=\"672\"", "class=\"title\""));
}

TEST_F(ReportTest, AFigureOfAnotherProgramsFile) {
  const auto svg = passes("bench plot '" + foreign + "nvbench/yardstick.json'").out;
  EXPECT_TRUE(holds(svg, ">copy<", ">sum<", ">size<"));
}

TEST_F(ReportTest, APdfNeedsItsConverter) {
  const auto without = shell("PATH=/nowhere \"$BENCH\" plot " + streams + " --out f.pdf");
  EXPECT_EQ(without.exit_code, 1);
  EXPECT_TRUE(
      holds(without.err, "rsvg-convert writes this format, but is not installed", "librsvg2-bin"));
  EXPECT_TRUE(holds(fails("bench plot " + streams + " --out f.gif").err, ".svg, .pdf or .png"));
  if (shell("command -v rsvg-convert").exit_code != 0) GTEST_SKIP() << "no rsvg-convert";
  passes("bench plot " + streams + " --out f.pdf --width 1col");
  passes("bench plot " + streams + " --out f.png");
  EXPECT_TRUE(read("f.pdf").starts_with("%PDF"));
  EXPECT_EQ(read("f.png").substr(1, 3), "PNG");
}

TEST_F(ReportTest, NothingToDrawIsSaid) {
  write("one.json", google("BM_copy/8", {10, 11}));
  const auto run = shell("bench plot one.json");
  EXPECT_EQ(run.exit_code, 4);
  EXPECT_TRUE(holds(run.err, "fewer than two cases"));
}

TEST_F(ReportTest, ARecordingHasItsTimeline) {
  passes("bench inspect '" APOD_SOURCE_DIR "/tests/data/inspect/numba_v1.sqlite' --out i.html");
  EXPECT_TRUE(holds(read("i.html"), "figure-timeline", "python3", "findings"));
}

TEST_F(ReportTest, ARunThatIsTracedHasItsTimeline) {
  // One operation alone is no timeline.
  write("a.yaml",
        "schema: 1\nmeasure: {cache: hot, max_time: 5ms, processes: 1}\nexperiments:\n  - "
        "{workload: normalize, "
        "scope: end_to_end, axes: {variant: host, size: [1000, 2000], streams: 2}}\n");
  passes("bench --config a.yaml --explain -q --out r.html --out r.json");
  EXPECT_TRUE(holds(read("r.html"), "figure-timeline"));
  passes("bench report r.json --out s.html");
  EXPECT_TRUE(holds(read("s.html"), "figure-timeline"));
  EXPECT_TRUE(holds(passes("bench plot r.json --show timeline").out, ">stream "));
}

}  // namespace
}  // namespace apod::test
