#include "benchmarks/files/file_kind.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <vector>

#include "benchmarks/base/os/input_file.hpp"
#include "benchmarks/base/text/quantities.hpp"
#include "benchmarks/files/formats.hpp"
#include "benchmarks/files/json_pieces.hpp"

namespace apod::files {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest_line = std::size_t{1} << 22;

/// What a piece of a file gives away; nothing where any could have it.
std::optional<KnownFile> known_by(const std::string& member, const Piece& piece) {
  const auto is = [](FileKind kind) { return KnownFile{.kind = kind}; };
  if (member == "apod_calibration") return is(FileKind::calibration);
  if (member == "apod_ceilings") return is(FileKind::ceilings);
  if (member == "apod_recording" || member == "traceEvents") return is(FileKind::recording);
  if (member.starts_with("apod_")) return is(FileKind::apod);
  if (member == "kind" && piece == "comparison") return is(FileKind::comparison);
  if (member == "kind" && piece == "history") return is(FileKind::history);
  const bool has_rows = member == "context" || member == "benchmarks";
  if (has_rows && piece.is_object() && piece.contains("apod")) return is(FileKind::apod);
  for (const Format& format : formats()) {
    if (format.has_member && format.has_member(member, piece))
      return KnownFile{FileKind::foreign, &format};
  }
  return std::nullopt;
}

/// What the members at its top give away together.
std::optional<KnownFile> known_by(const std::vector<std::string>& members) {
  const auto has = [&](std::string_view name) {
    return std::ranges::find(members, name) != members.end();
  };
  for (const Format& format : formats()) {
    if (has("benchmarks") && std::ranges::any_of(format.beside, has))
      return KnownFile{FileKind::foreign, &format};
  }
  return std::nullopt;
}

/// What `look` finds in the first line of a text file in which it finds anything. A line that is
/// too long ends the search.
template <class Look>
std::invoke_result_t<Look, std::string> first_in_lines(const std::string& file, const Look& look) {
  os::InputFile in(file);
  std::size_t read = 0;
  try {
    for (std::string line; read < longest_text && os::next_line(in, line, longest_line);
         read += line.size()) {
      if (auto found = look(line)) return found;
    }
  } catch (const std::runtime_error&) {
  }
  return std::nullopt;
}

/// The format of a text file: that of one of its lines.
std::optional<KnownFile> known_by_lines(const std::string& file) {
  return first_in_lines(file, [](const std::string& line) -> std::optional<KnownFile> {
    for (const Format& format : formats()) {
      if (format.has_line && format.has_line(line)) return KnownFile{FileKind::foreign, &format};
    }
    return std::nullopt;
  });
}

/// What a tool prints for people, by what a line of it holds, one behind the other, and where its
/// numbers are, or the flags that write a file.
struct Printed {
  std::array<std::string_view, 2> marks;
  std::string_view tool, hint;
};
constexpr std::string_view by_sqlite =
    "export the report (nsys export --type sqlite REPORT.nsys-rep) and name the export";
constexpr std::string_view by_counters =
    "bench can't read it; to measure counters: bench inspect --counters -- PROGRAM";
constexpr std::array<Printed, 15> printed{{
    {{" time:   [", "]"}, "Criterion", "name the folder target/criterion"},
    {{" Mode  Cnt ", " Score "}, "JMH", "-rf json -rff FILE.json"},
    {{"command,mean,stddev,", "median"}, "hyperfine", "--export-json FILE.json"},
    {{"Benchmark ", " CPU   Iterations"}, "Google Benchmark", "--benchmark_out=FILE.json"},
    {{"Time (%)", "Total Time (ns)"}, "nsys stats", by_sqlite},
    {{"==PROF== Connected to process", ""}, "ncu", by_counters},
    {{"\"Kernel Name\"", "\"Metric Name\""}, "ncu", by_counters},
    {{"| Samples |", "GPU Time"}, "NVBench", "--json FILE.json"},
    {{"Time (mean ", "):"}, "hyperfine", "--export-json FILE.json"},
    {{"Name (time in ", "Rounds"}, "pytest-benchmark", "--benchmark-json=FILE.json"},
    {{"ns/op |", "op/s |"}, "nanobench", "write JSON with render(templates::json(), ...)"},
    {{"| Method ", " Mean |"}, "BenchmarkDotNet", "--exporters json"},
    {{"/op ", " vs base"}, "benchstat", "name the two files that benchstat compares"},
    {{"memcpy ", "bandwidth (GB/s)"}, "nvbandwidth", "save the whole output, from the first line"},
    {{"benchmark name ", " iterations"},
     "Catch2",
     "write an experiment file that reads it (docs/any-command.md)"},
}};

/// What a text file is if a tool printed it for people; empty for any other text.
std::string printed_by(const std::string& file) {
  const auto what = [](const std::string& line) -> std::optional<std::string> {
    for (const auto& [marks, tool, hint] : printed) {
      const auto first = line.find(marks[0]);
      if (first == line.npos || line.find(marks[1], first + marks[0].size()) == line.npos) continue;
      return "it is printed output of " + std::string(tool) +
             (hint.starts_with('-') ? ": rerun with " : ": ") + std::string(hint);
    }
    return std::nullopt;
  };
  return first_in_lines(file, what).value_or("");
}

/// JSON files that are often at hand beside results: a member at their top, and what they are.
constexpr std::array<std::pair<const char*, const char*>, 3> other_kinds{{
    {"dependencies", "a package.json"},
    {"runs", "SARIF"},
    {"configurePresets", "a CMakePresets.json"},
}};

std::string unlike_all(const std::string& kind) {
  return "it is " + kind + ", but in an unknown format (docs/formats.md lists the formats)" +
         describe_it;
}

/// What the file may be, by the members at its top.
std::string other_kind(const std::vector<std::string>& members) {
  for (const auto& [member, what] : other_kinds) {
    if (std::find(members.begin(), members.end(), member) == members.end()) continue;
    return std::string("it seems to be ") + what + ", not a result" + makes_one;
  }
  return unlike_all("JSON");
}

/// How a file that is often at hand begins, what it is, and what to do.
struct OtherFormat {
  std::string_view begin;
  const char *what, *next;
};
using namespace std::string_view_literals;
constexpr const char* of_same_run = "name the .json file of the same run";
constexpr std::array<OtherFormat, 12> other_formats{{
    {"\177ELF"sv, "a program", "run it first (bench inspect -- PROGRAM)"},
    {"<!DOCTYPE html"sv, "an HTML page", of_same_run},
    {"<html"sv, "an HTML page", of_same_run},
    {"<?xml"sv, "XML", of_same_run},
    {"<testsuite"sv, "XML", of_same_run},
    {"\x1f\x8b"sv, "compressed", "unpack it (gzip -d)"},
    {"\3757zXZ"sv, "compressed", "unpack it (xz -d)"},
    {"\x28\xb5\x2f\xfd"sv, "compressed", "unpack it (zstd -d)"},
    {"PK\x03\x04"sv, "a zip archive", "unpack it"},
    {"\xff\xfe"sv, "UTF-16", "save it as UTF-8"},
    {"%PDF"sv, "a figure", of_same_run},
    {"\x89PNG"sv, "a figure", of_same_run},
}};

/// What the file is by its first bytes; empty where it may be text.
std::string other_format(const std::string& file) {
  std::array<char, 512> bytes{};
  os::InputFile in(file);
  in.read(bytes.data(), bytes.size());
  const std::string_view begin(bytes.data(), static_cast<std::size_t>(in.gcount()));
  for (const auto& format : other_formats) {
    if (begin.starts_with(format.begin))
      return std::string("it is ") + format.what + ", not a result: " + format.next;
  }
  // For JSON, the place of the first mistake is a better message.
  const bool binary = !begin.starts_with('{') && begin.find('\0') != std::string_view::npos;
  return binary ? "it is a binary file, not JSON" : "";
}

/// Whether it is a report of nsys or an SQLite database, as nsys exports it.
bool is_of_nsys(const std::string& file) {
  std::array<char, 16> begin{};
  os::InputFile(file).read(begin.data(), begin.size());
  return fs::path(file).extension() == ".nsys-rep" ||
         std::string_view(begin.data(), begin.size()) == "SQLite format 3\0"sv;
}

/// The first that is not white space; 0 if there is none.
char first_character(const std::string& file) {
  os::InputFile in(file);
  char c = 0;
  return in >> c ? c : '\0';
}

/// What is no result because nothing in it is JSON with members.
std::string not_json(const std::string& file, const std::string& error) {
  const auto format = other_format(file);
  if (!format.empty()) return format;
  if (const auto tool = printed_by(file); !tool.empty()) return tool;
  const auto extension = fs::path(file).extension();
  if (extension == ".yaml" || extension == ".yml") {
    const auto names_experiments = [](const std::string& line) -> std::optional<bool> {
      if (line.find("experiments") == line.npos && !line.starts_with("schema:"))
        return std::nullopt;
      return true;
    };
    return first_in_lines(file, names_experiments)
               ? "it seems to be an experiment file, not a result: run it first (bench X.yaml)"
               : "it is YAML, but neither a result nor an experiment file" + std::string(makes_one);
  }
  if (extension != ".json" && first_character(file) != '{') {
    return unlike_all("text");
  }
  return error == top_is_no_object ? error + makes_one : error;
}

}  // namespace

const char* const makes_one = " (to make a result: bench X.yaml --out FILE.json)";
const char* const describe_it =
    ": write an experiment that reads it (`command: cat FILE` and `read:`; docs/any-command.md)";

void check_file(const std::string& file) {
  const fs::file_status status = fs::status(file);
  if (!fs::exists(status)) throw std::runtime_error("there is no such file");
  if (fs::is_directory(status)) throw std::runtime_error(os::is_a_folder);
  if (!fs::is_regular_file(status)) {
    throw std::runtime_error(
        "not a regular file: save the result to a file first, or pipe it into `bench show -`");
  }
  const std::uintmax_t bytes = fs::file_size(file);
  if (bytes == 0) throw std::runtime_error("the file is empty" + std::string(makes_one));
  if (bytes > largest_file) {
    throw std::runtime_error("the file has " + std::to_string(bytes) + " bytes; the limit is " +
                             std::to_string(largest_file));
  }
}

KnownFile recognise(const std::string& file) {
  if (is_criterion_folder(file)) return {FileKind::foreign, find_format("criterion")};
  check_file(file);
  if (is_of_nsys(file)) return {FileKind::recording};
  std::optional<KnownFile> known;
  std::optional<double> instant;
  std::vector<std::string> members;
  try {
    read_pieces(file, {}, [&](const std::string& member, std::size_t, const Piece& piece) {
      if (members.empty() || members.back() != member) members.push_back(member);
      known = known_by(member, piece);
      if (!known) known = known_by(members);
      if (member == "context") instant = text::instant_of(text_of(look_up(piece, "date")));
      if (member == "datetime") instant = text::instant_of(text_of(piece));
      return !known.has_value();
    });
  } catch (const std::runtime_error& error) {
    if (other_format(file).empty()) known = known_by_lines(file);
    if (!known) throw std::runtime_error(not_json(file, error.what()));
  }
  if (!known) throw std::runtime_error(other_kind(members));
  known->instant = instant;
  return *known;
}

}  // namespace apod::files
