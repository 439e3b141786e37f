#include "benchmarks/cli/saved_report.hpp"

#include <ostream>
#include <stdexcept>

#include "benchmarks/report/calibration.hpp"
#include "benchmarks/report/ceilings.hpp"
#include "benchmarks/report/comparison.hpp"
#include "benchmarks/report/report.hpp"
#include "benchmarks/report/trend.hpp"
#include "benchmarks/results/history_file.hpp"

namespace apod::cli {
namespace {

[[noreturn]] void refuse_form(const char* what, const char* forms) {
  throw std::runtime_error(std::string(what) + " is shown as " + forms + " alone");
}

PrintReport comparison_printer(const std::string& file, const report::ConsoleStyle& style) {
  return [style, comparison = report::read_comparison(file)](std::ostream& out,
                                                             report::Format format) {
    using Form = report::ComparisonFormat;
    if (format == report::Format::csv) refuse_form("a comparison", "console, markdown or json");
    const auto form = format == report::Format::json       ? Form::json
                      : format == report::Format::markdown ? Form::markdown
                                                           : Form::text;
    report::write_comparison(out, comparison, form, style);
  };
}

PrintReport history_printer(const std::string& file, const report::ConsoleStyle& style) {
  return [style, history = results::read_history(file)](std::ostream& out, report::Format format) {
    using Form = report::HistoryFormat;
    if (format == report::Format::markdown) refuse_form("a history", "console, csv or json");
    if (format == report::Format::json) return results::write_history_json(out, history);
    report::write_history(out, history, format == report::Format::csv ? Form::csv : Form::text,
                          style);
  };
}

PrintReport calibration_printer(const std::string& file, const report::ConsoleStyle& style) {
  return [style, calibration = report::read_calibration(file)](std::ostream& out,
                                                               report::Format format) {
    if (format == report::Format::json) return report::write_calibration(out, calibration);
    if (format != report::Format::console) refuse_form("a calibration", "console or json");
    report::write_calibration_table(out, calibration, CompareOptions{}.threshold, style);
  };
}

PrintReport ceilings_printer(const std::string& file, const report::ConsoleStyle& style) {
  return [style, ceilings = report::read_ceilings(file)](std::ostream& out, report::Format format) {
    if (format == report::Format::json) return report::write_ceilings(out, ceilings);
    if (format != report::Format::console) refuse_form("a table of ceilings", "console or json");
    report::write_ceilings_table(out, ceilings, style);
  };
}

}  // namespace

PrintReport saved_report(results::FileKind kind, const std::string& file,
                         const report::ConsoleStyle& style) {
  switch (kind) {
    case results::FileKind::comparison:
      return comparison_printer(file, style);
    case results::FileKind::history:
      return history_printer(file, style);
    case results::FileKind::calibration:
      return calibration_printer(file, style);
    case results::FileKind::ceilings:
      return ceilings_printer(file, style);
    default:
      throw std::runtime_error(
          "a result of another program, which bench compare, history and export read");
  }
}

}  // namespace apod::cli
