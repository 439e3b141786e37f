#pragma once

/// \file
/// A line of a CSV file. Internal to report/.

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <ostream>
#include <string>

#include "benchmarks/text/plain.hpp"

namespace apod::report {

/// One line of comma-separated fields, quoted where RFC 4180 asks for it.
class CsvRow {
 public:
  explicit CsvRow(std::ostream& out) : out_(out) {}
  ~CsvRow() { out_ << '\n'; }
  CsvRow(const CsvRow&) = delete;
  CsvRow& operator=(const CsvRow&) = delete;

  void add(const std::string& field) {
    separate();
    const std::string text = text::printable(field);
    if (text.find_first_of(",\"") == std::string::npos) {
      out_ << text;
      return;
    }
    out_ << '"';
    for (const char c : text) out_ << (c == '"' ? "\"\"" : std::string(1, c));
    out_ << '"';
  }
  /// Nine significant digits: more than any measurement has. Empty for what is no number.
  void add(double number) {
    separate();
    if (std::isfinite(number)) out_ << fmt::format("{:.9g}", number);
  }
  void add(std::size_t count) {
    separate();
    out_ << count;
  }
  void add_nothing(int fields) {
    for (int i = 0; i < fields; ++i) separate();
  }

 private:
  void separate() {
    if (!first_) out_ << ',';
    first_ = false;
  }

  std::ostream& out_;
  bool first_ = true;
};

}  // namespace apod::report
