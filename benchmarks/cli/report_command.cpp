#include <iostream>
#include <stdexcept>

#include "benchmarks/cli/commands.hpp"
#include "benchmarks/cli/curve_flags.hpp"
#include "benchmarks/cli/inspect_page.hpp"
#include "benchmarks/cli/messages.hpp"
#include "benchmarks/cli/usage_error.hpp"
#include "benchmarks/report/comparison_report.hpp"
#include "benchmarks/report/pages.hpp"
#include "benchmarks/results/bad_result.hpp"
#include "benchmarks/results/history_file.hpp"
#include "benchmarks/results/recording_file.hpp"
#include "benchmarks/text/plain.hpp"

namespace apod::cli {
namespace {

class ReportCommand : public Command {
 public:
  std::string purpose() const override { return "Makes a page with figures of saved results."; }
  std::string footer() const override {
    return R"(Examples:
  bench report r.json --out page.html              the answer, figures, tables, findings
  bench report base.json cmp.json --out page.html  several on one page
  bench report theirs.json --out page.html         of Google Benchmark or NVBench
  bench report recording.json --out page.html      of what bench inspect kept
  bench report r.json --x size --by variant --out page.html

Exit codes: 0 good; 1 usage or I/O error.)";
  }
  void declare(Flags& flags) override {
    flags.words(
        "files", "FILE",
        "Result files, ours, Google Benchmark's or NVBench's, and what compare, history and "
        "inspect wrote as JSON",
        files_);
    flags.file("-o,--out", out_, "Page to write (.html) instead of standard output");
    flags.filter(filter_);
    declare_curve(flags, choice_);
  }
  void settle() override {
    if (files_.empty()) throw UsageError("nothing to show: name result files");
  }
  Files files() const override {
    Files files{files_, {}};
    if (!out_.empty()) {
      files.outputs.push_back({"--out", out_, named_as(".html", "(bench plot writes figures)")});
    }
    return files;
  }
  int run() override {
    std::vector<report::Sheet> sheets;
    for (const auto& file : files_) sheets.push_back(sheet_of(file));
    if (out_.empty()) {
      report::write_page(std::cout, std::move(sheets));
      return ExitCode::success;
    }
    write_output(out_, std::nullopt,
                 [&](std::ostream& out) { report::write_page(out, std::move(sheets)); });
    std::cout << "Wrote " << text::printable(out_) << '\n';
    return ExitCode::success;
  }

 private:
  report::Sheet sheet_of(const std::string& file) const {
    report::Sheet sheet;
    results::naming(file, [&] {
      const auto kind = results::recognise(file).kind;
      if (kind == results::FileKind::comparison) {
        sheet = report::comparison_sheet(report::read_comparison(file));
      } else if (kind == results::FileKind::history) {
        sheet = report::history_sheet(results::read_history(file));
      } else if (kind == results::FileKind::recording) {
        sheet = inspection_sheet(inspection_of(results::read_recording(file).recording, {}), file);
      } else {
        sheet = report::run_sheet(read_any_result(file, kind, filter_), choice_);
      }
    });
    return sheet;
  }

  std::vector<std::string> files_;
  std::string out_;
  text::Pattern filter_;
  report::CurveChoice choice_;
};

}  // namespace

std::unique_ptr<Command> make_report() {
  return std::make_unique<ReportCommand>();
}

}  // namespace apod::cli
