#include "kernels/backends/cuda/library.hpp"

#include <cstdlib>

namespace apod::cuda {

std::vector<std::string> library_files(const std::string& name, int major) {
  // The version that the headers come from, then whatever there is.
  const std::vector<std::string> names{"lib" + name + ".so." + std::to_string(major),
                                       "lib" + name + ".so"};
  std::vector<std::string> toolkits;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* home = std::getenv(variable); home != nullptr && *home != '\0')
      toolkits.emplace_back(home);
  }
  toolkits.emplace_back("/usr/local/cuda");
  auto files = names;
  for (const auto& toolkit : toolkits) {
    for (const char* folder : {"/extras/CUPTI/lib64/", "/lib64/"}) {
      for (const auto& file : names) files.push_back(toolkit + folder + file);
    }
  }
  return files;
}

void* open_library(const std::string& file, int flags) {
  const bool relative = file.find('/') != std::string::npos && file.front() != '/';
  return relative ? nullptr : dlopen(file.c_str(), flags);
}

Library::Library(const std::string& name, int major) {
  for (const auto& file : library_files(name, major)) {
    handle_ = open_library(file);
    if (handle_ != nullptr) {
      file_ = file;
      return;
    }
  }
  missing_ = "no lib" + name + ".so." + std::to_string(major) +
             " found (set CUDA_HOME or LD_LIBRARY_PATH)";
}

void* Library::symbol(const char* name) const {
  if (handle_ == nullptr) throw BackendError(BackendError::Code::unsupported, missing_);
  void* found = dlsym(handle_, name);
  if (found == nullptr)
    throw BackendError(BackendError::Code::unsupported, file_ + " has no " + name);
  return found;
}

}  // namespace apod::cuda
