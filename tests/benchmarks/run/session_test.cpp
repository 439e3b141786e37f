#include "benchmarks/run/session.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "benchmarks/base/summary.hpp"
#include "tests/kernels/api/temporary_folder.hpp"
#include "tests/support/scripted_backend.hpp"

namespace apod::run {
namespace {

MeasureSpec unwarmed() {
  MeasureSpec measure;
  measure.warmup_s = 0;
  return measure;
}

class SessionTest : public ::testing::Test {
 protected:
  SessionTest() {
    test::fill_registry(registry_, script_);
    options_.in_process = true;
  }

  test::Script script_;
  Registry registry_;
  SessionOptions options_;
  SessionListener listener_;
  const TemporaryFolder folder_;
  const std::string journal_ = folder_.path("session.journal");
};

TEST_F(SessionTest, OneFailureCostsOneCase) {
  const auto result = run_session(test::echo_plan({"echo", "silent", "waiting"}, unwarmed()),
                                  registry_, options_, listener_);
  const auto summaries = summarize(result);
  EXPECT_EQ(summaries[0].status, CaseStatus::measured);
  EXPECT_EQ(summaries[1].status, CaseStatus::failed);
  EXPECT_EQ(summaries[2].status, CaseStatus::measured);
  EXPECT_FALSE(result.interrupted);
  EXPECT_EQ(result.environment.device.name, "scripted device");
}

TEST_F(SessionTest, LostDeviceEndsAnInProcessRun) {
  script_.on_kernel = [](int) { throw BackendError(BackendError::Code::sticky, "gone"); };
  const auto result =
      run_session(test::echo_plan({"echo", "waiting"}, unwarmed()), registry_, options_, listener_);
  const auto summaries = summarize(result);
  int failed = 0, not_run = 0;
  for (const auto& summary : summaries) {
    failed += summary.status == CaseStatus::failed;
    not_run += summary.status == CaseStatus::not_run;
  }
  EXPECT_EQ(failed, 1);
  EXPECT_EQ(not_run, 1);
}

TEST_F(SessionTest, OrderFollowsTheSeed) {
  std::vector<std::string> variants;
  for (int i = 0; i < 8; ++i) variants.push_back(i % 2 == 0 ? "echo" : "waiting");
  const auto order = [&](std::uint64_t seed) {
    std::vector<std::size_t> seen;
    options_.order_seed = seed;
    listener_.finished = [&](const Case& c, const Measurement&) { seen.push_back(c.index); };
    run_session(test::echo_plan(variants, unwarmed()), registry_, options_, listener_);
    return seen;
  };
  const auto first = order(7);
  EXPECT_EQ(first.size(), 8U);
  EXPECT_EQ(order(7), first);
  EXPECT_NE(order(8), first);
}

TEST_F(SessionTest, ADeviceIsPreparedForTheMostStreamsBeforeItIsOpened) {
  std::vector<std::int64_t> prepared;
  int opened_before = 0;
  auto entry = *registry_.backend(BackendKind::host);
  entry.prepare = [&](std::int64_t streams) { prepared.push_back(streams); };
  entry.open = [&, open = entry.open](int index) {
    opened_before += prepared.empty();
    return open(index);
  };
  registry_.add(entry);
  auto plan = test::echo_plan({"echo", "waiting"}, unwarmed());
  run_session(plan, registry_, options_, listener_);
  plan.cases[1].params.set("streams", std::int64_t{16});
  run_session(plan, registry_, options_, listener_);
  EXPECT_EQ(prepared, (std::vector<std::int64_t>{1, 16}));
  EXPECT_EQ(opened_before, 0);
}

TEST_F(SessionTest, SkippedCasesAreNotRun) {
  auto plan = test::echo_plan({"echo", "waiting"}, unwarmed());
  plan.cases[0].skip = "not today";
  const auto result = run_session(plan, registry_, options_, listener_);
  ASSERT_EQ(result.measurements.size(), 1U);
  EXPECT_EQ(result.measurements[0].case_index, 1U);
}

TEST_F(SessionTest, CancelledRunKeepsWhatItFinishedAndResumes) {
  const auto plan = test::echo_plan({"echo", "waiting", "echo", "waiting"}, unwarmed());
  const RunIdentity identity{fingerprint(plan), "build", "device", ""};
  std::string kept;
  std::optional<Journal> journal(std::in_place, journal_, identity, 3, kept);
  options_.journal = &*journal;
  options_.order_seed = 3;
  int finished = 0;
  listener_.finished = [&](const Case&, const Measurement&) { ++finished; };
  listener_.cancelled = [&] { return finished == 2; };
  const auto partial = run_session(plan, registry_, options_, listener_);
  EXPECT_TRUE(partial.interrupted);
  EXPECT_EQ(partial.measurements.size(), 2U);

  journal.reset();
  JournalContent left;
  std::uint64_t seed = 0;
  journal.emplace(journal_, identity, seed, left);
  EXPECT_EQ(seed, 3U);
  ASSERT_EQ(left.entries.size(), 2U);
  options_.journal = &*journal;
  options_.resumed = left.entries;
  listener_.cancelled = [] { return false; };
  const auto whole = run_session(plan, registry_, options_, listener_);
  EXPECT_EQ(finished, 4) << "the two that were done are not run again";
  EXPECT_EQ(whole.measurements.size(), 4U);
  EXPECT_EQ(whole.measurements[0].samples_s, partial.measurements[0].samples_s);
  EXPECT_EQ(read_journal(journal_).entries.size(), 4U);
}

TEST_F(SessionTest, WithoutRoomForJournalAndResultItEndsEarly) {
  const auto plan = test::echo_plan({"echo", "waiting", "echo", "waiting"}, unwarmed());
  std::string kept;
  Journal journal(journal_, {fingerprint(plan), "build", "device", ""}, 3, kept);
  options_.journal = &journal;
  bool room = true;
  options_.result_is_writable = [&] { return room; };
  std::vector<std::string> messages;
  listener_.message = [&](const std::string& text) { messages.push_back(text); };
  struct rlimit old {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  int finished = 0;
  listener_.finished = [&](const Case&, const Measurement&) {
    ++finished;
    const struct rlimit full { std::filesystem::file_size(journal_) + 10, old.rlim_max };
    if (finished == 1) ::setrlimit(RLIMIT_FSIZE, &full);
    room = finished < 2;
  };
  const auto result = run_session(plan, registry_, options_, listener_);
  ::setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, handler);
  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(finished, 3) << "the second could go into the result";
  EXPECT_EQ(journal.written(), 1U);
  EXPECT_EQ(journal.unwritten(), 2U);
  ASSERT_EQ(messages.size(), 2U);
  EXPECT_TRUE(contains(messages[0], "bench tries again after each case"));
  EXPECT_TRUE(contains(messages[1], "the result can't be written either, so the run ends"));
}

TEST_F(SessionTest, WithoutWorkersItEndsRatherThanFailingEveryCase) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "a sanitizer needs descriptors of its own to look at memory";
#endif
  options_.in_process = false;
  int failed = 0;
  listener_.finished = [&](const Case&, const Measurement& m) { failed += !m.failed.empty(); };
  struct rlimit old {};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &old), 0);
  const struct rlimit none { 3, old.rlim_max };  // standard input, output and error
  const auto plan = test::echo_plan({"echo", "waiting", "echo", "waiting", "echo"}, unwarmed());
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const auto why = error_of([&] { run_session(plan, registry_, options_, listener_); });
  ::setrlimit(RLIMIT_NOFILE, &old);
  EXPECT_TRUE(contains(why, "can't create a pipe"));
  EXPECT_EQ(failed, 0) << "no case is to blame";
}

TEST_F(SessionTest, TracedAndCountedPassesJoinTheMeasurement) {
  auto measure = unwarmed();
  measure.trace = measure.counters = true;
  const auto plan = test::echo_plan({"echo"}, measure);
  EXPECT_EQ(count_steps(plan, options_), 3U);
  const auto result = run_session(plan, registry_, options_, listener_);
  ASSERT_EQ(result.measurements.size(), 1U);
  const auto& measurement = result.measurements[0];
  EXPECT_FALSE(measurement.samples_s.empty());
  EXPECT_EQ(measurement.facts.at("kernels"), 1) << "of the trace";
  EXPECT_EQ(summarize(result)[0].value("kernels"), 1);
  EXPECT_EQ(measurement.facts.at("fp64_instructions"), 5) << "of the counters";
  ASSERT_EQ(measurement.profile.kernels.size(), 1U);
  EXPECT_EQ(measurement.profile.kernels[0].name, "scripted");
  EXPECT_EQ(measurement.profile.kernels[0].counters.at("dadd"), 5);
  EXPECT_EQ(measurement.kernel_code.at("scripted"), "0000000000000abc");
  EXPECT_EQ(measurement.notes,
            (std::vector<std::string>{"a note of the tracer", "a note of the counters"}));
}

TEST_F(SessionTest, WithoutCountersTheRestGoesOn) {
  script_.has_counters = false;
  auto measure = unwarmed();
  measure.counters = true;
  const auto result =
      run_session(test::echo_plan({"echo"}, measure), registry_, options_, listener_);
  ASSERT_EQ(result.measurements.size(), 1U);
  EXPECT_EQ(result.measurements[0].failed, "");
  EXPECT_FALSE(result.measurements[0].samples_s.empty());
  EXPECT_TRUE(result.measurements[0].profile.kernels.empty());
  EXPECT_EQ(result.measurements[0].notes,
            std::vector<std::string>{"nothing counted: the script has none"});
}

TEST_F(SessionTest, WithoutAnEnergyCounterTheRestGoesOn) {
  auto measure = unwarmed();
  measure.energy = true;
  const auto plan = test::echo_plan({"echo"}, measure);
  EXPECT_EQ(count_steps(plan, options_), 2U);
  const auto result = run_session(plan, registry_, options_, listener_);
  ASSERT_EQ(result.measurements.size(), 1U);
  EXPECT_EQ(result.measurements[0].failed, "");
  EXPECT_FALSE(result.measurements[0].samples_s.empty());
  EXPECT_EQ(result.measurements[0].notes,
            std::vector<std::string>{"no energy: this backend has no energy counter"});
}

TEST_F(SessionTest, EnergyJoinsTheMeasurement) {
  // 100 W at rest, 300 W since the first run of the pass behind the timed ones.
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  double busy_from_s = 0;
  int timed = 0;
  const auto now_s = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  int readings = 0;
  script_.energy = [&] {
    const std::lock_guard lock(script_.mutex);  // a thread of its own reads it
    const double now = now_s();
    if (readings++ == 0) timed = script_.kernels;
    const bool busy = script_.kernels > timed;
    if (busy && busy_from_s == 0) busy_from_s = now;
    return 100 * now + (busy ? 200 * (now - busy_from_s) : 0);
  };
  script_.clock = [] { return ClockReading{.valid = true, .sm_mhz = 1980, .power_w = 300}; };
  auto measure = unwarmed();
  measure.energy = true;
  const auto result =
      run_session(test::echo_plan({"echo"}, measure), registry_, options_, listener_);
  ASSERT_EQ(result.measurements.size(), 1U);
  const auto& measured = result.measurements[0];
  EXPECT_TRUE(measured.notes.empty());
  EXPECT_NEAR(measured.facts.at("idle_power"), 100, 2);
  EXPECT_NEAR(measured.facts.at("power"), 200, 10);
  EXPECT_LT(measured.facts.at("energy_low"), measured.facts.at("energy"));
  EXPECT_GT(measured.facts.at("energy_high"), measured.facts.at("energy"));
  EXPECT_EQ(measured.facts.count("flops_per_joule"), 0U) << "an echo has none";
}

TEST_F(SessionTest, TracesAreKeptWhereTheyAreAskedFor) {
  auto measure = unwarmed();
  measure.trace = true;
  const auto plan = test::echo_plan({"echo", "waiting"}, measure);
  EXPECT_TRUE(run_session(plan, registry_, options_, listener_).traces.empty());
  options_.keep_traces = true;
  const auto result = run_session(plan, registry_, options_, listener_);
  ASSERT_EQ(result.traces.size(), 2U);
  EXPECT_EQ(result.traces[1].case_index, 1U);
  ASSERT_EQ(result.traces[1].trace.activities.size(), 1U);
  EXPECT_EQ(result.traces[1].trace.activities[0].name, "scripted");
  EXPECT_EQ(result.measurements[0].notes.back(), "a note of the tracer");
}

TEST_F(SessionTest, AResumedRunTracesAgainWhatIsToBeKept) {
  auto measure = unwarmed();
  measure.trace = true;
  const auto plan = test::echo_plan({"echo"}, measure);
  Measurement measured;
  measured.case_id = plan.cases[0].id;
  measured.samples_s = {1, 2};
  Measurement traced = measured;
  traced.samples_s.clear();
  options_.resumed = {{measured, record::Pass::measure}, {traced, record::Pass::trace}};
  run_session(plan, registry_, options_, listener_);
  EXPECT_EQ(script_.traces, 0);
  options_.keep_traces = true;
  const auto result = run_session(plan, registry_, options_, listener_);
  EXPECT_EQ(script_.traces, 1);
  EXPECT_EQ(result.traces.size(), 1U);
  EXPECT_EQ(result.measurements[0].facts.at("kernels"), 1);
}

TEST_F(SessionTest, ProfilerSeesOnlyTheRunsOfCasesThatAreRight) {
  options_.profile_runs = 4;
  std::vector<int> at_start;
  script_.on_profiler_start = [&] { at_start.push_back(script_.kernels); };
  const auto result = run_session(test::echo_plan({"echo", "silent", "waiting"}, unwarmed()),
                                  registry_, options_, listener_);
  EXPECT_EQ(at_start, std::vector<int>{3}) << "every case was checked before";
  EXPECT_EQ(script_.kernels, 3 + 2 * 4) << "the wrong one is not profiled";
  EXPECT_EQ(script_.profiler_stops, 1);
  const auto summaries = summarize(result);
  EXPECT_EQ(summaries[0].status, CaseStatus::measured);
  EXPECT_EQ(summaries[1].status, CaseStatus::failed);
}

TEST_F(SessionTest, MissedExpectationIsInTheResult) {
  auto plan = test::echo_plan({"echo"}, unwarmed());
  Expectation rule;
  rule.fact = "distinct_streams";
  rule.condition = {Comparator::eq, {4.0}, "== 4"};
  plan.experiments[0].expectations = {rule};
  const auto result = run_session(plan, registry_, options_, listener_);
  ASSERT_EQ(result.expectations.size(), 1U);
  EXPECT_EQ(result.expectations[0].state, RuleState::missed);
}

TEST_F(SessionTest, BaselineDeltaIsWhatTheScriptSays) {
  // The baseline takes 2 ms, the other case 1 ms: its delta is -50 %.
  auto plan = test::echo_plan({"waiting", "echo"}, unwarmed());
  plan.cases[1].baseline = 0;
  std::string current;
  listener_.stage = [&](const Case& c, const std::string&) { current = c.id; };
  script_.kernel_seconds = [&](int) { return current == "echo/waiting" ? 2e-3 : 1e-3; };
  const auto result = run_session(plan, registry_, options_, listener_);
  const auto summaries = summarize(result);
  ASSERT_TRUE(summaries[1].fact("delta"));
  EXPECT_NEAR(summaries[1].value("delta"), -0.5, 1e-9);
  EXPECT_FALSE(summaries[0].fact("delta"));
}

}  // namespace
}  // namespace apod::run
