// What processes wrote of themselves, as one recording.

#include "benchmarks/look/process_files.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>

#include "benchmarks/files/record/codec.hpp"

namespace apod::look {
namespace {

class ProcessFiles : public ::testing::Test {
 protected:
  ProcessFiles() {
    std::string pattern = (std::filesystem::temp_directory_path() / "apod_parts.XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~ProcessFiles() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ + "/" + name, std::ios::app) << text;
  }
  void write(const std::string& name, const ProcessPart& part) const {
    write(name, record::encode(part) + '\n');
  }
  Recording read() const { return read_process_files(folder_); }

  std::string folder_;
};

Activity kernel(std::int64_t start_ns, std::uint32_t correlation) {
  Activity kernel;
  kernel.name = "k";
  kernel.start_ns = start_ns;
  kernel.end_ns = start_ns + 100;
  kernel.stream = 7;
  kernel.correlation = correlation;
  kernel.grid = {1, 1, 1};
  kernel.block = {256, 1, 1};
  kernel.registers_per_thread = 32;
  return kernel;
}

ProcessPart part(int process, const std::string& uuid) {
  ProcessPart part;
  part.process = process;
  part.program = "app";
  part.clock_ns = 1'000'000;
  part.last = true;
  TracedDevice device;
  device.facts.name = "G";
  device.facts.uuid = uuid;
  device.limits = {65536, 233472, 64, 32, 32, 9};
  part.devices.push_back(device);
  return part;
}

TEST_F(ProcessFiles, NoneAreNoPrograms) {
  const auto recording = read();
  EXPECT_TRUE(recording.programs.empty());
  EXPECT_TRUE(recording.trace.notes.empty());
}

TEST_F(ProcessFiles, CallsOfTheDriverBelongToTheRuntimesWhateverThePart) {
  auto first = part(1, "a");
  first.last = false;
  first.trace.calls.push_back({"cuLaunchKernel", true, 110, 190, 3, 21});
  first.trace.activities.push_back(kernel(300, 21));
  write("1.0.parts", first);
  auto second = part(1, "a");
  second.trace.calls.push_back({"cudaLaunchKernel", false, 100, 200, 3, 20});
  second.threads.push_back({3, "main"});
  write("1.0.parts", second);
  const auto recording = read();
  ASSERT_EQ(recording.trace.calls.size(), 1U);
  EXPECT_EQ(recording.trace.calls[0].name, "cudaLaunchKernel");
  EXPECT_EQ(recording.trace.activities[0].correlation, 20U);
  EXPECT_EQ(recording.trace.calls[0].start_ns, 0) << "times begin with the recording";
  EXPECT_EQ(recording.trace.activities[0].start_ns, 200);
  EXPECT_EQ(recording.trace.activities[0].resident_blocks, 8U) << "of 64 warps, each block has 8";
  EXPECT_EQ(recording.thread_names.at(3), "main");
  EXPECT_TRUE(recording.trace.notes.empty());
}

TEST_F(ProcessFiles, EqualIdsOfTwoProcessesAreToldApart) {
  auto first = part(1, "a");
  first.trace.activities.push_back(kernel(500, 20));
  write("1.0.parts", first);
  auto second = part(2, "b");  // its device 0 is another one
  second.clock_ns = 0;         // and its clock is ours
  second.trace.activities.push_back(kernel(1'000'400, 20));
  write("2.0.parts", second);
  auto third = part(3, "a");
  third.trace.activities.push_back(kernel(600, 20));
  third.trace.notes.push_back("n");
  write("3.0.parts", third);
  const auto recording = read();
  const auto& all = recording.trace.activities;
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].start_ns, 0);
  EXPECT_EQ(all[1].start_ns, 100);
  EXPECT_EQ(all[0].device, 1U);
  EXPECT_EQ(all[1].device, 0U);
  EXPECT_EQ(all[2].device, 0U);
  EXPECT_NE(all[1].stream, all[2].stream);
  EXPECT_NE(all[1].correlation, all[2].correlation);
  EXPECT_EQ(recording.devices.size(), 2U);
  EXPECT_EQ(recording.trace.notes, std::vector<std::string>{"app (process 3): n"});
}

TEST_F(ProcessFiles, SoAreThoseOfTwoProgramsThatOneProcessWasOneAfterTheOther) {
  for (const char* name : {"1.0.parts", "1.1.parts"}) {
    auto image = part(1, "a");
    image.trace.calls.push_back({"cudaLaunchKernel", false, 100, 200, 3, 20});
    image.trace.activities.push_back(kernel(300, 20));
    write(name, image);
  }
  const auto trace = read().trace;
  ASSERT_EQ(trace.activities.size(), 2U);
  EXPECT_NE(trace.activities[0].stream, trace.activities[1].stream);
  EXPECT_NE(trace.activities[0].correlation, trace.activities[1].correlation);
  EXPECT_NE(trace.calls[0].correlation, trace.calls[1].correlation);
}

TEST_F(ProcessFiles, ThreadsOfTwoNodesMayHaveOneNumber) {
  for (int process = 1; process <= 2; ++process) {
    auto one = part(process, process == 1 ? "a" : "b");
    one.trace.calls.push_back({"cudaLaunchKernel", false, 100, 200, 3, 20});
    one.trace.ranges.push_back({"", "step", 90, 210, 3});
    one.trace.activities.push_back(kernel(300, 20));
    one.threads.push_back({3, process == 1 ? "first" : "second"});
    write(std::to_string(process) + ".0.parts", one);
  }
  const auto recording = read();
  const auto& trace = recording.trace;
  ASSERT_EQ(trace.calls.size(), 2U);
  EXPECT_NE(trace.calls[0].thread, trace.calls[1].thread);
  EXPECT_EQ(trace.calls[0].thread, trace.ranges[0].thread);
  EXPECT_EQ(trace.calls[1].thread, trace.ranges[1].thread);
  EXPECT_EQ(recording.thread_names.at(trace.calls[0].thread), "first");
  EXPECT_EQ(recording.thread_names.at(trace.calls[1].thread), "second");
}

TEST_F(ProcessFiles, ProcessesThatUseADeviceAtOnceAreCounted) {
  const auto add = [&](int process, std::int64_t start_ns) {
    auto one = part(process, "a");
    one.trace.activities.push_back(kernel(start_ns, 20));
    write(std::to_string(process) + ".0.parts", one);
  };
  add(1, 500);
  add(2, 700);
  EXPECT_TRUE(read().trace.notes.empty()) << "one came after the other";
  add(3, 550);
  ASSERT_EQ(read().trace.notes.size(), 1U);
  EXPECT_TRUE(read().trace.notes[0].starts_with("2 processes used device 0 at the same time"));
}

TEST_F(ProcessFiles, AFileThatBreaksOffGivesWhatIsWhole) {
  auto whole = part(1, "a");
  whole.last = false;
  whole.trace.activities.push_back(kernel(500, 20));
  write("1.0.parts", whole);
  write("1.0.parts", record::encode(whole).substr(0, 100));
  const auto recording = read();
  EXPECT_EQ(recording.trace.activities.size(), 1U);
  ASSERT_EQ(recording.trace.notes.size(), 1U);
  EXPECT_NE(recording.trace.notes[0].find("did not end normally"), std::string::npos);
}

TEST_F(ProcessFiles, WhatIsNoFileOfOursIsPassedOver) {
  write("1.0.parts", "rubbish\n");
  write("2.0.parts", "");
  write("core", "rubbish\n");
  EXPECT_TRUE(read().programs.empty());
}

TEST_F(ProcessFiles, APartWithANumberThatCantBeIsLeftOutByName) {
  const auto refused = [&](const char* why, const auto& change) {
    auto bad = part(1, "a");
    change(bad);
    std::filesystem::remove(folder_ + "/1.0.parts");
    write("1.0.parts", bad);
    const auto notes = read().trace.notes;
    return notes.size() == 1 && notes[0].starts_with("1.0.parts: ") &&
           notes[0].find(why) != std::string::npos;
  };
  constexpr auto largest = std::numeric_limits<std::int64_t>::max();
  EXPECT_FALSE(refused("", [](auto&) {}));
  EXPECT_TRUE(refused("process", [](auto& part) { part.process = 0; }));
  EXPECT_TRUE(refused("clock_ns", [](auto& part) { part.clock_ns = largest; }));
  EXPECT_TRUE(refused("clock_ns", [](auto& part) { part.clock_ns = -largest; }));
  EXPECT_TRUE(refused("limits", [](auto& part) {
    part.devices[0].limits.threads_per_warp = std::numeric_limits<std::uint64_t>::max();
  }));
  EXPECT_TRUE(refused("limits", [](auto& part) {
    part.devices[0].limits.warps = std::numeric_limits<std::uint64_t>::max();
  }));
  EXPECT_TRUE(refused("devices", [](auto& part) { part.devices.resize(2000); }));
  EXPECT_TRUE(refused(
      "devices", [](auto& part) { part.devices[0].facts.max_threads_per_multiprocessor = 40000; }));
  EXPECT_TRUE(refused("devices", [](auto& part) { part.devices[0].facts.index = -1; }));
  EXPECT_TRUE(refused("devices", [](auto& part) {
    part.devices[0].facts.index = std::numeric_limits<int>::max();
  }));
  EXPECT_TRUE(
      refused("devices", [](auto& part) { part.devices[0].facts.multiprocessors = 40000; }));
  EXPECT_TRUE(refused("devices", [](auto& part) { part.devices[0].facts.power_limit_w = -1; }));
}

TEST_F(ProcessFiles, AProcessWhoseClockIsFarFromTheOthersIsLeftOutByName) {
  for (const int process : {1, 2, 3}) {
    auto one = part(process, "a");
    one.clock_ns = process == 2 ? (std::int64_t{1} << 61) - 1 : -1000;
    one.trace.activities.push_back(kernel(500, 20));
    write(std::to_string(process) + ".0.parts", one);
  }
  const auto trace = read().trace;
  EXPECT_EQ(trace.activities.size(), 2U);
  EXPECT_EQ(std::count(trace.notes.begin(), trace.notes.end(),
                       "2.0.parts: left out, because its times don't fit the other processes"),
            1);
}

// Recorded on an H100 by the library: docs/tutorials, and a parent that spawns three children, one
// of which ends in order.
Recording processes_of(const std::string& name) {
  return read_process_files(APOD_SOURCE_DIR "/tests/data/inspect/parts/" + name);
}

TEST(RecordedProcesses, AStepOfANetworkWithTheThreadThatGoesBackward) {
  const auto recording = processes_of("network_window");
  EXPECT_EQ(recording.programs, std::vector<std::string>{"python3.12"});
  ASSERT_EQ(recording.devices.size(), 1U);
  EXPECT_EQ(recording.devices[0].name, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(recording.devices[0].compute_capability, "9.0");
  EXPECT_EQ(recording.devices[0].max_threads_per_multiprocessor, 2048);
  EXPECT_EQ(recording.trace.activities.size(), 56U);
  std::set<std::string> threads;
  for (const auto& [thread, name] : recording.thread_names) threads.insert(name);
  EXPECT_EQ(threads, (std::set<std::string>{"pt_autograd_0", "python3"}));
  std::set<std::string> ranges;
  for (const auto& range : recording.trace.ranges) ranges.insert(range.name);
  EXPECT_EQ(ranges, (std::set<std::string>{"step 3", "upload", "forward", "backward", "update"}));
  for (const auto& activity : recording.trace.activities) {
    EXPECT_LT(activity.start_ns, activity.end_ns);
    if (activity.kind == Activity::Kind::kernel) {
      EXPECT_GT(activity.resident_blocks, 0U) << activity.name;
    }
    // Each of them has the call that made it, also where that is one of the runtime around one of
    // the driver.
    EXPECT_TRUE(
        std::any_of(recording.trace.calls.begin(), recording.trace.calls.end(),
                    [&](const auto& call) { return call.correlation == activity.correlation; }))
        << activity.name;
  }
}

TEST(RecordedProcesses, TheWindowOfOneThreadHoldsWhatTheOtherDidMeanwhile) {
  const auto recording = processes_of("ranges_window");
  std::set<std::uint32_t> streams;
  for (const auto& activity : recording.trace.activities) streams.insert(activity.stream);
  EXPECT_EQ(streams.size(), 2U);
}

TEST(RecordedProcesses, ChildrenThatEndOutOfOrderAreNamed) {
  const auto recording = processes_of("spawn");
  EXPECT_EQ(recording.devices.size(), 1U) << "one device, whoever used it";
  EXPECT_EQ(std::count_if(recording.trace.notes.begin(), recording.trace.notes.end(),
                          [](const auto& note) {
                            return note.find("did not end normally") != std::string::npos;
                          }),
            2);
}

}  // namespace
}  // namespace apod::look
