#include "benchmarks/files/read_side.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <iterator>
#include <optional>
#include <set>
#include <span>
#include <string_view>

#include "benchmarks/base/os/input_file.hpp"
#include "benchmarks/base/os/trusted.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/files/apod_reader.hpp"
#include "benchmarks/files/file_kind.hpp"
#include "benchmarks/files/formats.hpp"
#include "benchmarks/files/read_github_action.hpp"

namespace apod::files {
namespace {

namespace fs = std::filesystem;

/// Files that a note names of each reason.
constexpr std::size_t most_named = 5;

/// A file that is to be read.
struct Input {
  ResultFile file;
  const Format* format = nullptr;  ///< null: ours
  std::optional<double> instant;   ///< of its date, s since 1970; absent where it tells none
};

Input input_of(const ResultFile& file) {
  const KnownFile known = recognise(file.path);
  switch (known.kind) {
    case FileKind::apod:
    case FileKind::foreign:
      return {file, known.format, known.instant};
    case FileKind::recording:
      return {file, &recording_format(), known.instant};
    case FileKind::comparison:
      throw std::runtime_error(
          "it is a report of bench compare, not a result: name the two results that were compared");
    case FileKind::history:
      throw std::runtime_error(
          "it is a report of bench history, not a result: name the results that it shows");
    case FileKind::calibration:
      throw std::runtime_error(
          "it is a calibration of bench calibrate, not a result: leave it out (bench compare finds "
          "the file itself), or add --calibration FILE");
    case FileKind::ceilings:
      throw std::runtime_error(
          "it holds the ceilings of a device, not a result: leave it out (each run of bench finds "
          "this file itself)");
  }
  throw std::logic_error("unknown kind of file");
}

/// Whether a folder holds the samples of an NVBench file in the same parent folder. The samples are
/// read with that file.
bool is_of_nvbench(const fs::path& folder) {
  constexpr std::string_view end = "-bin";
  const auto name = folder.filename().string();
  if (!name.ends_with(end)) return false;
  auto file = name.substr(0, name.size() - end.size());
  if (file.ends_with("-freqs")) file.resize(file.size() - std::string_view("-freqs").size());
  std::error_code error;
  return fs::is_regular_file(folder.parent_path() / file, error);
}

std::string unreadable(const fs::filesystem_error& bad) {
  return "can't be read: " + bad.code().message();
}

bool is_recording(const std::string& file) {
  try {
    return recognise(file).kind == FileKind::recording;
  } catch (const std::runtime_error&) {
    return false;
  }
}

/// Puts the files of a folder and of the folders in it behind `files`, all of them. A folder that
/// Criterion writes into is one result. `top` is the folder that was named.
void walk(const fs::path& folder, const fs::path& top, std::vector<std::string>& files,
          LeftOut& left_out) {
  if (const auto criterion = criterion_folder(folder, top); !criterion.empty()) {
    const auto name = criterion.string();
    if (std::find(files.begin(), files.end(), name) == files.end()) files.push_back(name);
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const fs::path& path = entry.path();
    if (path.filename().string().starts_with(".")) continue;
    std::error_code error;
    const auto has_twin = [&](const char* extension) {
      const auto twin = fs::path(path).replace_extension(extension);
      return fs::is_regular_file(twin, error) && is_recording(twin.string());
    };
    const bool is_report = path.extension() == ".nsys-rep";
    const bool is_export = path.extension() == ".sqlite";
    if (((is_report || is_export) && has_twin(".json")) || (is_report && has_twin(".sqlite"))) {
      left_out.add(path.string(), "the same folder has a file that was made from it");
    } else if (!entry.is_directory(error)) {
      files.push_back(path.string());
    } else if (entry.is_symlink(error)) {
      left_out.add(path.string(), "a link to a folder");
    } else if (is_of_nvbench(path) || is_of_criterion(path)) {
      continue;
    } else {
      try {
        walk(path, top, files, left_out);
      } catch (const fs::filesystem_error& bad) {
        left_out.add(path.string(), unreadable(bad));
      }
    }
  }
}

/// Finds the files of paths, each run once: a process must not count as two.
class Finder {
 public:
  explicit Finder(const std::vector<std::string>& elsewhere) {
    for (const auto& file : elsewhere) elsewhere_.add(file);
  }

  std::vector<ResultFile> files_of(const std::string& path) {
    const bool is_folder = fs::is_directory(path) && !is_criterion_folder(path);
    if (!fs::is_directory(path)) check_file(path);
    refuse_named(path);
    if (is_folder) return found_in(path);
    refuse_known(path);
    return {{path, false}};
  }

  LeftOut left_out;

 private:
  /// Throws std::runtime_error if the path was given before, under any name.
  void refuse_named(const std::string& path) {
    if (!named_.insert(fs::canonical(path)).second)
      throw std::runtime_error("is named twice: name each file once");
  }

  /// Throws std::runtime_error if the file is a copy of an earlier file.
  void refuse_known(const std::string& file) {
    const auto other = known_.find(file);
    if (!other.empty()) throw std::runtime_error("it is a copy of " + other);
    known_.add(file);
  }

  /// Throws std::runtime_error if the file was named on another side.
  void refuse_elsewhere(const std::string& file) const {
    if (!elsewhere_.find(file).empty()) throw std::runtime_error("it is also on the other side");
  }

  std::vector<ResultFile> found_in(const std::string& folder) {
    std::vector<std::string> all;
    walk(folder, folder, all, left_out);
    std::sort(all.begin(), all.end());
    std::vector<ResultFile> files;
    std::vector<ResultFile> recordings;
    for (const std::string& file : all) {
      try {
        const auto input = input_in_folder(file);
        if (!input) continue;
        refuse_elsewhere(file);
        refuse_named(file);
        refuse_known(file);
        (input->format == &recording_format() ? recordings : files).push_back(input->file);
      } catch (const fs::filesystem_error& bad) {
        left_out.add(file, unreadable(bad));
      } catch (const std::runtime_error& error) {
        left_out.add(file, error.what());
      }
    }
    if (files.empty()) files.swap(recordings);
    for (const auto& file : recordings) left_out.add(file.path, "a recording among results");
    if (files.empty()) throw std::runtime_error("the folder contains no result" + reasons());
    return files;
  }

  /// Nothing, with the reason in left_out, if it can't be read as a result.
  std::optional<Input> input_in_folder(const std::string& file) {
    try {
      return input_of({file, true});
    } catch (const fs::filesystem_error&) {
      throw;
    } catch (const std::runtime_error& error) {
      left_out.add_unread(file, error.what());
      return std::nullopt;
    }
  }

  /// "; a.txt: left out, not a .json file", and so on.
  std::string reasons() const {
    std::string text;
    for (const std::string& note : left_out.notes()) text += "; " + note;
    return text;
  }

  KnownFiles elsewhere_;
  std::set<fs::path> named_;
  KnownFiles known_;
};

/// The files of each path, all of them checked.
std::vector<std::vector<ResultFile>> files_by_path(const std::vector<std::string>& paths,
                                                   Finder& finder) {
  if (paths.empty()) throw BadResult("name at least one result file");
  std::vector<std::vector<ResultFile>> files;
  for (const std::string& path : paths)
    files.push_back(naming(path, [&] { return finder.files_of(path); }));
  return files;
}

std::vector<Input> inputs_of(const std::vector<std::string>& paths, Finder& finder) {
  std::vector<Input> inputs;
  for (const auto& files : files_by_path(paths, finder)) {
    const std::size_t first = inputs.size();
    for (const ResultFile& file : files)
      inputs.push_back(naming(file.path, [&] { return input_of(file); }));
    const std::span of_path = std::span(inputs).subspan(first);
    const bool dated = std::all_of(of_path.begin(), of_path.end(),
                                   [](const Input& input) { return input.instant.has_value(); });
    if (!dated) continue;
    std::stable_sort(of_path.begin(), of_path.end(),
                     [](const Input& a, const Input& b) { return a.instant < b.instant; });
  }
  return inputs;
}

/// Whether a file of the format may hold many runs.
bool holds_runs(const Format* format) {
  return format != nullptr && format->id == std::string_view("github-action");
}

/// Hands each run of a history to the side that `begin` returns, and calls `end` behind those with
/// a time: others are of another tool. Throws std::runtime_error if none has.
template <class Begin, class End>
void each_run(const std::string& file, const Format& format, Begin begin, End end) {
  const GithubActionFile history(file);
  std::string why;
  bool any = false;
  for (std::size_t i = 0; i < history.runs(); ++i) {
    SideBuilder& side = begin();
    side.begin(file, format.id, format.one_process);
    try {
      history.read(i, *side_view(side));
      side.end();
      end();
      any = true;
    } catch (const std::runtime_error& error) {
      why = error.what();
    }
  }
  if (!any) throw std::runtime_error(why);
}

/// Whether two files hold the same bytes; false where one can't be read.
bool same_bytes(const std::string& a, const std::string& b) {
  std::error_code error;
  const auto size = fs::file_size(a, error);
  if (error || size != fs::file_size(b, error) || error) return false;
  os::InputFile first(a);
  os::InputFile second(b);
  return std::equal(std::istreambuf_iterator<char>(first), {},
                    std::istreambuf_iterator<char>(second), {});
}

/// Whether two folders of Criterion hold the same last run: only its estimates count.
bool same_folders(const fs::path& a, const fs::path& b) {
  std::error_code error;
  if (fs::equivalent(a, b, error)) return true;
  const auto estimates_in = [](const fs::path& folder) {
    std::set<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      const auto& path = entry.path();
      const bool is_last_run = path.parent_path().filename() == "new";
      if (is_last_run && path.filename() == "estimates.json")
        files.insert(fs::relative(path, folder));
    }
    return files;
  };
  const auto files = estimates_in(a);
  return files == estimates_in(b) && std::ranges::all_of(files, [&](const auto& file) {
           return same_bytes((a / file).string(), (b / file).string());
         });
}

/// Whether two files, or two folders of Criterion, are one run.
bool same_run(const std::string& a, const std::string& b) {
  std::error_code error;
  const bool is_folder = fs::is_directory(a, error);
  if (is_folder != fs::is_directory(b, error)) return false;
  return is_folder ? same_folders(a, b) : same_bytes(a, b);
}

}  // namespace

KnownFiles::Key KnownFiles::key_of(const std::string& file) {
  std::error_code error;
  if (fs::is_directory(file, error)) return {0, 0};
  const auto size = fs::file_size(file, error);
  std::array<char, 4096> head{};
  os::InputFile in(file);
  in.read(head.data(), head.size());
  const std::string_view text(head.data(), static_cast<std::size_t>(in.gcount()));
  return {error ? 0 : size, std::hash<std::string_view>()(text)};
}

void KnownFiles::add(const std::string& file) {
  files_[key_of(file)].push_back(file);
}

std::string KnownFiles::find(const std::string& file) const {
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return "";
  const auto alike = files_.find(key_of(file));
  if (alike == files_.end()) return "";
  for (const auto& other : alike->second) {
    if (same_run(file, other)) return other;
  }
  return "";
}

void LeftOut::add(const std::string& file, const std::string& why) {
  const std::string name = text::printable(file);
  const std::string prefix = name + ": ";
  std::string reason = why.starts_with(prefix) ? why.substr(prefix.size()) : why;
  // A folder that has results needs no advice on how to make one.
  for (const std::string_view way : {makes_one, describe_it}) {
    if (reason.ends_with(way)) reason.resize(reason.size() - way.size());
  }
  auto found = std::find_if(files_by_reason_.begin(), files_by_reason_.end(),
                            [&](const auto& entry) { return entry.first == reason; });
  if (found == files_by_reason_.end()) found = files_by_reason_.insert(found, {reason, {}});
  found->second.push_back(name);
}

void LeftOut::add_unread(const std::string& file, const std::string& why) {
  std::error_code error;
  const bool is_elsewhere = fs::is_symlink(file, error) || os::is_of_another(file);
  add(file,
      is_elsewhere
          ? "it is a link or another user's file (bench show FILE says why it is not a result)"
          : why);
}

std::vector<std::string> LeftOut::notes() const {
  std::vector<std::string> lines;
  for (const auto& [reason, files] : files_by_reason_)
    lines.push_back(text::first_few(files, most_named) + ": left out, " + reason);
  return lines;
}

std::vector<std::string> ResultFiles::paths() const {
  std::vector<std::string> all;
  for (const ResultFile& file : files) all.push_back(file.path);
  return all;
}

ResultFiles result_files(const std::vector<std::string>& paths,
                         const std::vector<std::string>& elsewhere) {
  Finder finder(elsewhere);
  ResultFiles result;
  for (const auto& of_path : files_by_path(paths, finder))
    result.files.insert(result.files.end(), of_path.begin(), of_path.end());
  result.left_out = std::move(finder.left_out);
  return result;
}

std::vector<Side> read_runs(const std::string& file, const Metric& metric) {
  return naming(file, [&] {
    std::vector<Side> runs;
    const Input input = input_of({file, false});
    if (!holds_runs(input.format)) {
      runs.push_back(read_side({file}, {}, Samples::skip, metric));
      return runs;
    }
    std::optional<SideBuilder> side;
    each_run(
        file, *input.format,
        [&]() -> SideBuilder& { return side.emplace(file, text::Pattern(), false, metric); },
        [&] { runs.push_back(side->finish()); });
    return runs;
  });
}

Side read_side(const std::vector<std::string>& paths, const text::Pattern& filter, Samples samples,
               const Metric& metric, const std::vector<std::string>& elsewhere, Runs runs) {
  Finder finder(elsewhere);
  const std::vector<Input> inputs = inputs_of(paths, finder);
  SideBuilder side(text::first_few(paths, 1), filter, samples == Samples::spread, metric);
  for (const auto& [file, format, instant] : inputs) {
    try {
      naming(file.path, [&, &file = file, &format = format] {
        const bool foreign = format != nullptr;
        if (runs == Runs::all && holds_runs(format)) {
          const auto same = [&]() -> SideBuilder& { return side; };
          return each_run(file.path, *format, same, [] {});
        }
        side.begin(file.path, foreign ? format->id : "apod", foreign && format->one_process);
        const auto view = side_view(side);
        if (foreign) {
          format->read(file.path, *view);
        } else {
          const auto hidden = unread_by_sides(side.wants_spread(), !metric.is_time());
          ApodReader(*view).read(file.path, hidden);
        }
        side.end();
      });
    } catch (const BadResult& error) {
      if (!file.found) throw;
      finder.left_out.add_unread(file.path, error.what());
    }
  }
  try {
    return side.finish(finder.left_out.notes());
  } catch (const std::runtime_error& error) {
    throw BadResult(text::printable(error.what()));
  }
}

}  // namespace apod::files
