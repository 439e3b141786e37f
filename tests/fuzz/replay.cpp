/// \file
/// "fuzz TARGET PATH...": tries each file that is named, or that is in a folder that is named, and
/// holds the time and the memory that it takes against what a stranger's file may cost.

#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/fuzz/harness.hpp"
#include "tests/fuzz/targets.hpp"

namespace {

namespace fs = std::filesystem;

#ifdef __SANITIZE_ADDRESS__
constexpr double most_s = 20;
constexpr long most_mib = 4096;
#else
constexpr double most_s = 2;  ///< of processor time, for a file of at most 1 MiB
constexpr long most_mib = 500;
#endif

double processor_s() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

long resident_mib() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

std::vector<std::string> files_of(int argc, char** argv) {
  std::vector<std::string> files;
  for (int i = 2; i < argc; ++i) {
    if (!fs::is_directory(argv[i])) {
      files.emplace_back(argv[i]);
      continue;
    }
    for (const auto& entry : fs::directory_iterator(argv[i])) {
      if (entry.is_regular_file()) files.push_back(entry.path().string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

int main(int argc, char** argv) {
  const auto target = apod::fuzz::target_called(argc > 1 ? argv[1] : "");
  double slowest_s = 0;
  const auto files = files_of(argc, argv);
  apod::fuzz::expect(!files.empty(), "there is nothing to try");
  for (const auto& file : files) {
    std::printf("%s\n", file.c_str());
    std::fflush(stdout);  // so that a crash has a name
    const double begin = processor_s();
    target(apod::fuzz::read(file));
    const double taken = processor_s() - begin;
    slowest_s = std::max(slowest_s, taken);
    apod::fuzz::expect(taken < most_s, "it took " + std::to_string(taken) + " s");
  }
  apod::fuzz::expect(resident_mib() < most_mib, std::to_string(resident_mib()) + " MiB");
  std::printf("%zu inputs, the slowest took %.3f s of processor time; %ld MiB\n", files.size(),
              slowest_s, resident_mib());
}
