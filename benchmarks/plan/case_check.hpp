#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "benchmarks/plan/expand.hpp"

namespace apod::plan {

/// Why points of an experiment's axes can't be measured. Experiment, registry and options must
/// outlive it.
class CaseCheck {
 public:
  CaseCheck(const Experiment& experiment, const Registry& registry, const ExpandOptions& options);

  std::optional<VariantEntry> variant(const std::string& name) const;
  /// Whether some variants may lack the axis, and whether this one has it. What was not built has
  /// those that a built variant declares for it, and none of its own.
  bool is_of_variants(const std::string& axis) const { return of_variants_.contains(axis); }
  bool has_axis(const std::string& variant, const std::string& axis) const;
  /// The values on the axes that the point's variant has.
  Params own(const Params& point) const;
  /// Why family, variant or harness can't compute a case with these values; nothing if they can.
  std::optional<std::string> rejects(const Params& params) const;
  /// Why `entry`, which the case names, can't run here; empty if it can. Not for commands.
  std::string missing(const std::optional<VariantEntry>& entry, const Params& params) const;

 private:
  const Variant* built_variant(const std::string& name) const;
  std::string why_absent(const std::optional<VariantEntry>& entry) const;

  const Experiment& experiment_;
  const Registry& registry_;
  const ExpandOptions& options_;
  const Family* family_;                                       ///< null of a command
  std::set<std::string> of_variants_;                          ///< the axes that they declare
  mutable std::map<std::string, std::set<std::string>> axes_;  ///< of those, by variant
  mutable std::map<std::string, std::unique_ptr<Variant>> built_;
};

}  // namespace apod::plan
