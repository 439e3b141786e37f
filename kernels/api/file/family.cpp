#include "kernels/api/file/family.hpp"

namespace apod::file {

KernelFamily::KernelFamily(KernelSpec spec) : spec_(std::move(spec)), shapes_(spec_) {}

void KernelFamily::check(const Params& params) const {
  using Kind = ReferenceSpec::Kind;
  shapes_.launches(params);
  for (const auto& part : shapes_.parts(params, params.integer_or("streams", 1))) {
    shapes_.launches(part.params);
  }
  if (spec_.reference.kind == Kind::kernel) shapes_.reference(params);
  shapes_.traffic(params);
  if (spec_.reference.kind != Kind::array) return;
  const auto layout = shapes_.layout(params);
  for (std::size_t a = 0; a < spec_.args.size(); ++a) {
    const auto file = spec_.reference.outputs.find(spec_.args[a].name);
    if (file == spec_.reference.outputs.end()) continue;
    const auto shape = array_shape(file->second);
    const auto values = shape.rows * shape.cols;
    if (values == layout.args[a].count) continue;
    throw SpecError("reference/" + file->first, 0,
                    "the reference of '" + file->first + "' holds " + std::to_string(values) +
                        " values, and the output " + std::to_string(layout.args[a].count));
  }
}

std::optional<std::string> KernelFamily::rejects(const Params& params) const {
  try {
    check(params);
  } catch (const SpecError& error) {
    return error.key() + ": " + error.what();
  }
  return std::nullopt;
}

std::set<std::string> KernelFamily::problem_axes() const {
  using Kind = ReferenceSpec::Kind;
  auto named = shapes_.problem_names();
  for (auto& name : template_names(spec_.reference.launch.kernel)) named.insert(std::move(name));
  const auto kind = spec_.reference.kind;
  // A kernel that is its own reference is another with each, and a workload looks for its own.
  const bool all = kind == Kind::itself || kind == Kind::workload;
  std::set<std::string> axes;
  for (const auto& axis : spec_.axes) {
    const bool in_code = kind == Kind::kernel && is_macro(axis.name);
    if (all || in_code || named.count(axis.name) > 0) axes.insert(axis.name);
  }
  return axes;
}

Footprint KernelFamily::footprint(const Params& params) const {
  const auto layout = shapes_.layout(params);
  return {layout.input_bytes, layout.output_bytes, layout.scratch_bytes};
}

double KernelFamily::reference_flops(const Params& params) const {
  using Kind = ReferenceSpec::Kind;
  if (spec_.reference.kind == Kind::workload) return traffic(params).flops();
  if (spec_.reference.kind != Kind::formula) return 0;
  // A formula is interpreted: some hundred operations an element.
  constexpr double an_element = 100;
  double elements = 0;
  const auto layout = shapes_.layout(params);
  for (std::size_t a = 0; a < spec_.args.size(); ++a) {
    if (spec_.reference.outputs.count(spec_.args[a].name) > 0) {
      elements += static_cast<double>(layout.args[a].count);
    }
  }
  return an_element * elements;
}

std::unique_ptr<Problem> KernelFamily::make(const Params& params, const DataSpec& data) const {
  return std::make_unique<KernelProblem>(shared_from_this(), params, data);
}

const KernelFamily& KernelFile::family() const {
  if (!family_) family_ = std::make_shared<const KernelFamily>(spec);
  return *family_;
}

VariantEntry variant_of(const KernelFile& file, const std::string& name, const Registry& registry) {
  VariantEntry entry{std::string(workload_name), name, BackendKind::cuda, "", {}, {}};
  const auto* backend = registry.backend(BackendKind::cuda);
  if (backend == nullptr || !backend->kernel_files.make) return entry;
  entry.make = [backend, family = file.family().shared_from_this()] {
    return backend->kernel_files.make(*family);
  };
  const auto& source = names_file(name) ? name : file.spec.usual_variant();
  if (source.ends_with(".cu")) entry.missing = backend->kernel_files.missing;
  return entry;
}

}  // namespace apod::file
