#pragma once

/// \file
/// JSON files of one value, read as a whole. Internal to results/.

#include <cstddef>
#include <iosfwd>
#include <string>

#include "benchmarks/files/record/archive.hpp"

namespace apod::files {

/// What a kind of file has first: its mark, a key whose value is the schema.
struct SmallFile {
  const char* mark;
  int schema;
  std::size_t most_bytes;
  const char* absent;  ///< what to say of a file without the mark
  const char* again;   ///< what helps where the schema is another one
};

/// The mark, then the members of `value`, an object.
void write_small_file(std::ostream& out, const SmallFile& kind, const record::Json& value);

/// The object in the file. Throws std::runtime_error, without the file's name, for what can't be
/// read, is too large, no JSON, or of another kind or schema.
record::Json read_small_file(const std::string& file, const SmallFile& kind);

}  // namespace apod::files
