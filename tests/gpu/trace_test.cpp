/// What a trace says of the host beside the device, on a real one.

#include <algorithm>
#include <map>
#include <set>

#include "benchmarks/look/trace/profile_of.hpp"
#include "benchmarks/look/trace/ranges.hpp"
#include "benchmarks/look/trace/timeline.hpp"
#include "tests/gpu/cuda_backend.hpp"
#include "tests/kernels/execute.hpp"

namespace apod::test {
namespace {

class WholeTrace : public OnCuda<> {
 protected:
  /// Traces `runs` runs of a variant.
  void trace_variant(const std::string& family_name, const std::string& variant_name, int runs) {
    const auto* family = Registry::instance().family(family_name);
    const auto variant = Registry::instance().variant(family_name, variant_name)->make();
    const auto params = params_of(*family);
    const auto problem = family->make(params, {.kind = DataSpec::Kind::ones});
    Executor executor(*backend, *variant, *problem, params, 1);
    executor.run();
    trace([&] { executor.run(runs); });
  }

  const ApiCall* call_of(const Activity& activity) const {
    const auto found = std::find_if(seen.calls.begin(), seen.calls.end(), [&](const auto& call) {
      return call.correlation == activity.correlation;
    });
    return found == seen.calls.end() ? nullptr : &*found;
  }
};

TEST_F(WholeTrace, EveryOperationHasTheCallThatMadeIt) {
  const auto pinned = backend->allocate(1 << 20, MemoryKind::pinned);
  const auto pageable = backend->allocate(1 << 20, MemoryKind::pageable);
  const auto device = backend->allocate(1 << 20, MemoryKind::device);
  trace([&] {
    backend->copy(device->data(), pinned->data(), 1 << 20, *stream);
    backend->fill(device->data(), 1, 1 << 20, *stream);
    backend->copy(pageable->data(), device->data(), 1 << 20, *stream);
    stream->synchronize();
  });
  if (IsSkipped()) return;
  ASSERT_EQ(seen.activities.size(), 3u);
  const std::vector<std::string> names{"cudaMemcpyAsync", "cudaMemsetAsync", "cudaMemcpyAsync"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto* call = call_of(seen.activities[i]);
    ASSERT_NE(call, nullptr) << i;
    EXPECT_EQ(call->name, names[i]);
    EXPECT_FALSE(call->driver);
    EXPECT_LT(call->start_ns, call->end_ns);
    EXPECT_LE(call->start_ns, seen.activities[i].start_ns) << "one clock";
  }
  EXPECT_FALSE(seen.activities[0].synchronous);
  EXPECT_EQ(seen.activities[0].device, 0u);
}

TEST_F(WholeTrace, TheDriversCallsWithinTheRuntimesAreNotShown) {
  trace_variant("copy", "grid_stride", 3);
  if (IsSkipped()) return;
  std::map<std::string, int> calls;
  for (const auto& call : seen.calls) {
    ++calls[call.name];
    EXPECT_FALSE(call.driver) << call.name << ": this program calls the runtime alone";
    EXPECT_EQ(call.name.find("_v"), std::string::npos) << call.name;
  }
  EXPECT_EQ(calls["cudaLaunchKernel"], 3);
  EXPECT_EQ(calls["cudaDeviceSynchronize"], 0) << "the tracer's own wait is not the program's";
  EXPECT_TRUE(std::is_sorted(seen.calls.begin(), seen.calls.end(),
                             [](auto& a, auto& b) { return a.start_ns < b.start_ns; }));
  std::size_t kernels = 0;
  for (const auto& activity : seen.activities) {
    if (activity.kind != Activity::Kind::kernel) continue;
    ++kernels;
    ASSERT_NE(call_of(activity), nullptr);
    EXPECT_EQ(call_of(activity)->name, "cudaLaunchKernel");
  }
  EXPECT_EQ(kernels, 3u);
}

TEST_F(WholeTrace, TheHostsWaitsAreSeenWithTheirStream) {
  // The first copy that a process traces returns late.
  constexpr std::size_t bytes = std::size_t{256} << 20;
  const auto pinned = backend->allocate(bytes, MemoryKind::pinned);
  const auto device = backend->allocate(bytes, MemoryKind::device);
  const auto copy_and_wait = [&] {
    backend->copy(device->data(), pinned->data(), bytes, *stream);
    stream->synchronize();
  };
  trace(copy_and_wait);
  if (!IsSkipped()) trace(copy_and_wait);
  if (IsSkipped()) return;
  ASSERT_EQ(seen.activities.size(), 1u);
  const auto& copy = seen.activities[0];
  const auto wait =
      std::find_if(seen.synchronizations.begin(), seen.synchronizations.end(),
                   [](const auto& one) { return one.kind == Synchronization::Kind::stream; });
  ASSERT_NE(wait, seen.synchronizations.end());
  EXPECT_EQ(wait->stream, copy.stream);
  EXPECT_GE(wait->end_ns, copy.end_ns) << "it waited for the copy";
  const auto facts = apod::trace::facts_of(seen, backend->facts());
  EXPECT_GT(facts.at("host_wait"), 0.3) << "for most of the copy, after the call that began it";
  EXPECT_GT(facts.at("launch_latency"), 1e-7);
  EXPECT_LT(facts.at("launch_latency"), 1e-3);
}

TEST_F(WholeTrace, KernelsHaveWhatLimitsThem) {
  trace_variant("copy", "grid_stride", 1);
  if (IsSkipped()) return;
  const auto profile = apod::trace::profile_of(seen);
  ASSERT_EQ(profile.kernels.size(), 1u);
  EXPECT_NE(profile.kernels[0].limiter, OccupancyLimiter::unknown);
  EXPECT_EQ(profile.kernels[0].local_bytes, 0u);
  EXPECT_GT(profile.kernels[0].resident_blocks, 0u);
  EXPECT_FALSE(profile.calls.empty());
}

TEST_F(WholeTrace, BesideAnotherProfilerTheWorkIsDoneAndTheTraceSaysWhy) {
  if (shares_its_process()) GTEST_SKIP() << needs_a_process;
  int runs = 0;
  const auto work = [&] { ++runs; };
  trace_variant("copy", "grid_stride", 1);  // skips where nothing can be traced
  if (IsSkipped()) return;
  auto rival = Registry::instance().backend(BackendKind::cuda)->open(0);
  rival->expect_traces();  // attached from here on, as a profiler is
  const auto beside = backend->trace(work);
  EXPECT_EQ(runs, 1);
  EXPECT_TRUE(beside.activities.empty());
  ASSERT_EQ(beside.notes.size(), 1u);
  EXPECT_NE(beside.notes[0].find("another profiler is attached"), std::string::npos);
  rival.reset();
  trace_variant("copy", "grid_stride", 1);
  EXPECT_FALSE(seen.activities.empty()) << "once the other one is gone";
}

TEST_F(WholeTrace, RangesWithinTheWorkAreSeen) {
  if (shares_its_process()) GTEST_SKIP() << needs_a_process;
  if (!apod::trace::ranges_available()) GTEST_SKIP() << "built without the nvtx3 headers";
  { apod::trace::Range before("before anybody listens", apod::trace::Color::setup); }
  backend->expect_traces();
  const auto device = backend->allocate(64, MemoryKind::device);
  const auto work = [&] {
    apod::trace::Range outer("outer", apod::trace::Color::sample);
    apod::trace::Range inner("inner", apod::trace::Color::transfer);
    backend->fill(device->data(), 1, 64, *stream);
    stream->synchronize();
  };
  { apod::trace::Range between("not in a trace", apod::trace::Color::setup); }
  for (int round = 0; round < 2; ++round) {
    apod::trace::Range around("around the trace", apod::trace::Color::case_);
    trace(work);
    if (IsSkipped()) return;
    ASSERT_EQ(seen.ranges.size(), 2u) << "round " << round;
    EXPECT_EQ(seen.ranges[0].name, "outer");
    EXPECT_EQ(seen.ranges[1].name, "inner");
    for (const auto& range : seen.ranges) {
      EXPECT_EQ(range.domain, "apod");
      ASSERT_FALSE(seen.calls.empty());
      EXPECT_EQ(range.thread, seen.calls[0].thread);
      EXPECT_LE(range.start_ns, seen.calls.front().start_ns);
      EXPECT_GE(range.end_ns, seen.calls.back().end_ns);
    }
  }
}

TEST_F(WholeTrace, AKernelHasTheOperationThatItWasLaunchedIn) {
  if (shares_its_process()) GTEST_SKIP() << needs_a_process;
  if (!apod::trace::ranges_available()) GTEST_SKIP() << "built without the nvtx3 headers";
  backend->expect_traces();  // or its ranges are not recorded
  apod::trace::annotate_operations();
  trace_variant("gemm", "plain", 1);
  if (IsSkipped()) return;
  const auto profile = apod::trace::profile_of(seen);
  ASSERT_EQ(profile.kernels.size(), 1u);
  ASSERT_TRUE(profile.kernels[0].operation);
  EXPECT_EQ(profile.kernels[0].operation->name, "gemm");
  EXPECT_GT(profile.kernels[0].operation->flops, 0);
}

}  // namespace
}  // namespace apod::test
