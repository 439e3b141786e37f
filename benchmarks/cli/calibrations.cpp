#include "benchmarks/cli/calibrations.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>
#include <stdexcept>

#include "benchmarks/compare/calibrate.hpp"
#include "benchmarks/compare/environment.hpp"
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
  for (const auto& c : calibration.cases) {
    options.session_deviations[c.name] = compare::session_deviation(calibration, c);
    options.process_deviations[c.name] = c.process;
  }
}

/// Every results/calibrations from here and from the base's files upward.
std::set<fs::path> folders_of(const Side& base) {
  std::set<fs::path> folders;
  const auto add = [&](const fs::path& place) {
    std::error_code error;
    if (fs::is_directory(place / folder, error))
      folders.insert(fs::canonical(place / folder, error));
  };
  add(".");
  std::error_code error;
  for (const auto& session : base.sessions) {
    auto place = fs::canonical(session.file, error).parent_path();
    for (; !place.empty(); place = place == place.root_path() ? fs::path() : place.parent_path()) {
      add(place);
    }
  }
  return folders;
}

/// The calibrations in the folders that fit, the oldest first.
std::vector<std::pair<std::string, Calibration>> fitting(const Side& base,
                                                         std::vector<std::string>& notes) {
  std::vector<std::pair<std::string, Calibration>> found;
  const auto add = [&](const fs::path& path) {
    std::error_code error;
    const auto near = fs::proximate(path, error).string();  // as short as a person would write it
    try {
      auto calibration = report::read_calibration(near);
      if (misfit(calibration, base).empty()) found.emplace_back(near, std::move(calibration));
    } catch (const std::runtime_error& bad) {
      notes.push_back(std::string("a calibration was passed over: ") + bad.what());
    }
  };
  for (const auto& place : folders_of(base)) {
    std::error_code error;
    for (fs::directory_iterator it(place, error), end; !error && it != end; it.increment(error)) {
      if (it->path().extension() == ".json") add(it->path());
    }
  }
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return a.second.date < b.second.date; });
  return found;
}

bool knows_any(const Calibration& calibration, const Side& base) {
  return std::any_of(base.cases.begin(), base.cases.end(), [&](const SideCase& c) {
    return std::any_of(calibration.cases.begin(), calibration.cases.end(),
                       [&](const CalibratedCase& known) { return known.name == c.name; });
  });
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
