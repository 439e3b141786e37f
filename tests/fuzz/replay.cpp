/// \file
/// "fuzz TARGET PATH...": tries each file that is named, or that is in a folder that is named, as
/// it is and with some damage, and holds the time and the memory that it takes against what a
/// stranger's file may cost.

#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "tests/fuzz/harness.hpp"
#include "tests/fuzz/targets.hpp"

namespace {

namespace fs = std::filesystem;

#ifndef __has_feature
#define __has_feature(what) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
constexpr double most_s = 60;  // what it may take is held by the program without them
constexpr long most_mib = 4096;
constexpr std::size_t damages = 2;  ///< of each file
constexpr std::size_t fewest = 0;   ///< of a large one: smaller ones of its kind are damaged
#else
constexpr double most_s = 2;  ///< of processor time, for a file of at most 1 MiB
constexpr long most_mib = 256;
constexpr std::size_t damages = 10;
constexpr std::size_t fewest = 1;
#endif
/// A file that is tried so often is no larger: of a large one fewer copies are damaged.
constexpr std::size_t most_tried_often = 1 << 14;

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
    apod::fuzz::expect(fs::exists(argv[i]), std::string("there is no ") + argv[i]);
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

/// `good` with a few bytes changed, removed or repeated, or cut off; always the same ones.
std::string damaged(std::string good, std::mt19937& random) {
  const auto below = [&](std::size_t bound) { return random() % std::max<std::size_t>(bound, 1); };
  for (std::size_t i = 0; i <= below(3) && !good.empty(); ++i) {
    const std::size_t at = below(good.size());
    switch (below(5)) {
      case 0:
        good[at] = static_cast<char>(below(256));
        break;
      case 1:
        good.erase(at, 1 + below(20));
        break;
      case 2:
        good.insert(at, 1, "{}[],:\"0-9e.\\&*#\n"[below(18)]);
        break;
      case 3:
        good.insert(at, good.substr(below(good.size()), below(40)));
        break;
      default:
        good.resize(at);
    }
  }
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  const auto target = apod::fuzz::target_called(argc > 1 ? argv[1] : "");
  double slowest_s = 0;
  std::mt19937 random(20'260'301);
  const auto files = files_of(argc, argv);
  apod::fuzz::expect(!files.empty(), "there is nothing to try");
  for (const auto& file : files) {
    std::printf("%s\n", file.c_str());
    std::fflush(stdout);  // so that a crash has a name
    const std::string good = apod::fuzz::read(file);
    const auto copies =
        std::max(fewest, damages * most_tried_often / std::max(good.size(), most_tried_often));
    for (std::size_t i = 0; i <= copies; ++i) {
      const std::string input = i == 0 ? good : damaged(good, random);
      apod::fuzz::write("input", input);  // stays where it crashes
      const double begin = processor_s();
      target(input);
      const double taken = processor_s() - begin;
      slowest_s = std::max(slowest_s, taken);
      apod::fuzz::expect(taken < most_s, "it took " + std::to_string(taken) + " s");
    }
  }
  apod::fuzz::expect(resident_mib() < most_mib, std::to_string(resident_mib()) + " MiB");
  std::printf("%zu files, the slowest input took %.3f s of processor time; %ld MiB\n", files.size(),
              slowest_s, resident_mib());
}
