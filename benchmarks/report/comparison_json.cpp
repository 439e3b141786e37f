#include <ostream>

#include "benchmarks/report/comparison_view.hpp"
#include "benchmarks/results/json_array.hpp"

// Beside the records that they list, where the compiler looks for them.
namespace apod {

template <class Archive, record::Is<Cause> T>
void fields(Archive& field, T& t) {
  field("fact", t.fact);
  field("text", t.text);
}

template <class Archive, record::Is<CaseComparison> T>
void fields(Archive& field, T& t) {
  field("name", t.name);
  field("verdict", t.verdict);
  field("reason", t.reason);
  field("base_s", t.base_s);
  field("new_s", t.new_s);
  field("replicate", t.replicate);
  field("base_units", t.base_units);
  field("new_units", t.new_units);
  field("session_source", t.session_source);
  field("session_deviation", t.session_deviation);
  field("change", t.change);
  field("change_low", t.change_low);
  field("change_high", t.change_high);
  field("p", t.p);
  field("p_adjusted", t.p_adjusted);
  field("q", t.q);
  field("threshold", t.threshold);
  field("detectable", t.detectable);
  field("units_needed", t.units_needed);
  field("causes", t.causes);
  field("warnings", t.warnings);
}

template <class Archive, record::Is<CompareOptions> T>
void fields(Archive& field, T& t) {
  field("threshold", t.threshold);
  field("alpha", t.alpha);
  field("strict", t.strict);
  field("session_deviation", t.session_deviation);
  field("session_source", t.session_source);
}

}  // namespace apod

namespace apod::report {
namespace {

constexpr int comparison_schema = 1;

/// A number that no measurement stands behind is null, whatever its member happens to hold.
record::Json json_of(const CaseComparison& c) {
  record::Json json = record::Writer::write(c);
  if (!is_judged(c)) {
    for (const char* name : {"change", "change_low", "change_high", "p", "p_adjusted", "q"}) {
      json[name] = nullptr;
    }
  }
  if (!(c.base_s > 0)) json["base_s"] = nullptr;
  if (!(c.new_s > 0)) json["new_s"] = nullptr;
  return json;
}

record::Json counts_of(const Comparison& comparison) {
  record::Json counts = record::Json::object();
  for (std::size_t i = 0; i < EnumNames<Verdict>::names.size(); ++i) {
    const auto verdict = static_cast<Verdict>(i);
    counts[std::string(to_string(verdict))] = comparison.count(verdict);
  }
  return counts;
}

}  // namespace

void write_comparison_json(std::ostream& out, const Comparison& comparison) {
  out << "{\n  \"kind\": \"comparison\",\n  \"schema\": " << comparison_schema;
  const auto member = [&](const char* name, const record::Json& value) {
    out << ",\n  \"" << name << "\": " << results::indented(value);
  };
  member("verdict", verdict_line(comparison));
  member("counts", counts_of(comparison));
  member("method", record::Writer::write(comparison.method));
  member("base", comparison.base);
  member("new", comparison.new_side);
  member("interrupted", comparison.interrupted);
  member("failure", comparison.failure);
  member("seed", comparison.seed);
  member("options", record::Writer::write(comparison.options));
  member("environment", record::Writer::write(comparison.environment));
  member("notes", record::Writer::write(notes(comparison)));
  results::ArrayWriter cases(out, "cases");
  for (const auto& c : comparison.cases) cases.add(json_of(c));
  cases.close();
  out << "\n}\n";
}

}  // namespace apod::report
