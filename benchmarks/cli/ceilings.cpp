#include "benchmarks/cli/ceilings.hpp"

#include <cstdio>
#include <filesystem>
#include <stdexcept>

#include "benchmarks/cli/commands.hpp"
#include "benchmarks/cli/slug.hpp"
#include "benchmarks/report/ceilings.hpp"
#include "kernels/api/fnv.hpp"

namespace apod::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* folder = "results/ceilings";

std::string watts(double power) {
  char text[32];
  std::snprintf(text, sizeof text, "%.0f", power);
  return text;
}

std::string file_name(const DeviceFacts& device) {
  Fnv1a conditions;
  conditions.add(device.driver_version).add("|").add(device.runtime_version).add("|");
  conditions.add(watts(device.power_limit_w));
  return slug(device.name) + "-" + hex(conditions.value()).substr(0, 8) + ".json";
}

/// Why they do not hold for the device; empty where they do.
std::string misfit(const Ceilings& ceilings, const DeviceFacts& device) {
  for (const auto& [what, was, is] :
       {std::tuple{"device", ceilings.gpu, device.name},
        {"driver", ceilings.driver, device.driver_version},
        {"CUDA", ceilings.cuda, device.runtime_version},
        {"power limit", watts(ceilings.power_limit_w), watts(device.power_limit_w)}}) {
    if (was != is) return std::string(what) + " was '" + was + "' and is '" + is + "'";
  }
  return "";
}

/// Where the file may lie, the likeliest first.
std::vector<fs::path> places() {
  std::vector<fs::path> found{folder, "."};
  auto place = fs::path(own_program()).parent_path();
  for (; !place.empty(); place = place == place.root_path() ? fs::path() : place.parent_path()) {
    found.push_back(place / folder);
  }
  return found;
}

}  // namespace

std::string ceilings_path(const DeviceFacts& device) {
  std::error_code error;
  const auto name = file_name(device);
  return fs::is_directory("results", error) ? std::string(folder) + "/" + name : name;
}

std::optional<Ceilings> find_ceilings(const DeviceFacts& device, std::vector<std::string>& notes) {
  if (device.name.empty()) return std::nullopt;
  for (const auto& place : places()) {
    const auto path = place / file_name(device);
    std::error_code error;
    if (!fs::is_regular_file(path, error)) continue;
    try {
      auto ceilings = report::read_ceilings(path.lexically_normal().string());
      const auto why = misfit(ceilings, device);
      if (why.empty()) return ceilings;
      notes.push_back(path.lexically_normal().string() + ": passed over: " + why);
    } catch (const std::runtime_error& bad) {
      notes.push_back(std::string("ceilings were passed over: ") + bad.what());
    }
  }
  return std::nullopt;
}

}  // namespace apod::cli
