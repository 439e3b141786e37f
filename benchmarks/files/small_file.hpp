#pragma once

/// \file
/// JSON files of one value, read as a whole: calibrations, ceilings, histories.

#include <cstddef>
#include <iosfwd>
#include <string>

#include "benchmarks/base/calibration.hpp"
#include "benchmarks/base/ceilings.hpp"
#include "benchmarks/base/history.hpp"
#include "benchmarks/files/record/archive.hpp"

namespace apod::files {

/// The start of a kind of file: its mark, a key whose value is the schema.
struct SmallFile {
  const char* mark;
  int schema;
  std::size_t most_bytes;
  const char* absent;  ///< the message about a file without the mark
  const char* again;   ///< what helps if the schema is another one
};

/// The mark, then the members of `value`, an object.
void write_small_file(std::ostream& out, const SmallFile& kind, const record::Json& value);

/// The object in the file. Throws std::runtime_error, without the file's name, if it can't be read,
/// is too large, is not JSON, or is of another kind or schema.
record::Json read_small_file(const std::string& file, const SmallFile& kind);

/// JSON, schema 2: see docs/judging.md.
void write_calibration(std::ostream& out, const Calibration& calibration);

/// Reads it. Throws std::runtime_error with the file and the place for any other file.
Calibration read_calibration(const std::string& file);

/// JSON, schema 1.
void write_ceilings(std::ostream& out, const Ceilings& ceilings);

/// Reads them. Throws std::runtime_error naming the file and what is wrong with it: absent, not
/// JSON, another kind of file, a value that is negative or not a number, no measured ceiling.
Ceilings read_ceilings(const std::string& file);

/// JSON, schema 1: see docs/history.md.
void write_history_json(std::ostream& out, const History& history);

/// Reads it. Throws std::runtime_error with the place, but not the file, for any other file.
History read_history(const std::string& file);

}  // namespace apod::files
