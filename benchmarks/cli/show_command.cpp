#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <memory>
#include <sstream>
#include <stdexcept>

#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/cli/commands.hpp"
#include "benchmarks/cli/exit_code.hpp"
#include "benchmarks/cli/messages.hpp"
#include "benchmarks/cli/options.hpp"
#include "benchmarks/cli/reports.hpp"
#include "benchmarks/cli/terminal.hpp"
#include "benchmarks/files/bad_result.hpp"
#include "benchmarks/files/file_kind.hpp"

namespace apod::cli {
namespace {

/// Standard input as a file that can be read twice; it has no name and goes with this.
class SavedInput {
 public:
  SavedInput() : file_(std::tmpfile(), &std::fclose) {
    if (!file_) throw std::runtime_error("standard input: there is no space for a temporary copy");
    std::vector<char> block(1 << 16);
    std::size_t all = 0;
    while (std::cin.read(block.data(), static_cast<std::streamsize>(block.size())),
           std::cin.gcount() > 0) {
      const auto bytes = static_cast<std::size_t>(std::cin.gcount());
      all += bytes;
      if (all > files::largest_file || std::fwrite(block.data(), 1, bytes, file_.get()) < bytes)
        throw std::runtime_error("standard input: there is no space for a temporary copy");
    }
    std::fflush(file_.get());
  }
  std::string path() const { return "/dev/fd/" + std::to_string(::fileno(file_.get())); }

 private:
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

class ShowCommand : public Command {
 public:
  HelpText help() const override {
    return {
        R"(Examples:
  bench show r.json                                what its run printed
  bench show r.json --filter pinned --out r.md     some of its cases, as Markdown
  ssh lab cat r.json | bench show -                from standard input

Exit codes: 0 shown; 1 usage or I/O error.)"};
  }
  void declare(Flags& flags) override {
    flags.words("files", "FILE",
                "Result files, or JSON files of bench compare, history, calibrate or ceilings; - "
                "is standard input",
                files_);
    flags.filter(filter_, " (and their baselines)");
    flags.flag(
        "--thin", thin_,
        "Keep only quantiles, counts and facts of each process (a small file for a repository)");
    flags.names("--columns", output_.columns,
                "Axes and facts to show: names from bench --list or from the header of a table");
    flags.flag("--explain", output_.explain, "Also show where the time of each traced case goes");
    declare_timers(flags, output_);
    flags.outputs(output_.out, show::extensions_of(show::Formats::all));
    declare_format(flags, output_.format);
    flags.color(output_.color);
  }
  void settle() override {
    if (files_.empty()) refuse_nothing("show", "result files, or - for standard input");
    const bool one_document = output_.format == show::Format::json ||
                              output_.format == show::Format::junit ||
                              output_.format == show::Format::html || !output_.out.empty();
    if (files_.size() > 1 && one_document) {
      throw UsageError(
          "--out, JSON, JUnit and HTML hold one result: name one FILE (for a page of several "
          "results: bench report)");
    }
  }
  Files files() const override { return {files_, report_outputs(output_.out)}; }
  int run() override {
    bool good = true;
    for (const auto& file : files_) {
      try {
        show(file);
      } catch (const files::BadResult& error) {
        std::cout.flush();
        say(error.what());
        good = false;
      }
    }
    return good ? ExitCode::success : ExitCode::failure;
  }

 private:
  void show(const std::string& file) {
    if (file != "-") return files::naming(file, [&] { show_from(file); });
    const SavedInput input;
    files::naming(
        "standard input", [&] { show_from(input.path()); }, input.path());
  }
  void show_from(const std::string& path) {
    const auto kind = files::recognise(path).kind;
    const bool is_run = kind == files::FileKind::apod || kind == files::FileKind::foreign;
    if (!is_run && (!filter_.empty() || !output_.columns.empty() || thin_))
      throw std::runtime_error("--filter, --columns and --thin work only for the result of a run");
    const show::Shown shown{output_.columns, output_.explain, output_.timers, thin_};
    const auto report = report_of(path, kind, shown, filter_);
    if (!write_reports(output_.out, report)) throw std::runtime_error("was not written");
    for (const auto& out : output_.out) std::cout << "Wrote " << text::printable(out) << '\n';
    if (!output_.out.empty()) return;
    print([&](std::ostream& out) {
      show::write(out, report, output_.format, console_style(output_.color));
    });
  }

  /// Several tables of CSV are one where their titles are the same; others are refused.
  template <class Write>
  void print(const Write& write) {
    if (output_.format != show::Format::csv) return write(std::cout);
    std::ostringstream all;
    write(all);
    const std::string text = std::move(all).str();
    const auto end = text.find('\n') + 1;
    if (titles_.empty()) {
      titles_ = text.substr(0, end);
      std::cout << titles_;
    } else if (text.compare(0, end, titles_) != 0) {
      throw std::runtime_error(
          "does not have the same columns as the file before it, so one table can't hold both: "
          "show this file alone");
    }
    std::cout << text.substr(end);
  }

  std::vector<std::string> files_;
  text::Pattern filter_;
  bool thin_ = false;
  std::string titles_;  ///< of the CSV so far
  Options output_;      ///< what a run would have been asked to print
};

}  // namespace

std::unique_ptr<Command> make_show() {
  return std::make_unique<ShowCommand>();
}

}  // namespace apod::cli
