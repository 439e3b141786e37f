#include "benchmarks/files/formats.hpp"

#include <algorithm>
#include <vector>

#include "benchmarks/files/json_table.hpp"

namespace apod::files {
namespace {

bool has_google_member(const std::string& member, const Piece& piece) {
  return piece.is_object() && !piece.contains("apod") &&
         ((member == "context" && piece.contains("num_cpus")) ||
          (member == "benchmarks" && piece.contains("real_time")));
}

bool has_nvbench_member(const std::string& member, const Piece& piece) {
  return member == "benchmarks" && piece.is_object() && piece.contains("states");
}

bool has_nvbandwidth_member(const std::string& member, const Piece&) {
  return member == "nvbandwidth";
}

bool has_criterion_member(const std::string& member, const Piece& piece) {
  return (member == "mean" || member == "median") && piece.is_object() &&
         piece.contains("point_estimate");
}

bool has_go_result(std::string_view line) {
  return line.starts_with("Benchmark") && line.find(" ns/op") != line.npos;
}

bool has_nccl_titles(std::string_view line) {
  return line.find('#') != line.npos && line.find(" algbw ") != line.npos &&
         line.find(" busbw ") != line.npos;
}

/// Whether a line begins so.
auto begins(std::string_view with) {
  return [with](std::string_view line) { return line.starts_with(with); };
}

Format format_of(const JsonTable& table) {
  const auto has_mark = [&table](const std::string& member, const Piece& piece) {
    if (!holds_cases(table, member)) return false;
    std::vector<const Piece*> found;
    follow(piece, table.mark, found);
    return !found.empty();
  };
  const auto read = [&table](const std::string& file, Events& events) {
    read_json_table(table, file, events);
  };
  return {table.id, table.program, has_mark, nullptr, read, table.one_process, {}};
}

std::vector<Format> all_formats() {
  std::vector<Format> all{
      {"google", "Google Benchmark", has_google_member, nullptr, read_google, true, {"context"}},
      {"nvbench", "NVBench", has_nvbench_member, nullptr, read_nvbench, true, {"meta", "devices"}},
      {"nvbandwidth", "nvbandwidth", has_nvbandwidth_member, nullptr, read_nvbandwidth_json},
      {"criterion", "Criterion", has_criterion_member, nullptr, read_criterion},
      {"google-csv", "Google Benchmark", nullptr,
       begins("name,iterations,real_time,cpu_time,time_unit"), read_google_csv},
      {"nvbench-csv", "NVBench", nullptr, begins("Benchmark,Device,Device Name,"),
       read_nvbench_csv},
      {"jmh-csv", "JMH", nullptr, begins(jmh_titles), read_jmh_csv},
      {"go", "Go", nullptr, has_go_result, read_go},
      {"libtest", "cargo bench", nullptr, is_libtest_result, read_libtest},
      {"nccl-tests", "nccl-tests", nullptr, has_nccl_titles, read_nccl_log},
      {"nvbandwidth-text", "nvbandwidth", nullptr, begins("nvbandwidth Version:"),
       read_nvbandwidth_text},
      {"github-action", "github-action-benchmark", nullptr, begins("window.BENCHMARK_DATA"),
       read_github_action},
  };
  for (const auto& table : json_tables()) all.push_back(format_of(table));
  return all;
}

}  // namespace

std::span<const Format> formats() {
  static const auto all = all_formats();
  return all;
}

const Format* find_format(std::string_view id) {
  const auto all = formats();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Format& format) { return format.id == id; });
  return found == all.end() ? nullptr : &*found;
}

const Format& recording_format() {
  static const Format recording{"recording", "bench inspect", nullptr, nullptr, read_recorded};
  return recording;
}

}  // namespace apod::files
