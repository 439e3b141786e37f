#include "benchmarks/report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <ostream>
#include <stdexcept>

#include "benchmarks/results/write_result.hpp"
#include "benchmarks/text/units.hpp"

namespace apod::report {
namespace {

// Percentages beyond are not known at all.
constexpr double most_percent = 9999;

}  // namespace

std::string format_change(const Estimate& change) {
  if (!std::isfinite(change.value)) return "-";
  const double half = change.half_width() * 100;
  const double value = change.value * 100;
  if (value > most_percent) return ">9999 %";
  const int decimals = std::abs(value) >= 1000                   ? 0
                       : std::abs(value) >= 100 || half >= 0.095 ? 1
                                                                 : 2;
  std::string text = fmt::format("{:+.{}f} %", value, decimals);
  if (std::isfinite(half) && half >= 1000) return text + " ±>999";
  if (std::isfinite(half) && change.lopsided()) {
    return text + fmt::format(" {:+.{}f}/{:+.{}f}", change.low * 100 - value, decimals,
                              change.high * 100 - value, decimals);
  }
  if (std::isfinite(half) && half > 0) {
    const double least = std::pow(10.0, -decimals);
    text +=
        fmt::format(" ±{}{:.{}f}", half < least / 2 ? "<" : "", std::max(half, least), decimals);
  }
  return text;
}

std::string format_spread(const Estimate& estimate) {
  if (!(estimate.high > estimate.low && estimate.value > 0)) return "-";
  if (!estimate.lopsided()) return text::format_percent(estimate.half_width() / estimate.value);
  const std::string below = text::format_percent((estimate.value - estimate.low) / estimate.value);
  return "-" + below.substr(0, below.find(' ')) + "/+" +
         text::format_percent((estimate.high - estimate.value) / estimate.value);
}

Format format_of(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (extension == ".json") return Format::json;
  if (extension == ".csv") return Format::csv;
  if (extension == ".md") return Format::markdown;
  if (extension == ".txt") return Format::console;
  throw std::invalid_argument("'" + path +
                              "': the extension says no format (.json, .csv, .md or .txt)");
}

void write(std::ostream& out, const Result& result, Format format) {
  switch (format) {
    case Format::json:
      return results::write_json(out, result);
    case Format::csv:
      return write_csv(out, result);
    case Format::markdown:
      return write_markdown(out, result);
    case Format::console:
      return write_console(out, result, {});
  }
}

}  // namespace apod::report
