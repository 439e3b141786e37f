#include "benchmarks/cli/program_files.hpp"

#include <filesystem>

namespace apod::cli {

namespace fs = std::filesystem;

std::vector<std::string> config_folders() {
  std::vector<std::string> folders;
  std::error_code error;
  const auto executable = fs::read_symlink("/proc/self/exe", error);
  if (error) return folders;
  for (auto folder = executable.parent_path();; folder = folder.parent_path()) {
    for (const char* place : {"configs", "share/apodbench/configs"}) {
      const auto candidate = folder / place;
      // Ignore another project's configs/ further up: bench's configs/ has the smoke test.
      if (fs::is_regular_file(candidate / "smoke.yaml", error))
        folders.push_back(candidate.string());
    }
    if (folder == folder.root_path()) break;
  }
  return folders;
}

std::string find_config(const std::string& name) {
  std::error_code error;
  const fs::path path(name);
  if (fs::exists(path, error) || path.has_parent_path()) return name;
  for (const auto& folder : config_folders()) {
    for (const auto& candidate : {fs::path(folder) / path, fs::path(folder) / (name + ".yaml")}) {
      if (fs::is_regular_file(candidate, error)) {
        // Shown as short as it can be: relative to here where it lies below.
        const auto relative = fs::relative(candidate, fs::current_path(error), error);
        const bool below = !error && !relative.empty() && *relative.begin() != "..";
        return below ? relative.string() : candidate.string();
      }
    }
  }
  return name;
}

std::string own_program() {
  std::error_code error;
  const auto path = fs::read_symlink("/proc/self/exe", error);
  return error ? "bench" : path.string();
}

std::string inspect_library() {
  const auto folder = fs::path(own_program()).parent_path();
  for (const char* place : {"libapodinspect.so", "../libexec/apodbench/libapodinspect.so"}) {
    std::error_code error;
    const auto file = fs::canonical(folder / place, error);
    if (!error && fs::is_regular_file(file, error)) return file.string();
  }
  return {};
}

std::string needed_inspect_library() {
  auto library = inspect_library();
  if (library.empty()) {
    throw std::runtime_error(
        "this build can't run programs: libapodinspect.so is missing. Build with the CUDA Toolkit "
        "(nvcc and cupti.h) to get it; recordings can be read without it");
  }
  return library;
}

}  // namespace apod::cli
