#pragma once

/// \file
/// Formats of JSON files as tables of paths: where the cases are, and where the name, the time and
/// the other numbers of a case are. Internal to files/.

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "benchmarks/base/command.hpp"
#include "benchmarks/files/foreign_rows.hpp"
#include "benchmarks/files/json_pieces.hpp"

namespace apod::files {

/// A path has keys and indices between slashes; * is every element.
struct JsonTable {
  const char* id;       ///< of the format
  const char* program;  ///< that writes it
  /// Member of the top that has the cases: an array; "": the top is it; "*": each member is a case.
  const char* cases;
  const char* mark;    ///< path in a case that no other format has
  const char* name;    ///< path in a case; "": its key at the top
  const char* params;  ///< path to an object of axes in a case; null: none
  /// In a case. "time" is its time: the first of several that exists. A path with a * and without a
  /// name stands for all the numbers there, by the keys at the *. A unit that begins with @ is the
  /// path to it.
  std::vector<Figure> figures;
  std::vector<std::pair<const char*, const char*>> context;  ///< path from the top, property
  bool one_process = true;
  bool name_lacks_params = false;  ///< even where a value is a part of it by chance
  const char* exit_codes = nullptr;  ///< path in a case: one that is not 0 fails it
};

std::span<const JsonTable> json_tables();

/// Whether cases of the format are in this member of the top.
bool holds_cases(const JsonTable& table, std::string_view member);

void read_json_table(const JsonTable& table, const std::string& file, Events& events);

/// Adds what `path` leads to from `value`.
void follow(const Piece& value, std::string_view path, std::vector<const Piece*>& found);

/// The row of a case, whose name is at the path `name` or, without one, `key`. Throws
/// std::runtime_error if there is no name or no time, or if a value is not a number.
ForeignRow row_of(const Piece& one, const std::string& name, const std::vector<Figure>& figures,
                  const std::string& key = "");

}  // namespace apod::files
