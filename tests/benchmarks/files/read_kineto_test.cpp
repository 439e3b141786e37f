// Traces of PyTorch's profiler.

#include <gtest/gtest.h>

#include "benchmarks/files/bad_result.hpp"
#include "benchmarks/files/recording_file.hpp"
#include "tests/kernels/api/temporary_folder.hpp"
#include "tests/support/texts.hpp"

namespace apod::files {
namespace {

constexpr auto trace = R"json({"schemaVersion": 1,
 "deviceProperties": [{"id": 0, "name": "A GPU", "numSms": 80, "maxThreadsPerMultiprocessor": 2048,
                       "computeMajor": 7, "computeMinor": 5}],
 "traceEvents": [
  {"ph": "M", "name": "thread_name", "pid": 11, "tid": 12, "args": {"name": "python"}},
  {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#3", "pid": 11, "tid": 12,
   "ts": 1712195495500000.125, "dur": 900.5, "args": {"External id": 1}},
  {"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 11, "tid": 12, "ts": 1712195495500001, "dur": 9},
  {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 11, "tid": 12,
   "ts": 1712195495500010.0, "dur": 5.25, "args": {"correlation": 7, "cbid": 211}},
  {"ph": "X", "cat": "kernel", "name": "add(int)", "pid": 0, "tid": 7, "ts": 1712195495500020.0,
   "dur": 2.5, "args": {"device": 0, "stream": 7, "correlation": 7, "registers per thread": 30,
   "grid": [4, 106, 1], "block": [128, 2, 1]}},
  {"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD (Pageable -> Device)", "pid": 0, "tid": 7,
   "ts": 1712195495500030.0, "dur": 1, "args": {"device": 0, "stream": 7, "bytes": 256}},
  {"ph": "s", "id": 7, "cat": "ac2g", "name": "ac2g", "ts": 1712195495500010.0}
 ]})json";

class KinetoTest : public testing::Test {
 protected:
  std::string write(const char* name, const std::string& text) const {
    return folder_.write(name, text);
  }
  Recording read(const std::string& text) const { return read_kineto(write("t.json", text)); }

 private:
  TemporaryFolder folder_;
};

TEST_F(KinetoTest, KernelsCopiesCallsAndAnnotationsAreRead) {
  const auto recording = read(trace);
  ASSERT_EQ(recording.trace.activities.size(), 2u);
  const auto& kernel = recording.trace.activities[0];
  EXPECT_EQ(kernel.name, "add(int)");
  EXPECT_EQ(kernel.end_ns - kernel.start_ns, 2500);
  EXPECT_EQ(kernel.correlation, 7u);
  EXPECT_EQ(kernel.grid, (std::array<std::uint32_t, 3>{4, 106, 1}));
  EXPECT_EQ(kernel.block, (std::array<std::uint32_t, 3>{128, 2, 1}));
  EXPECT_EQ(kernel.registers_per_thread, 30u);
  const auto& copy = recording.trace.activities[1];
  EXPECT_EQ(copy.name, "HtoD");
  EXPECT_EQ(copy.source, MemoryKind::pageable);
  EXPECT_EQ(copy.target, MemoryKind::device);
  EXPECT_EQ(copy.bytes, 256u);
  ASSERT_EQ(recording.trace.ranges.size(), 1u) << "operators are no ranges";
  EXPECT_EQ(recording.trace.ranges[0].name, "ProfilerStep#3");
  EXPECT_EQ(recording.trace.ranges[0].start_ns, 0);
  ASSERT_EQ(recording.trace.calls.size(), 1u);
  EXPECT_EQ(recording.trace.calls[0].start_ns, 9875) << "to the ns, of which a double has no room";
  EXPECT_EQ(recording.thread_names.at(12), "python");
  ASSERT_EQ(recording.devices.size(), 1u);
  EXPECT_EQ(recording.devices[0].multiprocessors, 80);
  EXPECT_EQ(recording.devices[0].compute_capability, "7.5");
}

TEST_F(KinetoTest, EventsWithoutAStartOrALengthAreLeftOutAndCounted) {
  for (const char* length : {"\"dur\": null", "\"dur\": -1", "\"dur\": \"?\"", "\"other\": 1"}) {
    std::string text = trace;
    text.replace(text.find("\"dur\": 2.5"), 10, length);
    const auto recording = read(text);
    EXPECT_EQ(recording.trace.activities.size(), 1u) << length;
    ASSERT_EQ(recording.trace.notes.size(), 1u) << length;
    EXPECT_EQ(recording.trace.notes[0],
              "1 event left out: the start or the length is missing or invalid");
  }
}

TEST_F(KinetoTest, AFileThatIsCutOffShowsWhatStandsBefore) {
  const std::string text = trace;
  const auto recording = read(text.substr(0, text.find("{\"ph\": \"X\", \"cat\": \"gpu_memcpy\"")));
  EXPECT_EQ(recording.trace.activities.size(), 1u);
  ASSERT_EQ(recording.trace.notes.size(), 1u);
  EXPECT_TRUE(contains(recording.trace.notes[0], "cut off"));
  EXPECT_TRUE(recording.trace.ranges.empty()) << "it may have launched more";
  EXPECT_THROW(read(text.substr(0, 300)), BadResult) << "before any operation";
}

TEST_F(KinetoTest, StepsBeforeTheCutStay) {
  std::string events;
  for (const char* step : {"1", "2", "3"}) {
    events += (events.empty() ? "" : ",") +
              std::string(R"({"ph": "X", "cat": "user_annotation", "name": "step )") + step +
              R"(", "tid": 1, "ts": )" + step + R"(00, "dur": 50}, {"ph": "X", "tid": 1, "ts": )" +
              step + R"(10, "cat": "cuda_runtime", "name": "cudaLaunchKernel", "dur": 5,
              "args": {"correlation": )" +
              step + R"(}}, {"ph": "X", "cat": "kernel", "name": "k",
              "ts": )" +
              step + R"(20, "dur": 9, "args": {"correlation": )" + step + "}}";
  }
  const auto ranges_before = [&](const char* last) {
    const auto text = R"({"traceEvents": [)" + events;
    return read(text.substr(0, text.rfind(last))).trace.ranges.size();
  };
  EXPECT_EQ(ranges_before(R"({"ph": "X", "cat": "kernel")"), 2U) << "the third lacks its kernel";
  EXPECT_EQ(ranges_before(R"({"ph": "X", "tid": 1, "ts": 310)"), 1U)
      << "nothing tells whether the second launched more";
}

TEST_F(KinetoTest, OfTooManyEventsTheFirstInTimeAreRead) {
  std::string events;
  for (int i = 99; i >= 0; --i) {
    events += std::string(events.empty() ? "" : ",") +
              R"({"ph": "X", "cat": "kernel", "name": "k", "dur": 1, "ts": )" + std::to_string(i) +
              R"(, "args": {"device": 0, "stream": 7}})";
  }
  for (int i = 0; i < 50; ++i) {
    events += R"(, {"ph": "X", "cat": "cpu_op", "name": "aten::add", "ts": 0, "dur": 1})";
  }
  const auto file = write("many.json", R"({"traceEvents": [)" + events + "]}");
  EXPECT_TRUE(read_kineto(file, 100).trace.notes.empty());
  const auto part = read_kineto(file, 10).trace;
  ASSERT_EQ(part.activities.size(), 10u);
  EXPECT_EQ(part.activities.back().start_ns, 9000);
  ASSERT_EQ(part.notes.size(), 1u);
  EXPECT_EQ(part.notes[0],
            "only the first 10 us are read: the file has 100 events, but bench reads at most 10 "
            "(to record a part: "
            "a schedule of the profiler)");
}

TEST_F(KinetoTest, WhatIsNoSuchTraceIsRefused) {
  for (const char* text : {R"({"traceEvents": []})", R"({"traceEvents": [{"ph": "X"}]})",
                           R"({"traceEvents": 3})", R"({"other": 1})", "[1, 2]", "{"}) {
    EXPECT_THROW(read(text), BadResult) << text;
  }
  try {
    read(R"({"traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "a", "ts": 1, "dur": 1}]})");
    FAIL() << "neither a device operation";
  } catch (const BadResult& error) {
    EXPECT_TRUE(contains(error.what(), "ProfilerActivity.CUDA"));
  }
}

TEST_F(KinetoTest, NumbersBeyondAllSenseAreNoCrash) {
  const auto recording = read(
      R"({"traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", "ts": 1e300, "dur": 5,
          "args": {"device": -1, "stream": 1e99, "correlation": -7, "grid": [1e99, -1, 1, 4, 5]}},
          {"ph": "X", "cat": "kernel", "name": "k", "ts": 0, "dur": 1e300},
          {"ph": "X", "cat": "kernel", "name": "k", "ts": 0, "dur": 5, "args": {"device": 1e99}}]})");
  ASSERT_EQ(recording.trace.activities.size(), 1u);
  EXPECT_EQ(recording.trace.activities[0].end_ns, 5000);
  ASSERT_EQ(recording.trace.notes.size(), 1u);
  EXPECT_EQ(recording.trace.notes[0],
            "2 events left out: the start or the length is missing or invalid");
}

TEST_F(KinetoTest, NamesItsRank) {
  const auto recording = read(
      R"({"distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 8},
          "traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", "ts": 0, "dur": 5}]})");
  ASSERT_EQ(recording.trace.notes.size(), 1u);
  EXPECT_EQ(recording.trace.notes[0], "this is rank 3 of 8; each other rank has its own file");
}

TEST_F(KinetoTest, CollectivesAreReadAsNcclTellsThem) {
  const auto ranges_of = [&](const std::string& name, const char* sizes, const char* type) {
    return read(R"({"distributedInfo": {"rank": 0, "world_size": 4}, "traceEvents": [
        {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "tid": 3, "ts": 5, "dur": 2,
         "args": {"correlation": 7}},
        {"ph": "X", "cat": "kernel", "name": "ncclDevKernel", "ts": 9, "dur": 5,
         "args": {"correlation": 7, "Collective name": ")" +
                name + R"(", )" + sizes + R"(, "Group size": 4, "dtype": ")" + type + R"("}}]})");
  };
  const auto expect = [&](const std::string& name, const char* sizes, const char* type,
                          const std::string& call, std::uint64_t bytes) {
    const auto recording = ranges_of(name, sizes, type);
    ASSERT_EQ(recording.trace.ranges.size(), 1U) << name;
    const auto& range = recording.trace.ranges[0];
    EXPECT_EQ(range.domain, "NCCL");
    EXPECT_EQ(range.name, call);
    EXPECT_EQ(range.bytes, bytes) << name;
    EXPECT_EQ(range.ranks, 4U);
    EXPECT_EQ(range.end_ns - range.start_ns, 2000) << "it is the launch";
    EXPECT_TRUE(contains(recording.trace.notes.at(0), "includes waits for other ranks"));
  };
  const char* same = R"("In msg nelems": 1000, "Out msg nelems": 1000)";
  expect("allreduce", same, "Float", "ncclAllReduce", 4000);
  expect("_allgather_base", R"("In msg nelems": 1000, "Out msg nelems": 4000)", "BFloat16",
         "ncclAllGather", 2000);
  expect("_reduce_scatter_base", R"("In msg nelems": 4000, "Out msg nelems": 1000)", "Half",
         "ncclReduceScatter", 2000);
  expect("all_to_allv", same, "Float8_e4m3fn", "ncclAlltoAll", 250);
  expect("reduce", R"("In msg nelems": 1000, "Out msg nelems": 0)", "Double", "ncclReduce", 8000);
  EXPECT_TRUE(ranges_of("wait", same, "Byte").trace.ranges.empty());
  EXPECT_TRUE(ranges_of("allreduce", same, "Unheard").trace.ranges.empty());
}

TEST_F(KinetoTest, ProcessGroupsAreCommunicators) {
  std::string events;
  int at = 0;
  for (const char* group : {"0", "7", "0"}) {
    const auto number = std::to_string(++at);
    events +=
        (events.empty() ? "" : ",") +
        std::string(R"({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "tid": 3,
        "ts": )") +
        number + R"(0, "dur": 2, "args": {"correlation": )" + number +
        R"(}}, {"ph": "X", "cat": "kernel", "name": "ncclDevKernel", "ts": )" + number +
        R"(4, "dur": 5, "args": {"correlation": )" + number +
        R"(, "Collective name": "allreduce", "In msg nelems": 9, "Out msg nelems": 9,
        "Group size": 2, "dtype": "Float", "Process Group Name": ")" +
        group + R"(", "Process Group Ranks": "[0, 1]"}})";
  }
  const auto ranges = read(R"({"traceEvents": [)" + events + "]}").trace.ranges;
  ASSERT_EQ(ranges.size(), 3U);
  EXPECT_NE(ranges[0].communicator, 0U);
  EXPECT_NE(ranges[0].communicator, ranges[1].communicator);
  EXPECT_EQ(ranges[0].communicator, ranges[2].communicator);
}

TEST_F(KinetoTest, WhatHasNoCorrelationIsNotMixed) {
  const auto recording = read(R"({"traceEvents": [
      {"ph": "X", "cat": "cuda_runtime", "name": "cudaDeviceSynchronize", "tid": 3, "ts": 1, "dur": 2},
      {"ph": "X", "cat": "kernel", "name": "ncclDevKernel", "ts": 9, "dur": 5,
       "args": {"Collective name": "allreduce", "In msg nelems": 9, "Out msg nelems": 9,
                "Group size": 2, "dtype": "Float"}},
      {"ph": "X", "cat": "kernel", "name": "a", "ts": 20, "dur": 5, "args": {"correlation": 5000000000}},
      {"ph": "X", "cat": "kernel", "name": "b", "ts": 30, "dur": 5, "args": {"correlation": 5000000001}},
      {"ph": "X", "cat": "kernel", "name": "b", "ts": 40, "dur": 5, "args": {"correlation": 5000000000}}
      ]})");
  EXPECT_TRUE(recording.trace.ranges.empty()) << "a wait launches no collective";
  const auto& all = recording.trace.activities;
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[0].correlation, 0U);
  EXPECT_NE(all[1].correlation, all[2].correlation) << "they do not fit, but are two";
  EXPECT_EQ(all[1].correlation, all[3].correlation);
}

TEST_F(KinetoTest, ACapabilityThatIsNotToldIsNotKnown) {
  const auto capability = [&](const std::string& top, const std::string& device) {
    const auto recording = read("{" + top + R"("deviceProperties": [{"id": 0, )" + device + R"(}],
        "traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", "ts": 0, "dur": 5}]})");
    return recording.devices.at(0).compute_capability;
  };
  EXPECT_EQ(capability("", R"("name": "A GPU")"), "")
      << "it would count as one without tensor cores";
  EXPECT_EQ(capability("", R"("name": "A GPU", "computeMajor": 8, "computeMinor": 0)"), "8.0");
  EXPECT_EQ(capability(R"("hip_driver_version": 60342134, )",
                       R"("name": "", "computeMajor": 9, "computeMinor": 4)"),
            "")
      << "AMD counts otherwise";
}

TEST_F(KinetoTest, ThreadsHaveTheirOwnNames) {
  const auto recording = read(R"json({"traceEvents": [
      {"ph": "M", "name": "thread_name", "tid": 4, "args": {"name": "thread 4 (pt_autograd_0)"}},
      {"ph": "X", "cat": "kernel", "name": "k", "ts": 0, "dur": 5}]})json");
  EXPECT_EQ(recording.thread_names.at(4), "pt_autograd_0") << "as the recorder calls it";
}

TEST_F(KinetoTest, ItIsToldFromARecording) {
  EXPECT_TRUE(is_kineto(write("k.json", trace)));
  // Its key may be far behind, and across the blocks that are read.
  for (const std::size_t length : {65'500UL, 65'510UL, 65'520UL, 200'000UL}) {
    const std::string file = "{\"x\": \"" + std::string(length, 'x') + "\", \"traceEvents\": []}";
    EXPECT_TRUE(is_kineto(write("k.json", file))) << length;
  }
  EXPECT_FALSE(is_kineto(write("r.json", "{\"x\": \"" + std::string(200'000, 'x') + "\"}")));
  EXPECT_FALSE(is_kineto(write("r.json", R"({"apod_recording": 1, "notes": ["traceEvents"]})")));
}

}  // namespace
}  // namespace apod::files
