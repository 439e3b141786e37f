#include "kernels/api/file/family.hpp"

#include <algorithm>
#include <filesystem>
#include <stdexcept>

namespace apod::file {

std::string path_of(const KernelSpec& spec, const std::string& file) {
  namespace fs = std::filesystem;
  const fs::path folder(spec.folder.empty() ? "." : spec.folder);
  const auto path = folder / file;
  std::error_code error;
  if (!spec.outside) {
    const auto inner =
        fs::weakly_canonical(path, error).lexically_relative(fs::weakly_canonical(folder, error));
    if (fs::path(file).is_absolute() || inner.empty() || *inner.begin() == "..") {
      throw std::runtime_error("'" + file +
                               "' is outside of the experiment file's folder (--trust allows it)");
    }
  }
  if (!fs::is_regular_file(path, error)) {
    throw std::runtime_error("there is no file '" + file + "' in the experiment file's folder");
  }
  return path.lexically_normal().string();
}

std::string refused_flag(std::string_view flag) {
  static constexpr std::array<std::string_view, 26> known{"-D",
                                                          "-U",
                                                          "--define-macro=",
                                                          "--undefine-macro=",
                                                          "-use_fast_math",
                                                          "--use_fast_math",
                                                          "-std=",
                                                          "--std=",
                                                          "-fmad=",
                                                          "--fmad=",
                                                          "-ftz=",
                                                          "--ftz=",
                                                          "-prec-div=",
                                                          "--prec-div=",
                                                          "-prec-sqrt=",
                                                          "--prec-sqrt=",
                                                          "-maxrregcount=",
                                                          "--maxrregcount=",
                                                          "-lineinfo",
                                                          "--generate-line-info",
                                                          "-extra-device-vectorization",
                                                          "--extra-device-vectorization",
                                                          "-restrict",
                                                          "--restrict",
                                                          "-default-device",
                                                          "-device-int128"};
  for (const auto& one : known) {
    const bool takes_value = one.back() == '=' || one == "-D" || one == "-U";
    if (takes_value ? flag.starts_with(one) && flag.size() > one.size() : flag == one) return "";
  }
  return "is no flag that a kernel file may have: -DNAME=VALUE, -std=c++20, -use_fast_math, "
         "-fmad=false, -maxrregcount=N, -lineinfo and the like are";
}

KernelFamily::KernelFamily(KernelSpec spec) : spec_(std::move(spec)), shapes_(spec_) {}

std::optional<std::string> KernelFamily::rejects(const Params& params) const {
  try {
    shapes_.launches(params);
    shapes_.layout(params);
  } catch (const SpecError& error) {
    return error.key() + ": " + error.what();
  }
  return std::nullopt;
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
