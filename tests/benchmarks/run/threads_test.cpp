// The axis `threads`: several host threads enqueue a case's streams at once.

#include <gtest/gtest.h>

#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "benchmarks/run/case_runner.hpp"
#include "tests/support/scripted_backend.hpp"

namespace apod::run {
namespace {

class ThreadsTest : public ::testing::Test {
 protected:
  ThreadsTest() {
    test::fill_registry(registry_, script_);
    script_.on_kernel = [this](int) { note_thread(); };
  }

  Measurement run(std::int64_t streams, std::int64_t threads) {
    MeasureSpec measure;
    measure.warmup_s = 0;
    const auto plan = test::echo_plan({"echo"}, measure, Scope::end_to_end);
    record::WorkItem item;
    item.info = plan.cases[0];
    item.info.params.set("streams", streams);
    item.info.params.set("threads", threads);
    item.experiment = plan.experiments[0];
    return runner_.run(item, {.stage = [](auto&) {}, .cancelled = [] { return false; }});
  }

  void note_thread() {
    const std::lock_guard lock(mutex_);
    ++kernels_of_[std::this_thread::get_id()];
  }

  static std::map<std::string, std::uint64_t> counts(const Measurement& measurement) {
    std::map<std::string, std::uint64_t> counts;
    for (const auto& phase : measurement.phases) counts[phase.name] = phase.count;
    return counts;
  }

  test::Script script_;
  Registry registry_;
  CaseRunner runner_{registry_};
  std::mutex mutex_;
  std::map<std::thread::id, int> kernels_of_;
};

TEST_F(ThreadsTest, OneIsTheCaller) {
  EXPECT_EQ(run(4, 1).failed, "");
  ASSERT_EQ(kernels_of_.size(), 1U);
  EXPECT_EQ(kernels_of_.begin()->first, std::this_thread::get_id());
  EXPECT_EQ(script_.entered_threads, 0);
}

TEST_F(ThreadsTest, ShareTheStreamsInTurn) {
  const auto measured = run(5, 3);
  EXPECT_EQ(measured.failed, "");
  EXPECT_EQ(script_.entered_threads, 3);
  EXPECT_EQ(kernels_of_.count(std::this_thread::get_id()), 0U);
  // Streams 0 and 3, 1 and 4, 2.
  const int runs = script_.kernels / 5;
  std::multiset<int> kernels;
  for (const auto& [thread, count] : kernels_of_) kernels.insert(count);
  EXPECT_EQ(kernels, (std::multiset<int>{runs, 2 * runs, 2 * runs}));
}

TEST_F(ThreadsTest, TheirPhasesAreAddedUp) {
  const auto alone = counts(run(4, 1));
  const int runs_alone = script_.kernels / 4;
  script_.kernels = 0;
  const auto together = counts(run(4, 2));
  const int runs_together = script_.kernels / 4;
  EXPECT_EQ(alone.at("compute"), static_cast<std::uint64_t>(4 * runs_alone));
  EXPECT_EQ(together.at("compute"), static_cast<std::uint64_t>(4 * runs_together));
  EXPECT_EQ(together.at("transfer"), 2 * together.at("compute"));
}

TEST_F(ThreadsTest, AnErrorInOneFailsTheCaseWithItsReason) {
  script_.on_kernel = [this](int call) {
    note_thread();
    if (call == 9) throw BackendError(BackendError::Code::sticky, "illegal address");
  };
  const auto measured = run(4, 2);
  EXPECT_EQ(measured.failed, "illegal address");
  EXPECT_TRUE(measured.samples_s.empty());
  EXPECT_TRUE(runner_.device_lost());
}

}  // namespace
}  // namespace apod::run
