#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "benchmarks/base/text/quantities.hpp"
#include "benchmarks/files/cases_file.hpp"
#include "benchmarks/plan/config/experiment_reader.hpp"
#include "benchmarks/plan/config/keys.hpp"
#include "kernels/files/spec.hpp"

namespace apod::config {
namespace {

/// `cases: shapes.csv`, or `cases: {file: shapes.csv, columns: [rows, columns], weight: launches}`.
struct CasesReader {
  Problems& problems;
  std::string file{};
  SourcePlace file_place{};
  std::vector<std::string> columns{};
  std::string weight{};

  static const Block<CasesReader>& keys() {
    using R = CasesReader;
    static const Block<R> all{
        {{"file", ".csv or .jsonl file with one case per row", Form::word},
         [](R& r, const Field& field) {
           r.file = read_word(field, r.problems).value_or("");
           r.file_place = place_of(field);
         }},
        {{"columns", "the columns that are axes; default: all columns except the weight",
          Form::words},
         [](R& r, const Field& field) {
           for (const auto& item : items_of(field.value)) {
             r.columns.push_back(
                 read_word(item, place_of(item), "columns", r.problems).value_or(""));
           }
         }},
        {{"weight", "the column with the weight of each case", Form::word},
         [](R& r, const Field& field) { r.weight = read_word(field, r.problems).value_or(""); }},
    };
    return all;
  }
};

}  // namespace

Keys cases_keys() {
  return keys_of(CasesReader::keys());
}

void read_cases_file(Fields& fields, const ReadContext& context, std::string& weight,
                     Problems& problems) {
  const auto& folder = context.folder;
  const auto* cases = find(fields, "cases");
  if (cases == nullptr) return;
  CasesReader reader{problems};
  if (cases->value.IsMap()) {
    const auto own = read_fields(cases->value, place_of(*cases), "'cases'", problems);
    if (own) read_block(CasesReader::keys(), *own, "'cases'", reader, problems);
  } else {
    reader.file = read_word(*cases, problems).value_or("");
    reader.file_place = place_of(*cases);
  }
  if (!context.outside && !file::is_within(folder, reader.file)) {
    problems.add(reader.file_place, in_quotes(reader.file) + " is outside the study's folder",
                 "to allow it, add --trust");
    return;
  }
  files::CaseRows all;
  try {
    all = files::read_case_rows((std::filesystem::path(folder) / reader.file).string());
  } catch (const std::runtime_error& error) {
    problems.add(reader.file_place, error.what());
    return;
  }
  auto wanted = reader.columns;
  if (wanted.empty()) wanted = all.columns;
  // A weight is an axis too, so that each case shows its own.
  if (!reader.weight.empty() && std::ranges::count(wanted, reader.weight) == 0)
    wanted.push_back(reader.weight);
  YAML::Node axes(YAML::NodeType::Map);
  for (const auto& name : wanted) {
    const auto found = std::ranges::find(all.columns, name);
    if (found == all.columns.end()) {
      problems.add(place_of(*cases), reader.file + " has no column " + in_quotes(name),
                   suggestion(name, all.columns));
      continue;
    }
    YAML::Node values(YAML::NodeType::Sequence);
    for (const auto& row : all.rows) {
      const auto& value = row[static_cast<std::size_t>(found - all.columns.begin())];
      if (name == reader.weight && !text::parse_count(value).value) {
        problems.add(place_of(*cases),
                     reader.file + ": the weight " + in_quotes(value) + " is not a whole number");
      }
      values.push_back(value);
    }
    axes[name] = values;
  }
  weight = reader.weight;
  // Each row is a case: its columns advance together.
  YAML::Node zip(YAML::NodeType::Sequence);
  if (const auto* own = find(fields, "zip")) {
    if (!own->value.IsSequence()) {
      problems.add(place_of(*own), "with 'cases', 'zip' must be a list");
      return;
    }
    for (const auto& item : own->value) zip.push_back(item);
  }
  zip.push_back(axes);
  const auto place = cases->place;
  std::erase_if(fields, [](const auto& field) { return field.key == "zip"; });
  fields.push_back({"zip", place, zip});
}

}  // namespace apod::config
