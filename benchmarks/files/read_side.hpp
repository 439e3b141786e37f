#pragma once

/// \file
/// Result files on their way in: one side of a comparison from the files of this program, of any
/// program that uses Google Benchmark, or of one that uses NVBench.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/base/side.hpp"
#include "benchmarks/base/text/pattern.hpp"
#include "benchmarks/files/bad_result.hpp"
#include "benchmarks/files/events.hpp"
#include "benchmarks/files/metric.hpp"
#include "benchmarks/files/side_builder.hpp"

namespace apod::files {

/// Whether to compute the spread of each process's samples (ProcessTime::deviation), for which they
/// must be read; only our own files have it.
enum class Samples : std::uint8_t { skip, spread };

/// Which runs count of a file that holds many, the history of another program.
enum class Runs : std::uint8_t { last, all };

/// A file that a path stands for.
struct ResultFile {
  std::string path;
  bool found = false;  ///< in a folder: other files there are left out instead of being errors
};

/// Files by their content: two with the same bytes are one run.
class KnownFiles {
 public:
  void add(const std::string& file);
  /// The first added file with the same bytes; empty if there is none, or `file` can't be read.
  std::string find(const std::string& file) const;

 private:
  /// By the size and a hash of the first bytes, where most results have a date.
  using Key = std::pair<std::uintmax_t, std::size_t>;
  static Key key_of(const std::string& file);

  std::map<Key, std::vector<std::string>> files_;
};

/// Files in folders that are not results, by the reason.
class LeftOut {
 public:
  /// `why` may begin with the file's name and a colon, as the text of a BadResult does.
  void add(const std::string& file, const std::string& why);
  /// Likewise, for what a reader says of its content. That of a file which was not named shows
  /// nothing of the content if it is a link or another user's: it may not be meant to be read here.
  void add_unread(const std::string& file, const std::string& why);
  /// A line for each reason, in the order of their first files; they name five files each.
  std::vector<std::string> notes() const;

 private:
  std::vector<std::pair<std::string, std::vector<std::string>>> files_by_reason_;
};

struct ResultFiles {
  std::vector<ResultFile> files;
  LeftOut left_out;

  std::vector<std::string> paths() const;
};

/// The files that paths stand for: a file stands for itself, a folder for every result in it and
/// its subfolders, in the order of their names. A result in a folder is a file that begins like
/// one; everything else is left out, and so is a file that came earlier under another name, or as a
/// copy. Names that begin with a dot are skipped, as by a shell. Throws BadResult: no path, one
/// that can't be read, a folder without any result, a named file that came earlier or is a copy of
/// such a file. Files of `elsewhere`, the other side, are left out too.
ResultFiles result_files(const std::vector<std::string>& paths,
                         const std::vector<std::string>& elsewhere = {});

/// Reads result files into one side. A path is a file or a folder; of a folder, every result as
/// above that can be read to its end, in the order of their dates, or of their names if one has no
/// date before its rows. The notes name what was left out. Every file is a session of its own; what
/// several files say about one case is pooled. A file's format follows from its content, and only
/// cases whose name `filter` matches are kept. `metric` is the number of a row that is read as its
/// time; a case without it is left out, and counted in the notes. Skipped cases and those that
/// never ran are not cases, but are counted in the notes. A case that failed in one file has no
/// time in the side; neither has one that two files measured in different ways, because that would
/// pool unlike times. `elsewhere` as above.
///
/// Throws BadResult: no path, a path that can't be read or is not a regular file, the same file
/// twice, a file of more than 4 GiB, text that is not JSON, nesting deeper than 64, a duplicate key
/// in an object, a newer schema than ours, a time that is not positive, an unknown unit, a file
/// without a measured or failed case or without the metric, folders without a usable file, a filter
/// that matches nothing.
Side read_side(const std::vector<std::string>& paths, const text::Pattern& filter = {},
               Samples samples = Samples::skip, const Metric& metric = {},
               const std::vector<std::string>& elsewhere = {}, Runs runs = Runs::last);

/// The runs that a file holds, in the order of their dates: one, but of a history of another
/// program. Throws as read_side().
std::vector<Side> read_runs(const std::string& file, const Metric& metric = {});

/// Takes the events of one file, which SideBuilder::begin has announced, and puts into the side
/// what a comparison needs of each case.
std::unique_ptr<Events> side_view(SideBuilder& side);

}  // namespace apod::files
