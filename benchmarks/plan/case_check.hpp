#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/plan/expand.hpp"

namespace apod::plan {

/// Why points of an experiment's axes can't be measured. Experiment, registry and options must
/// outlive it.
class CaseCheck {
 public:
  CaseCheck(const Experiment& experiment, const Registry& registry, const ExpandOptions& options);

  std::optional<VariantEntry> variant(const std::string& name) const;
  /// Whether the axis says something of this variant: it is no axis of other variants alone.
  bool has_axis(const std::string& variant, const std::string& axis) const;
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
  const Family* family_;               ///< null of a command
  std::vector<AxisSpec> of_variants_;  ///< the axes that they declare
  mutable std::map<std::string, std::unique_ptr<Variant>> built_;
};

}  // namespace apod::plan
