#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "benchmarks/files/record/archive.hpp"
#include "benchmarks/files/record/codec.hpp"
#include "tests/benchmarks/files/record/member_count.hpp"
#include "tests/support/texts.hpp"

namespace apod::record {
namespace {

/// Every field with a value of its own, in records of which each differs.
Trace full_trace() {
  Trace trace;
  for (std::uint32_t i = 1; i <= 3; ++i) {
    Activity activity;
    activity.kind = i == 1 ? Activity::Kind::kernel : Activity::Kind::memset;
    activity.name = "kernel \"" + std::to_string(i % 2) + "\"\n";
    activity.start_ns = -1000 - i;
    activity.end_ns = (std::int64_t{1} << 61) - 1 - i;
    activity.device = i + 1;
    activity.stream = i + 2;
    activity.correlation = std::numeric_limits<std::uint32_t>::max() - i;
    activity.grid = {i + 3, i + 4, i + 5};
    activity.block = {i + 6, i + 7, i + 8};
    activity.registers_per_thread = i + 9;
    activity.static_shared_bytes = i + 10;
    activity.dynamic_shared_bytes = i + 11;
    activity.local_bytes = i + 12;
    activity.resident_blocks = i + 13;
    activity.limiter = OccupancyLimiter::shared_memory;
    activity.code = std::numeric_limits<std::uint64_t>::max() - i;
    activity.bytes = std::uint64_t{1} << 60;
    activity.source = MemoryKind::pinned;
    activity.target = MemoryKind::pageable;
    activity.synchronous = i == 2;
    trace.activities.push_back(activity);
    trace.calls.push_back({"call " + std::to_string(i), i == 1, 10 + i, 20 + i, 30 + i, 40 + i});
  }
  trace.synchronizations = {{Synchronization::Kind::stream_wait, 1, 2, 3},
                            {Synchronization::Kind::context, 4, 5, 0}};
  trace.ranges = {{"apod", "outer", 1, 9, 7, 1000, 11}, {"", "", 2, 2, 8}};
  trace.overheads = {{"buffer flush", 3, 4}};
  trace.notes = {"a note\n", ""};
  return trace;
}

auto all(const Activity& x) {
  return std::tuple(x.kind, x.name, x.start_ns, x.end_ns, x.device, x.stream, x.correlation, x.grid,
                    x.block, x.registers_per_thread, x.static_shared_bytes, x.dynamic_shared_bytes,
                    x.local_bytes, x.resident_blocks, x.limiter, x.code, x.bytes, x.source,
                    x.target, x.synchronous);
}
auto all(const ApiCall& x) {
  return std::tuple(x.name, x.driver, x.start_ns, x.end_ns, x.thread, x.correlation);
}
auto all(const Synchronization& x) {
  return std::tuple(x.kind, x.start_ns, x.end_ns, x.stream);
}
auto all(const NvtxRange& x) {
  return std::tuple(x.domain, x.name, x.start_ns, x.end_ns, x.thread, x.bytes, x.communicator);
}
auto all(const Overhead& x) {
  return std::tuple(x.kind, x.start_ns, x.end_ns);
}

template <class Record>
void expect_same(const std::vector<Record>& a, const std::vector<Record>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(all(a[i]), all(b[i])) << i;
}

void expect_equal(const Trace& a, const Trace& b) {
  expect_same(a.activities, b.activities);
  expect_same(a.calls, b.calls);
  expect_same(a.synchronizations, b.synchronizations);
  expect_same(a.ranges, b.ranges);
  expect_same(a.overheads, b.overheads);
  EXPECT_EQ(a.notes, b.notes);
}

TEST(TraceCodec, KeepsEveryField) {
  const std::string line = encode(full_trace());
  EXPECT_FALSE(contains(line, "\n"));
  expect_equal(decode_trace(line), full_trace());
  expect_equal(decode_trace(encode(Trace{})), Trace{});
}

TEST(TraceCodec, KnowsEveryMember) {
  const Json json = Json::parse(encode(full_trace()));
  EXPECT_EQ(json.at("activities").size(), member_count<Activity>() + 4) << "two have three parts";
  EXPECT_EQ(json.at("calls").size(), member_count<ApiCall>());
  EXPECT_EQ(json.at("synchronizations").size(), member_count<Synchronization>());
  EXPECT_EQ(json.at("ranges").size(), member_count<NvtxRange>());
  EXPECT_EQ(json.at("overheads").size(), member_count<Overhead>());
  EXPECT_EQ(json.size(), member_count<Trace>() + 1) << "and the texts";
}

TEST(TraceCodec, OlderOnesHaveNoSizesOfMessages) {
  Json json = Json::parse(encode(full_trace()));
  json["ranges"].erase("bytes");
  json["ranges"].erase("communicator");
  const auto read = decode_trace(json.dump());
  ASSERT_EQ(read.ranges.size(), 2);
  EXPECT_EQ(read.ranges[0].thread, 7);
  EXPECT_EQ(read.ranges[0].bytes, 0);
}

TEST(TraceCodec, NamesStandInALineOnce) {
  Trace trace;
  Activity kernel;
  kernel.name = std::string(1000, 'k');
  trace.activities.assign(1000, kernel);
  EXPECT_LT(encode(trace).size(), 100'000u);
}

TEST(TraceCodec, DamageIsRefusedWithThePlace) {
  const auto refusal = [](const std::function<void(Json&)>& damage) {
    Json json = Json::parse(encode(full_trace()));
    damage(json);
    return error_of([&] { decode_trace(json.dump()); });
  };
  EXPECT_EQ(refusal([](Json& json) { json.erase("calls"); }), "not a trace: calls: missing");
  EXPECT_EQ(refusal([](Json& json) { json["calls"] = 3; }), "not a trace: calls: not an object");
  EXPECT_EQ(refusal([](Json& json) { json["calls"].erase("thread"); }),
            "not a trace: calls: thread: missing");
  EXPECT_EQ(refusal([](Json& json) {
              json["calls"]["thread"] = {1, 2};
            }),
            "not a trace: calls: thread: must be a column of the same length as the other columns");
  EXPECT_EQ(refusal([](Json& json) { json["calls"]["name"] = "text"; }),
            "not a trace: calls: name: must be a column of the same length as the other columns");
  EXPECT_EQ(refusal([](Json& json) { json["calls"]["name"][1] = 99; }),
            "not a trace: calls: name: [1]: the index of a text is out of range");
  EXPECT_EQ(refusal([](Json& json) { json["calls"]["thread"][2] = -1; }),
            "not a trace: calls: thread: [2]: integer out of range");
  EXPECT_EQ(refusal([](Json& json) { json["activities"]["kind"][0] = 3; }),
            "not a trace: activities: kind: [0]: unknown kind");
  EXPECT_EQ(refusal([](Json& json) { json["activities"]["limiter"][0] = 5; }),
            "not a trace: activities: limiter: [0]: unknown kind");
  EXPECT_EQ(refusal([](Json& json) { json.erase("texts"); }), "not a trace: texts: missing");
  EXPECT_EQ(refusal([](Json& json) { json = Json::array(); }), "not a trace: not an object");
  EXPECT_THROW(decode_trace(std::string(100, '[')), std::runtime_error);
  const std::string line = encode(full_trace());
  for (std::size_t length = 0; length < line.size(); length += 7) {
    EXPECT_THROW(decode_trace(line.substr(0, length)), std::runtime_error) << length;
  }
}

}  // namespace
}  // namespace apod::record
