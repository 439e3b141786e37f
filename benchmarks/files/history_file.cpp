#include "benchmarks/files/history_file.hpp"

#include <cmath>
#include <ostream>
#include <stdexcept>

#include "benchmarks/files/json_array.hpp"
#include "benchmarks/files/json_pieces.hpp"
#include "benchmarks/files/record/comparison_fields.hpp"

namespace apod::files {
namespace {

constexpr int history_schema = 1;

/// Throws std::runtime_error where what is shown of the case would not fit together.
void check(const CaseHistory& history) {
  const auto refuse = [&](const std::string& what) {
    throw std::runtime_error(history.name + ": " + what);
  };
  for (const HistoryPoint& point : history.points) {
    if (!point.failed.empty()) continue;
    if (point.segment >= history.segments.size()) refuse("a point is in no segment");
    if (!(point.time_s.value > 0) || std::isinf(point.time_s.value))
      refuse("a time is not positive");
  }
}

}  // namespace

void write_history_json(std::ostream& out, const History& history) {
  out << "{\n  \"kind\": \"history\",\n  \"schema\": " << history_schema
      << ",\n  \"runs\": " << history.runs
      << ",\n  \"environment\": " << indented(record::Writer::write(history.environment))
      << ",\n  \"notes\": " << indented(record::Writer::write(history.notes));
  ArrayWriter cases(out, "cases");
  for (const CaseHistory& one : history.cases) cases.add(record::Writer::write(one));
  cases.close();
  out << "\n}\n";
}

History read_history(const std::string& file) {
  History history;
  bool has_schema = false;
  read_pieces(file, {}, [&](const std::string& member, std::size_t index, const Piece& piece) {
    if (member == "schema") has_schema = true;
    if (member == "schema" && piece != history_schema) {
      throw std::runtime_error("this program reads schema " + std::to_string(history_schema));
    }
    if (member == "runs") record::Reader::read(piece, history.runs);
    if (member == "environment") record::Reader::read(piece, history.environment);
    if (member == "notes") record::Reader::read(piece, history.notes.emplace_back());
    if (member == "cases") {
      record::Reader::read(element(piece, index), history.cases.emplace_back());
      check(history.cases.back());
    }
    return true;
  });
  if (!has_schema) throw std::runtime_error("schema: missing");
  return history;
}

}  // namespace apod::files
