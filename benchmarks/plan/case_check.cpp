#include "benchmarks/plan/case_check.hpp"

#include "benchmarks/base/axes.hpp"

namespace apod::plan {

CaseCheck::CaseCheck(const Experiment& experiment, const Registry& registry,
                     const ExpandOptions& options)
    : experiment_(experiment),
      registry_(registry),
      options_(options),
      family_(family_of(registry, experiment)) {
  if (experiment.kernel) of_variants_ = experiment.kernel->family().kernel_axes();
  for (const auto& axis : axes_of_variants(registry, experiment.workload))
    of_variants_.insert(axis.name);
}

std::optional<VariantEntry> CaseCheck::variant(const std::string& name) const {
  return variant_of(registry_, experiment_, name);
}

/// Null where it was not built.
const Variant* CaseCheck::built_variant(const std::string& name) const {
  const auto [made, is_new] = built_.try_emplace(name);
  if (is_new) {
    const auto entry = variant(name);
    if (entry && entry->make) made->second = entry->make();
  }
  return made->second.get();
}

bool CaseCheck::has_axis(const std::string& variant, const std::string& axis) const {
  if (!is_of_variants(axis)) return true;
  const auto [known, is_new] = axes_.try_emplace(variant);
  if (is_new && experiment_.kernel) {
    known->second = experiment_.kernel->family().axes_in(variant);
  } else if (const auto* built = is_new ? built_variant(variant) : nullptr) {
    for (const auto& own : built->axes()) known->second.insert(own.name);
  }
  return known->second.contains(axis);
}

Params CaseCheck::own(const Params& point) const {
  if (of_variants_.empty()) return point;
  Params kept;
  for (const auto& [name, value] : point.entries()) {
    if (has_axis(point.text("variant"), name)) kept.set(name, value);
  }
  return kept;
}

std::optional<std::string> CaseCheck::rejects(const Params& params) const {
  if (family_ == nullptr) return std::nullopt;
  if (auto reason = family_->rejects(params)) return reason;
  const auto& variant = params.text("variant");
  if (const auto* built = built_variant(variant)) {
    if (const auto reason = built->rejects(params)) return variant + ": " + *reason;
  }
  return axes_reject(params);
}

std::string CaseCheck::missing(const std::optional<VariantEntry>& entry,
                               const Params& params) const {
  auto reason = why_absent(entry);
  return reason.empty() ? axes_reject(*entry, params) : reason;
}

std::string CaseCheck::why_absent(const std::optional<VariantEntry>& entry) const {
  if (!entry) return "unknown variant";
  if (!entry->make) {
    if (entry->missing) return entry->missing();
    return entry->backend == BackendKind::cuda ? cuda_not_built : "this build has no host backend";
  }
  if (entry->backend == BackendKind::cuda && !options_.cuda_available) {
    const auto& reason = options_.cuda_missing_reason;
    return reason.empty() ? "the CUDA backend is not available" : reason;
  }
  if (auto reason = entry->missing ? entry->missing() : ""; !reason.empty()) return reason;
  // A variant that has code for one kind of device alone.
  const auto only = built_variant(entry->name)->compute_capability();
  const auto& device = options_.compute_capability;
  if (only.empty() || device.empty() || only == device) return "";
  return entry->name + " runs only on devices of compute capability " + std::string(only) +
         "; this device has " + device;
}

}  // namespace apod::plan
