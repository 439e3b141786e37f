#pragma once

/// \file
/// The formats of result files that are read, each with what tells it and what reads it. Internal
/// to files/.

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/files/events.hpp"
#include "benchmarks/files/json_pieces.hpp"

namespace apod::files {

/// A format of another program.
struct Format {
  const char* id;       ///< "google"
  const char* program;  ///< "Google Benchmark"
  /// Whether a member of a JSON file, or an element of one, is unique to this format. Null: text.
  std::function<bool(const std::string& member, const Piece& piece)> has_member;
  /// Whether a line of a text file is unique to this format. Null: JSON.
  std::function<bool(std::string_view line)> has_line;
  /// Throws std::runtime_error with the place in the file.
  std::function<void(const std::string& file, Events& events)> read;
  /// The times of a case come from one process: they say nothing about how far processes differ.
  bool one_process = true;
  /// Members at the top of a JSON file that tell nothing alone, but with `benchmarks` beside them.
  std::vector<std::string_view> beside = {};
};

std::span<const Format> formats();

/// Null if no format has that id.
const Format* find_format(std::string_view id);

/// A recording of bench inspect as one of the formats.
const Format& recording_format();

/// The most bytes of a text file, which is in memory as a whole.
inline constexpr std::size_t longest_text = std::size_t{64} << 20;

/// Google Benchmark's `--benchmark_out_format=json`. Rows of equal name are repetitions. Aggregates
/// count only if there are no repetitions: the median, else the mean.
void read_google(const std::string& file, Events& events);
/// NVBench's `--json` and `--jsonbin`. The time is the median of the samples if the file has them
/// (the file with the samples is looked for beside the JSON), else a median, else a mean.
void read_nvbench(const std::string& file, Events& events);
/// A recording of bench inspect: its program from the first operation of a device to the last, and
/// kernels, copies and memsets by name, whose time is that of all their launches: in the run, and,
/// where it has steps, in the mean step.
void read_recorded(const std::string& file, Events& events);

// CSV.
void read_google_csv(const std::string& file, Events& events);
void read_nvbench_csv(const std::string& file, Events& events);
inline constexpr std::string_view jmh_titles = R"("Benchmark","Mode","Threads","Samples","Score",)";
void read_jmh_csv(const std::string& file, Events& events);

// Text.
void read_go(const std::string& file, Events& events);
/// Of Rust's libtest, which `cargo bench` prints.
void read_libtest(const std::string& file, Events& events);
inline bool is_libtest_result(std::string_view line) {
  return line.starts_with("test ") && line.find(" ... bench: ") != line.npos;
}
void read_nccl_log(const std::string& file, Events& events);
void read_nvbandwidth_text(const std::string& file, Events& events);

/// nvbandwidth's `--json`.
void read_nvbandwidth_json(const std::string& file, Events& events);
/// Criterion's `estimates.json`: one case, named in `benchmark.json` beside it, or after its
/// folders. Of a folder that Criterion writes into, the last run of each case.
void read_criterion(const std::string& file, Events& events);
/// Whether a folder beside new/, or of the pages, is Criterion's own and holds no result.
bool is_of_criterion(const std::filesystem::path& folder);
/// Where the last run of the benchmark in `folder` is in new/: the folder that Criterion writes
/// into, or `top` if that is inside. Empty elsewhere.
std::filesystem::path criterion_folder(const std::filesystem::path& folder,
                                       const std::filesystem::path& top);
/// Whether Criterion writes into this folder, or it is inside such a one.
bool is_criterion_folder(const std::string& folder);
/// The last run of github-action-benchmark's `data.js`.
void read_github_action(const std::string& file, Events& events);

}  // namespace apod::files
