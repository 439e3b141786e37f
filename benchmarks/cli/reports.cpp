#include "benchmarks/cli/reports.hpp"

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include "benchmarks/base/result.hpp"
#include "benchmarks/base/summary.hpp"
#include "benchmarks/cli/messages.hpp"
#include "benchmarks/files/foreign_result.hpp"
#include "benchmarks/files/read_result.hpp"
#include "benchmarks/files/small_file.hpp"
#include "benchmarks/look/findings.hpp"
#include "benchmarks/plan/filter.hpp"
#include "benchmarks/show/comparison_report.hpp"

namespace apod::cli {
namespace {

/// The report that `make` makes of the subject, which lives as long as it.
template <class Subject, class Make>
show::Report keeping(Subject subject, const Make& make) {
  const auto kept = std::make_shared<const Subject>(std::move(subject));
  show::Report report = make(*kept);
  report.subject = kept;
  return report;
}

template <class Subject>
show::Report keeping(Subject subject) {
  return keeping(std::move(subject), [](const Subject& kept) { return show::report_of(kept); });
}

show::Report report_of_recording(const std::string& file) {
  return keeping(inspection_of(recording_of(file), {}),
                 [&](const Inspection& known) { return report_of(known, file, file); });
}

}  // namespace

void declare_format(Flags& flags, show::Format& format, show::Formats formats) {
  Choices<show::Format> choices;
  for (const auto one : show::list_formats(formats))
    choices.emplace_back(std::string(to_string(one)), one);
  flags.choice("--format", format, choices, "Format of standard output");
}

void declare_curve(Flags& flags, show::CurveChoice& choice) {
  flags.text("--x", "AXIS", choice.x,
             "Axis along x (default: the numeric axis with the most values)");
  flags.text("--y", "FACT", choice.y,
             "Fact along y (default: the time, or the rate if the cases do different work)");
  flags.text("--by", "AXIS", choice.by, "Draw a line for each value of this axis");
  flags.text("--facet", "AXIS", choice.facet, "Draw a panel for each value of this axis");
  flags.value(
      "--log", "x|y|xy|none", "Logarithmic scales (default: if the values differ much)",
      [&choice](const std::string& text) {
        const Choices<std::string> choices{{"x", "x"}, {"y", "y"}, {"xy", "xy"}, {"none", ""}};
        const auto axes = choose("--log", text, choices);
        choice.log_x = axes.starts_with('x');
        choice.log_y = axes.ends_with('y');
      });
}

std::vector<Output> report_outputs(const std::vector<std::string>& paths, show::Formats formats) {
  return outputs_at(paths, [formats](const std::string& name) { show::format_of(name, formats); });
}

void write_report(const os::Destination& to, const show::Report& report) {
  const auto format = show::format_of(to.path());
  const bool is_json = format == show::Format::json;
  write_output(
      to, is_json ? std::optional(report.kind) : std::nullopt,
      [&](std::ostream& out) { show::write(out, report, format); }, report.is_less_than);
}

bool write_reports(const std::vector<os::Destination>& all, const show::Report& report) {
  bool good = true;
  for (const auto& to : all) {
    try {
      write_report(to, report);
    } catch (const std::exception& error) {
      good = false;
      say(error.what());
    }
  }
  return good;
}

bool write_reports(const std::vector<std::string>& paths, const show::Report& report) {
  std::vector<os::Destination> all;
  for (const auto& path : paths) all.push_back(os::Destination::named(path));
  return write_reports(all, report);
}

Result read_any_result(const std::string& file, files::FileKind kind, const text::Pattern& filter) {
  const bool foreign = kind == files::FileKind::foreign;
  if (kind != files::FileKind::apod && !foreign)
    throw std::runtime_error("it is not a result, so it has no cases (to print it: bench show)");
  Result result = foreign ? files::read_foreign_result(file) : files::read_result(file);
  if (!filter.empty() && !plan::apply_filter(result, filter))
    throw std::runtime_error(to_string(plan::no_match(result.plan, filter)));
  // What the version that wrote the file found may not be what is found today.
  const bool is_traced =
      std::ranges::any_of(result.measurements, [](const auto& m) { return !m.profile.empty(); });
  if (is_traced && !result.findings.empty())
    result.findings = look::case_findings(result, summarize(result));
  return result;
}

show::Report report_of(const std::string& file, files::FileKind kind, const show::Shown& shown,
                       const text::Pattern& filter) {
  switch (kind) {
    case files::FileKind::comparison:
      return keeping(show::read_comparison(file));
    case files::FileKind::history:
      return keeping(files::read_history(file));
    case files::FileKind::calibration:
      return keeping(files::read_calibration(file));
    case files::FileKind::ceilings:
      return keeping(files::read_ceilings(file));
    case files::FileKind::recording:
      return report_of_recording(file);
    case files::FileKind::apod:
    case files::FileKind::foreign:
      break;
  }
  auto result = read_any_result(file, kind, filter);
  if (shown.thin) result = thinned(std::move(result));
  return keeping(std::move(result),
                 [&](const Result& kept) { return show::report_of(kept, shown); });
}

}  // namespace apod::cli
