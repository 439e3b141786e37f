#include "benchmarks/show/report.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <stdexcept>

#include "benchmarks/files/write_result.hpp"
#include "benchmarks/show/explanation.hpp"
#include "benchmarks/show/pages.hpp"

namespace apod::show {
Format format_of(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (extension == ".json") return Format::json;
  if (extension == ".csv") return Format::csv;
  if (extension == ".md") return Format::markdown;
  if (extension == ".html") return Format::html;
  if (extension == ".xml") return Format::junit;
  if (extension == ".txt") return Format::console;
  throw std::invalid_argument(
      "'" + path + "': the extension names no format (.json, .csv, .md, .html, .xml or .txt)");
}

void write(std::ostream& out, const Document& document, Format format, const ConsoleStyle& style) {
  if (format == Format::junit) {
    throw std::invalid_argument("JUnit is for results and comparisons, which have failures");
  }
  if (format == Format::html) return write_page(out, {plain_sheet("bench", document)});
  format == Format::markdown ? render_markdown(out, document)
                             : render_terminal(out, document, style);
}

void write(std::ostream& out, const Result& result, Format format, const ConsoleStyle& style,
           const Shown& shown) {
  if (format == Format::json || format == Format::junit) {
    if (!shown.columns.empty()) {
      throw std::invalid_argument(
          "--columns: JSON has all there is, and JUnit no columns (console, markdown or csv)");
    }
    return format == Format::json ? files::write_json(out, result) : write_run_junit(out, result);
  }
  if (format == Format::html) return write_page(out, {run_sheet(result)});
  if (format == Format::csv) return render_csv(out, case_rows(result, shown.columns));
  Document document = run_document(result, shown.columns);
  if (shown.explanation) document.append(explanation_document(result));
  if (shown.timers) document.append(timers_document(result));
  write(out, document, format, style);
}

}  // namespace apod::show
