#pragma once

/// \file
/// One side of a comparison: what result files, of any program, say about each case. It holds only
/// what a judgement needs, so that 100,000 cases fit.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "benchmarks/base/launch_phase.hpp"
#include "benchmarks/base/stats/means.hpp"
#include "benchmarks/base/text/shared_text.hpp"

namespace apod {

/// What one process (a row, a repetition) says about a case.
struct ProcessTime {
  double seconds = 0;         ///< its median, > 0; the less, the better
  std::uint32_t session = 0;  ///< index into Side::sessions
  bool throttled = false;     ///< throughout; see leave_out_throttled
  /// Standard deviation of ln of its samples; 0: not read, or the file has none.
  double deviation = 0;
};

using text::SharedText;

/// The known properties of a machine, a build and an experiment: "gpu", "driver", "commit" ... ->
/// every recorded value, each once, sorted; of "date" the first and the last.
using Properties = std::map<std::string, std::vector<std::string>>;

/// Short name -> text, sorted by name: cheaper than a map for very many cases.
using Labels = std::vector<std::pair<SharedText, SharedText>>;
/// Short name -> number, sorted by name. Most cases have the same names, so that each list of them
/// is kept once.
class Facts {
 public:
  using Names = std::vector<SharedText>;

  Facts() = default;
  Facts(std::initializer_list<std::pair<const SharedText, double>> facts)
      : Facts(std::map<SharedText, double>(facts)) {}
  explicit Facts(const std::map<SharedText, double>& facts);
  /// `names`: sorted and kept for the life of the program; as many `values`.
  Facts(const Names& names, std::vector<double> values)
      : names_(&names), values_(std::move(values)) {}

  class Iterator {
   public:
    using value_type = std::pair<SharedText, double>;
    using difference_type = std::ptrdiff_t;

    Iterator() = default;
    Iterator(const Facts* facts, std::size_t at) : facts_(facts), at_(at) {}
    value_type operator*() const { return {(*facts_->names_)[at_], facts_->values_[at_]}; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    Iterator operator++(int) {
      const auto before = *this;
      ++at_;
      return before;
    }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }

   private:
    const Facts* facts_ = nullptr;
    std::size_t at_ = 0;
  };
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, values_.size()}; }
  bool empty() const { return values_.empty(); }

  std::optional<double> find(std::string_view name) const;
  void merge(const Facts& other);  ///< its values of the same names win
  void erase_of_kernels();         ///< those that is_of_one_kernel
  void clear() { *this = {}; }
  friend bool operator==(const Facts& a, const Facts& b) {
    return a.values_ == b.values_ && std::equal(a.begin(), a.end(), b.begin());
  }

 private:
  const Names* names_ = nullptr;  ///< null: empty
  std::vector<double> values_;
};
/// Followed by a kernel's name, the facts of its launches in a traced run: their total time, s, and
/// their number. A copy of a recording has them too.
inline constexpr std::string_view kernel_time_of = "kernel_time/";
inline constexpr std::string_view launches_of = "launches/";
/// Begins the names of the cases of a recording that are about its mean step: "step: copies alone",
/// "each step: [CUDA memset]".
inline constexpr std::string_view part_of_step = "step: ";
inline constexpr std::string_view operation_of_step = "each step: ";
/// Id -> evidence, sorted by id. Evidence has numbers in it, and differs from case to case.
using SideFindings = std::vector<std::pair<SharedText, std::string>>;

/// A list that many cases have in common: a copy takes no room of its own.
template <class List>
class Shared {
 public:
  Shared() = default;
  Shared(List list)
      : list_(list.empty() ? nullptr : std::make_shared<const List>(std::move(list))) {}
  Shared(std::initializer_list<typename List::value_type> list) : Shared(List(list)) {}

  const List& get() const {
    static const List none;
    return list_ == nullptr ? none : *list_;
  }
  operator const List&() const { return get(); }
  auto begin() const { return get().begin(); }
  auto end() const { return get().end(); }
  bool empty() const { return list_ == nullptr; }

  friend bool operator==(const Shared& a, const Shared& b) {
    return a.list_ == b.list_ || a.get() == b.get();
  }

 private:
  std::shared_ptr<const List> list_;  ///< null: empty
};

struct SideCase {
  std::string name;    ///< the two sides are matched by it
  Labels params;       ///< axes and their values, if the file has them
  SharedText version;  ///< identifies what is measured, beyond its name: scope, data, cache ...
  std::vector<ProcessTime> times;  ///< in file order; empty if nothing was measured
  Facts facts;                     ///< means over the processes: clock, overlap, streams, bytes ...
  /// Kernel -> hash of its machine code, sorted; an empty text if unknown, two entries if the side
  /// has two codes of one kernel. Empty: not recorded.
  Shared<Labels> kernel_code;
  /// Id -> evidence of the most severe finding of that id, sorted; an untraced case has few. An
  /// empty text if the file has only the ids.
  Shared<SideFindings> findings;
  std::string failed;    ///< why the last of its files has no time; empty if it has
  double threshold = 0;  ///< least relative change that matters, the smallest of the files that
                         ///< have one; 0: the comparison's
  double tick_s = 0;     ///< its times are multiples of about this, s; 0: not known
};

/// One file: one run of a benchmark on one machine.
struct SideSession {
  std::string file;
  std::string format;                              ///< "apod", "google" or "nvbench"
  std::map<std::string, std::string> environment;  ///< properties_of its run: "gpu", "commit" ...
  /// All times of the file come from one process: a case's times are repetitions in it, and say
  /// nothing about how far processes differ. Files of Google Benchmark and NVBench are like this.
  bool one_process = false;
};

struct Side {
  std::string label;  ///< how it is called in reports: the path as given
  std::vector<SideSession> sessions;
  std::vector<SideCase> cases;     ///< unique names, in order of first appearance
  std::vector<std::string> notes;  ///< what was skipped while reading, and why
  /// ProcessTime::seconds holds a counter that was asked for, not a time.
  bool is_counter = false;
  bool is_rate = false;  ///< it holds 1 / a rate that was asked for
};

/// The medians of the case's processes, for estimate_time. Repetitions of one process are one.
inline std::vector<double> medians_of(const Side& side, const SideCase& c) {
  std::vector<double> medians;
  std::map<std::uint32_t, std::vector<double>> repetitions;
  for (const auto& time : c.times) {
    const bool one_process = side.sessions.at(time.session).one_process;
    (one_process ? repetitions[time.session] : medians).push_back(time.seconds);
  }
  for (const auto& [session, times] : repetitions) medians.push_back(stats::median(times));
  return medians;
}

/// Whether the fact is about the launches of one kernel: kernel_time_of or launches_of, and its
/// name.
bool is_of_one_kernel(std::string_view fact);

/// A fact's mean is over the processes that have it. But a kernel that a traced process did not run
/// took 0 s there: its mean is over the traced ones. Of phases the processes vote.
class FactSums {
 public:
  /// Adds all facts of one process; values that are not finite are ignored.
  void add(const std::map<std::string, double>& process);
  void merge(const FactSums& other);
  Facts means() const;

 private:
  using Names = Facts::Names;

  std::size_t size() const { return sums_.size(); }
  SharedText name(std::size_t i) const { return (*names_)[i]; }
  /// Counts processes that have these names, and makes room for them.
  void count(const Names* names, std::uint32_t processes);

  // Lists of names are sorted. Most processes have the same ones, so that each list is kept once.
  const Names* names_ = nullptr;                                   ///< of all facts
  std::vector<long double> sums_;                                  ///< by name
  std::vector<std::pair<const Names*, std::uint32_t>> processes_;  ///< by the names of their facts
  std::uint32_t traced_ = 0;                                       ///< processes
  std::vector<PhaseEffect> phases_;                                ///< of processes that know
};

}  // namespace apod
