#include "benchmarks/cli/calibrations.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "benchmarks/compare/calibrate.hpp"
#include "benchmarks/compare/environment.hpp"
#include "benchmarks/model/date.hpp"
#include "benchmarks/report/calibration.hpp"

namespace apod::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* folder = "results/calibrations";

std::string value_of(const Calibration& calibration, const std::string& key) {
  const auto found = calibration.environment.find(key);
  return found == calibration.environment.end() ? "" : found->second;
}

/// "NVIDIA H200" -> "nvidia-h200": what is safe in a file's name.
std::string slug(const std::string& text) {
  std::string name;
  for (const unsigned char c : text) {
    const bool plain = std::isalnum(c) != 0 || c == '.';
    if (plain) {
      name += static_cast<char>(std::tolower(c));
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  while (!name.empty() && name.back() == '-') name.pop_back();
  return name;
}

/// The first decisive property in which the base's machine is another; empty where it is the same.
std::string misfit(const Calibration& calibration, const Side& base) {
  for (const auto& session : base.sessions) {
    for (const auto& [key, value] : session.environment) {
      if (compare::is_decisive(key) && value != value_of(calibration, key)) {
        return key + " was '" + value_of(calibration, key) + "' and is '" + value + "'";
      }
    }
  }
  return "";
}

void take(const Calibration& calibration, CompareOptions& options) {
  const auto deviations = compare::session_deviations(calibration);
  for (std::size_t i = 0; i < deviations.size(); ++i) {
    const auto& c = calibration.cases[i];
    options.session_deviations[c.name] = deviations[i];
    options.process_deviations[c.name] = c.process;
  }
}

using NamedCalibration = std::pair<std::string, Calibration>;

/// Ascends with the date; the file's name decides between equal ones.
std::pair<std::optional<double>, std::string_view> age_key(const NamedCalibration& one) {
  return {instant_of(one.second.date), one.first};
}

/// The calibrations in the folder that fit, the oldest first; one without a date counts as older.
std::vector<NamedCalibration> fitting(const Side& base, std::vector<std::string>& notes) {
  std::vector<NamedCalibration> found;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->path().extension() != ".json") continue;
    try {
      auto calibration = report::read_calibration(it->path().string());
      if (misfit(calibration, base).empty()) {
        found.emplace_back(it->path().string(), std::move(calibration));
      }
    } catch (const std::runtime_error& bad) {
      notes.push_back(std::string("a calibration was passed over: ") + bad.what());
    }
  }
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return age_key(a) < age_key(b); });
  return found;
}

bool knows_any(const Calibration& calibration, const Side& base) {
  std::unordered_set<std::string_view> names;
  for (const auto& known : calibration.cases) names.insert(known.name);
  return std::any_of(base.cases.begin(), base.cases.end(),
                     [&](const SideCase& c) { return names.contains(c.name); });
}

}  // namespace

std::string calibration_path(const Calibration& calibration) {
  auto device = value_of(calibration, "gpu");
  if (device.empty()) device = value_of(calibration, "cpu");
  const auto name =
      slug(device + " " + value_of(calibration, "driver") + " " + calibration.config) + ".json";
  std::error_code error;
  return fs::is_directory("results", error) ? std::string(folder) + "/" + name : name;
}

void apply_calibrations(const Side& base, const std::string& file, CompareOptions& options,
                        std::vector<std::string>& notes) {
  if (!file.empty()) {
    const auto calibration = report::read_calibration(file);
    const auto reason = misfit(calibration, base);
    if (!reason.empty()) {
      throw std::runtime_error(file + ": is of another machine or build type: " + reason);
    }
    if (!knows_any(calibration, base)) {
      throw std::runtime_error(file + ": knows none of the cases that are compared");
    }
    take(calibration, options);
    options.session_source = file;
    return;
  }
  if (options.session_deviation) return;
  for (const auto& [name, calibration] : fitting(base, notes)) {
    if (!knows_any(calibration, base)) continue;
    take(calibration, options);  // a newer one overwrites
    options.session_source = name;
  }
}

}  // namespace apod::cli
