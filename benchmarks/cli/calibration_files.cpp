#include "benchmarks/cli/calibration_files.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <stdexcept>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "benchmarks/base/os/trusted.hpp"
#include "benchmarks/base/run_properties.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/base/text/quantities.hpp"
#include "benchmarks/cli/frame.hpp"
#include "benchmarks/files/small_file.hpp"
#include "benchmarks/judge/calibrate.hpp"

namespace apod::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* calibrations_folder = "results/calibrations";

std::string value_of(const std::map<std::string, std::string>& environment,
                     const std::string& key) {
  const auto found = environment.find(key);
  return found == environment.end() ? "" : found->second;
}

/// The first decisive property in which the base's machine is another, or which only one of the two
/// records; empty where it is the same.
std::string misfit(const Calibration& calibration, const Side& base) {
  for (const auto& session : base.sessions) {
    auto keys = calibration.environment;
    keys.insert(session.environment.begin(), session.environment.end());
    for (const auto& [key, unused] : keys) {
      const auto was = value_of(calibration.environment, key);
      const auto is = value_of(session.environment, key);
      if (is_decisive(key) && was != is) return key + " was '" + was + "' and is '" + is + "'";
    }
  }
  return "";
}

/// The spreads of cases that both know and that are measured in the same way; how many they are.
std::size_t take(const Calibration& calibration, const Side& base, CompareOptions& options) {
  std::unordered_map<std::string_view, std::string_view> versions;
  for (const auto& c : base.cases) versions.emplace(c.name, c.version.str());
  const auto spreads = judge::known_spreads(calibration);
  std::size_t taken = 0;
  for (std::size_t i = 0; i < spreads.size(); ++i) {
    const auto& c = calibration.cases[i];
    const auto found = versions.find(c.name);
    if (found == versions.end() || found->second != c.version) continue;
    options.known_spreads[c.name] = spreads[i];
    ++taken;
  }
  return taken;
}

using NamedCalibration = std::pair<std::string, Calibration>;

/// Ascends with the date; the file's name decides between equal ones.
std::pair<std::optional<double>, std::string_view> age_key(const NamedCalibration& one) {
  return {text::instant_of(one.second.date), one.first};
}

/// Every results/calibrations from the working folder upward. None beside a file that was named: a
/// folder that somebody sent may bring its own.
std::vector<fs::path> calibration_folders() {
  std::vector<fs::path> folders;
  std::error_code error;
  auto place = fs::current_path(error);
  for (; !place.empty(); place = place == place.root_path() ? fs::path() : place.parent_path()) {
    if (fs::is_directory(place / calibrations_folder, error)) {
      folders.push_back(place / calibrations_folder);
    }
  }
  return folders;
}

/// The calibrations in the folders that fit and that no other user can have put there, the oldest
/// first; one without a date counts as older.
std::vector<NamedCalibration> fitting(const Side& base, std::vector<std::string>& notes) {
  std::vector<NamedCalibration> found;
  std::set<std::string> untrusted;  // why
  const auto add = [&](const fs::path& path) {
    if (const auto why = os::why_untrusted(path.string()); !why.empty()) {
      untrusted.insert(why);
      return;
    }
    std::error_code error;
    const auto near = fs::proximate(path, error).string();  // as short as a person would write it
    try {
      auto calibration = files::read_calibration(near);
      if (misfit(calibration, base).empty()) found.emplace_back(near, std::move(calibration));
    } catch (const std::runtime_error& bad) {
      notes.push_back(std::string("a calibration was ignored: ") + bad.what());
    }
  };
  for (const auto& place : calibration_folders()) {
    std::error_code error;
    for (fs::directory_iterator it(place, error), end; !error && it != end; it.increment(error)) {
      if (it->path().extension() == ".json") add(it->path());
    }
  }
  for (const auto& why : untrusted) {
    notes.push_back("calibrations were ignored: " + why + " (--calibration FILE uses such a file)");
  }
  std::ranges::sort(found, [](const auto& a, const auto& b) { return age_key(a) < age_key(b); });
  return found;
}

}  // namespace

std::string calibration_path(const Calibration& calibration) {
  auto device = value_of(calibration.environment, "gpu");
  if (device.empty()) device = value_of(calibration.environment, "cpu");
  const auto name = text::slug(device + " " + value_of(calibration.environment, "driver") + " " +
                               calibration.config) +
                    ".json";
  return default_folder().empty() ? name : (fs::path(calibrations_folder) / name).string();
}

void apply_calibrations(const Side& base, const std::string& file, CompareOptions& options,
                        std::vector<std::string>& notes) {
  if (!file.empty()) {
    const auto calibration = files::read_calibration(file);
    const auto reason = misfit(calibration, base);
    if (!reason.empty()) {
      throw std::runtime_error(file + ": is from another machine or build type: " + reason);
    }
    if (take(calibration, base, options) == 0) {
      throw std::runtime_error(
          file + ": has none of the compared cases, or measured these cases differently");
    }
    options.calibration = file;
    return;
  }
  for (const auto& [name, calibration] : fitting(base, notes)) {
    // A newer one overwrites; all that were looked at are named.
    if (take(calibration, base, options) == 0) continue;
    options.calibration += (options.calibration.empty() ? "" : ", ") + name;
  }
}

}  // namespace apod::cli
