/// \file
/// nvcc, which compiles the device code of a whole program, its host code being no hindrance. It is
/// started without a shell, in a folder of its own.

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include "kernels/backends/cuda/files/compiler.hpp"
#include "kernels/backends/cuda/files/confined.hpp"

namespace apod::cuda {
namespace {

namespace fs = std::filesystem;

/// A private folder that goes away.
class Scratch {
 public:
  Scratch() {
    const char* base = std::getenv("TMPDIR");
    path_ = std::string(base != nullptr && *base == '/' ? base : "/tmp") + "/apodbench.XXXXXX";
    if (::mkdtemp(path_.data()) == nullptr)
      throw std::runtime_error(path_ + ": " + std::strerror(errno));
  }
  ~Scratch() {
    std::error_code error;
    fs::remove_all(path_, error);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::string file(const char* name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

struct End {
  bool good = false;
  const char* used_up = nullptr;  ///< what this process's limits allow, where that ended it
  std::string said;
};

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// All that was written to an open file.
std::string content_of(int file) {
  std::string text;
  std::array<char, 4096> part{};
  ssize_t size = 0;
  while ((size = ::pread(file, part.data(), part.size(), static_cast<off_t>(text.size()))) > 0)
    text.append(part.data(), static_cast<std::size_t>(size));
  return text;
}

/// "k.cu:3:10: error", as the preprocessor says it, in the form of all other messages:
/// "k.cu(3): error".
std::string in_one_form(const std::string& line) {
  const auto digits = [&](std::size_t from) {
    return std::min(line.find_first_not_of("0123456789", from), line.size());
  };
  const auto colon = line.find(':');
  if (colon == std::string::npos || colon == 0) return line;
  const auto row = digits(colon + 1);
  if (row == colon + 1 || row >= line.size() || line[row] != ':') return line;
  const auto column = digits(row + 1);
  const bool has_column = column > row + 1 && column < line.size() && line[column] == ':';
  return line.substr(0, colon) + "(" + line.substr(colon + 1, row - colon - 1) + ")" +
         line.substr(has_column ? column : row);
}

/// The environment of a compiler: what the key of its code holds. Its messages are read, and so
/// must be in English.
std::vector<std::string> variables_of(const std::string& folder) {
  std::vector<std::string> variables{"TMPDIR=" + folder, "LC_ALL=C", "CCACHE_DISABLE=1"};
  for (const char* name : compiler_variables) {
    const char* value = std::getenv(name);
    if (value != nullptr) variables.push_back(std::string(name) + "=" + value);
  }
  return variables;
}

/// What gcc and nvcc say of a program of theirs that met a limit; null: none did. The echo of a
/// line of the source may hold the same words.
const char* used_up(const std::string& log) {
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    const auto says = [&](const char* part) { return line.find(part) != std::string::npos; };
    if (says("catastrophic error: out of memory") && in_one_form(line).find("): ") != line.npos)
      return "memory";
    if (line == "Loop in catastrophic error processing.") return "memory";
    constexpr std::array tellers{
        "nvcc error", "gcc: ",          "g++: ",     "cc1plus: ",  "cudafe++",  "cicc",    "ptxas ",
        "c++: ",      "virtual memory", "terminate", "LLVM ERROR", "  what():", "collect2"};
    const bool is_told = std::any_of(tellers.begin(), tellers.end(),
                                     [&](const char* who) { return line.starts_with(who); });
    if (!is_told) continue;
    if (says("CPU time limit exceeded") || says("signal 24")) return "processor time";
    if (says("out of memory") || says("virtual memory exhausted") || says("bad_alloc"))
      return "memory";
  }
  return nullptr;
}

/// Files that a bounded compiler maps count too. The programs around it take the rest of 1 GB.
void limit_address_space() {
  rlimit limit{};
  ::getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = std::min({limit.rlim_cur, limit.rlim_max, rlim_t{928} << 20});
  ::setrlimit(RLIMIT_AS, &limit);
}

/// Runs a program in a folder, which becomes its folder for temporary files too. Its children are
/// in our process group, which ends with us: see WorkerTool.
End run(const std::vector<std::string>& words, const std::string& folder,
        const Confinement* confinement = nullptr, bool bounded = false) {
  std::vector<char*> arguments;
  for (const auto& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  auto variables = variables_of(folder);
  std::vector<char*> environment;
  for (auto& variable : variables) environment.push_back(variable.data());
  environment.push_back(nullptr);
  const int output = ::memfd_create("log", MFD_CLOEXEC);
  if (output < 0) throw std::runtime_error(std::string("memfd_create: ") + std::strerror(errno));
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) {
    const int error = errno;
    ::close(output);
    throw std::runtime_error(words.front() + ": " + std::strerror(error));
  }
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (bounded) limit_address_space();
    const int nothing = ::open("/dev/null", O_RDONLY);
    const bool ready = ::getppid() == parent && ::chdir(folder.c_str()) == 0 &&
                       ::dup2(nothing, 0) == 0 && ::dup2(output, 1) == 1 &&
                       ::dup2(output, 2) == 2 && (confinement == nullptr || confinement->enter());
    if (ready) ::execve(arguments.front(), arguments.data(), environment.data());
    ::_exit(127);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  End end{.good = WIFEXITED(status) && WEXITSTATUS(status) == 0, .said = content_of(output)};
  ::close(output);
  if (end.good) return end;
  const bool is_late = WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU;
  end.used_up = is_late ? "processor time" : used_up(end.said);
  return end;
}

/// The first program of this name in `places` and the folders of PATH; empty if there is none.
std::string find_program(std::vector<std::string> places, const std::string& name) {
  if (const char* path = std::getenv("PATH"); path != nullptr) {
    std::istringstream folders(path);
    for (std::string folder; std::getline(folders, folder, ':');) {
      if (folder.starts_with('/')) places.push_back(folder);
    }
  }
  for (const auto& place : places) {
    auto file = place + "/" + name;
    if (::access(file.c_str(), X_OK) == 0) return file;
  }
  return "";
}

std::string nvcc_path() {
  std::vector<std::string> places;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* home = std::getenv(variable);
    if (home != nullptr && *home == '/') places.push_back(std::string(home) + "/bin");
  }
  places.emplace_back("/usr/local/cuda/bin");
  return find_program(std::move(places), "nvcc");
}

/// Replaces the path by the name, so that messages place an error where the experiment does.
std::string with_name(std::string text, const std::string& path, const std::string& name) {
  for (auto at = text.find(path); at != std::string::npos; at = text.find(path, at + name.size()))
    text.replace(at, path.size(), name);
  return text;
}

/// Without what is said of the file that includes the author's, which is ours.
std::string without_wrapper(const std::string& log) {
  std::string kept;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    const bool is_ours = line.find("In file included from whole.cu") == 0 ||
                         line.find("in the compilation of \"whole.cu\"") != std::string::npos;
    if (!is_ours) kept += in_one_form(line) + "\n";
  }
  return kept;
}

Compiled compile_by_nvcc(const Source& source) {
  const Scratch folder;
  // Includes of the file are found from where it lies.
  {
    std::ofstream whole(folder.file("whole.cu"));
    whole << "#include \"" << source.path << "\"\n";
    for (const auto& further : source.further) whole << "#include \"" << further.path << "\"\n";
    whole << "#line 1 \"" << appended_name << "\"\n" << source.appended;
  }
  std::vector<std::string> words{nvcc_path(), "-cubin", "-arch=" + source.architecture};
  for (const auto& flag : source.flags) {
    const bool is_nvrtcs = flag == "-default-device" || flag == "-device-int128";
    if (!is_nvrtcs) words.push_back(flag);
  }
  words.insert(words.end(), {"-o", "whole.cubin", "whole.cu"});
  const auto confinement = confinement_to(source.readable, folder.path());
  const auto end = run(words, folder.path(), confinement.get(), source.bounded);
  Compiled compiled;
  auto said = with_name(end.said, source.path, source.name);
  for (const auto& further : source.further) said = with_name(said, further.path, further.name);
  compiled.log = shortened_log(without_wrapper(with_name(said, folder.path() + "/", "")));
  if (end.used_up != nullptr) throw LimitReached(end.used_up, source.readable ? "" : compiled.log);
  if (!end.good) throw std::runtime_error(compiled.log.empty() ? "nvcc failed" : compiled.log);
  const auto image = content_of(folder.file("whole.cubin"));
  if (image.empty()) throw std::runtime_error("nvcc wrote no code\n" + compiled.log);
  compiled.image.resize(image.size());
  std::memcpy(compiled.image.data(), image.data(), image.size());
  return compiled;
}

}  // namespace

FoundCompiler find_nvcc() try {
  const auto path = nvcc_path();
  if (path.empty()) return {.why_not = "no nvcc found (set CUDA_HOME or PATH)"};
  // It preprocesses with the host's compiler.
  if (std::getenv("NVCC_CCBIN") == nullptr && find_program({}, "gcc").empty())
    return {.why_not = path + " needs gcc, which is not in PATH"};
  const Scratch folder;  // nvcc writes there even to list what it can
  const auto version = run({path, "--version"}, folder.path());
  const auto release = version.said.find("release ");
  const auto list = run({path, "--list-gpu-code"}, folder.path());
  if (!version.good || !list.good || release == std::string::npos)
    return {.why_not = path + " does not work: " + shortened_log(version.said + list.said)};
  Compiler found{.name = "nvcc", .version = "", .architectures = {}, .compile = compile_by_nvcc};
  const auto begin = release + std::strlen("release ");
  found.version = version.said.substr(begin, version.said.find_first_of(", \n", begin) - begin);
  std::istringstream lines(list.said);
  for (std::string line; std::getline(lines, line);) {
    const bool is_plain = line.starts_with("sm_") && line.size() > 3 &&
                          line.find_first_not_of("0123456789", 3) == std::string::npos;
    if (is_plain) found.architectures.push_back(std::stoi(line.substr(3)));
  }
  std::sort(found.architectures.begin(), found.architectures.end());
  return {.compiler = found};
} catch (const std::exception& error) {
  return {.why_not = error.what()};
}

}  // namespace apod::cuda
