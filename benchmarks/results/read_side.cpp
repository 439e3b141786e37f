#include "benchmarks/results/read_side.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "benchmarks/results/file_kind.hpp"
#include "benchmarks/results/side_builder.hpp"
#include "benchmarks/results/side_formats.hpp"

namespace apod::results {
namespace {

namespace fs = std::filesystem;

using ReadSide = void (*)(const std::string& file, SideBuilder& side);

/// A file that is to be read.
struct Input {
  std::string file;
  const char* format = "";
  ReadSide read = nullptr;
  std::optional<double> instant;  ///< of its date, s since 1970; absent where it tells none
};

Input input_of(const std::string& file) {
  const KnownFile known = recognise(file);
  switch (known.kind) {
    case FileKind::apod:
      return {file, "apod", read_apod, known.instant};
    case FileKind::google:
      return {file, "google", read_google, known.instant};
    case FileKind::nvbench:
      return {file, "nvbench", read_nvbench, known.instant};
    case FileKind::comparison:
      throw std::runtime_error(
          "it is a report of bench compare, not a result: name the two results that it compares");
    case FileKind::history:
      throw std::runtime_error("it is a report of bench history, not a result: name its results");
    case FileKind::calibration:
      throw std::runtime_error(
          "it is a calibration of bench calibrate, not a result: compare finds it by itself, or as "
          "--calibration FILE");
    case FileKind::ceilings:
      throw std::runtime_error("it holds the ceilings of a device, not a result: runs find it");
  }
  throw std::logic_error("a kind of file that is not listed");
}

/// The files that a path stands for.
std::vector<std::string> files_of(const std::string& path) {
  if (!fs::is_directory(path)) return {path};
  std::vector<std::string> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(path)) {
    if (entry.path().extension() == ".json" && !entry.is_directory()) {
      files.push_back(entry.path().string());
    }
  }
  if (files.empty()) throw std::runtime_error("the folder has no *.json in it");
  std::sort(files.begin(), files.end());
  return files;
}

std::string label_of(const std::vector<std::string>& paths) {
  if (paths.size() == 1) return paths[0];
  return paths[0] + " and " + std::to_string(paths.size() - 1) + " more";
}

/// The files of each path, all of them checked.
std::vector<std::vector<std::string>> files_by_path(const std::vector<std::string>& paths) {
  if (paths.empty()) throw BadResult("no result file is named");
  std::vector<std::vector<std::string>> files;
  std::set<fs::path> known;
  for (const std::string& path : paths) {
    files.push_back(naming(path, [&] { return files_of(path); }));
    for (const std::string& file : files.back()) {
      naming(file, [&] {
        check_file(file);
        if (!known.insert(fs::canonical(file)).second) {
          throw std::runtime_error("named twice: a process must not count as two");
        }
      });
    }
  }
  return files;
}

std::vector<Input> inputs_of(const std::vector<std::string>& paths) {
  std::vector<Input> inputs;
  for (const auto& files : files_by_path(paths)) {
    const std::size_t first = inputs.size();
    for (const std::string& file : files) {
      inputs.push_back(naming(file, [&] { return input_of(file); }));
    }
    const std::span of_path = std::span(inputs).subspan(first);
    const bool dated = std::all_of(of_path.begin(), of_path.end(),
                                   [](const Input& input) { return input.instant.has_value(); });
    if (!dated) continue;
    std::stable_sort(of_path.begin(), of_path.end(),
                     [](const Input& a, const Input& b) { return a.instant < b.instant; });
  }
  return inputs;
}

}  // namespace

std::vector<std::string> result_files(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const auto& of_path : files_by_path(paths)) {
    files.insert(files.end(), of_path.begin(), of_path.end());
  }
  return files;
}

Side read_side(const std::vector<std::string>& paths, const text::Pattern& filter,
               Samples samples) {
  const std::vector<Input> inputs = inputs_of(paths);
  SideBuilder side(label_of(paths), filter, samples == Samples::spread);
  for (const auto& [file, format, read, instant] : inputs) {
    naming(file, [&] {
      side.begin(file, format);
      read(file, side);
      side.end();
    });
  }
  return naming("filter", [&] { return side.finish(); });
}

}  // namespace apod::results
