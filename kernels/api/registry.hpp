#pragma once

/// \file
/// Names of families, variants and backends. Registrars are static objects in object libraries that
/// are linked straight into the executable.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/api/workload.hpp"

namespace apod {

namespace file {
class KernelFamily;
struct KernelSpec;
struct KernelSketch;
}  // namespace file

struct VariantEntry {
  std::string family;
  std::string name;
  BackendKind backend = BackendKind::host;
  std::string summary;  ///< one line, for `--list`
  /// Empty when the variant exists in the sources but was not built (a CUDA variant in a host-only
  /// build, one whose library's headers were not there): its cases are skipped with that reason.
  std::function<std::unique_ptr<Variant>()> make;
  /// Why it can't run on this machine (a missing library); empty if it can. Called when a plan is
  /// made, so it must be cheap and must not touch a device. Null: nothing can be missing.
  std::function<std::string()> missing{};
};

/// How a backend handles kernels from files.
struct KernelFiles {
  /// A variant for the kernels of `family`, which it keeps.
  std::function<std::unique_ptr<Variant>(const file::KernelFamily& family)> make;
  /// Why none can be compiled on this machine; empty if they can.
  std::function<std::string()> missing;
  /// Compiles the kernels of a case for a compute capability ("9.0"; empty: a usual one) without a
  /// device, and returns a line about each. Throws std::runtime_error with the compiler's errors.
  std::function<std::vector<std::string>(const file::KernelFamily& family, const Params& params,
                                         const std::string& compute_capability)>
      compile;
  /// The arguments of the kernel of the spec's first launch, or of all in its file if that is no
  /// source; the spec needs nothing else. Throws std::runtime_error.
  std::function<std::vector<file::KernelSketch>(const file::KernelSpec& spec)> sketch;
  /// Name and text of that file, and of what it includes from its folders. Throws
  /// std::runtime_error.
  std::function<std::vector<std::pair<std::string, std::string>>(const file::KernelSpec& spec)>
      sources;
};

struct BackendEntry {
  BackendKind kind = BackendKind::host;
  /// Facts of every device, read without creating a context (NVML for CUDA); empty, with the reason
  /// in `why`, if there is no device.
  std::function<std::vector<DeviceFacts>(std::string& why)> devices;
  /// Opens device `index`. Throws BackendError.
  std::function<std::unique_ptr<Backend>(int index)> open;
  /// A sign that a device or its driver is in this machine, whether or not it can be used; empty if
  /// there is none. Null: there can't be one.
  std::function<std::string()> sign{};
  /// Whether Backend::count could know a metric of this name; needs no device. Null: there are
  /// none.
  std::function<MetricCheck(const std::string& name)> check_metric{};
  /// Called when a plan is known, before a device is opened here or in a child process: a case uses
  /// up to `streams` streams at once. Null: nothing needs to be prepared.
  std::function<void(std::int64_t streams)> prepare{};
  /// Null functions: it has no kernels that come in files.
  KernelFiles kernel_files{};
};

class Registry {
 public:
  static Registry& instance();

  void add(std::unique_ptr<Family> family);
  /// An entry that was built replaces one that was not; among those, one with a reason replaces one
  /// without.
  void add(VariantEntry entry);
  void add(BackendEntry entry);

  const Family* family(std::string_view name) const;
  const VariantEntry* variant(std::string_view family, std::string_view name) const;
  const BackendEntry* backend(BackendKind kind) const;

  std::vector<const Family*> families() const;                               ///< by name
  std::vector<const VariantEntry*> variants(std::string_view family) const;  ///< by name
  /// Variants that name an unknown family, which would otherwise go unnoticed.
  std::vector<const VariantEntry*> strays() const;

 private:
  std::map<std::string, std::unique_ptr<Family>, std::less<>> families_;
  std::map<std::pair<std::string, std::string>, VariantEntry> variants_;
  std::map<BackendKind, BackendEntry> backends_;
};

/// `static FamilyRegistrar<Reduction> registrar;`
template <class F>
struct FamilyRegistrar {
  FamilyRegistrar() { Registry::instance().add(std::make_unique<F>()); }
};

/// `static VariantRegistrar<Cub> registrar("reduction", "cub", BackendKind::cuda, "one line");`
/// The name is the file's name: kernels/reduction/cub.cu.
template <class V>
struct VariantRegistrar {
  VariantRegistrar(std::string family, std::string name, BackendKind backend, std::string summary) {
    Registry::instance().add({std::move(family), std::move(name), backend, std::move(summary),
                              [] { return std::make_unique<V>(); }});
  }
};

/// A variant that needs something a machine may lack, such as a library that is loaded at run time:
/// `missing()` says why it can't run here. With V = void it was not built, and `missing` says why.
template <class V>
struct OptionalVariantRegistrar {
  OptionalVariantRegistrar(std::string family, std::string name, BackendKind backend,
                           std::string summary, std::function<std::string()> missing) {
    VariantEntry entry{std::move(family), std::move(name), backend, std::move(summary), {},
                       std::move(missing)};
    if constexpr (!std::is_void_v<V>) entry.make = [] { return std::make_unique<V>(); };
    Registry::instance().add(std::move(entry));
  }
};

struct BackendRegistrar {
  explicit BackendRegistrar(BackendEntry entry) { Registry::instance().add(std::move(entry)); }
};

}  // namespace apod
