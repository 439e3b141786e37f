// bench inspect, on recordings of real programs.

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/benchmarks/inspect/export_file.hpp"
#include "tests/cli/run_program.hpp"

namespace apod::test {
namespace {

class InspectTest : public ProgramTest {
 protected:
  InspectTest() {
    const std::string folder = APOD_SOURCE_DIR "/tests/data/inspect/";
    for (const char* name :
         {"numba_v1", "numba_v3_bug", "torch_net", "graph_nodes", "graph_whole"}) {
      const auto file = std::string(name) + ".sqlite";
      std::filesystem::copy(folder + file, path(file));
    }
  }

  /// A file of ceilings where they are looked for first.
  void write_ceilings(const std::string& name, const std::string& driver, const std::string& date) {
    nlohmann::json json = nlohmann::json::parse(
        read_file(APOD_SOURCE_DIR "/results/ceilings/nvidia-h200-0aa76580.json"));
    json["driver"] = driver;
    json["date"] = date;
    std::filesystem::create_directories(path("results/ceilings"));
    write("results/ceilings/" + name, json.dump());
  }
};

TEST_F(InspectTest, ShowsWhatItIsWhatRanAndWhatIsFound) {
  const auto run = shell("bench inspect numba_v1.sqlite");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(holds(run.out, "from: NVIDIA Nsight Systems 2023.4.4.54, schema 3.7.2"));
  EXPECT_TRUE(holds(run.out, "program: python3"));
  EXPECT_TRUE(holds(run.out, "device 0: NVIDIA H200, 132 multiprocessors"));
  EXPECT_TRUE(holds(run.out, "timeline: span 1.26"));
  EXPECT_TRUE(holds(run.out, "GPU activities   63.58%  46.882ms"));
  EXPECT_TRUE(holds(run.out, "[CUDA memcpy HtoD]"));
  EXPECT_TRUE(holds(run.out, "cuMemcpyHtoD"));
  EXPECT_TRUE(holds(run.out, "\nfindings\n"));
  EXPECT_TRUE(holds(run.out, "warning idle-gaps"));
  EXPECT_EQ(run.out.find("NVTX ranges"), std::string::npos) << "there are none";
}

// `normalize` by two variants, each run once and then twice as a graph of four runs.
TEST_F(InspectTest, KernelsOfGraphsAreCountedOnceWhereTheirNodesWereRecorded) {
  const auto csv = shell("bench inspect graph_nodes.sqlite --table summary --csv");
  EXPECT_EQ(csv.exit_code, 0) << csv.err;
  // 2 sums, and 2 graphs of 4 * 2.
  EXPECT_TRUE(
      holds(csv.out, ",18,51798.6667,51551,52032,\"void apod::sums::single_thread_sum<float>"));
  EXPECT_TRUE(holds(shell("bench inspect graph_nodes.sqlite").out, "busy 22.3 %"));
}

TEST_F(InspectTest, GraphsThatLeftNothingOnTheDeviceForbidAJudgement) {
  const auto run = shell("bench inspect graph_whole.sqlite");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(holds(run.out, "timeline: unknown: 4 launches of CUDA graphs left no activity"));
  EXPECT_TRUE(holds(run.out, "--cuda-graph-trace=node"));
  EXPECT_TRUE(holds(run.out, "not judged"));
  EXPECT_EQ(run.out.find("idle-gaps"), std::string::npos) << "nobody knows what was idle";
  EXPECT_TRUE(holds(run.out, "cudaGraphLaunch")) << "the tables tell what was seen";
}

TEST_F(InspectTest, ALostLaunchOfAGraphAmongOthersIsANote) {
  // Makes the first `lost` of the four launches those of which nothing is known on the device.
  const auto with_lost = [&](int lost) {
    const auto file = path("lost" + std::to_string(lost) + ".sqlite").string();
    std::filesystem::copy(path("graph_nodes.sqlite"), file);
    const std::string launches =
        "(SELECT correlationId FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE nameId IN (SELECT id FROM "
        "StringIds WHERE value LIKE 'cudaGraphLaunch%') ORDER BY start LIMIT " +
        std::to_string(lost) + ")";
    ExportFile(file).run("DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE correlationId IN " +
                         launches);
    return shell("bench inspect " + file).out;
  };
  const auto one = with_lost(1);
  EXPECT_TRUE(holds(one, "note: 1 of 4 launches of CUDA graphs left no activity on the device"));
  EXPECT_TRUE(holds(one, "idle-gaps"));
  EXPECT_EQ(one.find("not judged"), std::string::npos) << one;
  EXPECT_TRUE(holds(with_lost(3), "timeline: unknown: 3 launches of CUDA graphs left no activity"));
}

TEST_F(InspectTest, TablesAreChosen) {
  const auto two = shell("bench inspect numba_v3_bug.sqlite --table nvtx --table findings");
  EXPECT_EQ(two.exit_code, 0) << two.err;
  EXPECT_TRUE(holds(two.out, "Sum Kernels Stream 0"));
  EXPECT_TRUE(holds(two.out, "single-thread-kernel"));
  EXPECT_EQ(two.out.find("timeline"), std::string::npos);
  const auto csv = shell("bench inspect numba_v3_bug.sqlite --table summary --csv");
  EXPECT_TRUE(holds(csv.out, "Type,Time(%),Time(ns),Calls,Avg(ns),Min(ns),Max(ns),Name\n"));
  EXPECT_TRUE(holds(csv.out, ",201,"));
}

TEST_F(InspectTest, TheKernelTableHasColumnsOfChoice) {
  const auto csv =
      shell("bench inspect torch_net.sqlite --csv --table kernels -c idx,kernel,sil,tc,layer");
  EXPECT_EQ(csv.exit_code, 0) << csv.err;
  EXPECT_TRUE(holds(csv.out, "\"Idx\",\"Kernel\",\"Sil(ns)\",\"TC\",\"Layer\"\n"));
  EXPECT_TRUE(holds(csv.out, "_128x80_64x8_4x2_h_bz_NNT\",\"6624\",\"1\""));
  EXPECT_TRUE(holds(csv.out, "\"step 0 torch.float32:forward\""));
  EXPECT_EQ(std::count(csv.out.begin(), csv.out.end(), '\n'), 123);
  // -c and -w say which table is meant.
  const auto columns = shell("bench inspect torch_net.sqlite -w 60 -c ' idx ' -c 'kernel, sil'");
  EXPECT_EQ(columns.exit_code, 0) << columns.err;
  EXPECT_TRUE(holds(columns.out, "Idx Kernel"));
  const auto plain = shell("bench inspect torch_net.sqlite --table kernels -c all");
  EXPECT_TRUE(holds(plain.out, "Idx SeqId AltSeqId TId Layer"));
}

TEST_F(InspectTest, ARangeIsLookedAtAlone) {
  const auto run = shell("bench inspect torch_net.sqlite --range 'step 1 torch.float16'");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(holds(run.out, "range: step 1 torch.float16"));
  EXPECT_TRUE(holds(run.out, "timeline: span 2."));
  EXPECT_EQ(run.out.find("cuLibraryLoadData"), std::string::npos) << "of the first step alone";
  const auto several = shell("bench inspect torch_net.sqlite --range 'forward/1'");
  EXPECT_EQ(several.exit_code, 0) << several.err;
  EXPECT_TRUE(holds(several.out, "the range is 2 of "));
  EXPECT_EQ(run.out.find("the range is"), std::string::npos);
  const auto missing = shell("bench inspect torch_net.sqlite --range 'step 1 torch.float61'");
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_TRUE(holds(missing.err, "did you mean 'step 1 torch.float16'?"));
  EXPECT_TRUE(holds(shell("bench inspect numba_v1.sqlite --range x").err, "no NVTX ranges"));
}

TEST_F(InspectTest, CeilingsOfSuchADeviceAreFoundByWhatTheExportTells) {
  write_ceilings("nvidia-h200-a.json", "570.1", "2026-02-01");
  write_ceilings("nvidia-h200-b.json", "580.2", "2026-01-01");
  write_ceilings("other-a.json", "590.3", "2026-03-01");
  auto run = shell("bench inspect numba_v1.sqlite");
  EXPECT_TRUE(holds(run.out, "ceilings: results/ceilings/nvidia-h200-a.json: driver 570.1"))
      << "the latest where the export tells no driver: " << run.out;
  EXPECT_TRUE(holds(run.out, "where pinned memory reaches 5"));
  EXPECT_TRUE(holds(run.out, "pageable-transfer: copies (up to"));

  const auto with_driver = [&](const std::string& driver) {
    ExportFile(path("numba_v1.sqlite"))
        .run(
            "DROP TABLE IF EXISTS TARGET_INFO_SYSTEM_ENV;"
            "CREATE TABLE TARGET_INFO_SYSTEM_ENV (name, value);"
            "INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES ('NvDriverVersion', '" +
            driver + "')");
  };
  with_driver("580.2");
  run = shell("bench inspect numba_v1.sqlite");
  EXPECT_TRUE(holds(run.out, "ceilings: results/ceilings/nvidia-h200-b.json"));
  EXPECT_EQ(run.out.find("passed over"), std::string::npos);
  with_driver("1.1");
  run = shell("bench inspect numba_v1.sqlite");
  EXPECT_TRUE(holds(run.out, "ceilings: none were found for such a device"));
  EXPECT_TRUE(holds(run.out, "nvidia-h200-a.json: passed over: driver was '570.1' and is '1.1'"));
  EXPECT_EQ(run.out.find("where pinned memory reaches"), std::string::npos);
}

TEST_F(InspectTest, SeveralDevicesAreJudgedOneByOne) {
  ExportFile(path("numba_v1.sqlite"))
      .run(
          "CREATE TEMP TABLE another AS SELECT * FROM TARGET_INFO_GPU;"
          "UPDATE another SET id = 3, name = 'Another';"
          "INSERT INTO TARGET_INFO_GPU SELECT * FROM another;"
          "UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET deviceId = 3");
  const auto both = shell("bench inspect numba_v1.sqlite");
  EXPECT_TRUE(holds(both.out, "device 0: NVIDIA H200"));
  EXPECT_TRUE(holds(both.out, "device 3: Another"));
  EXPECT_TRUE(
      holds(both.out, "2 devices were at work: timeline and findings are those of device 3"))
      << both.out;
  EXPECT_TRUE(holds(both.out, "copies 2")) << "its timeline has";
  EXPECT_EQ(both.out.find("kernels 3, "), std::string::npos) << "the other's are not in it";
  EXPECT_TRUE(holds(both.out, "kern::partial_reduce")) << "the summary is of both";
  const auto one = shell("bench inspect numba_v1.sqlite --device 0");
  EXPECT_EQ(one.exit_code, 0) << one.err;
  EXPECT_EQ(one.out.find("memcpy HtoD"), std::string::npos);
  EXPECT_EQ(one.out.find("2 devices"), std::string::npos);
  const auto none = shell("bench inspect numba_v1.sqlite --device 1");
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_TRUE(holds(none.err, "--device 1: nothing ran on it; there is work on 0, 3"));
}

TEST_F(InspectTest, ATraceForPerfettoAndAReportAreFiles) {
  const auto run =
      shell("bench inspect numba_v1.sqlite --trace-out t.json --out report.txt --color always");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.out, "");
  const auto trace = nlohmann::json::parse(read_file(path("t.json")));
  std::size_t arrows = 0;
  for (const auto& event : trace.at("traceEvents")) arrows += event.at("ph") == "s" ? 1 : 0;
  EXPECT_EQ(arrows, 5u) << "two copies, three kernels";
  const auto report = read_file(path("report.txt"));
  EXPECT_TRUE(holds(report, "GPU activities  "));
  EXPECT_EQ(report.find('\x1b'), std::string::npos) << "no colour in a file";
}

TEST_F(InspectTest, ControlCharactersOfARecordingDoNotReachTheTerminal) {
  ExportFile(path("torch_net.sqlite"))
      .run(
          "UPDATE StringIds SET value = char(27) || '[31m' || value || char(155);"
          "UPDATE NVTX_EVENTS SET text = char(27) || '[31m' || text;"
          "UPDATE TARGET_INFO_GPU SET name = char(27) || '[31m' || name");
  for (const std::string flags :
       {"", "--table summary --csv", "--table nvtx --csv", "--table findings --csv",
        "--table kernels -c all", "--table kernels -c all -w 250", "--table kernels --csv",
        "--range $'\\e[31mforward'", "--range $'\\e[31mforwarx'", "--table $'\\e[31m'",
        "--out $'\\e[31m'"}) {
    const auto run = shell("bench inspect torch_net.sqlite " + flags);
    for (const char* control : {"\x1b", "\xc2\x9b"}) {
      EXPECT_EQ((run.out + run.err).find(control), std::string::npos) << flags;
    }
    EXPECT_TRUE(flags.find("kernels") == std::string::npos || holds(run.out, "\xEF\xBF\xBD"))
        << "they are shown as what they are not";
  }
}

TEST_F(InspectTest, AFileMayBeCalledLikeAUri) {
  const auto run = shell("cp numba_v1.sqlite 'file:x?mode=rw'; bench inspect 'file:x?mode=rw'");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(holds(run.out, "GPU activities  "));
}

TEST_F(InspectTest, WhatIsWrongIsSaidBeforeAnythingIsRead) {
  const auto before = read_file(path("numba_v1.sqlite"));
  std::vector<Refused> all{
      {"--table kernel", "did you mean kernels?"},
      {"-c idx,kernal", "did you mean kernel?"},
      {"--csv", "--csv writes one table"},
      {"--csv -w 100", "two forms of one table"},
      {"-w 10", "10 is too small"},
      {"--range ''", "leave the flag out"},
      {"-w 100 --table nvtx", "-c and -w are for --table kernels"},
      {"--out no/where.txt", "no/where.txt"},
      {"--out ./numba_v1.sqlite", "one of the files that are read"},
      {"--trace-out numba_v1.sqlite",
       "--trace-out: numba_v1.sqlite: is one of the files that are read"},
      {"--out a.txt --trace-out a.txt", "--trace-out: a.txt: is named twice"},
  };
  for (const std::string columns : {"idx,,sil", "idx,", ",", "", " "}) {
    all.push_back({"-c '" + columns + "'", "'' is not a column"});
  }
  for (auto& [flags, says] : all) flags = "bench inspect numba_v1.sqlite " + flags;
  all.push_back({"bench inspect nowhere.sqlite", "nowhere.sqlite: there is no such file"});
  expect_refused(all);
  EXPECT_EQ(read_file(path("numba_v1.sqlite")), before);
}

TEST_F(InspectTest, AFileHasTheExtensionOfWhatIsInIt) {
  const auto refused = [&](const std::string& flags, const std::string& name) {
    const auto run = shell("bench inspect numba_v1.sqlite " + flags + " " + name);
    EXPECT_EQ(run.exit_code, 1) << flags << name;
    EXPECT_FALSE(std::filesystem::exists(path(name))) << flags << name;
    return run.err;
  };
  for (const auto* name : {"o.csv", "o.txt", "o.md", "-", "o"}) {
    EXPECT_TRUE(holds(refused("--trace-out", name), "name it .json for ui.perfetto.dev"));
  }
  for (const auto* name : {"r.json", "r.csv", "r.md", "-"}) {
    EXPECT_TRUE(holds(refused("--out", name), std::string("--out: ") + name + ": name it .txt"));
  }
  EXPECT_TRUE(holds(refused("--table summary --csv --out", "r.txt"), "name it .csv"));
  EXPECT_EQ(shell("bench inspect numba_v1.sqlite --table summary --csv --out r.csv").exit_code, 0);
  EXPECT_TRUE(holds(read_file(path("r.csv")), "Type,Time(%)"));
}

}  // namespace
}  // namespace apod::test
