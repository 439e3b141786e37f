#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "benchmarks/base/os/new_file.hpp"
#include "benchmarks/base/os/program.hpp"
#include "benchmarks/base/result.hpp"
#include "benchmarks/base/summary.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/cli/commands.hpp"
#include "benchmarks/cli/exit_code.hpp"
#include "benchmarks/cli/messages.hpp"
#include "benchmarks/cli/reports.hpp"
#include "benchmarks/files/bad_result.hpp"
#include "benchmarks/show/figure/svg.hpp"
#include "benchmarks/show/figures.hpp"

namespace apod::cli {
namespace {

/// How wide a figure is, in columns of a paper: 3.33 inches, as IEEE and ACM have them, and 7; and
/// the width of a page in a browser. In px, 96 to the inch; text of 12 px is then 9 points.
constexpr double one_column = 320;
constexpr double two_columns = 672;
constexpr double on_screen = 720;

constexpr const char* converter = "rsvg-convert";
constexpr const char* png_zoom = "3";  ///< 288 dots an inch

/// Whether this system draws Helvetica with a font about as wide. It is asked of fontconfig, as the
/// converter does; an unknown font is taken to be wide.
bool has_usual_widths() {
  static constexpr std::array<std::string_view, 7> as_wide{
      "Helvetica",   "Arial",          "Arimo",   "Liberation Sans",
      "Nimbus Sans", "TeX Gyre Heros", "FreeSans"};
  std::string family;
  try {
    os::run_program({"fc-match", "--format=%{family}", "Helvetica"},
                    {.on_line = [&](std::string_view line) { family += line; }});
  } catch (const std::runtime_error&) {
    return false;
  }
  return text::begins_with_any(family, as_wide);
}

/// The SVG as a PDF or a PNG. Throws std::runtime_error where the program that makes them fails.
std::string converted(const std::string& svg, const std::string& format) {
  const os::TemporaryFolder folder;
  const auto from = folder.path() + "/figure.svg";
  const auto to = folder.path() + "/figure." + format;
  std::ofstream(from) << svg;
  std::vector<std::string> words{converter, "--format", format, "--output", to, from};
  if (format == "png") words.insert(words.end() - 1, {"--zoom", png_zoom});
  const auto end = os::run_program(words, {});
  std::ostringstream bytes;
  bytes << std::ifstream(to, std::ios::binary).rdbuf();
  if (end.exit_code != 0 || bytes.str().empty())
    throw std::runtime_error(std::string(converter) + " failed: " + end.errors);
  return bytes.str().append(own_picture);
}

class PlotCommand : public Command {
 public:
  HelpText help() const override {
    return {
        R"(Examples:
  bench plot r.json --out fig.svg                  bench chooses the axes whose values differ
  bench plot r.json --x size --y bandwidth --by variant --log x --out fig.pdf
  bench plot r.json --filter sums/ --width 1col    one experiment, to standard output
  bench plot r.json --show timeline --out fig.svg  what ran when, for each traced case

rsvg-convert makes a .pdf or .png from the SVG (Debian: librsvg2-bin).
Exit codes: 0 good; 1 usage or I/O error; 4 there is nothing to draw.)"};
  }
  void declare(Flags& flags) override {
    flags.words("file", "FILE",
                "A result file of bench, Google Benchmark or NVBench; with --show timeline also a "
                "recording of bench inspect",
                files_);
    declare_curve(flags, choice_);
    flags.choice("--show", show_,
                 {{"curves", Show::curves},
                  {"timeline", Show::timeline},
                  {"roofline", Show::roofline},
                  {"samples", Show::samples}},
                 "What to draw: curves (default), the timeline of each traced case, the roofline, "
                 "or the samples of each process");
    flags.filter(filter_);
    flags.choice("--width", width_,
                 {{"1col", one_column}, {"2col", two_columns}, {"screen", on_screen}},
                 "Width: one column of a paper, two columns, or a screen (default)");
    flags.flag("--title", titled_, "Write the figure's message as a title");
    flags.file("-o,--out", out_, "File to write instead of standard output: .svg .pdf or .png");
  }
  void settle() override {
    refuse_beyond(1, files_);
    if (files_.empty()) refuse_nothing("draw", "a result file");
  }
  Files files() const override { return {files_, {{"--out", out_, check_extension}}}; }
  int run() override {
    const auto& file = files_.front();
    figure::Figure figure;
    bool thin = false;
    files::naming(file, [&] {
      const auto kind = files::recognise(file).kind;
      if (kind == files::FileKind::recording && show_ == Show::timeline) {
        const auto inspection = inspection_of(recording_of(file), {});
        show::Page page;
        figure = show::lanes_figure({{"", &inspection.profile.lanes}}, page);
        return;
      }
      const auto result = read_any_result(file, kind, filter_);
      const auto summaries = summarize(result);
      thin = is_thin(result) && (show_ == Show::timeline || show_ == Show::samples);
      figure = figure_of(result, summaries);
    });
    if (figure.empty()) {
      return fail(
          file + ": " + (thin ? std::string("samples and timelines are ") + not_kept : why_empty()),
          ExitCode::nothing_to_judge);
    }
    figure::Style style{width_, titled_};
    if (out_.empty()) {
      std::cout << figure::svg_of(figure, style);
      return ExitCode::success;
    }
    const auto extension = extension_of(out_);
    style.small = extension != ".svg" && !has_usual_widths();
    const std::string svg = figure::svg_of(figure, style);
    const std::string bytes = extension == ".svg" ? svg : converted(svg, extension.substr(1));
    write_output(os::Destination::named(out_), std::nullopt,
                 [&](std::ostream& out) { out << bytes; });
    std::cout << "Wrote " << text::printable(out_) << '\n';
    return ExitCode::success;
  }

 private:
  figure::Figure figure_of(const Result& result, const std::vector<CaseSummary>& summaries) const {
    show::Page page;
    switch (show_) {
      case Show::timeline:
        return show::lanes_figure(result, summaries, page);
      case Show::samples:
        return show::samples_figure(result, summaries, page);
      case Show::roofline: {
        auto all = show::roofline_figures(result, summaries, page);
        return all.empty() ? figure::Figure{} : std::move(all.front());
      }
      case Show::curves:
        break;
    }
    return show::curve_figure(result, cases_of(result, summaries), choice_, page);
  }

  std::string why_empty() const {
    switch (show_) {
      case Show::timeline:
        return "no case was traced (to trace cases, run with --explain)";
      case Show::samples:
        return "every process has fewer than two samples";
      case Show::roofline:
        return "there are no ceilings (to measure them: bench ceilings), or no case has known "
               "FLOPs and bytes";
      case Show::curves:
        break;
    }
    return "there is nothing to draw: fewer than two cases have a value of the fact along y";
  }

  /// Those of the first experiment that has two, unless the experiments are to be held together.
  show::Cases cases_of(const Result& result, const std::vector<CaseSummary>& summaries) const {
    const auto all = show::measured_cases(summaries);
    for (const auto* axis : {&choice_.x, &choice_.by, &choice_.facet}) {
      if (*axis == "experiment") return all;
    }
    for (std::size_t i = 0; i < result.plan.experiments.size(); ++i) {
      auto cases = show::measured_cases(summaries, i);
      if (cases.size() < 2) continue;
      if (cases.size() < all.size()) {
        say(result.plan.experiments[i].name + ": " + std::to_string(cases.size()) + " of " +
            std::to_string(all.size()) +
            " cases are drawn; to choose others: --filter; to draw all: --facet experiment");
      }
      return cases;
    }
    return all;
  }

  static std::string extension_of(const std::string& path) {
    return std::filesystem::path(path).extension().string();
  }
  static void check_extension(const std::string& path) {
    const auto extension = extension_of(path);
    if (extension != ".svg" && extension != ".pdf" && extension != ".png")
      throw std::runtime_error(path + ": the name must end in .svg, .pdf or .png");
    if (extension != ".svg" && os::find_program(converter).empty()) {
      throw std::runtime_error(path + ": " + converter +
                               " writes this format, but is not installed: install it (Debian: "
                               "librsvg2-bin), or write a .svg");
    }
  }
  enum class Show : std::uint8_t { curves, timeline, roofline, samples };

  std::vector<std::string> files_;
  show::CurveChoice choice_;
  Show show_ = Show::curves;
  text::Pattern filter_;
  double width_ = on_screen;
  bool titled_ = false;
  std::string out_;
};

}  // namespace

std::unique_ptr<Command> make_plot() {
  return std::make_unique<PlotCommand>();
}

}  // namespace apod::cli
