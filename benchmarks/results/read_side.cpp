#include "benchmarks/results/read_side.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "benchmarks/results/json_pieces.hpp"
#include "benchmarks/results/side_builder.hpp"
#include "benchmarks/results/side_formats.hpp"
#include "benchmarks/text/date.hpp"
#include "benchmarks/text/plain.hpp"

namespace apod::results {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t max_bytes = std::uintmax_t{4} << 30;

struct SideFormat {
  const char* name;
  void (*read)(const std::string& file, SideBuilder& side);
};
constexpr SideFormat apod_format{"apod", read_apod};
constexpr SideFormat google_format{"google", read_google};
constexpr SideFormat nvbench_format{"nvbench", read_nvbench};

/// The format that a piece of a file gives away; null where any could have it.
const SideFormat* format_of(const std::string& member, const Piece& piece) {
  if (member.starts_with("apod_")) return &apod_format;
  if (member == "meta" || member == "devices") return &nvbench_format;
  if (!piece.is_object()) return nullptr;
  if (member == "context") return piece.contains("apod") ? &apod_format : &google_format;
  if (member != "benchmarks") return nullptr;
  if (piece.contains("apod")) return &apod_format;
  if (piece.contains("states")) return &nvbench_format;
  return piece.contains("real_time") ? &google_format : nullptr;
}

/// A file that is to be read.
struct Input {
  std::string file;
  const SideFormat* format = nullptr;
  std::optional<double> instant;  ///< of its date, s since 1970; absent where it tells none
};

/// A JSON file that is often at hand beside results, and what to do instead of comparing it.
struct OtherKind {
  const char* member;  ///< at its top
  const char* advice;
};
constexpr std::array<OtherKind, 6> other_kinds{{
    {"apod_calibration",
     "it is a calibration of bench calibrate, no result: compare finds it by itself, or as "
     "--calibration FILE"},
    {"counts", "it is a report of bench compare, no result: name the two results that it compares"},
    {"dependencies", "it seems to be a package.json, no result"},
    {"runs", "it seems to be SARIF, no result"},
    {"traceEvents", "it seems to be a trace, no result"},
    {"configurePresets", "it seems to be a CMakePresets.json, no result"},
}};

/// What the file may be, by the members at its top.
std::string other_kind(const std::vector<std::string>& members) {
  for (const OtherKind& kind : other_kinds) {
    if (std::find(members.begin(), members.end(), kind.member) != members.end()) {
      return kind.advice;
    }
  }
  return "no result of this program, of Google Benchmark or of NVBench: there is no row and no "
         "context of theirs";
}

constexpr const char* makes_one = " (bench --config X.yaml --out FILE.json makes one)";

/// What is no result because nothing in it is JSON with members.
std::string not_json(const std::string& file, const std::string& error) {
  const auto extension = fs::path(file).extension();
  if (extension == ".yaml" || extension == ".yml") {
    return "it seems to be an experiment file, no result: run it first" + std::string(makes_one);
  }
  return error == top_is_no_object ? error + makes_one : error;
}

/// Reads no more of the file than it takes to know.
Input recognise(const std::string& file) {
  Input input{file, nullptr, {}};
  std::vector<std::string> members;
  try {
    read_pieces(file, {}, [&](const std::string& member, std::size_t, const Piece& piece) {
      if (members.empty() || members.back() != member) members.push_back(member);
      if (member == "apod_calibration") return false;
      input.format = format_of(member, piece);
      if (member == "context") input.instant = text::instant_of(text_of(look_up(piece, "date")));
      return input.format == nullptr;
    });
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(not_json(file, error.what()));
  }
  if (input.format == nullptr) throw std::runtime_error(other_kind(members) + makes_one);
  return input;
}

void check_file(const std::string& file) {
  const fs::file_status status = fs::status(file);
  if (!fs::exists(status)) throw std::runtime_error("there is no such file");
  if (!fs::is_regular_file(status)) {
    throw std::runtime_error("no regular file, which a result must be: it is read twice");
  }
  const std::uintmax_t bytes = fs::file_size(file);
  if (bytes == 0) throw std::runtime_error("the file is empty" + std::string(makes_one));
  if (bytes > max_bytes) {
    throw std::runtime_error(std::to_string(bytes) + " bytes; at most " +
                             std::to_string(max_bytes) + " are read");
  }
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

/// Runs `action`; whatever it throws becomes a BadResult that begins with `what`.
template <class Action>
auto naming(const std::string& what, const Action& action) {
  try {
    return action();
  } catch (const std::bad_alloc&) {
    throw BadResult(text::printable(what) + ": too large for the memory there is");
  } catch (const fs::filesystem_error& error) {
    throw BadResult(text::printable(what + ": can't be read: " + error.code().message()));
  } catch (const std::exception& error) {
    throw BadResult(text::printable(what + ": " + error.what()));
  }
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
      inputs.push_back(naming(file, [&] { return recognise(file); }));
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

Side read_side(const std::vector<std::string>& paths, const std::string& filter, Samples samples) {
  const std::vector<Input> inputs = inputs_of(paths);
  SideBuilder side = naming(
      "filter", [&] { return SideBuilder(label_of(paths), filter, samples == Samples::spread); });
  for (const auto& [file, format, instant] : inputs) {
    naming(file, [&] {
      side.begin(file, format->name);
      format->read(file, side);
      side.end();
    });
  }
  return naming("filter", [&] { return side.finish(); });
}

}  // namespace apod::results
