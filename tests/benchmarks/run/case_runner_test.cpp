#include "benchmarks/run/case_runner.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <thread>

#include "benchmarks/run/sampler.hpp"
#include "tests/support/scripted_backend.hpp"
#include "tests/support/texts.hpp"

namespace apod::run {
namespace {

MeasureSpec quick() {
  MeasureSpec measure;
  measure.warmup_s = 0;
  measure.processes = 1;
  measure.max_time_s = 0.02;
  return measure;
}

class CaseRunnerTest : public ::testing::Test {
 protected:
  CaseRunnerTest() { test::fill_registry(registry_, script_); }

  Measurement run(const std::string& variant, MeasureSpec measure = quick(),
                  Scope scope = Scope::kernel) {
    const auto plan = test::echo_plan({variant}, measure, scope);
    item_.info = plan.cases[0];
    for (const auto& [name, value] : extra_.entries()) item_.info.params.set(name, value);
    item_.experiment = plan.experiments[0];
    return runner_.run(item_, {.stage = [&](const std::string& stage) { stages_.push_back(stage); },
                               .cancelled = [] { return false; }});
  }

  test::Script script_;
  Registry registry_;
  CaseRunner runner_{registry_};
  record::WorkItem item_;
  Params extra_;
  std::vector<std::string> stages_;
};

TEST_F(CaseRunnerTest, MeasuresTheChosenDuration) {
  script_.kernel_seconds = [](int) { return 2.5e-3; };
  const auto measured = run("echo");
  EXPECT_EQ(measured.failed, "");
  ASSERT_GE(measured.samples_s.size(), 2U);
  // A difference of two moments of a running clock: right to about its last digits.
  for (const double sample : measured.samples_s) EXPECT_NEAR(sample, 2.5e-3, 1e-12);
  EXPECT_EQ(stages_,
            (std::vector<std::string>{"open", "setup", "verify", "warm-up", "sample", "verify"}));
  EXPECT_EQ(measured.launch, "blocked");
  EXPECT_EQ(measured.facts.at("distinct_streams"), 1);
  EXPECT_EQ(measured.facts.count("transfer_bytes"), 0U);
  EXPECT_EQ(measured.traffic.bytes_read, 64);
  EXPECT_EQ(script_.flushes - 1, script_.kernels - 2)
      << "every kernel but the verified one and the trial behind a hold starts cold; the first "
         "flush loads what it needs";
  EXPECT_EQ(script_.expected_traces, 0);
  std::vector<std::string> phases;
  for (const auto& phase : measured.phases) phases.push_back(phase.name);
  EXPECT_EQ(phases, (std::vector<std::string>{"open", "setup", "verify", "warm-up", "sample"}));
  EXPECT_EQ(measured.phases.back().time.count, measured.samples_s.size());
}

/// Where an echo variant has written its outputs, in the order of its runs.
struct Places {
  std::vector<const void*> runs;
  std::size_t distinct() const { return std::set(runs.begin(), runs.end()).size(); }
};

/// An echo that writes down its places, and writes nothing into the place `wrong` of them.
class EchoOfPlaces : public test::EchoVariant {
 public:
  EchoOfPlaces(Places& places, std::size_t wrong) : places_(places), wrong_(wrong) {}
  void compute(const Task& task) const override {
    places_.runs.push_back(task.output);
    if (places_.distinct() == wrong_ && places_.runs.back() == task.output) {
      return dynamic_cast<test::ScriptedStream&>(task.stream).run_kernel();
    }
    EchoVariant::compute(task);
  }

 private:
  Places& places_;
  const std::size_t wrong_;
};

class PlacesTest : public CaseRunnerTest {
 protected:
  PlacesTest() {
    registry_.add(VariantEntry{"echo", "right", BackendKind::host, "for tests",
                               [&] { return std::make_unique<EchoOfPlaces>(places_, 0); }});
    registry_.add(VariantEntry{"echo", "wrong", BackendKind::host, "for tests",
                               [&] { return std::make_unique<EchoOfPlaces>(places_, 4); }});
  }
  static MeasureSpec with(CacheMode cache) {
    auto measure = quick();
    measure.cache = cache;
    return measure;
  }
  Places places_;
};

TEST_F(PlacesTest, SamplesVisitFourInTurn) {
  const auto measured = run("right", with(CacheMode::cold));
  ASSERT_EQ(measured.failed, "");
  EXPECT_EQ(places_.distinct(), 4U);
  const auto samples = std::span(places_.runs).last(measured.samples_s.size());
  ASSERT_GE(samples.size(), 8U);
  EXPECT_EQ(samples[0], places_.runs[0]) << "the first place is that of the checked run";
  for (std::size_t i = 4; i < samples.size(); ++i) EXPECT_EQ(samples[i], samples[i - 4]) << i;
  EXPECT_EQ(std::set(samples.begin(), samples.begin() + 4).size(), 4U);
}

TEST_F(PlacesTest, OneServesHotCachesLargeArraysAndWholePrograms) {
  ASSERT_EQ(run("right", with(CacheMode::hot)).failed, "");
  EXPECT_EQ(places_.distinct(), 1U);
  places_.runs.clear();
  extra_.set("size", std::int64_t{1} << 22);
  ASSERT_EQ(run("right", with(CacheMode::cold)).failed, "");
  EXPECT_EQ(places_.distinct(), 1U);
  extra_ = {};
  places_.runs.clear();
  ASSERT_EQ(run("right", with(CacheMode::cold), Scope::end_to_end).failed, "");
  EXPECT_EQ(places_.distinct(), 1U);
}

TEST_F(PlacesTest, OneServesAGraph) {
  auto measure = with(CacheMode::cold);
  measure.launch = LaunchMode::graph;
  const auto measured = run("right", measure);
  ASSERT_EQ(measured.failed, "");
  EXPECT_EQ(places_.distinct(), 1U);
  EXPECT_EQ(measured.facts.at("memory_places"), 1);
}

TEST_F(PlacesTest, FewerServeWhereMemoryIsOut) {
  script_.allocations = 15;  // six buffers each
  const auto measured = run("right", with(CacheMode::cold));
  ASSERT_EQ(measured.failed, "");
  EXPECT_EQ(measured.facts.at("memory_places"), 2);
  EXPECT_EQ(places_.distinct(), 2U);
}

TEST_F(PlacesTest, AllAreVerified) {
  EXPECT_EQ(run("wrong", with(CacheMode::cold)).failed,
            "wrong answer after the timed runs: the output differs");
  const auto right = run("right", with(CacheMode::cold));
  EXPECT_EQ(right.facts.at("memory_places"), 4);
}

TEST_F(CaseRunnerTest, OtherProcessesAreFacts) {
  auto measure = quick();
  measure.warmup_s = 0.12;  // the kernel counts processor time in hundredths of a second
  const auto alone = run("echo", measure);
  EXPECT_EQ(alone.facts.count("other_gpu_processes"), 0U) << "a driver that shows none tells none";
  EXPECT_EQ(alone.facts.count("other_load"), read_processor_times() ? 1U : 0U);
  script_.processes = 3;
  EXPECT_EQ(run("echo", measure).facts.at("other_gpu_processes"), 2);
}

TEST_F(CaseRunnerTest, WhatCanNotBeBlockedIsLaunchedAsAStreamAndSaid) {
  const auto waiting = run("waiting");
  EXPECT_EQ(waiting.failed, "");
  EXPECT_EQ(script_.blocks, 0);
  script_.can_block = false;
  const auto unblocked = run("echo");
  for (const auto& [measured, why] : {std::pair(waiting, "waits"), std::pair(unblocked, "can't")}) {
    EXPECT_EQ(measured.launch, "stream");
    ASSERT_EQ(measured.notes.size(), 1U);
    EXPECT_TRUE(contains(measured.notes[0], why));
  }
}

TEST_F(CaseRunnerTest, WhatFailsHasAReasonAndNoTime) {
  int wrong_call = -1;
  auto code = BackendError::Code::out_of_memory;
  script_.on_kernel = [&](int call) {
    if (call == wrong_call) throw BackendError(code, "what the device said");
  };
  const auto expect = [&](const char* variant, const char* reason, const char* stage) {
    script_.kernels = 0;
    const auto measured = run(variant);
    EXPECT_EQ(measured.failed, reason);
    const bool fails = *reason != '\0';
    EXPECT_EQ(measured.samples_s.empty(), fails);
    if (fails) {
      EXPECT_EQ(measured.stage, stage);
    }
  };
  expect("silent", "wrong answer: the output differs", "verify");
  EXPECT_EQ(script_.kernels, 1);
  expect("absent", "variant absent was not built", "setup");
  wrong_call = 0;
  expect("echo", "what the device said", "verify");
  EXPECT_FALSE(runner_.device_lost());
  wrong_call = -1;
  expect("echo", "", "");
  wrong_call = 5;
  code = BackendError::Code::sticky;
  expect("echo", "what the device said", "warm-up");
  EXPECT_TRUE(runner_.device_lost());
}

TEST_F(CaseRunnerTest, HoldThatEndedByItselfIsTakenAgainAndCold) {
  script_.good_unblocks = 1;  // the trial before the samples
  script_.failed_unblocks = 2;
  const auto measured = run("echo");
  EXPECT_EQ(measured.failed, "");
  EXPECT_EQ(script_.flushes - 1, script_.kernels - 2)
      << "the second try starts as cold as the first";
  script_.failed_unblocks = 1000;
  const auto fallen_back = run("echo");
  EXPECT_EQ(fallen_back.failed, "") << "no hold lasts";
  EXPECT_EQ(fallen_back.launch, "stream");
  ASSERT_EQ(fallen_back.notes.size(), 1U);
  EXPECT_TRUE(contains(fallen_back.notes[0], "can't wait in a blocked stream"));
}

TEST_F(CaseRunnerTest, GraphDividesItsTime) {
  auto measure = quick();
  measure.launch = LaunchMode::graph;
  measure.cache = CacheMode::hot;
  measure.graph_launches = 10;
  script_.kernel_seconds = [](int) { return 1e-3; };
  const auto measured = run("echo", measure);
  EXPECT_EQ(measured.launch, "graph");
  EXPECT_EQ(measured.launches_per_sample, 10);
  EXPECT_EQ(script_.captures, 1);
  EXPECT_EQ(script_.flushes, 0);
  EXPECT_NEAR(measured.samples_s.front(), 1e-3, 1e-12);
}

TEST_F(CaseRunnerTest, DistinctStreamsAreCountedByHandle) {
  extra_.set("streams", std::int64_t{4});
  auto measured = run("echo", quick(), Scope::end_to_end);
  EXPECT_EQ(measured.facts.at("distinct_streams"), 4);
  EXPECT_EQ(measured.facts.at("transfer_bytes"), 128);
  EXPECT_EQ(measured.facts.count("transfers_in_turn"), 0U) << "one pass: they overlap";
  EXPECT_EQ(measured.device_samples_s.size(), measured.samples_s.size());

  extra_.set("stream_pool", std::string("aliased"));
  measured = run("echo", quick(), Scope::end_to_end);
  EXPECT_EQ(measured.failed, "");
  EXPECT_EQ(measured.facts.at("distinct_streams"), 1);

  extra_.set("streams", std::int64_t{40});
  EXPECT_EQ(run("echo", quick(), Scope::end_to_end).failed, "") << "more than there are elements";
}

TEST_F(CaseRunnerTest, UploadsGoInTurnWithTheirKernelsOrBeforeAllOfThem) {
  std::string work;
  script_.on_copy = [&] { work += 'c'; };
  script_.on_kernel = [&](int) { work += 'k'; };
  extra_.set("streams", std::int64_t{3});
  EXPECT_EQ(run("echo", quick(), Scope::end_to_end).failed, "");
  EXPECT_EQ(work.substr(0, 9), "ckcckcckc");

  work.clear();
  extra_.set("order", std::string("uploads_first"));
  EXPECT_EQ(run("echo", quick(), Scope::end_to_end).failed, "");
  EXPECT_EQ(work.substr(0, 9), "ccckckckc");
}

TEST_F(CaseRunnerTest, AChunksKernelsMayBeAGraph) {
  extra_.set("streams", std::int64_t{3});
  extra_.set("chunk_launch", std::string("graph"));
  const auto measured = run("echo", quick(), Scope::end_to_end);
  EXPECT_EQ(measured.failed, "");
  EXPECT_EQ(script_.captures, 3) << "once for each chunk, whatever the number of samples";
  EXPECT_GT(measured.samples_s.size(), 1U);
  EXPECT_EQ(script_.graph_launches, script_.kernels);

  item_.pass = record::Pass::counters;
  script_.graph_launches = script_.kernels = 0;
  EXPECT_EQ(run("echo", quick(), Scope::end_to_end).failed, "");
  EXPECT_EQ(script_.graph_launches, 3) << "the check alone: a graph's kernels can't be counted";
  EXPECT_GT(script_.kernels, 3);
  item_.pass = record::Pass::measure;

  script_.has_graphs = false;
  EXPECT_TRUE(contains(run("echo", quick(), Scope::end_to_end).failed, "has no graphs"));
}

TEST_F(CaseRunnerTest, TracePassTakesFactsAndNoSamples) {
  item_.pass = record::Pass::trace;
  const auto traced = run("echo");
  EXPECT_TRUE(traced.samples_s.empty());
  EXPECT_EQ(script_.traces, 1);
  EXPECT_EQ(script_.expected_traces, 1);
  EXPECT_EQ(script_.kernels_before, 0) << "the device is told before it runs a kernel";
  EXPECT_EQ(script_.kernels, 2) << "the check and the trace";
  EXPECT_EQ(traced.facts.at("kernels"), 1);
  EXPECT_EQ(traced.notes, std::vector<std::string>{"a note of the tracer"});
  EXPECT_EQ(traced.kernel_code,
            (std::map<std::string, std::string>{{"scripted", "0000000000000abc"}}));
  ASSERT_EQ(traced.profile.kernels.size(), 1U);
  EXPECT_NEAR(traced.profile.kernels[0].time.total_s, 1e-6, 1e-15);
}

TEST_F(CaseRunnerTest, CounterPassTakesFactsAndNoSamples) {
  item_.pass = record::Pass::counters;
  const auto counted = run("echo");
  EXPECT_EQ(counted.failed, "");
  EXPECT_TRUE(counted.samples_s.empty());
  EXPECT_EQ(script_.counts, 1);
  EXPECT_EQ(script_.traces, 0);
  EXPECT_EQ(script_.expected_traces, 0) << "the tracer would hold the profiler";
  EXPECT_EQ(script_.kernels, 1 + 3) << "the check and three passes";
  EXPECT_EQ(counted.facts.at("fp64_instructions"), 5);
  EXPECT_EQ(counted.notes, std::vector<std::string>{"a note of the counters"});
  ASSERT_EQ(counted.profile.kernels.size(), 1U);
  EXPECT_EQ(counted.profile.kernels[0].counters.at("dadd"), 5);
  EXPECT_EQ(script_.flushes, 3) << "as timed runs find the caches";
  auto hot = quick();
  hot.cache = CacheMode::hot;
  run("echo", hot);
  EXPECT_EQ(script_.flushes, 3);
  item_.pass = record::Pass::measure;
  run("echo", hot);
  EXPECT_EQ(script_.flushes, 3);
}

TEST_F(CaseRunnerTest, CheckVerifiesAndNoMore) {
  item_.pass = record::Pass::check;
  const auto checked = run("echo");
  EXPECT_TRUE(checked.verification.passed);
  EXPECT_TRUE(checked.samples_s.empty());
  EXPECT_EQ(script_.kernels, 1);
}

TEST_F(CaseRunnerTest, ProfileRunsAreFewAndAlone) {
  item_.pass = record::Pass::profile;
  item_.profile_runs = 3;
  const auto measured = run("echo");
  EXPECT_EQ(measured.samples_s.size(), 3U);
  EXPECT_EQ(script_.kernels, 3) << "no check, no warm-up";
  EXPECT_EQ(quick().launch, LaunchMode::blocked);
  EXPECT_EQ(measured.launch, "stream")
      << "a profiler may wait for each kernel, and so for the hold";
  EXPECT_EQ(script_.blocks, 0);
}

TEST_F(CaseRunnerTest, UnderAProfilerOfCudaTracingIsLeftToIt) {
  registry_.add(
      BackendEntry{BackendKind::cuda, [](std::string&) { return std::vector<DeviceFacts>(1); },
                   [this](int) { return std::make_unique<test::ScriptedBackend>(script_); }});
  const auto plan = test::echo_plan({"echo"}, quick());
  item_.info = plan.cases[0];
  item_.info.backend = BackendKind::cuda;
  item_.experiment = plan.experiments[0];
  const auto notes_of = [&](record::Pass pass) {
    item_.pass = pass;
    script_.kernels = 0;
    const auto measured =
        runner_.run(item_, {.stage = [](const std::string&) {}, .cancelled = [] { return false; }});
    EXPECT_EQ(measured.failed, "");
    return measured.notes;
  };
  using Notes = std::vector<std::string>;
  ::setenv("NSYS_PROFILING_SESSION_ID", "1", 1);
  EXPECT_EQ(notes_of(record::Pass::trace),
            Notes{"nothing traced: another profiler is attached to this process"});
  EXPECT_EQ(script_.kernels, 2) << "checked, and run once more for the profiler to see";
  EXPECT_EQ(notes_of(record::Pass::counters),
            Notes{"nothing counted: another profiler is attached to this process"});
  ::unsetenv("NSYS_PROFILING_SESSION_ID");
  EXPECT_EQ(notes_of(record::Pass::trace).at(0), "a note of the tracer");
}

/// The axis `threads`: several host threads enqueue a case's streams at once.
class ThreadsTest : public CaseRunnerTest {
 protected:
  ThreadsTest() {
    script_.on_kernel = [this](int call) {
      const std::lock_guard lock(mutex_);
      ++kernels_of_[std::this_thread::get_id()];
      if (call == wrong_call_) throw BackendError(BackendError::Code::sticky, "illegal address");
    };
  }

  Measurement run_with(std::int64_t streams, std::int64_t threads) {
    extra_.set("streams", streams);
    extra_.set("threads", threads);
    return run("echo", quick(), Scope::end_to_end);
  }

  std::mutex mutex_;
  std::map<std::thread::id, int> kernels_of_;
  int wrong_call_ = -1;
};

TEST_F(ThreadsTest, OneIsTheCallerAndMoreShareTheStreamsInTurn) {
  EXPECT_EQ(run_with(4, 1).failed, "");
  ASSERT_EQ(kernels_of_.size(), 1U);
  EXPECT_EQ(kernels_of_.count(std::this_thread::get_id()), 1U);
  EXPECT_EQ(script_.entered_threads, 0);

  kernels_of_.clear();
  script_.kernels = 0;
  EXPECT_EQ(run_with(5, 3).failed, "");
  EXPECT_EQ(script_.entered_threads, 3);
  EXPECT_EQ(kernels_of_.count(std::this_thread::get_id()), 0U);
  // Streams 0 and 3, 1 and 4, 2.
  const int runs = script_.kernels / 5;
  std::multiset<int> kernels;
  for (const auto& [thread, count] : kernels_of_) kernels.insert(count);
  EXPECT_EQ(kernels, (std::multiset<int>{runs, 2 * runs, 2 * runs}));
}

TEST_F(ThreadsTest, TheirPhasesAreAddedUp) {
  for (const std::int64_t threads : {1, 2}) {
    script_.kernels = 0;
    std::map<std::string, std::uint64_t> counts;
    for (const auto& phase : run_with(4, threads).phases) counts[phase.name] = phase.time.count;
    EXPECT_EQ(counts.at("compute"), static_cast<std::uint64_t>(script_.kernels));
    EXPECT_EQ(counts.at("transfer"), 2 * counts.at("compute"));
  }
}

TEST_F(ThreadsTest, AnErrorInOneFailsTheCaseWithItsReason) {
  wrong_call_ = 9;
  const auto measured = run_with(4, 2);
  EXPECT_EQ(measured.failed, "illegal address");
  EXPECT_TRUE(measured.samples_s.empty());
  EXPECT_TRUE(runner_.device_lost());
}

}  // namespace
}  // namespace apod::run
