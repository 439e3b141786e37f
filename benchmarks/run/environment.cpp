#include "benchmarks/run/environment.hpp"

#include <benchmark/benchmark.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <ctime>
#include <filesystem>
#include <fstream>

extern char** environ;

namespace apod::run {
namespace {

std::string local_date() {
  const auto now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  std::array<char, 40> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S%z", &local);
  std::string date = text.data();
  if (date.size() > 5) date.insert(date.size() - 2, ":");  // ISO 8601 with a colon in the offset
  return date;
}

/// The value of the first line of `path` that starts with `key`, after its separator.
std::string line_value(const std::string& path, const std::string& key, char separator) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.rfind(key, 0) != 0) continue;
    auto begin = line.find(separator);
    if (begin == std::string::npos) continue;
    begin = line.find_first_not_of(" \t\"", begin + 1);
    const auto end = line.find_last_not_of(" \t\"");
    return begin == std::string::npos ? "" : line.substr(begin, end - begin + 1);
  }
  return "";
}

bool is_relevant(const std::string& name) {
  for (const char* prefix : {"CUDA_", "NVIDIA_", "OMP_", "APOD_"}) {
    if (name.rfind(prefix, 0) == 0) return true;
  }
  return false;
}

}  // namespace

std::string cpu_model() {
  return line_value("/proc/cpuinfo", "model name", ':');
}

std::uint64_t host_memory_bytes() {
  const auto pages = ::sysconf(_SC_PHYS_PAGES);
  const auto page = ::sysconf(_SC_PAGE_SIZE);
  return pages > 0 && page > 0
             ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page)
             : 0;
}

Environment read_environment() {
  Environment environment;
  environment.date = local_date();
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) == 0) environment.host_name = name.data();
  utsname system{};
  ::uname(&system);
  environment.os = line_value("/etc/os-release", "PRETTY_NAME", '=');
  if (environment.os.empty()) environment.os = system.sysname;
  environment.os += std::string(", kernel ") + system.release;
  environment.cpu_model = cpu_model();

  const auto& cpu = benchmark::CPUInfo::Get();
  environment.cpu_count = cpu.num_cpus;
  environment.cpu_mhz = cpu.cycles_per_second / 1e6;
  environment.cpu_scaling_enabled = cpu.scaling == benchmark::CPUInfo::ENABLED;
  environment.load_average = cpu.load_avg;
  for (const auto& cache : cpu.caches) {
    environment.caches.push_back(
        {cache.type, cache.level, static_cast<std::uint64_t>(cache.size), cache.num_sharing});
  }
  std::error_code ignored;
  environment.executable = std::filesystem::read_symlink("/proc/self/exe", ignored).string();
  environment.build_type = std::string(build_type) == "Debug" ? "debug" : "release";
  environment.compiler = build_compiler;
  environment.cuda_compiler = build_cuda_compiler;
  environment.bench_version = build_version;
  environment.commit = build_commit;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string pair = *entry;
    const auto equals = pair.find('=');
    if (equals != std::string::npos && is_relevant(pair.substr(0, equals)))
      environment.variables[pair.substr(0, equals)] = pair.substr(equals + 1);
  }
  return environment;
}

}  // namespace apod::run
