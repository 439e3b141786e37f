#include "benchmarks/cli/ceiling_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "benchmarks/base/os/trusted.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/cli/frame.hpp"
#include "benchmarks/cli/program_files.hpp"
#include "benchmarks/files/small_file.hpp"
#include "kernels/data/fnv.hpp"

namespace apod::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* ceilings_folder = "results/ceilings";

std::string watts(double power) {
  return fmt::format("{:.0f}", power);
}

std::string file_name(const DeviceFacts& device) {
  Fnv1a conditions;
  conditions.add(device.driver_version).add("|").add(device.runtime_version).add("|");
  conditions.add(watts(device.power_limit_w));
  return text::slug(device.name) + "-" + hex(conditions.value()).substr(0, 8) + ".json";
}

/// Why they do not hold for the device; empty: they do, as far as the device is known.
std::string misfit(const Ceilings& ceilings, const DeviceFacts& device) {
  for (const auto& [what, was, is] :
       {std::tuple{"device", ceilings.gpu, device.name},
        {"driver", ceilings.driver, device.driver_version},
        {"CUDA", ceilings.cuda, device.runtime_version},
        {"power limit", watts(ceilings.power_limit_w), watts(device.power_limit_w)}}) {
    if (was != is && !is.empty() && is != watts(0))
      return std::string(what) + " was '" + was + "' and is '" + is + "'";
  }
  return contradiction(ceilings, device);
}

/// Where the file may lie, the likeliest first.
std::vector<fs::path> places() {
  std::vector<fs::path> found{ceilings_folder, "."};
  auto place = fs::path(own_program()).parent_path();
  for (; !place.empty(); place = place == place.root_path() ? fs::path() : place.parent_path())
    found.push_back(place / ceilings_folder);
  return found;
}

/// The ceilings in a file; nothing, with a note, where others could have put them there, where they
/// can't be read, or where they do not hold for the device.
std::optional<Ceilings> read_fitting(const std::string& path, const DeviceFacts& device,
                                     std::vector<std::string>& notes) {
  if (const auto why = os::why_untrusted(path); !why.empty()) {
    notes.push_back("ceilings were ignored: " + path + ": " + why);
    return std::nullopt;
  }
  try {
    auto ceilings = files::read_ceilings(path);
    const auto why = misfit(ceilings, device);
    if (why.empty()) return ceilings;
    notes.push_back(path + ": ignored: " + why);
  } catch (const std::runtime_error& bad) {
    notes.push_back(std::string("ceilings were ignored: ") + bad.what());
  }
  return std::nullopt;
}

/// JSON files of a folder that are named after the device: nvidia-h200.json, nvidia-h200-1a2b.json.
std::vector<std::string> files_of(const fs::path& folder_path, const std::string& device) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder_path, error), end; !error && entry != end;
       entry.increment(error)) {
    const auto name = entry->path().filename().string();
    if (!name.ends_with(".json")) continue;
    if (name != device + ".json" && !name.starts_with(device + "-")) continue;
    files.push_back(entry->path().lexically_normal().string());
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace

std::string ceilings_path(const DeviceFacts& device) {
  const auto name = file_name(device);
  return default_folder().empty() ? name : (fs::path(ceilings_folder) / name).string();
}

std::optional<FoundCeilings> find_ceilings(const DeviceFacts& device,
                                           std::vector<std::string>& notes) {
  if (device.name.empty()) return std::nullopt;
  std::vector<std::string> passed_over;
  for (const auto& place : places()) {
    std::optional<FoundCeilings> latest;
    for (const auto& path : files_of(place, text::slug(device.name))) {
      auto ceilings = read_fitting(path, device, passed_over);
      if (!ceilings || (latest && ceilings->date <= latest->ceilings.date)) continue;
      ceilings->file = path;
      latest = {path, std::move(*ceilings)};
    }
    if (latest) return latest;
  }
  notes.insert(notes.end(), passed_over.begin(), passed_over.end());
  return std::nullopt;
}

}  // namespace apod::cli
