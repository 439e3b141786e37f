#include <iostream>

#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/cli/commands.hpp"
#include "benchmarks/cli/exit_code.hpp"
#include "benchmarks/cli/reports.hpp"
#include "benchmarks/files/bad_result.hpp"

namespace apod::cli {
namespace {

class ReportCommand : public Command {
 public:
  HelpText help() const override {
    return {
        R"(Examples:
  bench report r.json --out page.html              the answer, figures, tables, findings
  bench report base.json cmp.json --out page.html  several results on one page
  bench report theirs.json --out page.html         a result of Google Benchmark or NVBench
  bench report recording.json --out page.html      a recording of bench inspect
  bench report r.json --x size --by variant --out page.html

Exit codes: 0 good; 1 usage or I/O error.)"};
  }
  void declare(Flags& flags) override {
    flags.words("files", "FILE",
                "Results of bench, Google Benchmark or NVBench; JSON files of bench compare, "
                "history or inspect",
                files_);
    flags.file("-o,--out", out_, "Page to write (.html) instead of standard output");
    flags.filter(filter_);
    declare_curve(flags, choice_);
  }
  void settle() override {
    if (files_.empty()) refuse_nothing("show", "result files");
  }
  Files files() const override {
    return {files_, {{"--out", out_, named_as(".html", "(for figures alone: bench plot)")}}};
  }
  int run() override {
    std::vector<show::Sheet> sheets;
    for (const auto& file : files_) sheets.push_back(sheet_of(file));
    if (out_.empty()) {
      show::write_page(std::cout, std::move(sheets));
      return ExitCode::success;
    }
    write_output(os::Destination::named(out_), std::nullopt,
                 [&](std::ostream& out) { show::write_page(out, std::move(sheets)); });
    std::cout << "Wrote " << text::printable(out_) << '\n';
    return ExitCode::success;
  }

 private:
  show::Sheet sheet_of(const std::string& file) const {
    show::Sheet sheet;
    files::naming(file, [&] {
      const auto kind = files::recognise(file).kind;
      sheet = show::sheet_of(report_of(file, kind, {.curves = choice_}, filter_));
    });
    return sheet;
  }

  std::vector<std::string> files_;
  std::string out_;
  text::Pattern filter_;
  show::CurveChoice choice_;
};

}  // namespace

std::unique_ptr<Command> make_report() {
  return std::make_unique<ReportCommand>();
}

}  // namespace apod::cli
