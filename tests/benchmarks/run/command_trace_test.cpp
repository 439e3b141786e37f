// A traced process of a command. What a GPU did was recorded; the command hands it over.

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/base/library_kernels.hpp"
#include "benchmarks/files/read_side.hpp"
#include "benchmarks/files/write_result.hpp"
#include "benchmarks/judge/causes.hpp"
#include "benchmarks/plan/expand.hpp"
#include "benchmarks/run/command_runner.hpp"
#include "tests/kernels/api/temporary_folder.hpp"

namespace apod::run {
namespace {

class CommandTrace : public testing::Test {
 protected:
  /// `reads` what a shell prints that keeps its arguments and copies the recording, if it is to.
  Measurement trace(const std::string& recording, Reads reads = Reads::process,
                    const std::vector<std::string>& wanted = {},
                    const Tracing& tracing = {"/l.so", ""}, int exit_code = 0) {
    record::WorkItem item;
    item.info.wanted = wanted;
    item.experiment.command.emplace();
    auto& command = *item.experiment.command;
    command.reads = reads;
    command.words = {
        "sh", "-c",
        "case $CUDA_INJECTION64_PATH in /l.so) ;; *) exit 9 ;; esac; cp " APOD_SOURCE_DIR
        "/tests/data/inspect/parts/" +
            recording + "/*.parts \"$APOD_INSPECT_FOLDER\"; exit " + std::to_string(exit_code),
        "sh"};
    item.pass = record::Pass::trace;
    item.keep_trace = keeps_;
    CommandRunner runner(os::Group::own, "", tracing);
    runs_ = 0;
    return runner.run(item, {.stage = [this](auto& name) { runs_ += name == "trace" ? 1 : 0; },
                             .cancelled = [] { return false; },
                             .traced = [this](Trace trace) { kept_.push_back(std::move(trace)); }});
  }

  /// What a comparison reads of a result with this one measurement.
  static SideCase as_side(Measurement measurement) {
    Result result;
    result.plan.experiments.emplace_back().command.emplace();
    result.plan.cases.emplace_back().id = measurement.case_id = "e/sh";
    measurement.samples_s = {1.0};
    measurement.facts["wall_time"] = 1;
    measurement.verification.passed = true;
    result.measurements = {std::move(measurement)};
    std::ostringstream text;
    files::write_json(text, result);
    const TemporaryFolder folder;
    return files::read_side({folder.write("result.json", text.str())}).cases.at(0);
  }
  /// What explains a change, of single kernels.
  static std::vector<std::string> kernel_causes(const Measurement& base, const Measurement& next) {
    std::vector<std::string> texts;
    for (auto& cause : judge::causes_of(as_side(base), as_side(next), {})) {
      if (cause.fact.starts_with(kernel_time_of)) texts.push_back(std::move(cause.text));
    }
    return texts;
  }

  bool keeps_ = false;
  std::vector<Trace> kept_;
  int runs_ = 0;  ///< of the command, in the last call
};

TEST_F(CommandTrace, HasTheFactsOfItsTimelineAndItsKernels) {
  const auto traced = trace("network_window");
  EXPECT_EQ(traced.failed, "");
  EXPECT_GT(traced.facts.at("kernels"), 0);
  EXPECT_GT(traced.facts.at("span"), traced.facts.at("kernel_time"));
  EXPECT_FALSE(traced.kernel_code.empty());
  EXPECT_FALSE(traced.profile.kernels.empty());
  EXPECT_TRUE(traced.samples_s.empty());
}

TEST_F(CommandTrace, TellsWhichKernelsGotSlower) {
  const auto base = trace("network_window");
  EXPECT_TRUE(kernel_causes(base, base).empty());
  auto next = base;
  auto& longest = next.profile.kernels.front();
  const auto name = longest.name;
  double all_s = 0;
  std::uint64_t launches = 0;
  for (auto& kernel : next.profile.kernels) {
    if (kernel.name != name) continue;
    all_s += kernel.time.total_s;
    launches += kernel.time.count;
    kernel.time.total_s *= 3;  // with each of its configurations
  }
  const auto time = [](double s) { return text::format_quantity(s, Unit::seconds); };
  EXPECT_EQ(kernel_causes(base, next),
            std::vector{"kernel " + without_parameters(name) + ": " + time(all_s) + " -> " +
                        time(3 * all_s) + " (+200.0 %), " + std::to_string(launches) +
                        (launches == 1 ? " launch, worse" : " launches, worse")});
  const auto others = kernel_causes(base, trace("ranges_window"));
  EXPECT_EQ(others.size(), 3U) << "of two programs those that matter most";
  EXPECT_TRUE(kernel_causes(base, {}).empty()) << "one was not traced";
}

TEST_F(CommandTrace, IsOfOneCaseThatIsFoundInItsOutput) {
  const auto traced = trace("network_window", Reads::google, {"BM_a", "BM_b"});
  EXPECT_EQ(traced.failed, "");
  ASSERT_EQ(traced.found.size(), 2U);
  EXPECT_EQ(traced.found[1].name, "BM_b");
  EXPECT_GT(traced.found[1].facts.at("kernels"), 0);
  EXPECT_FALSE(traced.found[1].kernel_code.empty());
  EXPECT_FALSE(traced.found[1].profile.kernels.empty());
  EXPECT_TRUE(traced.facts.empty());
}

TEST_F(CommandTrace, IsKeptWhereItIsWanted) {
  trace("network_window");
  EXPECT_TRUE(kept_.empty());
  keeps_ = true;
  trace("network_window");
  ASSERT_EQ(kept_.size(), 1U);
  EXPECT_FALSE(kept_.front().activities.empty());
}

TEST_F(CommandTrace, EndsWhereAProcessUsedNoGpu) {
  const auto traced =
      trace("none 2>/dev/null; true ", Reads::google, {"BM_a", "BM_b", "BM_c", "BM_d"});
  EXPECT_EQ(traced.failed, "");
  EXPECT_EQ(traced.notes.size(), 1U);
  EXPECT_EQ(runs_, 1);
}

TEST_F(CommandTrace, SaysANoteOnce) {
  const auto once = trace("network_window").notes;
  EXPECT_EQ(trace("network_window", Reads::google, {"BM_a", "BM_b"}).notes, once);
}

TEST_F(CommandTrace, SaysWhyThereIsNone) {
  const auto note = [](const Measurement& measurement) {
    EXPECT_EQ(measurement.failed, "");
    return measurement.notes.empty() ? "" : measurement.notes.front();
  };
  const std::string several = "nothing traced: one process of this command measures several cases";
  EXPECT_EQ(note(trace("spawn", Reads::google)), several);
  EXPECT_EQ(note(trace("spawn", Reads::nvbench, {"a"})), several);
  Registry registry;
  const std::string no_library = "libapodinspect.so is missing in the folder of bench";
  for (const auto& [library, missing] :
       {std::pair{"", no_library}, std::pair{"/l.so", std::string(plan::cuda_not_built)}}) {
    const auto none = tracing_by(library, registry);
    EXPECT_EQ(note(trace("spawn", Reads::process, {}, none)), "nothing traced: " + missing);
    EXPECT_EQ(runs_, 0) << "the command ran once more for nothing";
  }
  bool has_gpu = false;
  registry.add(BackendEntry{.kind = BackendKind::cuda, .devices = [&](std::string& why) {
                              why = "no driver";
                              return std::vector<DeviceFacts>(has_gpu ? 1 : 0);
                            }});
  EXPECT_EQ(tracing_by("/l.so", registry).why_none, "no driver");
  has_gpu = true;
  EXPECT_EQ(tracing_by("/l.so", registry).library, "/l.so");
  EXPECT_TRUE(note(trace("none 2>/dev/null; true ")).starts_with("nothing traced: "));
  EXPECT_EQ(trace("spawn", Reads::process, {}, {"/l.so", ""}, 3).failed, "exit code 3");
}

}  // namespace
}  // namespace apod::run
