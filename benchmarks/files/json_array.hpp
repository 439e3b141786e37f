#pragma once

/// \file
/// JSON written piece by piece, so that 100,000 rows need no second copy in memory. Internal to
/// report/.

#include <ostream>
#include <string>
#include <vector>

#include "benchmarks/files/columns.hpp"
#include "benchmarks/files/record/fields.hpp"

namespace apod::files {

/// A member of the top-level object, after another one: an array whose elements are written as they
/// come, one on each line.
class ArrayWriter {
 public:
  ArrayWriter(std::ostream& out, const char* name) : out_(out) {
    out_ << ",\n  \"" << name << "\": [";
  }
  void add(const record::Json& element) {
    out_ << (empty_ ? "\n    " : ",\n    ") << record::dump(element);
    empty_ = false;
  }
  void close() { out_ << (empty_ ? "]" : "\n  ]"); }

 private:
  std::ostream& out_;
  bool empty_ = true;
};

/// A member of the top-level object, after another one: a table of columns, one on each line.
inline void write_table(std::ostream& out, const char* name, const std::vector<Row>& rows) {
  const auto table = table_of(rows);
  out << ",\n  \"" << name << "\": {\n    \"rows\": " << rows.size() << ",\n    \"columns\": {";
  const char* before = "\n      ";
  for (const auto& [key, column] : table["columns"].items()) {
    out << before << record::dump(key) << ": " << record::dump(column);
    before = ",\n      ";
  }
  out << "\n    }\n  }";
}

/// `json` on several lines, for use inside an object: every line except the first is indented.
inline std::string indented(const record::Json& json) {
  std::string text = record::dump(json, 2);
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 3) {
    text.insert(at + 1, "  ");  // line breaks inside strings are escaped, so these are ours
  }
  return text;
}

}  // namespace apod::files
