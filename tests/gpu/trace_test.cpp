/// What a trace says of the host beside the device, on a real one.

#include <algorithm>
#include <map>
#include <set>

#include "benchmarks/trace/profile_of.hpp"
#include "benchmarks/trace/ranges.hpp"
#include "benchmarks/trace/timeline.hpp"
#include "tests/kernels/execute.hpp"

namespace apod::test {
namespace {

class WholeTrace : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* entry = Registry::instance().backend(BackendKind::cuda);
    if (entry == nullptr) GTEST_SKIP() << "built without CUDA";
    std::string why;
    if (entry->devices(why).empty()) GTEST_SKIP() << why;
    backend_ = entry->open(0);
    stream_ = backend_->create_stream("test");
  }

  /// Skips the test where the machine can't trace.
  void trace(const std::function<void()>& work) {
    seen_ = backend_->trace(work);
    if (seen_.activities.empty() && !seen_.notes.empty()) GTEST_SKIP() << seen_.notes.front();
    EXPECT_TRUE(seen_.notes.empty()) << seen_.notes.front();
  }

  /// Traces `runs` runs of a variant.
  void trace_variant(const std::string& family_name, const std::string& variant_name, int runs) {
    const auto* family = Registry::instance().family(family_name);
    const auto variant = Registry::instance().variant(family_name, variant_name)->make();
    const auto params = default_params(*family);
    const auto problem = family->make(params, {.kind = DataSpec::Kind::ones});
    Executor executor(*backend_, *variant, *problem, params, 1);
    executor.run();
    trace([&] { executor.run(runs); });
  }

  const ApiCall* call_of(const Activity& activity) const {
    const auto found = std::find_if(seen_.calls.begin(), seen_.calls.end(), [&](const auto& call) {
      return call.correlation == activity.correlation;
    });
    return found == seen_.calls.end() ? nullptr : &*found;
  }

  std::unique_ptr<Backend> backend_;
  std::unique_ptr<Stream> stream_;
  Trace seen_;
};

TEST_F(WholeTrace, EveryOperationHasTheCallThatMadeIt) {
  const auto pinned = backend_->allocate(1 << 20, MemoryKind::pinned);
  const auto pageable = backend_->allocate(1 << 20, MemoryKind::pageable);
  const auto device = backend_->allocate(1 << 20, MemoryKind::device);
  trace([&] {
    backend_->copy(device->data(), pinned->data(), 1 << 20, *stream_);
    backend_->fill(device->data(), 1, 1 << 20, *stream_);
    backend_->copy(pageable->data(), device->data(), 1 << 20, *stream_);
    stream_->synchronize();
  });
  if (IsSkipped()) return;
  ASSERT_EQ(seen_.activities.size(), 3u);
  const std::vector<std::string> names{"cudaMemcpyAsync", "cudaMemsetAsync", "cudaMemcpyAsync"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto* call = call_of(seen_.activities[i]);
    ASSERT_NE(call, nullptr) << i;
    EXPECT_EQ(call->name, names[i]);
    EXPECT_FALSE(call->driver);
    EXPECT_LT(call->start_ns, call->end_ns);
    EXPECT_LE(call->start_ns, seen_.activities[i].start_ns) << "one clock";
  }
  EXPECT_FALSE(seen_.activities[0].synchronous);
  EXPECT_EQ(seen_.activities[0].device, 0u);
}

TEST_F(WholeTrace, TheDriversCallsWithinTheRuntimesAreNotShown) {
  trace_variant("copy", "grid_stride", 3);
  if (IsSkipped()) return;
  std::map<std::string, int> calls;
  for (const auto& call : seen_.calls) {
    ++calls[call.name];
    EXPECT_FALSE(call.driver) << call.name << ": this program calls the runtime alone";
    EXPECT_EQ(call.name.find("_v"), std::string::npos) << call.name;
  }
  EXPECT_EQ(calls["cudaLaunchKernel"], 3);
  EXPECT_EQ(calls["cudaDeviceSynchronize"], 0) << "the tracer's own wait is not the program's";
  EXPECT_TRUE(std::is_sorted(seen_.calls.begin(), seen_.calls.end(),
                             [](auto& a, auto& b) { return a.start_ns < b.start_ns; }));
  std::size_t kernels = 0;
  for (const auto& activity : seen_.activities) {
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
  const auto pinned = backend_->allocate(bytes, MemoryKind::pinned);
  const auto device = backend_->allocate(bytes, MemoryKind::device);
  const auto copy_and_wait = [&] {
    backend_->copy(device->data(), pinned->data(), bytes, *stream_);
    stream_->synchronize();
  };
  trace(copy_and_wait);
  if (!IsSkipped()) trace(copy_and_wait);
  if (IsSkipped()) return;
  ASSERT_EQ(seen_.activities.size(), 1u);
  const auto& copy = seen_.activities[0];
  const auto wait =
      std::find_if(seen_.synchronizations.begin(), seen_.synchronizations.end(),
                   [](const auto& one) { return one.kind == Synchronization::Kind::stream; });
  ASSERT_NE(wait, seen_.synchronizations.end());
  EXPECT_EQ(wait->stream, copy.stream);
  EXPECT_GE(wait->end_ns, copy.end_ns) << "it waited for the copy";
  const auto facts = trace::facts_of(seen_, backend_->facts());
  EXPECT_GT(facts.at("host_wait"), 0.3) << "for most of the copy, after the call that began it";
  EXPECT_GT(facts.at("launch_latency"), 1e-7);
  EXPECT_LT(facts.at("launch_latency"), 1e-3);
}

TEST_F(WholeTrace, KernelsHaveWhatLimitsThem) {
  trace_variant("copy", "grid_stride", 1);
  if (IsSkipped()) return;
  const auto profile = trace::profile_of(seen_);
  ASSERT_EQ(profile.kernels.size(), 1u);
  EXPECT_NE(profile.kernels[0].limiter, OccupancyLimiter::unknown);
  EXPECT_EQ(profile.kernels[0].local_bytes, 0u);
  EXPECT_GT(profile.kernels[0].resident_blocks, 0u);
  EXPECT_FALSE(profile.calls.empty());
}

TEST_F(WholeTrace, BesideAnotherProfilerTheWorkIsDoneAndTheTraceSaysWhy) {
  if (testing::UnitTest::GetInstance()->test_to_run_count() > 1) {
    GTEST_SKIP() << "needs a process of its own: run it alone, as ctest does";
  }
  int runs = 0;
  const auto work = [&] { ++runs; };
  trace_variant("copy", "grid_stride", 1);  // skips where nothing can be traced
  if (IsSkipped()) return;
  auto rival = Registry::instance().backend(BackendKind::cuda)->open(0);
  rival->expect_traces();  // attached from here on, as a profiler is
  const auto beside = backend_->trace(work);
  EXPECT_EQ(runs, 1);
  EXPECT_TRUE(beside.activities.empty());
  ASSERT_EQ(beside.notes.size(), 1u);
  EXPECT_NE(beside.notes[0].find("another profiler is attached"), std::string::npos);
  rival.reset();
  trace_variant("copy", "grid_stride", 1);
  EXPECT_FALSE(seen_.activities.empty()) << "once the other one is gone";
}

TEST_F(WholeTrace, RangesWithinTheWorkAreSeen) {
  if (testing::UnitTest::GetInstance()->test_to_run_count() > 1) {
    GTEST_SKIP() << "needs a process of its own: run it alone, as ctest does";
  }
  if (!trace::ranges_available()) GTEST_SKIP() << "built without the nvtx3 headers";
  { trace::Range before("before anybody listens", trace::Color::setup); }
  backend_->expect_traces();
  const auto device = backend_->allocate(64, MemoryKind::device);
  const auto work = [&] {
    trace::Range outer("outer", trace::Color::sample);
    trace::Range inner("inner", trace::Color::transfer);
    backend_->fill(device->data(), 1, 64, *stream_);
    stream_->synchronize();
  };
  { trace::Range between("not in a trace", trace::Color::setup); }
  for (int round = 0; round < 2; ++round) {
    trace::Range around("around the trace", trace::Color::case_);
    trace(work);
    if (IsSkipped()) return;
    ASSERT_EQ(seen_.ranges.size(), 2u) << "round " << round;
    EXPECT_EQ(seen_.ranges[0].name, "outer");
    EXPECT_EQ(seen_.ranges[1].name, "inner");
    for (const auto& range : seen_.ranges) {
      EXPECT_EQ(range.domain, "apod");
      ASSERT_FALSE(seen_.calls.empty());
      EXPECT_EQ(range.thread, seen_.calls[0].thread);
      EXPECT_LE(range.start_ns, seen_.calls.front().start_ns);
      EXPECT_GE(range.end_ns, seen_.calls.back().end_ns);
    }
  }
}

TEST_F(WholeTrace, AKernelHasTheOperationThatItWasLaunchedIn) {
  if (testing::UnitTest::GetInstance()->test_to_run_count() > 1) {
    GTEST_SKIP() << "needs a process of its own: run it alone, as ctest does";
  }
  if (!trace::ranges_available()) GTEST_SKIP() << "built without the nvtx3 headers";
  backend_->expect_traces();  // or its ranges are not recorded
  trace::annotate_operations();
  trace_variant("gemm", "plain", 1);
  if (IsSkipped()) return;
  const auto profile = trace::profile_of(seen_);
  ASSERT_EQ(profile.kernels.size(), 1u);
  ASSERT_TRUE(profile.kernels[0].operation);
  EXPECT_EQ(profile.kernels[0].operation->name, "gemm");
  EXPECT_GT(profile.kernels[0].operation->flops, 0);
}

}  // namespace
}  // namespace apod::test
