#include "kernels/backends/cuda/files/confined.hpp"

#include <fcntl.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <stdexcept>

#include "kernels/backends/cuda/files/sources.hpp"

namespace apod::cuda {
namespace {

namespace fs = std::filesystem;

// Landlock as linux/landlock.h has it, which not every system's headers hold.
constexpr long create_ruleset = 444;
constexpr long add_rule = 445;
constexpr long restrict_self = 446;
constexpr std::uint32_t asks_for_version = 1;
constexpr int rule_of_path = 1;
constexpr std::uint64_t reads_files = 1 << 2;
constexpr std::uint64_t reads_folders = 1 << 3;
constexpr std::uint64_t writes_files = 1 << 1;
constexpr std::uint64_t truncates_files = 1 << 14;  // known from the third version on
constexpr std::uint64_t changes_folders = 0x1ff0;   // makes and removes files of any kind
struct RulesetAttributes {
  std::uint64_t handled = 0;
};
struct [[gnu::packed]] PathRule {
  std::uint64_t allowed = 0;
  std::int32_t parent = -1;
};

/// Whether a folder, links followed, is the home folder or holds it.
bool holds_home(const fs::path& folder) {
  std::error_code error;
  const char* variable = std::getenv("HOME");
  const auto* user = ::getpwuid(::geteuid());
  const char* own = user == nullptr ? nullptr : user->pw_dir;
  for (const char* home : {variable, own}) {
    if (home == nullptr || *home != '/') continue;
    const auto inner = fs::weakly_canonical(home, error).lexically_relative(folder);
    if (inner == "." || (!inner.empty() && *inner.begin() != "..")) return true;
  }
  return false;
}

/// Where a system keeps its programs and libraries with their headers, and the toolkit's folders.
std::vector<std::string> system_folders() {
  std::vector<std::string> all{"/etc/ld.so.cache", "/dev/urandom"};
  const auto add = [&](const std::string& folder) {
    std::error_code error;
    const auto whole = fs::weakly_canonical(folder, error);
    if (!error && !holds_home(whole)) all.push_back(whole.string());
  };
  const auto add_prefix = [&](const std::string& prefix) {
    for (const char* part :
         {"/bin", "/lib", "/lib64", "/libexec", "/include", "/share", "/targets", "/nvvm"}) {
      add(prefix + part);
    }
  };
  for (const char* prefix : {"/usr", "/usr/local", "/usr/local/cuda", ""}) add_prefix(prefix);
  for (const char* store : {"/nix/store", "/gnu/store"}) add(store);
  for (const auto& folder : toolkit_includes()) add_prefix(folder + "/..");
  const auto each_of = [](const char* variable, const auto& visit) {
    std::istringstream folders(std::getenv(variable) == nullptr ? "" : std::getenv(variable));
    for (std::string folder; std::getline(folders, folder, ':');) {
      if (folder.starts_with('/')) visit(folder);
    }
  };
  each_of("CUDA_HOME", add_prefix);
  each_of("CUDA_PATH", add_prefix);
  each_of("LD_LIBRARY_PATH", add);
  // A compiler that lies elsewhere has its headers beside it: PREFIX/bin/gcc.
  const auto add_program = [&](const std::string& name) {
    std::error_code error;
    const auto program = fs::canonical(name, error);
    if (!error) add_prefix(program.parent_path().parent_path().string());
  };
  each_of("NVCC_CCBIN", [&](const std::string& path) {
    std::error_code error;
    add_program(fs::is_directory(path, error) ? path + "/gcc" : path);
  });
  each_of("PATH", [&](const std::string& folder) {
    for (const char* compiler : {"/gcc", "/nvcc"}) add_program(folder + compiler);
  });
  return all;
}

long version() {
  return ::syscall(create_ruleset, nullptr, 0, asks_for_version);
}

[[noreturn]] void fail() {
  throw std::runtime_error(std::string("the compiler could not be confined: ") +
                           std::strerror(errno));
}

}  // namespace

bool Confinement::is_possible() {
  return version() > 0;
}

Confinement::Confinement(const std::vector<std::string>& readable,
                         const std::vector<std::string>& writable) {
  constexpr long first_that_truncates = 3;
  const std::uint64_t of_files =
      reads_files | writes_files | (version() >= first_that_truncates ? truncates_files : 0);
  constexpr std::uint64_t of_folders = reads_folders | changes_folders;
  const RulesetAttributes attributes{.handled = of_files | of_folders};
  rules_ = static_cast<int>(::syscall(create_ruleset, &attributes, sizeof attributes, 0));
  if (rules_ < 0) fail();
  const auto allow = [&](const std::string& path, std::uint64_t rights) {
    PathRule rule;
    rule.parent = ::open(path.c_str(), O_PATH | O_CLOEXEC);
    if (rule.parent < 0) return;
    struct stat about {};
    const bool known = ::fstat(rule.parent, &about) == 0;
    rule.allowed = S_ISDIR(about.st_mode) ? rights : rights & of_files;
    const bool added = known && ::syscall(add_rule, rules_, rule_of_path, &rule, 0) == 0;
    const int error = errno;
    ::close(rule.parent);
    errno = error;
    if (!added) fail();
  };
  for (const auto& path : readable) allow(path, reads_files | reads_folders);
  for (const auto& path : writable) allow(path, of_files | of_folders);
}

Confinement::~Confinement() {
  if (rules_ >= 0) ::close(rules_);
}

bool Confinement::enter() const {
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::syscall(restrict_self, rules_, 0) == 0;
}

std::unique_ptr<Confinement> confinement_to(const std::optional<std::vector<std::string>>& readable,
                                            const std::string& scratch) {
  if (!readable || !Confinement::is_possible()) return nullptr;
  auto all = system_folders();
  all.insert(all.end(), readable->begin(), readable->end());
  std::vector<std::string> writable{"/dev/null"};
  if (!scratch.empty()) writable.push_back(scratch);
  return std::make_unique<Confinement>(all, writable);
}

}  // namespace apod::cuda
