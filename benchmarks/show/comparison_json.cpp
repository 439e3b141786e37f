#include <fmt/format.h>

#include <cmath>
#include <ostream>
#include <set>
#include <stdexcept>
#include <string>

#include "benchmarks/files/json_pieces.hpp"
#include "benchmarks/files/record/comparison_fields.hpp"
#include "benchmarks/show/comparison_report.hpp"
#include "benchmarks/show/comparison_view.hpp"

namespace apod::show {
namespace {

constexpr int comparison_schema = 1;

/// A number that no measurement stands behind is null, whatever its member happens to hold.
record::Json json_of(const CaseComparison& c) {
  record::Json json = record::Writer::write(c);
  if (!is_judged(c)) {
    for (const char* name : {"change", "change_low", "change_high", "p", "p_adjusted", "q"})
      json[name] = nullptr;
  }
  if (!(c.base_s > 0)) json["base_s"] = nullptr;
  if (!(c.new_s > 0)) json["new_s"] = nullptr;
  return json;
}

/// Numbers that are null, as they were before.
void mend(CaseComparison& c) {
  if (!(c.base_s > 0)) c.base_s = 0;
  if (!(c.new_s > 0)) c.new_s = 0;
  if (is_judged(c)) return;
  c.change = {c.base_s > 0 && c.new_s > 0 ? c.new_s / c.base_s - 1 : 0};
  c.p = c.p_adjusted = c.q = 1;
}

/// Throws std::runtime_error where its numbers exclude each other.
void check(const CaseComparison& c) {
  const auto refuse = [&](const std::string& what) {
    throw std::runtime_error(c.name + ": " + what);
  };
  if (!is_judged(c) || !(c.base_s > 0) || !(c.new_s > 0)) return;
  constexpr double rounding = 0.01;  // of ln time
  if (!(std::abs(std::log(c.new_s / c.base_s) - std::log1p(c.change.value)) < rounding)) {
    refuse(fmt::format("its change, {:+.4g} %, does not match its times on both sides",
                       100 * c.change.value));
  }
  const bool is_beside = c.change.low > c.change.value || c.change.high < c.change.value;
  if (is_beside) refuse("its change is outside its interval");
  const bool fits = (c.verdict != Verdict::regression || c.change.value > 0) &&
                    (c.verdict != Verdict::improvement || c.change.value < 0);
  if (!fits)
    refuse(fmt::format("its change, {:+.4g} %, does not fit the verdict '{}'", 100 * c.change.value,
                       to_string(c.verdict)));
}

record::Json counts_of(const Comparison& comparison) {
  record::Json counts = record::Json::object();
  for (std::size_t i = 0; i < EnumNames<Verdict>::names.size(); ++i) {
    const auto verdict = static_cast<Verdict>(i);
    counts[std::string(to_string(verdict))] = comparison.count(verdict);
  }
  return counts;
}

/// The members that are read as they were written, in their order, and whether each is written.
template <class Visit, record::Is<Comparison> T>
void visit_members(T& c, const Visit& visit) {
  visit("method", c.method);
  visit("base", c.base);
  visit("new", c.new_side);
  visit("base_environment", c.base_environment);
  visit("new_environment", c.new_environment);
  visit("interrupted", c.interrupted);
  visit("failure", c.failure);
  visit("seed", c.seed);
  visit("command_line", c.command_line, !c.command_line.empty());
  visit("common", c.common, c.common.has_value());
  visit("next_step", c.next_step);
  visit("suspects", c.to_confirm, c.method == CompareMethod::confirmed);
  visit("one_process", c.one_process, c.one_process);
  visit("of_recordings", c.of_recordings, c.of_recordings);
  visit("unlike", c.unlike, !c.unlike.empty());
  visit("options", c.options);
  visit("environment", c.environment);
}

}  // namespace

void write_comparison_json(std::ostream& out, const Comparison& comparison) {
  out << "{\n  \"kind\": \"comparison\",\n  \"schema\": " << comparison_schema;
  const auto member = [&](const char* name, const record::Json& value) {
    out << ",\n  \"" << name << "\": " << files::indented(value);
  };
  member("verdict", verdict_line(comparison));
  member("counts", counts_of(comparison));
  visit_members(comparison, [&](const char* name, const auto& value, bool is_written = true) {
    if (is_written) member(name, record::Writer::write(value));
  });
  member("notes", record::Writer::write(notes(comparison)));
  files::ArrayWriter cases(out, "cases");
  for (const auto& c : comparison.cases) cases.add(json_of(c));
  cases.close();
  out << "\n}\n";
}

Comparison read_comparison(const std::string& file) {
  Comparison comparison;
  std::set<std::string> members;
  const auto take = [&](const std::string& member, std::size_t index, const files::Piece& piece) {
    members.insert(member);
    if (member == "schema" && piece != comparison_schema)
      throw std::runtime_error("this bench reads only schema " + std::to_string(comparison_schema));
    visit_members(comparison, [&](const std::string& name, auto& value, bool = true) {
      if (member != name) return;
      if constexpr (requires { value.emplace_back(); }) {
        record::Reader::read(piece, value.emplace_back());
      } else {
        record::Reader::read(piece, value);
      }
    });
    if (member == "notes") record::Reader::read(piece, comparison.notes.emplace_back());
    if (member == "cases") {
      files::text_at(files::element(piece, index), "name");
      files::text_at(piece, "verdict");
      record::FileReader::read(piece, comparison.cases.emplace_back());
      mend(comparison.cases.back());
      check(comparison.cases.back());
    }
    return true;
  };
  files::read_pieces(file, {}, take);
  for (const char* needed : {"schema", "method", "base", "new", "options"}) {
    if (!members.contains(needed)) throw std::runtime_error(std::string(needed) + ": missing");
  }
  comparison.notes_say_all = !comparison.notes.empty();
  return comparison;
}

}  // namespace apod::show
