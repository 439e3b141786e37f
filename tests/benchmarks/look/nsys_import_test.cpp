// What is read of exports of nsys: every table, and what of them is absent.

#include "benchmarks/look/nsys_import.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "tests/benchmarks/look/export_file.hpp"
#include "tests/kernels/api/temporary_folder.hpp"

namespace apod::look {
namespace {

class NsysImport : public ::testing::Test {
 protected:
  const TemporaryFolder folder_;
  std::string file_ = folder_.path("e.sqlite");
};

TEST_F(NsysImport, AKernelHasItsPlaceItsShapeAndItsName) {
  ExportFile(file_)
      .base()
      .string(1, "void scale<2>(float*)")
      .run(ExportFile::kernels)
      .run("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (100, 350, 1, 1, 13, 7, " +
           of_process(5) + ", 1, 2, 10, 20, 30, 32, 4, 2, 40, 1024, 2048, 16)");
  const auto recording = read_nsys(file_);
  EXPECT_EQ(recording.schema, "3.7.2");
  EXPECT_EQ(recording.producer, "NVIDIA Nsight Systems 2023.4");
  ASSERT_EQ(recording.trace.activities.size(), 1u);
  const auto& kernel = recording.trace.activities.front();
  EXPECT_EQ(kernel.kind, Activity::Kind::kernel);
  EXPECT_EQ(kernel.name, "void scale<2>(float*)");
  EXPECT_EQ(kernel.start_ns, 100);
  EXPECT_EQ(kernel.end_ns, 350);
  EXPECT_EQ(kernel.device, 1u);
  EXPECT_EQ(kernel.stream, 13u);
  EXPECT_EQ(kernel.correlation, 7u);
  EXPECT_EQ(kernel.grid, (std::array<std::uint32_t, 3>{10, 20, 30}));
  EXPECT_EQ(kernel.block, (std::array<std::uint32_t, 3>{32, 4, 2}));
  EXPECT_EQ(kernel.registers_per_thread, 40u);
  EXPECT_EQ(kernel.static_shared_bytes, 1024u);
  EXPECT_EQ(kernel.dynamic_shared_bytes, 2048u);
  EXPECT_EQ(kernel.local_bytes, 16u);
}

TEST_F(NsysImport, CopiesTellTheirKindsOfMemoryAndWhetherTheirCallWaits) {
  ExportFile(file_)
      .base()
      .string(1, "cudaMemcpy_v3020")
      .string(2, "cudaMemcpyAsync_v3020")
      .run(ExportFile::calls)
      .run("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (0, 90, 0, " + of_process(5, 8) +
           ", 1, 1, 0), (100, 110, 0, " + of_process(5, 8) + ", 2, 2, 0)")
      .run(ExportFile::copies)
      .run("INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (10, 80, 0, 1, 7, 1, " + of_process(5) +
           ", 4096, 1, 0, 2), (120, 130, 0, 1, 7, 2, " + of_process(5) +
           ", 64, 2, 2, 1), (140, 150, "
           "0, 1, 7, 3, " +
           of_process(5) + ", 8, 8, 4, NULL), (160, 170, 0, 1, 7, 4, " + of_process(5) +
           ", -8, 99, 2, 2)");
  const auto trace = read_nsys(file_).trace;
  ASSERT_EQ(trace.activities.size(), 4u);
  const auto& up = trace.activities[0];
  EXPECT_EQ(up.name, "HtoD");
  EXPECT_EQ(up.bytes, 4096u);
  EXPECT_EQ(up.source, MemoryKind::pageable);
  EXPECT_EQ(up.target, MemoryKind::device);
  EXPECT_TRUE(up.synchronous);
  const auto& down = trace.activities[1];
  EXPECT_EQ(down.name, "DtoH");
  EXPECT_EQ(down.target, MemoryKind::pinned);
  EXPECT_FALSE(down.synchronous);
  // Managed memory and what is not told are no host memory that could be blamed.
  EXPECT_EQ(trace.activities[2].source, MemoryKind::device);
  EXPECT_EQ(trace.activities[3].name, "unknown copy");
  EXPECT_EQ(trace.activities[3].bytes, 0u);
  ASSERT_EQ(trace.notes.size(), 1u);
  EXPECT_EQ(trace.notes.front(), "1 copies were recorded without their memory kinds");
  ASSERT_EQ(trace.calls.size(), 2u);
  EXPECT_EQ(trace.calls[0].name, "cudaMemcpy");
  EXPECT_EQ(trace.calls[0].thread, 8u);
}

TEST_F(NsysImport, DriverCallsWithinACallOfTheRuntimeAreLeftOut) {
  ExportFile(file_)
      .base()
      .string(1, "cudaMalloc_v3020")
      .string(2, "cuMemAlloc_v2")
      .string(3, "cuInit")
      .run(ExportFile::calls)
      .run("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (10, 90, 0, " + of_process(5, 1) +
           ", 1, 1, 2), (20, 80, 1, " + of_process(5, 1) + ", 2, 2, 2), (30, 80, 1, " +
           of_process(5, 2) + ", 3, 2, 600), (95, 99, 1, " + of_process(5, 1) + ", 4, 3, 0)");
  const auto trace = read_nsys(file_).trace;
  ASSERT_EQ(trace.calls.size(), 3u);
  EXPECT_EQ(trace.calls[0].name, "cudaMalloc");
  EXPECT_FALSE(trace.calls[0].driver);
  EXPECT_EQ(trace.calls[1].thread, 2u) << "another thread's call is its own";
  EXPECT_TRUE(trace.calls[1].driver);
  EXPECT_EQ(trace.calls[2].name, "cuInit");
  ASSERT_EQ(trace.notes.size(), 1u) << "'not ready' is an answer";
  EXPECT_EQ(trace.notes.front(), "2 CUDA calls failed; the first: cudaMalloc with error 2");
}

TEST_F(NsysImport, ProcessesShareNoStreamAndNoCorrelation) {
  ExportFile(file_)
      .base()
      .string(1, "k")
      .string(2, "cudaLaunchKernel_v7000")
      .run(ExportFile::kernels)
      .run(ExportFile::calls)
      .run("CREATE TABLE PROCESSES (globalPid, pid, name)")
      .run("INSERT INTO PROCESSES VALUES (" + of_process(5) + ", 5, 'five'), (" + of_process(6) +
           ", 6, 'six'), (" + of_process(1) + ", 1, 'init')");
  {
    ExportFile file(file_);
    for (const int process : {5, 6}) {
      file.run("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (" + std::to_string(process * 10) +
               ", 100, 0, 1, 7, 1, " + of_process(process) + ", 1, 1, 1,1,1, 1,1,1, 0,0,0,0)");
      file.run("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (" + std::to_string(process) +
               ", 20, 0, " + of_process(process, process) + ", 1, 2, 0)");
    }
  }
  const auto recording = read_nsys(file_);
  EXPECT_EQ(recording.programs, (std::vector<std::string>{"five", "six"}));
  const auto& [activities, notes, calls, waits, ranges, overheads] = recording.trace;
  ASSERT_EQ(activities.size(), 2u);
  EXPECT_NE(activities[0].stream, activities[1].stream);
  EXPECT_NE(activities[0].correlation, activities[1].correlation);
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(activities[0].correlation, calls[0].correlation);
  EXPECT_EQ(activities[1].correlation, calls[1].correlation);
}

TEST_F(NsysImport, OfTooManyEventsTheFirstInTimeAreRead) {
  ExportFile file(file_);
  file.base().string(1, "k").string(2, "cudaLaunchKernel").run(ExportFile::kernels);
  file.run(ExportFile::calls);
  for (int i = 9; i >= 0; --i) {
    const auto at = std::to_string(1'000'000 * i);
    const auto id = std::to_string(i + 1);
    file.run("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (" + at + " + 10, " + at +
             " + 100, 0, 1, 7, " + id + ", " + of_process(5) + ", 1, 1, 1,1,1, 1,1,1, 0,0,0,0)");
    file.run("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (" + at + ", " + at + " + 5, 0, " +
             of_process(5, 5) + ", " + id + ", 2, 0)");
  }
  EXPECT_EQ(read_nsys(file_, 20).trace.activities.size(), 10u);
  EXPECT_TRUE(read_nsys(file_, 20).trace.notes.empty());
  const auto part = read_nsys(file_, 8).trace;
  EXPECT_EQ(part.activities.size(), 4u);
  EXPECT_EQ(part.calls.size(), 4u);
  EXPECT_LT(part.activities.back().start_ns, 4'000'000) << "the first of all, in whatever order";
  ASSERT_EQ(part.notes.size(), 1u);
  EXPECT_EQ(part.notes[0],
            "only the first 4 ms are read: the file has 20 events, but bench reads at most 8 (to "
            "record a part: "
            "nsys profile --delay, --duration)");
}

TEST_F(NsysImport, RangesHaveDomainsAndMayBeOpen) {
  ExportFile(file_)
      .base()
      .string(4, "registered")
      .run(ExportFile::ranges)
      .run("INSERT INTO NVTX_EVENTS VALUES (1, NULL, 75, 'mine', NULL, " + of_process(5, 5) +
           ", 1), (10, 50, 59, 'outer', NULL, " + of_process(5, 5) +
           ", 0), (20, 30, 59, NULL, 4, " + of_process(5, 5) +
           ", 1), (25, NULL, 34, 'mark', NULL, " + of_process(5, 5) +
           ", 0), (40, NULL, 60, 'open', NULL, " + of_process(5, 5) +
           ", 0), (5, 6, 59, 'other', NULL, " + of_process(6, 6) +
           ", 1), (7, 8, 39, 'a name of a thread', NULL, " + of_process(5) + ", 0)");
  const auto trace = read_nsys(file_).trace;
  ASSERT_EQ(trace.ranges.size(), 5u);
  EXPECT_EQ(trace.ranges[0].name, "other");
  EXPECT_EQ(trace.ranges[0].domain, "") << "the domain of another process";
  EXPECT_EQ(trace.ranges[1].name, "outer");
  EXPECT_EQ(trace.ranges[2].name, "registered");
  EXPECT_EQ(trace.ranges[2].domain, "mine");
  EXPECT_EQ(trace.ranges[3].end_ns, 25);
  EXPECT_EQ(trace.ranges[4].end_ns, 50) << "the latest time in the file";
  ASSERT_EQ(trace.notes.size(), 1u);
  EXPECT_EQ(trace.notes.front().substr(0, 13), "1 NVTX ranges");
}

TEST_F(NsysImport, WaitsGraphsMemsetsAndOverheadsAreThere) {
  ExportFile(file_)
      .base()
      .string(1, "Buffer flush")
      .run(
          "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start, end, contextId, streamId, "
          "globalPid, syncType)")
      .run(
          "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (1, 2, 1, 7, 0, 3), "
          "(3, 4, 1, 0, 0, 4), (5, 6, 1, 0, 0, 0)")
      .run("CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start, end, deviceId, streamId, graphId)")
      .run("INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (10, 20, 0, 7, 3)")
      .run("CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start, end, deviceId, streamId, bytes)")
      .run("INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (5, 9, 0, 7, 256)")
      .run("CREATE TABLE PROFILER_OVERHEAD (start, end, nameId)")
      .run("INSERT INTO PROFILER_OVERHEAD VALUES (30, 40, 1)");
  const auto trace = read_nsys(file_).trace;
  ASSERT_EQ(trace.synchronizations.size(), 2u);
  EXPECT_EQ(trace.synchronizations[0].kind, Synchronization::Kind::stream);
  EXPECT_EQ(trace.synchronizations[1].kind, Synchronization::Kind::context);
  ASSERT_EQ(trace.activities.size(), 2u);
  EXPECT_EQ(trace.activities[0].kind, Activity::Kind::memset);
  EXPECT_EQ(trace.activities[0].bytes, 256u);
  EXPECT_EQ(trace.activities[1].name, "[CUDA graph 3]");
  ASSERT_EQ(trace.overheads.size(), 1u);
  EXPECT_EQ(trace.overheads[0].kind, "Buffer flush");
}

// The oldest 3.x there is: the tables are those that nsys 2022.4 made, with what it recorded of our
// own program. It knew nothing of the driver there, so rows of the device are added.
TEST_F(NsysImport, TablesOfSchema30AreRead) {
  std::filesystem::copy_file(APOD_SOURCE_DIR "/tests/data/inspect/nsys_2022.sqlite", file_);
  ExportFile(file_)
      .string(90001, "kernel")
      .run(
          "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, "
          "correlationId, globalPid, demangledName, shortName, registersPerThread, gridX, gridY, "
          "gridZ, blockX, blockY, blockZ, staticSharedMemory, dynamicSharedMemory, "
          "localMemoryPerThread, localMemoryTotal, gridId) "
          "VALUES (10, 20, 0, 1, 7, 5, 0, 90001, 90001, 32, 4, 2, 1, 128, 1, 1, 8, 16, 24, 0, 1)")
      .run(
          "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY (start, end, deviceId, contextId, streamId, "
          "correlationId, globalPid, bytes, copyKind, srcKind, dstKind) "
          "VALUES (30, 40, 0, 1, 7, 6, 0, 4096, 1, 0, 2)");
  const auto recording = read_nsys(file_);
  EXPECT_EQ(recording.schema, "3.0.0");
  EXPECT_EQ(recording.producer, "NVIDIA Nsight Systems 2022.4.2.1");
  EXPECT_EQ(recording.programs, std::vector<std::string>{"bench"});
  const auto& trace = recording.trace;
  EXPECT_TRUE(trace.notes.empty());
  ASSERT_EQ(trace.activities.size(), 2u);
  EXPECT_EQ(trace.activities[0].name, "kernel");
  EXPECT_EQ(trace.activities[0].grid[1], 2u);
  EXPECT_EQ(trace.activities[0].local_bytes, 24u);
  EXPECT_EQ(trace.activities[1].bytes, 4096u);
  EXPECT_EQ(trace.activities[1].source, MemoryKind::pageable);
  EXPECT_EQ(trace.activities[1].target, MemoryKind::device);
  EXPECT_EQ(std::count_if(trace.ranges.begin(), trace.ranges.end(),
                          [](const auto& range) {
                            return range.domain == "apod" && range.name == "compute";
                          }),
            2);
}

TEST_F(NsysImport, ATableMayEndInTheVersionOfItsLayout) {
  std::filesystem::copy_file(APOD_SOURCE_DIR "/tests/data/inspect/numba_v3_8streams.sqlite", file_);
  const auto before = read_nsys(file_);
  ExportFile(file_)
      .run("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL_V2 (start, end)")
      .run("ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL RENAME TO CUPTI_ACTIVITY_KIND_KERNEL_V10")
      .run("ALTER TABLE CUPTI_ACTIVITY_KIND_MEMCPY RENAME TO CUPTI_ACTIVITY_KIND_MEMCPY_V3")
      .run("ALTER TABLE NVTX_EVENTS RENAME TO NVTX_EVENTS_V2");
  const auto after = read_nsys(file_);
  EXPECT_EQ(before.trace.activities.size(), after.trace.activities.size());
  EXPECT_EQ(before.trace.ranges.size(), after.trace.ranges.size());
  EXPECT_TRUE(after.trace.notes.empty());
}

TEST_F(NsysImport, ATableThatIsNotKnownIsNamed) {
  ExportFile(file_)
      .base()
      .run("CREATE TABLE CUPTI_ACTIVITY_KIND_NOTHING (start, end)")
      .run("CREATE TABLE CUPTI_ACTIVITY_KIND_LATER_V2 (start, end)")
      .run("INSERT INTO CUPTI_ACTIVITY_KIND_LATER_V2 VALUES (1, 2)");
  EXPECT_EQ(read_nsys(file_).trace.notes,
            std::vector<std::string>{
                "tables not read, because their layout is unknown: CUPTI_ACTIVITY_KIND_LATER"});
}

TEST_F(NsysImport, LaunchesOfGraphsThatLeftNothingOnTheDeviceAreCounted) {
  ExportFile(file_)
      .base()
      .string(1, "cudaGraphLaunch_v10000")
      .string(2, "cuGraphLaunch")
      .string(3, "cudaLaunchKernel_v7000")
      .string(4, "cudaGraphInstantiate_v12000")
      .run(
          "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid, nameId, "
          "correlationId, eventClass, returnValue)")
      .run(
          "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1, 2, 5, 1, 11, 0, 0), "
          "(3, 4, 5, 1, 12, 0, 0), (5, 6, 5, 2, 13, 1, 0), (7, 8, 5, 3, 14, 0, 0), "
          "(9, 10, 5, 4, 15, 0, 0), (11, 12, 5, 1, 16, 0, 700)")
      .run(
          "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, streamId, correlationId)")
      .run("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (2, 3, 0, 7, 11), (3, 4, 0, 7, 11)");
  const auto trace = read_nsys(file_).trace;
  EXPECT_EQ(trace.activities.size(), 2u) << "of the graph whose nodes were recorded";
  const auto launches = graph_launches(trace);
  EXPECT_EQ(launches.all, 3u) << "kernels are no graphs, and 16 failed";
  EXPECT_EQ(launches.unseen, 2u) << "12 and, through the driver, 13";
}

TEST_F(NsysImport, ADeviceHasWhatTheFileKnowsOfIt) {
  ExportFile(file_).base().run(
      "CREATE TABLE TARGET_INFO_GPU (id, name, smCount, maxWarpsPerSm, threadsPerWarp, "
      "computeMajor, computeMinor, memoryBandwidth);"
      "INSERT INTO TARGET_INFO_GPU VALUES (1, 'B', 2, 48, 32, 8, 9, 1000), "
      "(0, 'A', 132, 64, 32, 9, 0, 4814304000000);"
      "CREATE TABLE TARGET_INFO_SYSTEM_ENV (globalVid, name, value);"
      "INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES (1, 'CpuCores', '16'), "
      "(1, 'NvDriverVersion', '580.95.05')");
  const auto devices = read_nsys(file_).devices;
  ASSERT_EQ(devices.size(), 2u);
  EXPECT_EQ(devices[0].name, "A");
  EXPECT_EQ(devices[0].multiprocessors, 132);
  EXPECT_EQ(devices[0].max_threads_per_multiprocessor, 2048);
  EXPECT_EQ(devices[0].compute_capability, "9.0");
  EXPECT_DOUBLE_EQ(devices[0].peak_memory_bytes_per_s, 4.814304e12);
  EXPECT_EQ(devices[1].index, 1);
  EXPECT_EQ(devices[0].driver_version, "580.95.05");
}

TEST_F(NsysImport, LoadingAndCompilingHaveTheNamesOfOurOwnTracer) {
  ExportFile(file_)
      .base()
      .string(1, "CUPTI: Lazy Function Loading")
      .string(2, "Runtime Triggered Module Loading")
      .string(3, "CUPTI: Driver compiler")
      .string(4, "CUPTI: Resource Management")
      .string(5, "Unknown")
      .run("CREATE TABLE PROFILER_OVERHEAD (start, end, nameId)")
      .run(
          "INSERT INTO PROFILER_OVERHEAD VALUES (1, 2, 1), (2, 3, 2), (3, 4, 3), (4, 5, 4), "
          "(5, 6, 5)");
  std::vector<std::string> kinds;
  for (const auto& overhead : read_nsys(file_).trace.overheads) kinds.push_back(overhead.kind);
  EXPECT_EQ(kinds, (std::vector<std::string>{"lazy function loading", "module loading", "compiler",
                                             "CUPTI: Resource Management", "recorder"}));
}

TEST_F(NsysImport, NothingIsNeededBesidesTheTableOfStrings) {
  ExportFile(file_).base("");
  const auto recording = read_nsys(file_);
  EXPECT_TRUE(recording.trace.activities.empty());
  EXPECT_TRUE(recording.devices.empty());
  ASSERT_EQ(recording.trace.notes.size(), 1u) << "the version is not told";
}

TEST_F(NsysImport, ARecordingOfARealProgramReadsAsNsysItselfReportsIt) {
  // Of `nsys stats` on the same export (numba, three kernels, pageable copies, H200).
  const auto recording = read_nsys(APOD_SOURCE_DIR "/tests/data/inspect/numba_v1.sqlite");
  EXPECT_EQ(recording.programs, std::vector<std::string>{"python3"});
  ASSERT_EQ(recording.devices.size(), 1u);
  EXPECT_EQ(recording.devices[0].name, "NVIDIA H200");
  const auto& activities = recording.trace.activities;
  ASSERT_EQ(activities.size(), 5u);
  EXPECT_EQ(activities[0].name, "HtoD");
  EXPECT_EQ(activities[0].source, MemoryKind::pageable);
  EXPECT_TRUE(activities[0].synchronous);
  EXPECT_EQ(activities[0].bytes, 400000000u);
  EXPECT_EQ(activities[0].end_ns - activities[0].start_ns, 46881773);
  EXPECT_EQ(activities[2].grid[0], 1u);
  EXPECT_EQ(activities[2].block[0], 1u);
}

}  // namespace
}  // namespace apod::look
