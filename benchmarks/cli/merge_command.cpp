#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <ranges>

#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/cli/commands.hpp"
#include "benchmarks/cli/exit_code.hpp"
#include "benchmarks/cli/messages.hpp"
#include "benchmarks/cli/reports.hpp"
#include "benchmarks/cli/shard_run.hpp"
#include "benchmarks/files/earlier_file.hpp"
#include "benchmarks/show/report.hpp"

namespace apod::cli {
namespace {

class MergeCommand : public Command {
 public:
  HelpText help() const override {
    return {
        R"(Name the parts in any order; a part may be named twice. All must have the same plan, build, driver and model of
GPU. With --by the machine becomes an axis, and driver and GPU may differ.

Examples:
  bench merge r.json r.*-of-8.json          what eight shards measured
  bench merge gpus.json runs/ --by device   the same study on several GPUs, side by side

Exit codes: 0 complete; 1 usage or I/O error, a part of another study, or missing parts (bench writes the rest).)"};
  }
  void declare(Flags& flags) override {
    flags.words("files", "OUT FILE...", "The output file, then the parts, or folders with parts",
                words_);
    flags.choice("--by", by_, {{"host", files::MergeBy::host}, {"device", files::MergeBy::device}},
                 "Make the machine an axis: results of different machines stay separate");
  }
  void settle() override {
    if (words_.empty()) refuse_nothing("merge", "the output file, then the parts");
    if (words_.size() == 1) throw UsageError("name a part after " + words_.front());
    show::format_of(words_.front());
    const auto name = std::filesystem::path(words_.front()).stem().extension().string();
    if (name.find("-of-") != std::string::npos) {
      throw UsageError(words_.front() +
                       ": is the name of a part: name the output file first, then the parts");
    }
  }
  /// The parts may be among them: a merged result that lacked some takes them in.
  Files files() const override { return {{}, {{"OUT", words_.front(), {}}}}; }
  int run() override {
    const auto& out = words_.front();
    const auto merged =
        merge_files({words_.begin() + 1, words_.end()}, by_.value_or(files::MergeBy::nothing));
    std::error_code error;
    const auto bytes = std::filesystem::file_size(out, error);
    if (!error && bytes > 0 && out.ends_with(".json") && files::holds_others(out, merged.result)) {
      return fail(out + " exists, with content that the parts lack; nothing was written (name a " +
                  "new file first, then " + out + " and the other parts)");
    }
    auto report = show::report_of(merged.result);
    report.is_less_than = [&](const auto& there) {
      return files::holds_others(there, merged.result);
    };
    write_report(os::Destination::named(out), report);
    const auto& part = merged.result.part;
    std::cout << fmt::format("Wrote {}: {} of {} cases, from {}\n", text::printable(out),
                             merged.result.plan.cases.size(), merged.result.part.cases,
                             text::counted(part.machines.size(), "machine"));
    if (merged.pooled > 0) {
      say(
          fmt::format("{} cases were measured by several machines: their intervals show the spread "
                      "between machines (to separate the machines: --by device)",
                      merged.pooled));
    }
    if (merged.is_whole()) return ExitCode::success;
    constexpr std::size_t most = 20;
    if (merged.absent.size() > most)
      say(fmt::format("{} shards are incomplete; the first {} are:", merged.absent.size(), most));
    for (const auto& shard : merged.absent | std::views::take(most)) {
      auto words = merged.result.command_line;
      words.insert(words.end(), {"--shard", shard});
      say("shard " + shard +
          " is incomplete; to continue it, go to the folder where it was started and type: " +
          text::shell_line(words));
    }
    for (const auto& machine : merged.cut_short)
      say("the run of " + machine + " was interrupted: on that machine, continue it with --resume");
    return fail(merged.missing > 0 ? fmt::format("incomplete: {} cases are missing", merged.missing)
                                   : "incomplete: processes are missing");
  }

 private:
  std::vector<std::string> words_;
  std::optional<files::MergeBy> by_;
};

}  // namespace

std::unique_ptr<Command> make_merge() {
  return std::make_unique<MergeCommand>();
}

}  // namespace apod::cli
