// bench inspect, on recordings of real programs.

#include <algorithm>
#include <string>

#include "tests/benchmarks/look/export_file.hpp"
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
    Json json = Json::parse(read_file(APOD_SOURCE_DIR "/tests/data/results/ceilings.json"));
    json["driver"] = driver;
    json["date"] = date;
    std::filesystem::create_directories(path("results/ceilings"));
    write("results/ceilings/" + name, json.dump());
  }
};

TEST_F(InspectTest, RecordingsAreComparedByWhatIsFoundInThemToday) {
  auto recording = Json::parse(read_file(APOD_SOURCE_DIR "/tests/data/inspect/while_graph.json"));
  write("now.json", recording.dump());
  recording["date"] = "2026-11-26T21:00:00+00:00";
  recording["findings"] = Json::array();
  recording["steps"] = {{"name", "step N"},
                        {"lengths_s", {1.0, 1.0}},
                        {"parts_s", {{"kernels", 1.0}}},
                        {"families_s", Json::object()}};
  write("old.json", recording.dump());
  const auto run = passes("bench compare old.json now.json");
  EXPECT_FALSE(holds(run.out, "finding gone")) << run.out;
  EXPECT_FALSE(holds(run.out, "new finding")) << run.out;
  EXPECT_FALSE(holds(run.out, "step 1 ->")) << "of the old version";
  recording["command"] = "./other";
  recording["exit_code"] = 1;
  write("other.json", recording.dump());
  const auto other = ends(4, "bench compare now.json other.json");
  EXPECT_TRUE(
      other.out.starts_with("INCOMPLETE (different commands; the new side ended with exit code 1)"))
      << other.out;
  EXPECT_TRUE(holds(other.out, "command ./while_graph -> ./other", "exit_code 0 -> 1"));
}

TEST_F(InspectTest, OtherToolsRecordingsAreComparedAsTheirInspectedOnesAre) {
  passes("bench inspect numba_v1.sqlite --out base.json");
  passes("bench inspect numba_v3_bug.sqlite --out new.json");
  const auto kept = shell("bench compare base.json new.json");
  const auto direct = shell("bench compare numba_v1.sqlite numba_v3_bug.sqlite");
  EXPECT_EQ(kept.exit_code, direct.exit_code) << direct.err;
  const auto launches = shell(
                            "bench compare numba_v1.sqlite numba_v3_bug.sqlite --metric "
                            "launches:less")
                            .out;
  EXPECT_TRUE(holds(launches, "[CUDA memcpy HtoD]")) << launches;
  EXPECT_TRUE(lacks(launches, "\n  program  ")) << "it has no launches\n" << launches;
  EXPECT_TRUE(lacks(direct.out, "[abi:")) << direct.out;
  const auto without_names = [](std::string text) {
    for (const char* name : {"numba_v1.sqlite", "numba_v3_bug.sqlite", "base.json", "new.json"}) {
      for (auto at = text.find(name); at != text.npos; at = text.find(name)) {
        text.replace(at, std::string_view(name).size(), "F");
      }
    }
    return text;
  };
  EXPECT_EQ(without_names(direct.out), without_names(kept.out));
  EXPECT_TRUE(holds(passes("bench show numba_v1.sqlite").out, "copies are the limit"));
  write("bad.sqlite", std::string("SQLite format 3\0\x10", 17));
  const auto reason = [&](const std::string& command) {
    const auto text = fails(command).err;
    return text.substr(text.find("bad.sqlite"));
  };
  EXPECT_EQ(reason("bench compare bad.sqlite numba_v1.sqlite"), reason("bench inspect bad.sqlite"));
  // A folder may hold the files that were made of a report.
  std::filesystem::create_directories(path("side"));
  for (const char* name : {"side/a.sqlite", "side/a.nsys-rep"})
    write(name, read("numba_v1.sqlite"));
  write("side/a.json", read("base.json"));
  EXPECT_TRUE(holds(shell("bench compare side numba_v3_bug.sqlite").out,
                    "the same folder has a file that was made from it"));
}

TEST_F(InspectTest, ShowsWhatItIsWhatRanAndWhatIsFound) {
  const auto run = passes("bench inspect numba_v1.sqlite");
  EXPECT_TRUE(holds(run.out, "from: NVIDIA Nsight Systems 2023.4.4.54, schema 3.7.2",
                    "program: python3", "device 0: NVIDIA H200, 132 multiprocessors",
                    "timeline: span 1.26", "no steps were found, so this describes the whole run",
                    "copies are the limit", "46.9 ms", "HtoD", "cuMemcpyHtoD"));
  EXPECT_LT(run.out.find("copies are"), run.out.find("timeline:")) << "the answer goes first";
  EXPECT_TRUE(holds(passes("bench inspect numba_v1.sqlite --table summary").out,
                    "GPU activities   63.58%  46.882ms", "[CUDA memcpy HtoD]"));
}

// `normalize` by two variants, each run once and then twice as a graph of four runs.
TEST_F(InspectTest, KernelsOfGraphsAreCountedOnceWhereTheirNodesWereRecorded) {
  const auto csv = passes("bench inspect graph_nodes.sqlite --table summary --csv");
  // 2 sums, and 2 graphs of 4 * 2.
  EXPECT_TRUE(
      holds(csv.out, ",18,51798.6667,51551,52032,\"void apod::sums::single_thread_sum<float>"));
  EXPECT_TRUE(holds(shell("bench inspect graph_nodes.sqlite").out, "busy 22.3 %"));
}

TEST_F(InspectTest, GraphsThatLeftNothingOnTheDeviceForbidAJudgement) {
  const auto run = passes("bench inspect graph_whole.sqlite");
  EXPECT_TRUE(holds(run.out,
                    "timeline: unknown: the recording has no device activity for 4 launches",
                    "--cuda-graph-trace=node", "No findings"));
  EXPECT_TRUE(lacks(run.out, "at most")) << "nobody knows what was idle";
  EXPECT_TRUE(
      holds(passes("bench inspect graph_whole.sqlite --table summary").out, "cudaGraphLaunch"))
      << "the tables tell what was seen";
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
    look::ExportFile(file).run("DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE correlationId IN " +
                               launches);
    return shell("bench inspect " + file).out;
  };
  const auto one = with_lost(1);
  EXPECT_TRUE(holds(one,
                    "note: the recording has no device activity for 1 of 4 launches of CUDA graphs",
                    "is busy for"));
  EXPECT_TRUE(lacks(one, "No findings"));
  EXPECT_TRUE(holds(with_lost(3), "no device activity for 3 launches"));
}

TEST_F(InspectTest, TablesAreChosen) {
  const auto two = passes("bench inspect numba_v3_bug.sqlite --table nvtx --table findings");
  EXPECT_TRUE(holds(two.out, "Sum Kernels Stream 0", "single-thread-kernel"));
  EXPECT_TRUE(lacks(two.out, "timeline"));
  const auto csv = shell("bench inspect numba_v3_bug.sqlite --table summary --csv");
  EXPECT_TRUE(
      holds(csv.out, "Type,Time(%),Time(ns),Calls,Avg(ns),Min(ns),Max(ns),Name\n", ",201,"));
}

TEST_F(InspectTest, TheKernelTableHasColumnsOfChoice) {
  const auto csv =
      passes("bench inspect torch_net.sqlite --csv --table kernels -c idx,kernel,sil,tc,layer");
  EXPECT_TRUE(holds(csv.out, "\"Idx\",\"Kernel\",\"Sil(ns)\",\"TC\",\"Layer\"\n",
                    "_128x80_64x8_4x2_h_bz_NNT\",\"6624\",\"1\"",
                    "\"step 0 torch.float32:forward\""));
  EXPECT_EQ(std::count(csv.out.begin(), csv.out.end(), '\n'), 123);
  // -c and -w say which table is meant.
  EXPECT_TRUE(holds(passes("bench inspect torch_net.sqlite -w 60 -c ' idx ' -c 'kernel, sil'").out,
                    "Idx Kernel"));
  EXPECT_TRUE(holds(shell("bench inspect torch_net.sqlite --table kernels -c all").out,
                    "Idx SeqId AltSeqId TId Layer"));
}

TEST_F(InspectTest, ARangeIsLookedAtAlone) {
  const auto run = passes("bench inspect torch_net.sqlite --range 'step 1 torch.float16'");
  EXPECT_TRUE(holds(run.out, "part: --range 'step 1 torch.float16'", "timeline: span 2."));
  EXPECT_TRUE(lacks(run.out, "cuLibraryLoadData")) << "of the first step alone";
  EXPECT_TRUE(
      holds(passes("bench inspect torch_net.sqlite --range 'forward/1'").out, "this is number 1 "));
  EXPECT_TRUE(lacks(run.out, "ranges have this name"));
  EXPECT_TRUE(holds(fails("bench inspect torch_net.sqlite --range 'step 1 torch.float61'").err,
                    "did you mean 'step 1 torch.float16'?"));
  EXPECT_TRUE(holds(shell("bench inspect numba_v1.sqlite --range x").err, "no NVTX ranges"));
}

TEST_F(InspectTest, CeilingsOfSuchADeviceAreFoundByWhatTheExportTells) {
  write_ceilings("nvidia-h200-a.json", "570.1", "2026-02-01");
  write_ceilings("nvidia-h200-b.json", "580.2", "2026-01-01");
  write_ceilings("other-a.json", "590.3", "2026-03-01");
  auto run = shell("bench inspect numba_v1.sqlite");
  EXPECT_TRUE(holds(run.out, "ceilings: nvidia-h200-a.json (driver 570.1"))
      << "the latest where the export tells no driver: " << run.out;

  const auto with_driver = [&](const std::string& driver) {
    look::ExportFile(path("numba_v1.sqlite"))
        .run(
            "DROP TABLE IF EXISTS TARGET_INFO_SYSTEM_ENV;"
            "CREATE TABLE TARGET_INFO_SYSTEM_ENV (name, value);"
            "INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES ('NvDriverVersion', '" +
            driver + "')");
  };
  with_driver("580.2");
  run = shell("bench inspect numba_v1.sqlite");
  EXPECT_TRUE(holds(run.out, "ceilings: nvidia-h200-b.json"));
  EXPECT_TRUE(lacks(run.out, "passed over"));
  with_driver("1.1");
  run = shell("bench inspect numba_v1.sqlite");
  EXPECT_TRUE(holds(run.out, "ceilings: no ceilings of this device were found",
                    "nvidia-h200-a.json: ignored: driver was '570.1' and is '1.1'"));
  EXPECT_TRUE(lacks(run.out, "pinned takes"));
}

TEST_F(InspectTest, SeveralDevicesAreJudgedOneByOne) {
  look::ExportFile(path("numba_v1.sqlite"))
      .run(
          "CREATE TEMP TABLE another AS SELECT * FROM TARGET_INFO_GPU;"
          "UPDATE another SET id = 3, name = 'Another';"
          "INSERT INTO TARGET_INFO_GPU SELECT * FROM another;"
          "UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET deviceId = 3");
  const auto both = shell("bench inspect numba_v1.sqlite");
  EXPECT_TRUE(holds(both.out, "device 0: NVIDIA H200", "device 3: Another",
                    "the program used 2 devices; this report shows device 3, the busiest"));
  EXPECT_TRUE(holds(both.out, "copies 2")) << "its timeline has";
  EXPECT_TRUE(lacks(both.out, "kernels 3, ")) << "the other's are not in it";
  EXPECT_TRUE(holds(both.out, "\ndevices\n")) << "a row each";
  EXPECT_TRUE(
      holds(passes("bench inspect numba_v1.sqlite --table summary").out, "kern::partial_reduce"))
      << "the summary is of both";
  EXPECT_TRUE(
      lacks(passes("bench inspect numba_v1.sqlite --device 0").out, "memcpy HtoD", "2 devices"));
  EXPECT_TRUE(holds(fails("bench inspect numba_v1.sqlite --device 1").err,
                    "--device 1: nothing ran on this device; devices with work: 0, 3"));
}

TEST_F(InspectTest, RecordingsOfSeveralDevicesAreComparedDeviceByDevice) {
  look::ExportFile(path("numba_v3_bug.sqlite"))
      .run("UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET deviceId = 3");
  passes("bench inspect numba_v3_bug.sqlite --out base.json");
  look::ExportFile(path("numba_v3_bug.sqlite"))
      .run("UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET end = start + (end - start) / 10");
  passes("bench inspect numba_v3_bug.sqlite --out new.json");
  const auto run = shell("bench compare base.json new.json");
  EXPECT_TRUE(holds(run.out, "step: device 3: copies alone", "step: kernels")) << run.out;
  EXPECT_TRUE(lacks(run.out, "step: device 0")) << "it is the inspected one, whose step it is";
}

TEST_F(InspectTest, ATraceForPerfettoAndAReportAreFiles) {
  const auto run =
      passes("bench inspect numba_v1.sqlite --trace-out t.json --out report.txt --color always");
  EXPECT_TRUE(holds(run.out, "no steps were found")) << "the report is printed as well";
  const auto trace = json("t.json");
  int arrows = 0;
  for (const auto& event : trace["traceEvents"]) arrows += event["ph"] == "s" ? 1 : 0;
  EXPECT_EQ(arrows, 5) << "two copies, three kernels";
  const auto report = read("report.txt");
  EXPECT_TRUE(holds(report, "no steps were found", "copies are the limit"));
  EXPECT_TRUE(lacks(report, "\x1b")) << "no colour in a file";
}

TEST_F(InspectTest, APageSaysWhichTablesAreOfTheWholeRun) {
  passes("bench inspect torch_net.sqlite --out page.html");
  const auto page = read("page.html");
  EXPECT_TRUE(holds(page, "kernels, copies, calls and ranges of the whole run", "further findings",
                    "matrix products and convolutions without tensor cores take 118"));
  EXPECT_TRUE(holds(page, "kernels (10 of ", "calls (10 of 31)"));
  EXPECT_TRUE(lacks(page, "cutlass__5x_cudnn::AlignedArray")) << "template noise";
}

TEST_F(InspectTest, ControlCharactersOfARecordingDoNotReachTheTerminal) {
  look::ExportFile(path("torch_net.sqlite"))
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
    EXPECT_TRUE(lacks(run.out + run.err, "\x1b", "\xc2\x9b")) << flags;
    EXPECT_TRUE(flags.find("kernels") == std::string::npos || holds(run.out, "\xEF\xBF\xBD"))
        << "they are shown as what they are not";
  }
}

TEST_F(InspectTest, AFileMayBeCalledLikeAUri) {
  EXPECT_TRUE(
      holds(passes("cp numba_v1.sqlite 'file:x?mode=rw'; bench inspect 'file:x?mode=rw'").out,
            "no steps were found"));
}

TEST_F(InspectTest, WhatIsWrongIsSaidBeforeAnythingIsRead) {
  const auto before = read("numba_v1.sqlite");
  std::vector<Refused> all{
      {"--table kernel", "did you mean 'kernels'?"},
      {"-c idx,kernal", "did you mean 'kernel'?"},
      {"--csv", "--csv needs one --table"},
      {"--csv -w 100", "--csv and -w can't be combined"},
      {"-w 10", "10 is too small"},
      {"-c ''", "-c: empty argument"},
      {"--range ''", "--range: empty argument"},
      {"-w 100 --table nvtx", "-w needs --table kernels"},
      {"--out no/where.txt", "no/where.txt"},
      {"--out ./numba_v1.sqlite", "one of the input files"},
      {"--trace-out numba_v1.sqlite", "--trace-out: numba_v1.sqlite: is one of the input files"},
      {"--out a.txt --trace-out a.txt", "--trace-out: a.txt: is named twice"},
  };
  for (const std::string columns : {"idx,,sil", "idx,", ",", " "}) {
    all.push_back({"-c '" + columns + "'", "'' is not a column"});
  }
  expect_refused(all, "bench inspect numba_v1.sqlite ");
  expect_refused({{"bench inspect nowhere.sqlite", "nowhere.sqlite: there is no such file"}});
  EXPECT_EQ(read("numba_v1.sqlite"), before);
}

TEST_F(InspectTest, AFileHasTheExtensionOfWhatIsInIt) {
  std::vector<Refused> all{{"--table summary --csv --out r.txt", "the name must end in .csv"}};
  for (const std::string name : {"o.csv", "o.txt", "o.md", "-", "o"}) {
    all.push_back({"--trace-out " + name, "the name must end in .json for ui.perfetto.dev"});
  }
  for (const std::string name : {"o.xml", "-", "o"}) {
    all.push_back({"--out " + name, "--out: '" + name + "': no format has this extension"});
  }
  expect_refused(all, "bench inspect numba_v1.sqlite ");
  EXPECT_EQ(shell("ls | grep '^[o-]\\|^r[.]'").out, "");
  passes("bench inspect numba_v1.sqlite --table summary --csv --out r.csv");
  EXPECT_TRUE(holds(read("r.csv"), "Type,Time(%)"));
}

TEST_F(InspectTest, TheReportOfAnyProgramFitsSixtyLines) {
  for (const std::string name :
       {"numba_v1", "numba_v3_bug", "torch_net", "graph_nodes", "graph_whole"}) {
    const auto run = passes("bench inspect " + name + ".sqlite");
    EXPECT_LE(std::count(run.out.begin(), run.out.end(), '\n'), 60) << name << "\n" << run.out;
  }
}

/// Steps with long names on 16 devices, and as many ranges and kernels as JAX has.
std::string trace_of_many() {
  const std::string name = "a name that goes on and on and on and on and on and on and on and on ";
  std::string events;
  const auto event = [&](const std::string& category, const std::string& called, int at, int length,
                         int thread, const std::string& args) {
    events += (events.empty() ? "" : ",") + std::string(R"({"ph": "X", "pid": 1, "cat": ")") +
              category + R"(", "name": ")" + called + R"(", "ts": )" + std::to_string(at) +
              R"(, "dur": )" + std::to_string(length) + R"(, "tid": )" + std::to_string(thread) +
              R"(, "args": {)" + args + "}}";
  };
  int launches = 0;
  for (int step = 0; step < 30; ++step) {
    const int from = 1'000'000 + step * 40'000 + (step > 20 ? 60'000 : 0);
    event("user_annotation", "step " + std::to_string(step) + ' ' + name, from, 39'000, 1, "");
    for (int i = 0; i < 100; ++i) {
      event("user_annotation", name + std::to_string(step * 100 + i), from + i, 1, 2, "");
    }
    for (int device = 0; device < 16; ++device) {
      for (int i = 0; i < 12; ++i) {
        const auto id = R"("correlation": )" + std::to_string(++launches);
        const int at = from + device * 1000 + i * 80;
        const auto kernel =
            i == 0 ? "ncclDevKernel_AllReduce" : name + std::to_string(step * 12 + i);
        event("cuda_runtime", "cudaCall" + std::to_string(i), at, 5, 1, id);
        event("kernel", kernel, at + 20, 20, 0,
              id + R"(, "stream": 7, "device": )" + std::to_string(device));
      }
    }
  }
  std::string devices;
  for (int device = 0; device < 16; ++device) {
    devices += (device == 0 ? "" : ",") + std::string(R"({"name": ")") + name + name + name + name +
               R"(", "id": )" + std::to_string(device) + R"(, "numSms": 132})";
  }
  return R"({"deviceProperties": [)" + devices + R"(], "traceEvents": [)" + events + "]}";
}

TEST_F(InspectTest, LongNamesAndManyDevicesFitTheReportAndThePage) {
  write("many.json", trace_of_many());
  const auto run = passes("COLUMNS=80 bench inspect many.json --out many.html");
  EXPECT_LE(std::count(run.out.begin(), run.out.end(), '\n'), 60) << run.out;
  EXPECT_TRUE(holds(run.out, "(8 of 16)"));
  const auto page = read("many.html");
  EXPECT_LE(page.size(), 300'000);
  EXPECT_TRUE(holds(page, "NVTX ranges (10 of 3030)"));
  EXPECT_TRUE(lacks(page, "of 16)")) << "a page has all of them";
}

/// Five steps of two ranks: the second one's begin 3 ms later.
std::string trace_of_ranks() {
  std::string events;
  for (int i = 0; i < 10; ++i) {
    const int device = i % 2;
    const auto at = [&](int us) { return std::to_string(i / 2 * 20'000 + device * 3'000 + us); };
    const auto rest = R"(, "pid": )" + std::to_string(device) + R"(, "tid": )" +
                      std::to_string(device + 1) + ", \"ts\": ";
    const auto place = R"("device": )" + std::to_string(device) + R"(, "stream": 7, )";
    events += std::string(i > 0 ? ", " : "") +
              R"({"ph": "X", "cat": "user_annotation", "name": "step )" + std::to_string(i / 2) +
              "\"" + rest + at(0) + R"(, "dur": 15000})";
    for (int k = 0; k < 6; ++k) {
      const auto id = R"("correlation": )" + std::to_string(10 * i + k + 1);
      events += R"(, {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel")" + rest +
                at(100 + 10 * k) + R"(, "dur": 5, "args": {)" + id +
                R"(}}, {"ph": "X", "cat": "kernel", "name": "work")" + rest + at(200 + 2000 * k) +
                R"(, "dur": 1900, "args": {)" + place + id + "}}";
    }
  }
  return R"({"deviceProperties": [{"name": "A GPU", "id": 0, "numSms": 80}, {"name": "A GPU",
             "id": 1, "numSms": 80}], "traceEvents": [)" +
         events + "]}";
}

TEST_F(InspectTest, ARangeThatTheProgramRepeatsIsOneStepOfItsRank) {
  write("ranks.json", trace_of_ranks());
  for (const char* one : {"step 2/0", "step 2/1"}) {
    const auto run = passes("bench inspect ranks.json --range '" + std::string(one) + "'");
    EXPECT_TRUE(holds(run.out, "runs 'step 2' once. It takes 11.9 ms", "kernels 11.4 (96 %)",
                      "timeline: span 11.90 ms", "ranges have this name"))
        << run.out;
    EXPECT_TRUE(lacks(run.out, "the clock of")) << run.out;
  }
  passes("bench inspect ranks.json --range 'step 2/1' --out kept.json");
  EXPECT_TRUE(holds(passes("bench inspect kept.json").out, "runs 'step 2' once. It takes 11.9 ms"));
  // What is kept of a range stays that, however often and with whatever else it is asked for.
  for (const char* more : {"--range 'step 2/1'", "--range 'step 2'", "--range 'step 2' --device 1",
                           "--range 'step 2/1' --step 'step 2'"}) {
    const auto again = passes("bench inspect kept.json " + std::string(more) + " --out more.json");
    EXPECT_TRUE(holds(again.out, "runs 'step 2' once. It takes 11.9 ms")) << more << again.out;
    EXPECT_TRUE(holds(passes("bench inspect more.json").out, "runs 'step 2' once. It takes 11.9"));
  }
  for (const char* flag : {"--range", "--step"}) {
    const auto other = fails("bench inspect kept.json " + std::string(flag) + " 'step 3'");
    EXPECT_TRUE(holds(other.err, "the file has only the part selected with --range 'step 2/1'"));
  }
  EXPECT_TRUE(holds(passes("bench inspect ranks.json --out ranks.html").out,
                    "devices 0, 1: A GPU, 80 multi", "timeline of device "));
  const auto page = read("ranks.html");
  EXPECT_TRUE(
      holds(page.substr(page.rfind("Timeline of ")), "device 0, stream", "device 1, stream"))
      << "a step of all ranks";
}

TEST_F(InspectTest, AReportOfNsysIsExportedByTheNsysOfThePath) {
  write("app.nsys-rep", "a report");
  EXPECT_TRUE(holds(fails("PATH= \"$BENCH\" inspect app.nsys-rep").err, "export it first"));
  std::filesystem::create_directories(path("bin"));
  write("bin/nsys",
        "#!/bin/sh\n[ \"$*\" = \"export --type sqlite --output $5 $PWD/app.nsys-rep\" ] || exit 9\n"
        "cp numba_v1.sqlite \"$5\"\n");
  const std::string with = "chmod +x bin/nsys; PATH=$PWD/bin:$PATH ";
  EXPECT_TRUE(holds(passes(with + "bench inspect app.nsys-rep").out, "copies are the limit"));
  write("bin/nsys", "#!/bin/sh\necho cannot >&2; exit 3\n");
  EXPECT_TRUE(holds(fails(with + "bench inspect app.nsys-rep").err,
                    "nsys export ended with exit code 3: cannot"));
}

TEST_F(InspectTest, StepsAreFoundOrNamed) {
  const auto found = passes("bench inspect numba_v3_bug.sqlite");
  EXPECT_TRUE(holds(found.out, "runs 'Sum Kernels Stream N' 4 times", "all work is on one stream"));
  EXPECT_TRUE(holds(passes("bench inspect torch_net.sqlite --step 'step * torch.float16'").out,
                    "runs 'step * torch.float16'", "part: --step"));
  EXPECT_TRUE(holds(fails("bench inspect torch_net.sqlite --step 'stop *'").err,
                    "--step: no range has a name like 'stop *'"));
  EXPECT_TRUE(holds(fails("bench inspect numba_v1.sqlite --step x").err,
                    "--step: no NVTX ranges were recorded"));
}

TEST_F(InspectTest, TracesOfPyTorchsProfilerAreRead) {
  std::string events;
  for (int i = 0; i < 5; ++i) {
    const auto at = [&](int us) { return std::to_string(1'712'195'495'500'000 + i * 20'000 + us); };
    events += R"({"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#)" +
              std::to_string(i) + R"(", "pid": 1, "tid": 2, "ts": )" + at(0) +
              R"(, "dur": 15000}, {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel",
              "pid": 1, "tid": 2, "ts": )" +
              at(10) + R"(, "dur": 5, "args": {"correlation": )" + std::to_string(i + 1) +
              R"(}}, {"ph": "X", "cat": "kernel", "name": "work",
              "ts": )" +
              at(20) + R"(, "dur": 10000, "args": {"device": 0, "stream": 7,
              "correlation": )" +
              std::to_string(i + 1) + "}}" + (i < 4 ? ", " : "");
  }
  const auto text = R"({"schemaVersion": 1, "traceEvents": [)" + events + "]}";
  write("kineto.json", "\n" + text);  // as PyTorch writes it
  EXPECT_TRUE(holds(passes("bench inspect kineto.json").out, "runs 'ProfilerStep#N' 5 times",
                    "20 ms each", "the GPU is busy", "host-bound, at most"));
  write("cut.json", text.substr(0, text.size() - 300));
  EXPECT_TRUE(holds(passes("bench inspect cut.json").out, "the file is cut off"));
  passes("gzip -c kineto.json > kineto.json.gz");
  EXPECT_TRUE(holds(fails("bench inspect kineto.json.gz").err, "gunzip"));
}

// What the library wrote in processes on an H100; see RecordedProcesses.
TEST_F(InspectTest, AFolderOfWhatProcessesWroteIsOneRecording) {
  const std::string parts = APOD_SOURCE_DIR "/tests/data/inspect/parts/";
  const auto step = passes("bench inspect " + parts + "network_window");
  EXPECT_TRUE(holds(step.out, "from: libapodinspect.so", "program: python3.12",
                    "device 0: NVIDIA H100 80GB HBM3, 132 multiprocessors", "streams 4, kernels 53",
                    "exposed-copies, at most", "--try tf32"));
  EXPECT_TRUE(holds(passes("bench inspect " + parts + "spawn").out, "program: python3.12",
                    "did not end normally"));
  passes("bench inspect " + parts + "network_window --out step.json --trace-out t.json");
  EXPECT_TRUE(holds(read("t.json"), "pt_autograd_0"));
  EXPECT_EQ(passes("bench inspect step.json --table kernels --csv").out,
            passes("bench inspect " + parts + "network_window --table kernels --csv").out);
  passes("mkdir nothing");
  EXPECT_TRUE(
      holds(fails("bench inspect nothing").err, "a folder without the recording of a process"));
  write("nothing/1.0.parts", "rubbish\n");
  EXPECT_TRUE(
      holds(fails("bench inspect nothing").err, "nothing: ", "1.0.parts: not a valid part of"));
  write("far.json", R"({"traceEvents": [
{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": -2e15, "dur": 1},
{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 2e15, "dur": 1}]})");
  EXPECT_TRUE(
      holds(fails("bench inspect far.json").err, "far.json: its timestamps are too far apart"));
}

}  // namespace
}  // namespace apod::test
