#include "benchmarks/report/report.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <stdexcept>

#include "benchmarks/report/explanation.hpp"
#include "benchmarks/results/write_result.hpp"

namespace apod::report {
Format format_of(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (extension == ".json") return Format::json;
  if (extension == ".csv") return Format::csv;
  if (extension == ".md") return Format::markdown;
  if (extension == ".txt") return Format::console;
  throw std::invalid_argument("'" + path +
                              "': the extension names no format (.json, .csv, .md or .txt)");
}

void write(std::ostream& out, const Document& document, Format format, const ConsoleStyle& style) {
  format == Format::markdown ? render_markdown(out, document)
                             : render_terminal(out, document, style);
}

void write(std::ostream& out, const Result& result, Format format, const ConsoleStyle& style,
           const Shown& shown) {
  if (format == Format::json) {
    if (shown.columns.empty()) return results::write_json(out, result);
    throw std::invalid_argument("--columns: JSON has all there is (console, markdown or csv)");
  }
  if (format == Format::csv) return render_csv(out, case_rows(result, shown.columns));
  Document document = run_document(result, shown.columns);
  if (shown.explanation) document.append(explanation_document(result));
  if (shown.timers) document.append(timers_document(result));
  write(out, document, format, style);
}

}  // namespace apod::report
