#pragma once

#include <string>
#include <vector>

namespace apod::files {

/// Cases from a file: each row is a case, and each column an axis, or a weight.
struct CaseRows {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  ///< a value for each column
};

/// Reads a .csv with a line of titles, or a .jsonl with an object a line. Throws
/// std::runtime_error, "shapes.csv:3: has 4 values, and there are 5 columns", for what is not such
/// a file, has no row, or more than 10,000 rows or 64 columns.
CaseRows read_case_rows(const std::string& path);

}  // namespace apod::files
