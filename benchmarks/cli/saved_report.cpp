#include "benchmarks/cli/saved_report.hpp"

#include <ostream>
#include <stdexcept>

#include "benchmarks/cli/inspect_page.hpp"
#include "benchmarks/cli/inspect_report.hpp"
#include "benchmarks/cli/inspection.hpp"
#include "benchmarks/report/calibration_document.hpp"
#include "benchmarks/report/ceilings_document.hpp"
#include "benchmarks/report/comparison_report.hpp"
#include "benchmarks/report/pages.hpp"
#include "benchmarks/report/report.hpp"
#include "benchmarks/report/trend.hpp"
#include "benchmarks/results/calibration_file.hpp"
#include "benchmarks/results/ceilings_file.hpp"
#include "benchmarks/results/history_file.hpp"
#include "benchmarks/results/recording_file.hpp"

namespace apod::cli {
namespace {

report::ComparisonFormat form_of(report::Format format) {
  switch (format) {
    case report::Format::json:
      return report::ComparisonFormat::json;
    case report::Format::csv:
      return report::ComparisonFormat::csv;
    case report::Format::markdown:
      return report::ComparisonFormat::markdown;
    case report::Format::html:
      return report::ComparisonFormat::html;
    case report::Format::junit:
      return report::ComparisonFormat::junit;
    case report::Format::console:
      return report::ComparisonFormat::text;
  }
  return report::ComparisonFormat::text;
}

PrintReport comparison_printer(const std::string& file, const report::ConsoleStyle& style) {
  return [style, comparison = report::read_comparison(file)](std::ostream& out,
                                                             report::Format format) {
    report::write_comparison(out, comparison, form_of(format), style);
  };
}

PrintReport history_printer(const std::string& file, const report::ConsoleStyle& style) {
  return [style, history = results::read_history(file)](std::ostream& out, report::Format format) {
    if (format == report::Format::json) return results::write_history_json(out, history);
    if (format == report::Format::csv) {
      return report::render_csv(out, report::history_rows(history));
    }
    if (format == report::Format::html) {
      return report::write_page(out, {report::history_sheet(history)});
    }
    report::write(out, report::history_document(history), format, style);
  };
}

/// What has one table.
void write_with_table(std::ostream& out, const report::Document& document, report::Format format,
                      const report::ConsoleStyle& style) {
  if (format != report::Format::csv) return report::write(out, document, format, style);
  for (const auto& block : document.blocks) {
    if (const auto* table = std::get_if<report::Table>(&block)) report::render_csv(out, *table);
  }
}

PrintReport calibration_printer(const std::string& file, const report::ConsoleStyle& style) {
  return [style, calibration = results::read_calibration(file)](std::ostream& out,
                                                                report::Format format) {
    if (format == report::Format::json) return results::write_calibration(out, calibration);
    write_with_table(out, report::calibration_document(calibration), format, style);
  };
}

PrintReport ceilings_printer(const std::string& file, const report::ConsoleStyle& style) {
  return
      [style, ceilings = results::read_ceilings(file)](std::ostream& out, report::Format format) {
        if (format == report::Format::json) return results::write_ceilings(out, ceilings);
        write_with_table(out, report::ceilings_document(ceilings), format, style);
      };
}

PrintReport recording_printer(const std::string& file, const report::ConsoleStyle& style) {
  return [style, file, kept = results::read_recording(file)](std::ostream& out,
                                                             report::Format format) {
    if (format == report::Format::json) return results::write_recording(out, kept);
    const auto inspection = inspection_of(kept.recording, {});
    if (format == report::Format::html) {
      return report::write_page(out, {inspection_sheet(inspection, file)});
    }
    report::write(out, inspection_document(file, inspection), format, style);
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
    case results::FileKind::recording:
      return recording_printer(file, style);
    default:
      throw std::runtime_error(
          "a result of another program, which bench compare, history and export read");
  }
}

}  // namespace apod::cli
