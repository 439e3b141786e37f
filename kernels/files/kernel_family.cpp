#include "kernels/files/kernel_family.hpp"

#include <algorithm>

#include "kernels/files/captured_problem.hpp"

namespace apod::file {
namespace {

/// ": size 100x100, mask 3".
std::string axes_text(const Params& params) {
  std::string text;
  for (const auto& [name, value] : params.entries())
    text += (text.empty() ? ": " : ", ") + name + " " + apod::to_string(value);
  return text;
}

}  // namespace

KernelFamily::KernelFamily(KernelSpec spec)
    : spec_(std::move(spec)), shapes_(spec_), problem_axes_(find_problem_axes()) {
  for (const auto& launch : spec_.launches) kernel_axes_.merge(axes_in(launch.kernel));
  for (const auto& variant : spec_.variants) kernel_axes_.merge(axes_in(variant));
  for (const auto& name : shared_names()) kernel_axes_.erase(name);
}

std::size_t KernelFamily::check(const Params& params) const {
  using Kind = ReferenceSpec::Kind;
  auto launches = shapes_.launches(params).size();
  for (const auto& part : shapes_.parts(params, params.integer_or("streams", 1)))
    launches += shapes_.launches(part.params).size();
  if (spec_.reference.kind == Kind::kernel) shapes_.reference(params);
  shapes_.traffic(params);
  if (spec_.reference.kind == Kind::workload) check_workload(params);
  if (spec_.reference.kind != Kind::array) return launches;
  const auto layout = shapes_.layout(params);
  for (std::size_t a = 0; a < spec_.args.size(); ++a) {
    const auto file = spec_.reference.outputs.find(spec_.args[a].name);
    if (file == spec_.reference.outputs.end()) continue;
    const auto shape = array_shape(file->second);
    const auto values = shape.rows * shape.cols;
    if (values == layout.args[a].count) continue;
    throw SpecError("reference/" + file->first, 0,
                    "the reference of '" + file->first + "' holds " + std::to_string(values) +
                        " values, but the output has " + std::to_string(layout.args[a].count));
  }
  return launches;
}

/// Null where there is none of that name.
const Family* KernelFamily::find_workload() const {
  const auto& name = spec_.reference.workload;
  return Registry::instance().family(name.substr(0, name.find('/')));
}

/// What all variants use.
std::set<std::string> KernelFamily::shared_names() const {
  auto named = shapes_.all_names();
  named.merge(template_names(spec_.reference.launch.kernel));
  const auto* workload = find_workload();
  for (const auto& axis : workload ? workload->axes() : std::vector<AxisSpec>{})
    named.insert(axis.name);
  return named;
}

std::set<std::string> KernelFamily::axes_in(const std::string& variant) const {
  if (!names_file(variant)) return template_names(variant);
  std::set<std::string> named;
  for (const auto& launch : spec_.launches) named.merge(template_names(launch.kernel));
  return named;
}

std::vector<std::string> KernelFamily::idle_axes() const {
  const auto is_source = [](const std::string& file) { return file.ends_with(".cu"); };
  const bool has_source = is_source(spec_.reference.launch.file) ||
                          std::ranges::any_of(spec_.variants, is_source) ||
                          std::ranges::any_of(spec_.launches, is_source, &LaunchSpec::file);
  const auto shared = shared_names();
  std::vector<std::string> idle;
  for (const auto& axis : spec_.axes) {
    const bool is_used = shared.contains(axis.name) || kernel_axes_.contains(axis.name);
    if (!is_used && !(has_source && is_macro(axis.name))) idle.push_back(axis.name);
  }
  return idle;
}

const Family& KernelFamily::workload(const Params& params, Params& own) const {
  const std::string key = "reference/workload";
  const auto name = spec_.reference.workload.substr(0, spec_.reference.workload.find('/'));
  const auto* family = find_workload();
  if (family == nullptr) throw SpecError(key, 0, "unknown reference workload " + name);
  for (const auto& axis : family->axes()) {
    const auto* value = params.find(axis.name);
    own.set(axis.name, value != nullptr ? *value : axis.default_value);
  }
  if (const auto reason = family->rejects(own))
    throw SpecError(key, 0, "the reference " + name + ": " + *reason);
  return *family;
}

/// Its data goes to the first input, or to the first two; see KernelProblem::borrow_workload.
void KernelFamily::check_workload(const Params& params) const {
  Params own;
  const auto& family = workload(params, own);
  const auto wanted = family.footprint(own);
  const auto layout = shapes_.layout(params);
  std::vector<std::size_t> inputs;
  std::vector<std::size_t> outputs;
  for (std::size_t a = 0; a < spec_.args.size(); ++a) {
    if (is_input(spec_.args[a])) inputs.push_back(a);
    if (is_output(spec_.args[a])) outputs.push_back(a);
  }
  const auto fail = [&](const std::string& what) {
    throw SpecError(
        "reference/workload", 0,
        what +
            "; its axes take the values of the experiment's axes with the same names, otherwise " +
            "their defaults" + axes_text(own));
  };
  const std::string name(family.name());
  if (outputs.size() != 1) {
    fail("the reference " + name + " has one output, but the kernel has " +
         std::to_string(outputs.size()));
  }
  const auto bytes = [&](std::size_t a) { return layout.args[a].bytes; };
  const auto said = [&](std::size_t a, std::uint64_t of_workload, const char* what) {
    return "'" + spec_.args[a].name + "' has " + std::to_string(bytes(a)) + " bytes, but the " +
           what + " of " + name + " has " + std::to_string(of_workload);
  };
  if (bytes(outputs.front()) != wanted.output_bytes)
    fail(said(outputs.front(), wanted.output_bytes, "output"));
  if (inputs.empty()) return;
  // A kernel may do without what the workload keeps constant, such as a mask.
  const bool all_in_one = bytes(inputs[0]) == wanted.input_bytes;
  const bool fits = inputs.size() == 1 ? bytes(inputs[0]) < wanted.input_bytes
                                       : bytes(inputs[0]) + bytes(inputs[1]) == wanted.input_bytes;
  if (!all_in_one && !fits) fail(said(inputs.front(), wanted.input_bytes, "input"));
}

std::optional<std::string> KernelFamily::rejects(const Params& params) const {
  try {
    check(params);
  } catch (const SpecError& error) {
    return error.key() + ": " + error.what();
  }
  return std::nullopt;
}

std::set<std::string> KernelFamily::find_problem_axes() const {
  using Kind = ReferenceSpec::Kind;
  auto named = shapes_.problem_names();
  named.merge(template_names(spec_.reference.launch.kernel));
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
  if (spec_.captured) {
    const auto state = capture::state_bytes(spec_.captured->launch);
    // Packed before the launch and after it, and once at its addresses.
    return {2 * state, state};
  }
  const auto layout = shapes_.layout(params);
  return {layout.input_bytes, layout.output_bytes};
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
    if (spec_.reference.outputs.count(spec_.args[a].name) > 0)
      elements += static_cast<double>(layout.args[a].count);
  }
  return an_element * elements;
}

std::unique_ptr<Problem> KernelFamily::make(const Params& params, const DataSpec& data) const {
  if (spec_.captured) return std::make_unique<CapturedProblem>(shared_from_this());
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
