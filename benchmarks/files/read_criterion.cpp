#include <filesystem>
#include <stdexcept>
#include <utility>

#include "benchmarks/base/os/input_file.hpp"
#include "benchmarks/files/foreign_rows.hpp"
#include "benchmarks/files/formats.hpp"

namespace apod::files {
namespace {

namespace fs = std::filesystem;

constexpr double criterion_unit = 1e-9;
constexpr std::size_t most_of_criterion = 1 << 20;

/// What `benchmark.json` beside the file says; null without one.
Piece beside(const std::string& file) {
  const auto path = fs::path(file).parent_path() / "benchmark.json";
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return nullptr;
  return read_members(os::read_file(path.string(), most_of_criterion));
}

/// "group/function/value" of target/criterion/group/function/value/new/estimates.json.
std::string name_by_folders(const std::string& file) {
  std::string name;
  const auto folder = fs::absolute(file).parent_path().parent_path();
  for (const auto& part : folder) {
    const auto text = part.string();
    if (text == "criterion" || text == "/") {
      name.clear();
    } else {
      name += (name.empty() ? "" : "/") + text;
    }
  }
  return name;
}

double point_of(const Piece& estimates, const char* name) {
  return number_or_nan(look_up(look_up(estimates, name), "point_estimate")) * criterion_unit;
}

}  // namespace

void read_criterion(const std::string& file, Events& events) {
  if (fs::absolute(file).parent_path().filename() == "change") {
    throw std::runtime_error("it holds Criterion's changes, not times: name the one in new/");
  }
  ForeignRows rows(events, file, "Criterion", Reads::json);
  const auto estimates = read_members(os::read_file(file, most_of_criterion));
  const auto about = beside(file);
  ForeignRow row{.name = text_of(look_up(about, "full_id"))};
  if (row.name.empty()) row.name = name_by_folders(file);
  row.times_s = {point_of(estimates, "median")};
  row.numbers.push_back({"mean", point_of(estimates, "mean"), "s"});
  if (look_up(estimates, "slope").is_object()) {
    row.numbers.push_back({"slope", point_of(estimates, "slope"), "s"});
  }
  const auto& throughput = look_up(about, "throughput");
  for (const auto& [key, name, unit] :
       {std::tuple{"Bytes", "bytes_per_second", "B/s"}, {"Elements", "items_per_second", "/s"}}) {
    if (!look_up(throughput, key).is_number()) continue;
    row.numbers.push_back({name, number_at(throughput, key) / row.times_s.front(), unit});
  }
  rows.add(std::move(row));
  rows.finish();
}

}  // namespace apod::files
