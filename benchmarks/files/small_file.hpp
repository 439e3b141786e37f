#pragma once

/// \file
/// JSON files of one value, read as a whole. Internal to results/.

#include <cstddef>
#include <iosfwd>
#include <string>

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

}  // namespace apod::files
