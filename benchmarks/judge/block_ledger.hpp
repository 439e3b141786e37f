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

#include "benchmarks/base/comparison.hpp"
#include "benchmarks/base/side.hpp"
#include "benchmarks/judge/blocks.hpp"

namespace apod::judge {

/// One of the things that are compared with each other.
struct ArmName {
  std::string label;  ///< "old/bench", "streams=4"
  std::string value;  ///< of the axis in which the arms differ; empty for builds
};

/// A step is an arm and the next: each arm is judged against the one before it. This is a step of
/// one case: its common name (the id without its value on the axis in question), and the index of
/// the base arm.
using CaseStep = std::pair<std::string, std::size_t>;

class BlockLedger {
 public:
  /// `by`: the axis in which the arms differ; empty for builds.
  BlockLedger(std::vector<ArmName> arms, std::string by, CompareOptions options = {});

  /// An arm's environment, from a slot that is not a visit; visits add theirs.
  void introduce(std::size_t arm, const Side& side);
  /// What a slot of the current block measured.
  void visit(std::size_t arm, Side side);
  /// The block is complete. Cases that lack one of their visits stay out of it.
  void close_block();
  /// Whether the screening so far says of any case that it may have changed.
  bool anything_stands_out() const;
  /// From here on blocks confirm, and only the candidates count.
  void begin_confirmation();
  /// The same without a screening: an arm has these of the cases that may have changed. For every
  /// arm, before its first visit.
  void suspect(std::size_t arm, const std::vector<std::string>& ids);

  /// Steps that can be judged as far as is known: both arms have the case, and it failed in
  /// neither.
  std::set<CaseStep> comparable() const;
  /// The comparable ones that may have changed; empty before the confirmation.
  std::set<CaseStep> candidates() const;
  /// Ids of what an arm has to run for these steps; none where no step touches the arm. An arm that
  /// runs at all runs every case of the steps that it has. The order of a slot's cases is drawn
  /// from a random seed and the number of cases, so only arms that run the same cases run them in
  /// the same order.
  std::vector<std::string> ids_of(std::size_t arm, const std::set<CaseStep>& steps) const;

  /// Verdicts of every step of every case, such that failed included. A case that only one arm has
  /// is `missing` or `new` among builds; in a ladder, where the file alone decides, a note counts
  /// them. `planned`: blocks of confirmation that a candidate gets.
  Comparison judge(int planned = confirmation_blocks);
  /// Steps that have moved, according to the comparison.
  std::set<CaseStep> moved(const Comparison& comparison) const;
  /// Facts of a slot that was not timed, such as a traced one, in place of the older ones.
  void add_facts(std::size_t arm, const Side& side);
  /// What differs between the arms, and the causes of what moved.
  void explain(Comparison& comparison) const;

 private:
  struct Arm {
    ArmName name;
    Side slots;                             ///< a session each, and no cases: environment
    std::map<std::string, SideCase> seen;   ///< by common name, as last measured; facts: means
    std::map<std::string, FactSums> facts;  ///< by common name
    std::map<std::string, std::string> failed;
    std::map<std::string, std::vector<double>> visits;  ///< ln s, of the block at hand
  };

  std::string common(std::size_t arm, const std::string& id) const;
  std::string step_name(const CaseStep& key) const;
  std::string failure_of(const CaseStep& key) const;
  void add_blockless(Comparison& comparison) const;

  std::vector<Arm> arms_;
  std::string by_;
  CompareOptions options_;
  bool confirming_ = false;
  std::set<std::string> names_;  ///< common ones, of all arms
  std::set<CaseStep> candidates_;
  std::map<CaseStep, BlockCase> blocks_;
  std::vector<CaseStep> judged_;  ///< of the first cases of the comparison, in its order
};

}  // namespace apod::judge
