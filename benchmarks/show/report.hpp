#pragma once

/// \file
/// Everything that bench writes about a subject, in every format. Each kind of subject, such as a
/// result or a comparison, gives its parts; one function writes them in a format.

#include <array>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/base/bisection.hpp"
#include "benchmarks/base/calibration.hpp"
#include "benchmarks/base/ceilings.hpp"
#include "benchmarks/base/comparison.hpp"
#include "benchmarks/base/history.hpp"
#include "benchmarks/base/result.hpp"
#include "benchmarks/base/tuning.hpp"
#include "benchmarks/files/file_kind.hpp"
#include "benchmarks/show/document.hpp"

namespace apod::show {

enum class Format : std::uint8_t { console, json, csv, markdown, html, junit };

/// The formats of a subject: only subjects that can fail have JUnit XML.
enum class Formats : std::uint8_t { all, all_but_junit };
std::vector<Format> list_formats(Formats formats);
/// Their extensions: ".txt, .json ...".
std::string extensions_of(Formats formats);

/// The format that a file name's extension asks for (.txt, .json, .csv, .md, .html, .xml); throws
/// std::invalid_argument naming the extensions otherwise.
Format format_of(const std::string& path, Formats formats = Formats::all);

/// The parts of a subject. They refer to it, and it must live as long as they do.
struct Report {
  files::FileKind kind = files::FileKind::apod;  ///< of its JSON file
  PageFrame frame = {};
  std::function<Document(Audience)> document = {};
  /// For CSV; absent: the tables of the document.
  std::function<Table()> rows = {};
  std::function<void(std::ostream&)> json = {};
  /// Absent: it has nothing that can fail.
  std::function<void(std::ostream&)> junit = {};
  /// Whether an existing file of its kind holds more than it, and must not be replaced; absent:
  /// never.
  std::function<bool(const std::string& path)> is_less_than = {};
  std::size_t most_markdown = SIZE_MAX;      ///< bytes, see render_markdown()
  std::shared_ptr<const void> subject = {};  ///< keeps the subject alive, if nothing else does
};

/// The choices for a curve. An empty choice depends on the axes in which the cases differ.
struct CurveChoice {
  std::string x = {};      ///< axis; of several with numbers the one with most values
  std::string y = {};      ///< fact
  std::string by = {};     ///< axis: a line for each of its values
  std::string facet = {};  ///< axis: a panel for each of its values
  std::optional<bool> log_x = {};
  std::optional<bool> log_y = {};
  bool from_zero = false;         ///< as in a figure to compare with
  std::vector<double> also = {};  ///< values of figures to compare with, which are in sight too
};

/// What makes a run fail in addition to failed cases and missed rules.
struct FailsToo {
  bool skipped = false;    ///< a case was skipped
  bool undecided = false;  ///< a rule is undecided

  bool are_failed_by(const ExpectationOutcome& rule) const {
    return rule.state == RuleState::missed || (rule.state == RuleState::undecided && undecided);
  }
};

/// The least that fails a comparison: a regression; a suspect too; an inconclusive case too.
enum class FailOn : std::uint8_t { regression, suspect, inconclusive };

/// What a report of a run has besides its tables of cases.
struct Shown {
  std::vector<std::string> columns = {};  ///< see run_document()
  bool explanation = false;
  bool timers = false;
  bool thin = false;        ///< without the samples: see is_thin()
  CurveChoice curves = {};  ///< of its page
  FailsToo fails = {};      ///< for JUnit
};

/// For columns that a format can't show, which are all of JSON and JUnit, and for curves of axes
/// that no case has, the parts throw std::invalid_argument.
Report report_of(const Result& result, const Shown& shown = {});
Report report_of(const Comparison& comparison, FailOn fails = FailOn::suspect);
/// Its JSON, CSV and JUnit are those of a Comparison: of the largest step, or of the ends.
Report report_of(const Bisection& bisection);
Report report_of(const History& history);
Report report_of(const Calibration& calibration);
Report report_of(const Ceilings& ceilings);
/// What a search found: the best of each shape with its interval against the default, what is as
/// good, what each axis matters. It has no JSON: the result of the measurements has.
Report report_of(const Tuning& tuning);

/// "slower by 5.1 % (4.8 to 5.4)" of a commit that was measured, "skipped: does not build: ...",
/// "the same code as 0123456789": one line.
std::string standing_text(const Bisection& bisection, std::size_t commit);

/// The outcome as a sentence: "FOUND: 0123456789 made CASE slower by 5.1 % (4.8 to 5.4)".
std::string outcome_text(const Bisection& bisection);

/// "--set block=32 --set TILE=4": the flags that choose these values of the tuned axes.
std::string set_flags(const Tuning& tuning, const Params& params);
/// "-DTILE=4", of the axes that a kernel gets as macros; empty without any.
std::string define_flags(const Tuning& tuning, const Params& params);

/// `style` is only for the console. Throws std::invalid_argument for JUnit of a subject that can't
/// fail.
void write(std::ostream& out, const Report& report, Format format, const ConsoleStyle& style = {});

/// The part of one subject on a page.
struct Sheet {
  PageFrame frame;
  Document document;
};
Sheet sheet_of(const Report& report);
/// One or several on one page.
void write_page(std::ostream& out, std::vector<Sheet> sheets);

}  // namespace apod::show

namespace apod {
template <>
struct EnumNames<show::Format> {
  static constexpr std::array<std::string_view, 6> names{"console",  "json", "csv",
                                                         "markdown", "html", "junit"};
};
}  // namespace apod
