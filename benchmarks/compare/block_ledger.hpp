#pragma once

/// \file
/// From the slots of a side-by-side measurement to its Comparison: which visit belongs to which
/// case, step and stage. Knows nothing of how a slot is run.

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/compare/blocks.hpp"
#include "benchmarks/model/comparison.hpp"
#include "benchmarks/model/side.hpp"

namespace apod::compare {

/// One of the things that are held against each other.
struct ArmName {
  std::string label;  ///< "old/bench", "streams=4"
  std::string value;  ///< of the axis in which the arms differ; empty for builds
};

/// Cases are called by their common name, the id without its value on the axis in question. A step
/// is an arm and the next: each arm is judged against the one before it.
class BlockLedger {
 public:
  /// `by`: the axis in which the arms differ; empty for builds.
  BlockLedger(std::vector<ArmName> arms, std::string by);

  /// What a slot of the block at hand measured.
  void visit(std::size_t arm, Side side);
  /// The block is complete. Cases that lack one of their visits stay out of it.
  void close_block();
  /// From here on blocks confirm, and only the candidates count.
  void begin_confirmation();

  std::size_t case_count() const { return names_.size(); }
  /// Cases of which some step may have changed; empty before begin_confirmation().
  const std::set<std::string>& candidates() const { return candidates_; }
  /// Their ids in the arm's own result.
  std::vector<std::string> ids_of(std::size_t arm, const std::set<std::string>& names) const;

  /// Verdicts of every step of every case, cases that only one arm has and such that failed
  /// included.
  Comparison judge(const CompareOptions& options);
  /// Cases that the comparison says have moved, by common name.
  std::set<std::string> moved(const Comparison& comparison) const;
  /// Facts of a slot that was not timed, such as a traced one, in place of the older ones.
  void add_facts(std::size_t arm, const Side& side);
  /// What differs between the arms, and the causes of what moved.
  void explain(Comparison& comparison) const;

 private:
  using StepKey = std::pair<std::string, std::size_t>;  ///< common name, index of the base arm
  struct Arm {
    ArmName name;
    Side last;                             ///< without its cases: environment
    std::map<std::string, SideCase> seen;  ///< by common name, as last measured
    std::map<std::string, std::string> failed;
    std::map<std::string, std::vector<double>> visits;  ///< ln s, of the block at hand
  };

  std::string common(std::size_t arm, const std::string& id) const;
  std::string step_name(const StepKey& key) const;
  std::string failure_of(const StepKey& key) const;
  void add_blockless(Comparison& comparison) const;

  std::vector<Arm> arms_;
  std::string by_;
  bool confirming_ = false;
  std::set<std::string> names_;
  std::set<std::string> candidates_;
  std::map<StepKey, BlockCase> blocks_;
  std::vector<StepKey> judged_;  ///< of the first cases of the comparison, in its order
};

}  // namespace apod::compare
