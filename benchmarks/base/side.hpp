#pragma once

/// \file
/// One side of a comparison: what result files, of whichever program, say of each case. No more
/// than a judgement needs, so that 100,000 cases fit.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "benchmarks/base/text/shared_text.hpp"

namespace apod {

/// What one process (a row, a repetition) said of a case.
struct ProcessTime {
  double seconds = 0;         ///< its median, > 0; the less, the better
  std::uint32_t session = 0;  ///< index into Side::sessions
  /// Standard deviation of ln of its samples; 0: not read, or the file has none.
  double deviation = 0;
  bool throttled = false;  ///< throughout; see leave_out_throttled
};

using text::SharedText;

/// What is known of a machine, a build and an experiment: "gpu", "driver", "commit" ... -> every
/// value that is recorded, each once, sorted; of "date" the first and the last.
using Properties = std::map<std::string, std::vector<std::string>>;

/// Short name -> text, sorted by name: cheaper than a map where there are very many.
using Labels = std::vector<std::pair<SharedText, SharedText>>;
/// Short name -> number, sorted by name.
using Facts = std::vector<std::pair<SharedText, double>>;
/// With a kernel's name behind them, the facts of its launches in a traced run: their time
/// together, s, and their number. A copy of a recording has them too.
inline constexpr std::string_view kernel_time_of = "kernel_time/";
inline constexpr std::string_view launches_of = "launches/";
/// Id -> evidence, sorted by id. Evidence has numbers in it, and differs from case to case.
using SideFindings = std::vector<std::pair<SharedText, std::string>>;

struct SideCase {
  std::string name;                ///< what the two sides are matched by
  Labels params;                   ///< axes and their values, where the file tells them
  SharedText version;              ///< of what is measured, beyond its name: scope, data, cache ...
  std::vector<ProcessTime> times;  ///< in file order; empty where nothing was measured
  Facts facts;                     ///< means over the processes: clock, overlap, streams, bytes ...
  /// Kernel -> hash of its machine code, sorted; an empty text where that is not known, two entries
  /// where the side has two codes of one kernel. Empty: not recorded.
  Labels kernel_code;
  /// Id -> evidence of the most severe of that id, sorted; those of an untraced case are few. An
  /// empty text where the file has the ids alone.
  SideFindings findings;
  std::string failed;    ///< why there is no time; empty where there is
  double threshold = 0;  ///< least relative change that matters, the smallest of the files that
                         ///< have one; 0: the comparison's
  double tick_s = 0;     ///< its times are multiples of about this, s; 0: not known
};

/// One file: one run of a benchmark on one machine.
struct SideSession {
  std::string file;
  std::string format;                              ///< "apod", "google" or "nvbench"
  std::map<std::string, std::string> environment;  ///< properties_of its run: "gpu", "commit" ...
  /// All times of the file come from one process: a case's are its repetitions there, and say
  /// nothing about how far apart processes are. So it is in files of Google Benchmark and NVBench.
  bool one_process = false;
};

/// The medians of the case's processes, for estimate_time.
inline std::vector<double> medians_of(const SideCase& c) {
  std::vector<double> medians;
  medians.reserve(c.times.size());
  for (const auto& time : c.times) medians.push_back(time.seconds);
  return medians;
}

struct Side {
  std::string label;  ///< how it is called in reports: the path as given
  std::vector<SideSession> sessions;
  std::vector<SideCase> cases;     ///< unique names, in order of first appearance
  std::vector<std::string> notes;  ///< what was passed over while reading, and why
  /// ProcessTime::seconds holds a counter, which was asked for and is no time.
  bool is_counter = false;
};

}  // namespace apod
