#include "benchmarks/cli/saved_report.hpp"

#include <ostream>
#include <stdexcept>

#include "benchmarks/cli/inspect_page.hpp"
#include "benchmarks/cli/inspect_report.hpp"
#include "benchmarks/cli/inspection.hpp"
#include "benchmarks/files/calibration_file.hpp"
#include "benchmarks/files/ceilings_file.hpp"
#include "benchmarks/files/history_file.hpp"
#include "benchmarks/files/recording_file.hpp"
#include "benchmarks/show/calibration_document.hpp"
#include "benchmarks/show/ceilings_document.hpp"
#include "benchmarks/show/comparison_report.hpp"
#include "benchmarks/show/pages.hpp"
#include "benchmarks/show/report.hpp"
#include "benchmarks/show/trend.hpp"

namespace apod::cli {
namespace {

show::ComparisonFormat form_of(show::Format format) {
  switch (format) {
    case show::Format::json:
      return show::ComparisonFormat::json;
    case show::Format::csv:
      return show::ComparisonFormat::csv;
    case show::Format::markdown:
      return show::ComparisonFormat::markdown;
    case show::Format::html:
      return show::ComparisonFormat::html;
    case show::Format::junit:
      return show::ComparisonFormat::junit;
    case show::Format::console:
      return show::ComparisonFormat::text;
  }
  return show::ComparisonFormat::text;
}

PrintReport comparison_printer(const std::string& file, const show::ConsoleStyle& style) {
  return [style, comparison = show::read_comparison(file)](std::ostream& out, show::Format format) {
    show::write_comparison(out, comparison, form_of(format), style);
  };
}

PrintReport history_printer(const std::string& file, const show::ConsoleStyle& style) {
  return [style, history = files::read_history(file)](std::ostream& out, show::Format format) {
    if (format == show::Format::json) return files::write_history_json(out, history);
    if (format == show::Format::csv) {
      return show::render_csv(out, show::history_rows(history));
    }
    if (format == show::Format::html) {
      return show::write_page(out, {show::history_sheet(history)});
    }
    show::write(out, show::history_document(history), format, style);
  };
}

/// What has one table.
void write_with_table(std::ostream& out, const show::Document& document, show::Format format,
                      const show::ConsoleStyle& style) {
  if (format != show::Format::csv) return show::write(out, document, format, style);
  for (const auto& block : document.blocks) {
    if (const auto* table = std::get_if<show::Table>(&block)) show::render_csv(out, *table);
  }
}

PrintReport calibration_printer(const std::string& file, const show::ConsoleStyle& style) {
  return
      [style, calibration = files::read_calibration(file)](std::ostream& out, show::Format format) {
        if (format == show::Format::json) return files::write_calibration(out, calibration);
        write_with_table(out, show::calibration_document(calibration), format, style);
      };
}

PrintReport ceilings_printer(const std::string& file, const show::ConsoleStyle& style) {
  return [style, ceilings = files::read_ceilings(file)](std::ostream& out, show::Format format) {
    if (format == show::Format::json) return files::write_ceilings(out, ceilings);
    write_with_table(out, show::ceilings_document(ceilings), format, style);
  };
}

PrintReport recording_printer(const std::string& file, const show::ConsoleStyle& style) {
  return [style, file, kept = files::read_recording(file)](std::ostream& out, show::Format format) {
    if (format == show::Format::json) return files::write_recording(out, kept);
    const auto inspection = inspection_of(kept.recording, {});
    if (format == show::Format::html) {
      return show::write_page(out, {inspection_sheet(inspection, file)});
    }
    show::write(out, inspection_document(file, inspection), format, style);
  };
}

}  // namespace

PrintReport saved_report(files::FileKind kind, const std::string& file,
                         const show::ConsoleStyle& style) {
  switch (kind) {
    case files::FileKind::comparison:
      return comparison_printer(file, style);
    case files::FileKind::history:
      return history_printer(file, style);
    case files::FileKind::calibration:
      return calibration_printer(file, style);
    case files::FileKind::ceilings:
      return ceilings_printer(file, style);
    case files::FileKind::recording:
      return recording_printer(file, style);
    default:
      throw std::logic_error("a result is no report");
  }
}

}  // namespace apod::cli
