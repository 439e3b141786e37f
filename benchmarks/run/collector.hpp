#pragma once

#include <cstddef>
#include <set>
#include <tuple>

#include "benchmarks/base/result.hpp"
#include "benchmarks/run/journal.hpp"
#include "benchmarks/run/rounds.hpp"

namespace apod::run {

/// Puts what steps found into a Result.
class Collector {
 public:
  explicit Collector(Result& result) : result_(result) {}

  /// Whether the step need not be run: it was, or its case has failed.
  bool is_done(const Step& step) const;
  void add(JournalEntry entry);
  /// The device that the result is about: the GPU when one took part.
  void note_device(const DeviceFacts& facts);

 private:
  bool attach(record::Pass pass, Measurement extra);

  Result& result_;
  std::set<std::tuple<std::size_t, int, record::Pass>> done_;
  std::set<std::size_t> failed_;  ///< cases
};

}  // namespace apod::run
