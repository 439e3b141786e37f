/// The host backend: what a trace sees.

#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <set>
#include <thread>
#include <vector>

#include "tests/kernels/backends/host_backend.hpp"

namespace apod {
namespace {

using namespace std::chrono_literals;

TEST_F(HostBackend, TraceSeesOperationsWithTheirFacts) {
  const auto other = backend->create_stream("other");
  const auto pageable = backend->allocate(4000, MemoryKind::pageable);
  const auto pinned = backend->allocate(4000, MemoryKind::pinned);
  const auto device = backend->allocate(4000, MemoryKind::device);
  std::memset(pageable->data(), 0, 4000);
  enqueue_nothing(*stream, "before");
  const auto trace = backend->trace([&] {
    backend->copy(device->data(), pageable->data(), 1000, *stream);
    host::enqueue(
        *stream, [] { std::this_thread::sleep_for(2ms); }, "my_kernel");
    backend->copy(static_cast<char*>(pinned->data()) + 100,
                  static_cast<char*>(device->data()) + 3999, 1, *stream);
    backend->fill(device->data(), 0, 300, *stream);
    backend->synchronize();
    backend->copy(device->data(), device->data(), 0, *other);
    enqueue_nothing(*other, "elsewhere");
  });
  const auto& seen = trace.activities;
  ASSERT_EQ(seen.size(), 5u);
  EXPECT_TRUE(trace.notes.empty());
  for (const auto& activity : seen) {
    EXPECT_GT(activity.start_ns, 0);
    EXPECT_LE(activity.start_ns, activity.end_ns);
  }
  const auto expect_copy = [&](std::size_t i, const char* name, std::uint64_t bytes,
                               MemoryKind source, MemoryKind target) {
    EXPECT_EQ(seen[i].kind, Activity::Kind::copy);
    EXPECT_EQ(seen[i].name, name);
    EXPECT_EQ(seen[i].bytes, bytes);
    EXPECT_EQ(seen[i].source, source);
    EXPECT_EQ(seen[i].target, target);
  };
  expect_copy(0, "HtoD", 1000, MemoryKind::pageable, MemoryKind::device);
  expect_copy(2, "DtoH", 1, MemoryKind::device, MemoryKind::pinned);
  EXPECT_EQ(seen[1].kind, Activity::Kind::kernel);
  EXPECT_EQ(seen[1].name, "my_kernel");
  EXPECT_GE(seen[1].end_ns - seen[1].start_ns, 2'000'000);
  EXPECT_EQ(seen[3].kind, Activity::Kind::memset);
  EXPECT_EQ(seen[3].bytes, 300u);
  EXPECT_EQ(seen[4].name, "elsewhere");
  EXPECT_EQ(seen[0].stream, seen[3].stream);
  EXPECT_NE(seen[0].stream, seen[4].stream);
}

TEST_F(HostBackend, MemoryThatWasFreedIsNoLongerTheBackends) {
  constexpr std::size_t kBytes = 4096;
  const void* gone = backend->allocate(kBytes, MemoryKind::device)->data();
  // The allocator hands the same place out again, but not to the backend.
  std::vector<std::unique_ptr<void, decltype(&std::free)>> plain;
  while (plain.size() < 100 && (plain.empty() || plain.back().get() != gone)) {
    plain.emplace_back(std::aligned_alloc(kBytes, kBytes), &std::free);
  }
  void* again = plain.back().get();
  if (again != gone) GTEST_SKIP() << "this allocator does not reuse the place soon";
  std::memset(again, 0, kBytes);
  std::array<char, 64> target{};
  const auto trace = backend->trace([&] { backend->copy(target.data(), again, 64, *stream); });
  ASSERT_EQ(trace.activities.size(), 1u);
  EXPECT_EQ(trace.activities[0].name, "HtoH");
  EXPECT_EQ(trace.activities[0].source, MemoryKind::pageable);
}

TEST_F(HostBackend, TraceSeesEveryNodeOfAGraph) {
  const auto graph = backend->capture(*stream, [&] {
    enqueue_nothing(*stream, "one");
    enqueue_nothing(*stream, "two");
  });
  const auto trace = backend->trace([&] {
    graph->launch(*stream);
    graph->launch(*stream);
  });
  ASSERT_EQ(trace.activities.size(), 4u);
  EXPECT_EQ(trace.activities[0].name, "one");
  EXPECT_EQ(trace.activities[3].name, "two");
}

TEST_F(HostBackend, AFailedTraceLeavesTheNextOneClean) {
  EXPECT_THROW(backend->trace([&] {
    enqueue_nothing(*stream, "first");
    host::enqueue(
        *stream, [] { throw std::runtime_error("boom"); }, "second");
  }),
               std::runtime_error);
  EXPECT_EQ(code_of([&] { backend->trace([&] { backend->trace([] {}); }); }),
            BackendError::Code::other);
  const auto trace = backend->trace([&] { enqueue_nothing(*stream, "third"); });
  ASSERT_EQ(trace.activities.size(), 1u);
  EXPECT_EQ(trace.activities[0].name, "third");
}

TEST_F(HostBackend, TracesOfSeveralStreamsLoseNothing) {
  std::vector<std::unique_ptr<Stream>> streams;
  for (int i = 0; i < 4; ++i) streams.push_back(backend->create_stream("s"));
  const auto trace = backend->trace([&] {
    for (int i = 0; i < 200; ++i) {
      for (auto& each : streams) enqueue_nothing(*each, "k");
    }
  });
  std::set<std::uint32_t> numbers;
  for (const auto& activity : trace.activities) numbers.insert(activity.stream);
  EXPECT_EQ(trace.activities.size(), 800u);
  EXPECT_EQ(numbers.size(), 4u);
}

}  // namespace
}  // namespace apod
