#pragma once

/// \file
/// Rows of spaces, measured side by side: each call is a session of its own, in one fresh process.

#include <atomic>
#include <chrono>
#include <future>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/judge/search/search.hpp"
#include "benchmarks/plan/space.hpp"
#include "benchmarks/run/session.hpp"

namespace apod::run {

struct TrialOptions {
  std::string config_name;
  std::string config_path;
  std::string config_text;
  std::string description;
  plan::ExpandOptions expand;
  SessionOptions session;  ///< with the entries of the journal that is resumed
  /// What is made small: "time", or a fact; one that is better when it is larger is turned round.
  std::vector<std::string> objectives{"time"};
};

/// The outcome of one row in one process.
struct Trial {
  plan::RowIndex row = 0;
  std::vector<double> values;  ///< ln, one an objective; NaN if it failed or was not measured
};

/// How rows are measured.
struct TrialAsk {
  search::Care care = search::Care::look;
  bool energy = false;  ///< also measure energy, which takes some seconds a row
  double limit_s = std::numeric_limits<double>::infinity();  ///< no row may take longer
};

struct TrialBatch {
  std::vector<Trial> trials;
  double seconds = 0;  ///< since the end of the batch before
  bool stopped = false;
};

/// Whether a run must be watched for some seconds to know it.
bool needs_energy(const std::string& objective);
bool more_is_better(const std::string& objective);

/// Measures, keeps everything, and answers from the journal of an interrupted search first: asked
/// for the same rows again, it takes the same way to where that search stopped.
class Trials {
 public:
  Trials(const Registry& registry, TrialOptions options, const SessionListener& listener);
  ~Trials() { stops_compiling_ = true; }

  /// The plan of these rows, or nothing and why there is none.
  std::optional<Plan> plan_of(const plan::Space& space, std::span<const plan::RowIndex> rows,
                              const TrialAsk& ask, std::string& why_not) const;
  /// A case that can't be planned or fails is a trial of NaN. Throws std::runtime_error if no
  /// worker process can be started.
  TrialBatch measure(const plan::Space& space, std::span<const plan::RowIndex> rows,
                     const TrialAsk& ask);
  /// Compiles these rows in the background, once those of the call before are compiled.
  void prepare(const plan::Space& space, std::span<const plan::RowIndex> rows);
  /// What another search measured of rows of this space, one a process.
  std::vector<Trial> known(const plan::Space& space, const Result& earlier) const;

  /// Why rows failed: "verify: wrong result", and how many.
  const std::map<std::string, std::size_t>& failures() const { return failures_; }
  /// All that was measured, as the result of a run with a case for each row.
  Result result() const;

 private:
  using Key = std::pair<int, std::string>;  ///< process, case

  void keep(Measurement measurement, record::Pass pass);
  /// `why`: what failed, empty if nothing did.
  std::vector<double> values_of(const Measurement& measurement, bool energy,
                                std::string& why) const;

  const Registry& registry_;
  TrialOptions options_;
  const SessionListener& listener_;
  std::map<Key, std::vector<JournalEntry>> resumed_;
  std::map<Key, Measurement> measured_;
  std::map<std::string, std::size_t> index_;  ///< of a case among those of the result
  Result all_;
  std::map<std::string, std::size_t> failures_;
  int processes_ = 0;
  std::set<std::string> compiled_;  ///< cases whose kernels are, or are by now being compiled
  std::atomic<bool> stops_compiling_ = false;
  std::future<void> compiling_;
  /// When the last case was finished; nothing: all so far was in the journal.
  std::optional<std::chrono::steady_clock::time_point> mark_;
};

}  // namespace apod::run
