#include <iostream>
#include <optional>

#include "benchmarks/cli/commands.hpp"
#include "benchmarks/cli/exit_code.hpp"
#include "benchmarks/cli/messages.hpp"
#include "benchmarks/files/read_side.hpp"
#include "benchmarks/judge/recordings.hpp"
#include "benchmarks/show/export/export_side.hpp"

namespace apod::cli {
namespace {

using exports::ExportFormat;

class ExportCommand : public Command {
 public:
  HelpText help() const override {
    return {
        R"(Examples:
  bench export r.json --to bmf --out bencher.json
  bench export runs/ --to go > new.txt             then: benchstat old.txt new.txt

Exit codes: 0 good; 1 usage or I/O error; 4 no case has a time.)"};
  }
  void declare(Flags& flags) override {
    flags.words("results", "PATH", "Result files, or folders of them", paths_);
    flags.choice("--to", format_,
                 {{"google", ExportFormat::google},
                  {"bmf", ExportFormat::bmf},
                  {"smaller_is_better", ExportFormat::smaller_is_better},
                  {"go", ExportFormat::go}},
                 "The format to write (required)");
    flags.filter(filter_);
    flags.metric(metric_);
    flags.file("-o,--out", out_, "File to write instead of standard output");
  }
  void settle() override {
    if (paths_.empty()) refuse_nothing("export", "result files, or folders of them");
    if (!format_) throw UsageError("--to is missing: name the format to write");
  }
  Files files() const override {
    const auto* extension = format_ == ExportFormat::go ? ".txt" : ".json";
    return {files::result_files(paths_).paths(),
            {{"--out", out_, named_as(extension, "to match --to")}}};
  }
  int run() override {
    auto side = files::read_side(paths_, filter_, files::Samples::skip, metric_);
    judge::keep_comparable({&side, 1});
    for (const auto& note : side.notes) say(note);
    std::size_t exported = 0;
    const auto write = [&](std::ostream& out) {
      exported = exports::export_side(out, side, *format_);
    };
    if (out_.empty()) {
      write(std::cout);
    } else {
      const bool google = *format_ == ExportFormat::google;
      write_output(os::Destination::named(out_),
                   google ? std::optional(files::FileKind::foreign) : std::nullopt, write);
    }
    if (exported < side.cases.size()) {
      say(std::to_string(exported) + " of " + std::to_string(side.cases.size()) +
          " cases have a time; the other cases failed");
    }
    return exported > 0 ? ExitCode::success : ExitCode::nothing_to_judge;
  }

 private:
  std::vector<std::string> paths_;
  std::optional<ExportFormat> format_;
  text::Pattern filter_;
  files::Metric metric_{.only_times = true};
  std::string out_;
};

}  // namespace

std::unique_ptr<Command> make_export() {
  return std::make_unique<ExportCommand>();
}

}  // namespace apod::cli
