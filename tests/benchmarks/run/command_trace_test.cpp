// A traced process of a command. What a GPU did was recorded; the command hands it over.

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "benchmarks/run/command_runner.hpp"

namespace apod::run {
namespace {

class CommandTrace : public testing::Test {
 protected:
  /// `reads` what a shell prints that keeps its arguments and copies the recording, if it is to.
  Measurement trace(const std::string& recording, Reads reads = Reads::process,
                    const std::vector<std::string>& wanted = {},
                    const std::string& library = "/l.so", int exit_code = 0) {
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
    CommandRunner runner(os::Group::own, "", library);
    runs_ = 0;
    return runner.run(item, {.stage = [this](auto& name) { runs_ += name == "trace" ? 1 : 0; },
                             .cancelled = [] { return false; },
                             .traced = [this](Trace trace) { kept_.push_back(std::move(trace)); }});
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

TEST_F(CommandTrace, IsOfOneCaseThatIsFoundInItsOutput) {
  const auto traced = trace("network_window", Reads::google, {"BM_a", "BM_b"});
  EXPECT_EQ(traced.failed, "");
  ASSERT_EQ(traced.found.size(), 2U);
  EXPECT_EQ(traced.found[1].name, "BM_b");
  EXPECT_GT(traced.found[1].facts.at("kernels"), 0);
  EXPECT_FALSE(traced.found[1].kernel_code.empty());
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
  const std::string several = "nothing traced: a process of this command is of several cases";
  EXPECT_EQ(note(trace("spawn", Reads::google)), several);
  EXPECT_EQ(note(trace("spawn", Reads::nvbench, {"a"})), several);
  EXPECT_EQ(note(trace("spawn", Reads::process, {}, "")),
            "nothing traced: there is no libapodinspect.so beside this program");
  EXPECT_TRUE(note(trace("none 2>/dev/null; true ")).starts_with("nothing traced: "));
  EXPECT_EQ(trace("spawn", Reads::process, {}, "/l.so", 3).failed, "exit code 3");
}

}  // namespace
}  // namespace apod::run
