// Traces for Perfetto, read back as JSON.

#include "benchmarks/show/export/perfetto.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <vector>

namespace apod::exports {
namespace {

using nlohmann::json;

constexpr std::int64_t epoch = 1'700'000'000'000'000'000;  // a clock far from 0

Trace timeline_trace() {
  Trace trace;
  Activity copy;
  copy.kind = Activity::Kind::copy;
  copy.name = "HtoD";
  copy.start_ns = epoch + 2000;
  copy.end_ns = epoch + 3000;
  copy.stream = 7;
  copy.correlation = 1;
  copy.bytes = 4000;
  copy.source = MemoryKind::pageable;
  Activity kernel;
  kernel.name = "void ns::scale<2>(float*)";
  kernel.start_ns = epoch + 2990;  // a little before the copy's end: noise
  kernel.end_ns = epoch + 5001;
  kernel.stream = 7;
  kernel.correlation = 2;
  kernel.grid = {4, 2, 1};
  kernel.block = {128, 1, 1};
  kernel.registers_per_thread = 24;
  trace.activities = {copy, kernel};
  trace.calls = {{"cudaMemcpyAsync", false, epoch, epoch + 100, 42, 1},
                 {"cudaLaunchKernel", false, epoch + 200, epoch + 300, 42, 2}};
  trace.ranges = {{"", "short", epoch, epoch + 500, 42},
                  {"", "long", epoch, epoch + 900, 42},
                  {"dom", "across", epoch + 400, epoch + 1500, 42}};
  trace.synchronizations = {{Synchronization::Kind::stream, epoch + 1000, epoch + 5000, 7}};
  trace.overheads = {{"buffer flush", epoch + 6000, epoch + 7000}};
  return trace;
}

json events_of(const std::vector<NamedTrace>& traces, const TrackNames& names = {}) {
  std::ostringstream out;
  write_perfetto(out, traces, names);
  return json::parse(out.str()).at("traceEvents");
}

/// Those of one phase, by name.
std::map<std::string, json> named(const json& events, const std::string& phase) {
  std::map<std::string, json> found;
  for (const auto& event : events) {
    if (event.at("ph") == phase) found[event.at("name").get<std::string>()] = event;
  }
  return found;
}

std::map<int, std::string> track_names(const json& events) {
  std::map<int, std::string> names;
  for (const auto& event : events) {
    if (event.at("name") == "thread_name") names[event.at("tid")] = event.at("args").at("name");
  }
  return names;
}

TEST(Perfetto, OperationsAreOnTheirStreamWithWhatTellsThemApart) {
  const auto trace = timeline_trace();
  const auto events = events_of({{"", &trace}}, {{{0, "NVIDIA H200"}}, {{42, "worker"}}});
  const auto bars = named(events, "X");
  const auto tracks = track_names(events);
  const auto& copy = bars.at("copy HtoD");
  EXPECT_EQ(tracks.at(copy.at("tid")), "stream 7");
  EXPECT_EQ(copy.at("ts"), 2.0) << "us since the first event";
  EXPECT_EQ(copy.at("dur"), 1.0);
  EXPECT_EQ(copy.at("args").at("bytes"), 4000);
  EXPECT_EQ(copy.at("args").at("GB/s"), 4.0);
  EXPECT_EQ(copy.at("args").at("from"), "pageable");
  EXPECT_EQ(copy.at("args").at("to"), "device");
  const auto& kernel = bars.at("ns::scale");
  EXPECT_EQ(kernel.at("tid"), copy.at("tid"));
  EXPECT_EQ(kernel.at("args").at("grid"), "4,2,1");
  EXPECT_EQ(kernel.at("args").at("registers per thread"), 24);
  EXPECT_EQ(kernel.at("args").at("kernel"), "void ns::scale<2>(float*)");
  EXPECT_EQ(kernel.at("ts"), 3.0) << "one stream runs one operation after the other";
  EXPECT_EQ(kernel.at("dur"), 2.001);
  EXPECT_EQ(tracks.at(bars.at("cudaLaunchKernel").at("tid")), "worker (42)");
  EXPECT_EQ(tracks.at(bars.at("wait for a stream").at("tid")), "waits");
  EXPECT_EQ(tracks.at(bars.at("buffer flush").at("tid")), "overheads");
  std::set<std::string> processes;
  for (const auto& event : events) {
    if (event.at("name") == "process_name") processes.insert(event.at("args").at("name"));
  }
  EXPECT_EQ(processes, (std::set<std::string>{"host", "device 0: NVIDIA H200"}));
}

TEST(Perfetto, ArrowsLeadFromACallToWhatItStarted) {
  const auto trace = timeline_trace();
  const auto events = events_of({{"", &trace}});
  std::map<int, json> starts;
  std::map<int, json> ends;
  for (const auto& event : events) {
    if (event.at("ph") == "s") starts[event.at("id")] = event;
    if (event.at("ph") == "f") ends[event.at("id")] = event;
  }
  ASSERT_EQ(starts.size(), 2u);
  ASSERT_EQ(ends.size(), 2u);
  const auto bars = named(events, "X");
  for (const auto& [id, start] : starts) {
    const bool copies = start.at("ts") == 0.0;
    const auto& call = bars.at(copies ? "cudaMemcpyAsync" : "cudaLaunchKernel");
    const auto& operation = bars.at(copies ? "copy HtoD" : "ns::scale");
    EXPECT_EQ(start.at("tid"), call.at("tid"));
    EXPECT_EQ(ends.at(id).at("tid"), operation.at("tid"));
    EXPECT_EQ(ends.at(id).at("ts"), operation.at("ts"));
    EXPECT_EQ(ends.at(id).at("bp"), "e");
  }
}

TEST(Perfetto, BarsOfATrackNest) {
  const auto trace = timeline_trace();
  const auto events = events_of({{"", &trace}});
  const auto bars = named(events, "X");
  const auto tracks = track_names(events);
  EXPECT_EQ(tracks.at(bars.at("long").at("tid")), "thread 42 NVTX");
  EXPECT_EQ(bars.at("short").at("tid"), bars.at("long").at("tid"));
  EXPECT_EQ(tracks.at(bars.at("dom:across").at("tid")), "thread 42 NVTX (2)")
      << "it ends after the range in which it begins";
}

TEST(Perfetto, EachCaseHasABarAndSharesTheTracks) {
  const auto first = timeline_trace();
  auto second = timeline_trace();
  for (auto& activity : second.activities) {
    activity.start_ns += 100000;
    activity.end_ns += 100000;
  }
  second.calls.clear();
  const auto events = events_of({{"case/one", &first}, {"case \"two\"", &second}});
  const auto bars = named(events, "X");
  ASSERT_TRUE(bars.contains("case/one"));
  ASSERT_TRUE(bars.contains("case \"two\""));
  EXPECT_EQ(track_names(events).at(bars.at("case/one").at("tid")), "cases");
  std::size_t arrows = 0;
  for (const auto& event : events) arrows += event.at("ph") == "s" ? 1 : 0;
  EXPECT_EQ(arrows, 2u) << "correlations of one trace mean nothing in another";
}

TEST(Perfetto, OddNamesAndEmptyTracesAreJson) {
  const Trace nothing;
  EXPECT_EQ(events_of({}).size(), 1u);
  EXPECT_EQ(events_of({{"case", &nothing}}).size(), 1u);
  Trace odd;
  odd.ranges = {{"\xff", "a\"b\\c\n\x01", 5, 3, 0}};
  const auto events = events_of({{"x", &odd}});
  ASSERT_EQ(named(events, "X").size(), 2u);
  for (const auto& [name, bar] : named(events, "X")) EXPECT_GE(bar.at("dur").get<double>(), 0);
}

TEST(Perfetto, TenThousandOperationsAreWritten) {
  Trace trace;
  for (std::uint32_t i = 1; i <= 10000; ++i) {
    Activity kernel;
    kernel.name = "k";
    kernel.start_ns = i * 10;
    kernel.end_ns = i * 10 + 5;
    kernel.correlation = i;
    trace.activities.push_back(kernel);
    trace.calls.push_back({"cudaLaunchKernel", false, i * 10 - 5, i * 10 - 1, 1, i});
  }
  std::ostringstream out;
  write_perfetto(out, {{"", &trace}});
  const auto text = out.str();
  EXPECT_TRUE(json::accept(text));
  // A line for each event: bars of both, arrows of two events, seven for names and order, two
  // brackets.
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 40000 + 6 + 2);
}

}  // namespace
}  // namespace apod::exports
