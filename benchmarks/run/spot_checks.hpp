#pragma once

/// \file
/// Whether a kernel that came in a file does its work every time. Its outputs are poisoned before
/// each run as it is; here they are verified behind samples that nobody can foresee, and it gets
/// inputs that it has never seen.

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "benchmarks/run/prepared_case.hpp"
#include "benchmarks/run/sampler.hpp"

namespace apod::run {

/// The least time that the device's peaks allow for the work, s; 0 where they are not known.
/// Reads count in full where the caches hold none of the data when a sample begins; of other bytes
/// those that the last-level cache can't hold. FP32 and FP64 work counts at the peak of its type.
double least_seconds(const Traffic& traffic, const DeviceFacts& device, CacheMode cache);

/// The median of their times and that of their clocks; 0 where most of those are not known.
Sample median_of(const std::vector<Sample>& samples);

/// What the times say against a kernel; empty: nothing. `firsts` (at least one) are of inputs that
/// were new to it, `again` of the same once it had seen them, `usual` of the inputs of the samples.
std::string why_not_its_work(std::vector<Sample> firsts, const Sample& again, const Sample& usual,
                             Scope scope);

class SpotChecks {
 public:
  /// `fresh` are problems that differ from the case's in their inputs alone; they are kept.
  SpotChecks(const PreparedCase& prepared, std::vector<std::shared_ptr<const Problem>> fresh);

  /// Checks nothing before.
  void begin() { active_ = true; }
  /// A sample of the case, taken by `take`, and now and then more than that. Throws
  /// std::runtime_error where an output is wrong.
  Sample take(const std::function<Sample()>& take);
  /// What is still to be looked at, and what the times say. Throws std::runtime_error with
  /// "invalid: ..." where they can't be those of the work.
  void finish(const std::function<Sample()>& take);

 private:
  bool is_hot() const { return prepared_.item.experiment.measure.cache == CacheMode::hot; }
  void look_at_output(const Problem& problem, const char* what);
  void look_at_input(const Problem& problem) const;
  /// Samples of inputs that the kernel has not seen lately.
  void take_fresh(const std::function<Sample()>& take);
  /// One of the case, which is looked at.
  Sample take_own(const std::function<Sample()>& take);
  std::size_t draw(std::size_t most) {
    return std::uniform_int_distribution(std::size_t{0}, most)(chance_);
  }

  const PreparedCase& prepared_;
  std::vector<std::shared_ptr<const Problem>> fresh_;
  std::mt19937_64 chance_;
  bool active_ = false;
  std::size_t until_next_ = 0;         ///< samples
  std::size_t gap_ = 4;                ///< half of the mean number of samples between two checks
  std::size_t pairs_ = 0;              ///< of samples of other inputs
  std::vector<Sample> first_, again_;  ///< of inputs that were new, and of others again
  /// Of the case's own from cold caches, each the median of some; where samples are hot.
  std::vector<Sample> usual_;
  std::size_t looked_at_ = 0;
};

}  // namespace apod::run
