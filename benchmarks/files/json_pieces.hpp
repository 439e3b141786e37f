#pragma once

/// \file
/// A JSON file read piece by piece, so that a large one never is in memory as a whole, and the
/// checked look-ups that its readers share. Internal to files/.

#include <cstddef>
#include <functional>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include "benchmarks/files/columns.hpp"
#include "benchmarks/files/json_source.hpp"
#include "benchmarks/files/record/archive.hpp"
#include "benchmarks/files/record/fields.hpp"

namespace apod::files {

/// A value of a result file, with its keys in the order of the file.
using Piece = record::Json;

/// The index of a member that is not an array.
inline constexpr std::size_t whole = std::numeric_limits<std::size_t>::max();

/// Takes one element of a member that is an array, or a whole member otherwise. Returns false to
/// stop reading: the rest of the file is not looked at. May throw std::runtime_error, to which the
/// place is added.
using TakePiece = std::function<bool(const std::string& member, std::size_t index, Piece& piece)>;

/// Why a file is not JSON with members.
inline constexpr const char* top_is_no_object = "its top level is not an object";

/// Reads `file` and passes on the members of its top object in file order, without the hidden ones.
/// An array at the top, which must have an element, is a member without a name. Throws
/// std::runtime_error with the place, but not the file: "line 3, column 7: ...", "benchmarks[3]:
/// real_time: ...".
void read_pieces(const std::string& file, const HiddenKeys& hidden, const TakePiece& take);

/// The members of the top object of a text that is in memory, by the same rules, such as that what
/// other programs write for a number that is none is null; an empty array is absent. Throws
/// std::runtime_error.
Piece read_members(const std::string& text);

/// The value of `key`, or null if `object` is not an object, has no such key, or is null itself.
const Piece& look_up(const Piece& object, const char* key);

// These throw std::runtime_error naming the key when the value is missing or of another type.
double number_at(const Piece& object, const char* key);
std::size_t count_at(const Piece& object, const char* key);
const std::string& text_at(const Piece& object, const char* key);
/// Null, over which a loop does nothing, if there is no such key.
const Piece& array_at(const Piece& object, const char* key);
/// False if there is no such key.
bool flag_at(const Piece& object, const char* key);

/// Seconds, from a number of units of `unit_s` seconds; finite and positive.
double seconds_at(const Piece& object, const char* key, double unit_s);

/// A scalar as text: a string as it is, a number in its shortest digits, "on" or "off" for true or
/// false. Empty for anything else.
std::string text_of(const Piece& scalar);

/// `piece`, which must be an object and element of an array. Throws std::runtime_error otherwise.
const Piece& element(const Piece& piece, std::size_t index);

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
