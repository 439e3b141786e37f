#include "benchmarks/files/captured_folder.hpp"

#include <filesystem>
#include <stdexcept>

#include "benchmarks/base/os/input_file.hpp"
#include "benchmarks/files/record/codec.hpp"

namespace apod::files {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_manifest_bytes = std::size_t{4} << 20;

void check_state(const fs::path& path, std::uint64_t bytes) {
  std::error_code error;
  if (!fs::is_regular_file(fs::symlink_status(path, error)) || error)
    throw std::runtime_error(path.string() + ": the file is missing, or is not a regular file");
  const auto there = fs::file_size(path, error);
  if (error || there != bytes) {
    throw std::runtime_error(path.string() + ": has " + std::to_string(there) +
                             " bytes, but the manifest says " + std::to_string(bytes));
  }
}

}  // namespace

capture::CapturedLaunch read_captured_folder(const std::string& folder) {
  const fs::path path = folder.empty() ? fs::path(".") : fs::path(folder);
  const auto manifest = (path / capture::manifest_file).string();
  try {
    auto launch = record::decode_captured_launch(os::read_file(manifest, most_manifest_bytes));
    if (const auto fault = capture::fault_of(launch); !fault.empty())
      throw std::runtime_error(fault);
    for (const auto* name : {capture::before_file, capture::changes_file}) {
      try {
        check_state(path / name, capture::state_bytes(launch));
      } catch (const std::runtime_error& error) {
        throw std::runtime_error(std::string("the captured memory: ") + error.what());
      }
    }
    std::error_code error;
    const bool has_code = fs::is_regular_file(path / capture::cubin_file, error) ||
                          (launch.has_ptx && fs::is_regular_file(path / capture::ptx_file, error));
    if (!has_code) throw std::runtime_error("the captured folder has no machine code");
    return launch;
  } catch (const std::exception& error) {
    throw std::runtime_error(manifest + ": " + error.what());
  }
}

}  // namespace apod::files
