#include "kernels/backends/cuda/files/confined.hpp"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "kernels/backends/cuda/files/sources.hpp"

namespace apod::cuda {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t reads = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;

/// Where a system keeps its programs and libraries with their headers, and the toolkit's folders.
std::vector<std::string> system_folders() {
  std::vector<std::string> all{"/usr",        "/lib",       "/lib64",           "/bin",
                               "/opt",        "/nix/store", "/etc/ld.so.cache", "/dev/null",
                               "/dev/urandom"};
  const auto add = [&](const std::string& folder) {
    std::error_code error;
    const auto whole = fs::weakly_canonical(folder, error);
    // Neither the home folder nor one above it.
    const char* home = std::getenv("HOME");
    const auto inner = fs::path(home == nullptr ? "/" : home).lexically_relative(whole);
    const bool holds_home = inner == "." || (!inner.empty() && *inner.begin() != "..");
    if (!error && !holds_home) all.push_back(whole.string());
  };
  for (const auto& folder : toolkit_includes()) add(folder + "/..");
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH", "LD_LIBRARY_PATH"}) {
    std::istringstream folders(std::getenv(variable) == nullptr ? "" : std::getenv(variable));
    for (std::string folder; std::getline(folders, folder, ':');) {
      if (folder.starts_with('/')) add(folder);
    }
  }
  // A compiler that lies elsewhere has its headers beside it: PREFIX/bin/gcc.
  std::istringstream folders(std::getenv("PATH") == nullptr ? "" : std::getenv("PATH"));
  for (std::string folder; std::getline(folders, folder, ':');) {
    const bool has_compiler =
        folder.starts_with('/') && (::access((folder + "/gcc").c_str(), X_OK) == 0 ||
                                    ::access((folder + "/nvcc").c_str(), X_OK) == 0);
    if (has_compiler) add(folder + "/..");
  }
  return all;
}

}  // namespace

bool Confinement::is_possible() {
  return ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION) > 0;
}

Confinement::Confinement(const std::vector<std::string>& readable) {
  landlock_ruleset_attr attributes{};
  attributes.handled_access_fs = reads;
  rules_ =
      static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0));
  for (const auto& path : readable) {
    landlock_path_beneath_attr rule{};
    rule.parent_fd = ::open(path.c_str(), O_PATH | O_CLOEXEC);
    struct stat about {};
    if (rule.parent_fd < 0 || ::fstat(rule.parent_fd, &about) != 0) continue;
    rule.allowed_access = S_ISDIR(about.st_mode) ? reads : LANDLOCK_ACCESS_FS_READ_FILE;
    ::syscall(SYS_landlock_add_rule, rules_, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    ::close(rule.parent_fd);
  }
}

Confinement::~Confinement() {
  if (rules_ >= 0) ::close(rules_);
}

bool Confinement::enter() const {
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::syscall(SYS_landlock_restrict_self, rules_, 0) == 0;
}

std::unique_ptr<Confinement> confinement_to(const std::optional<std::vector<std::string>>& readable,
                                            const std::string& scratch) {
  if (!readable || !Confinement::is_possible()) return nullptr;
  auto all = system_folders();
  all.insert(all.end(), readable->begin(), readable->end());
  if (!scratch.empty()) all.push_back(scratch);
  return std::make_unique<Confinement>(all);
}

}  // namespace apod::cuda
