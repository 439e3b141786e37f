#include <algorithm>
#include <filesystem>
#include <iterator>
#include <stdexcept>
#include <utility>
#include <vector>

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

fs::path estimates_of(const fs::path& folder) {
  std::error_code error;
  auto file = folder / "new" / "estimates.json";
  return fs::is_regular_file(file, error) ? file : fs::path();
}

/// The last run of each benchmark in the folder.
void collect(const fs::path& folder, std::vector<fs::path>& files) {
  if (const auto file = estimates_of(folder); !file.empty()) files.push_back(file);
  for (const auto& entry : fs::directory_iterator(folder)) {
    std::error_code error;
    const bool is_folder = entry.is_directory(error) && !entry.is_symlink(error);
    if (is_folder && !is_of_criterion(entry.path())) collect(entry.path(), files);
  }
}

double point_of(const Piece& estimates, const char* name) {
  return number_or_nan(look_up(look_up(estimates, name), "point_estimate")) * criterion_unit;
}

void add_case(const std::string& file, ForeignRows& rows) {
  const auto estimates = read_members(os::read_file(file, most_of_criterion));
  const auto about = beside(file);
  ForeignRow row{.name = text_of(look_up(about, "full_id"))};
  if (row.name.empty()) row.name = name_by_folders(file);
  row.times_s = {point_of(estimates, "median")};
  row.numbers.push_back({"mean", point_of(estimates, "mean"), "s"});
  if (look_up(estimates, "slope").is_object())
    row.numbers.push_back({"slope", point_of(estimates, "slope"), "s"});
  const auto& throughput = look_up(about, "throughput");
  for (const auto& [key, name, unit] :
       {std::tuple{"Bytes", "bytes_per_second", "B/s"}, {"Elements", "items_per_second", "/s"}}) {
    if (!look_up(throughput, key).is_number()) continue;
    row.numbers.push_back({name, number_at(throughput, key) / row.times_s.front(), unit});
  }
  rows.add(std::move(row));
}

}  // namespace

bool is_of_criterion(const fs::path& folder) {
  std::error_code error;
  const auto name = folder.filename();
  if (name == "report") return fs::exists(folder / "index.html", error);
  const bool has_estimates = fs::exists(folder / "estimates.json", error);
  return has_estimates && !estimates_of(folder.parent_path()).empty();
}

fs::path criterion_folder(const fs::path& folder, const fs::path& top) {
  const auto file = estimates_of(folder);
  if (file.empty()) return {};
  const auto directory = fs::path(text_of(look_up(beside(file.string()), "directory_name")));
  const auto parts = std::max<std::ptrdiff_t>(1, std::distance(directory.begin(), directory.end()));
  auto root = folder;
  for (std::ptrdiff_t i = 0; i < parts && root != top; ++i) root = root.parent_path();
  return root;
}

bool is_criterion_folder(const std::string& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) return false;
  std::vector<fs::path> files;
  collect(folder, files);
  return !files.empty() &&
         criterion_folder(files.front().parent_path().parent_path(), folder) == folder;
}

void read_criterion(const std::string& file, Events& events) {
  if (fs::absolute(file).parent_path().filename() == "change") {
    throw std::runtime_error(
        "it holds Criterion's changes, not times: name the file in the folder new/");
  }
  ForeignRows rows(events, file, "Criterion", Reads::json);
  std::vector<fs::path> files{file};
  if (fs::is_directory(file)) {
    files.clear();
    collect(file, files);
    std::sort(files.begin(), files.end());
  }
  for (const auto& one : files) add_case(one.string(), rows);
  rows.finish();
}

}  // namespace apod::files
