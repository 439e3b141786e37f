#pragma once

/// \file
/// A kernel file as a Family, made from its experiment, and its Problems.

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kernels/api/registry.hpp"
#include "kernels/api/workload.hpp"
#include "kernels/data/array.hpp"
#include "kernels/files/launch.hpp"

namespace apod::file {

/// Lives in a shared_ptr: problems and variants keep it.
class KernelFamily final : public Family, public std::enable_shared_from_this<KernelFamily> {
 public:
  /// Throws SpecError.
  explicit KernelFamily(KernelSpec spec);
  KernelFamily(const KernelFamily&) = delete;
  KernelFamily& operator=(const KernelFamily&) = delete;

  const KernelSpec& spec() const { return spec_; }
  const Shapes& shapes() const { return shapes_; }

  std::string_view name() const override { return workload_name; }
  std::string_view summary() const override { return "a kernel that comes in a file"; }
  std::vector<AxisSpec> axes() const override { return spec_.axes; }
  std::optional<std::string> rejects(const Params& params) const override;
  /// Checks all that can be known of a case before its data is made. Returns how many launches it
  /// has, with those of its parts. Throws SpecError.
  std::size_t check(const Params& params) const;
  Footprint footprint(const Params& params) const override;
  Traffic traffic(const Params& params) const override { return shapes_.traffic(params); }
  double reference_flops(const Params& params) const override;
  /// The axes on which inputs and reference depend; `make` needs no others.
  const std::set<std::string>& problem_axes() const { return problem_axes_; }
  /// The axes that kernels name in their angle brackets, and nothing else in the file: they are of
  /// the variants that name them, which `axes_in` says of one.
  const std::set<std::string>& kernel_axes() const { return kernel_axes_; }
  std::set<std::string> axes_in(const std::string& variant) const;
  /// Axes that change nothing: no expression and no kernel names them, and they are neither macros
  /// of a source nor axes of the workload that is the reference.
  std::vector<std::string> idle_axes() const;
  /// The workload that is the reference, and its axes in this case. Throws SpecError.
  const Family& workload(const Params& params, Params& own) const;
  /// `data.seed` changes all generated values, whatever the arguments say.
  std::unique_ptr<Problem> make(const Params& params, const DataSpec& data) const override;

 private:
  const Family* find_workload() const;
  std::set<std::string> find_problem_axes() const;
  std::set<std::string> shared_names() const;
  void check_workload(const Params& params) const;

  const KernelSpec spec_;
  const Shapes shapes_;
  const std::set<std::string> problem_axes_;
  std::set<std::string> kernel_axes_;
};

/// The arrays of one case: its input is in and inout arrays, its output out and inout arrays,
/// placed by the Layout. In several chunks, each is placed by the layout of its Part.
class KernelProblem final : public Problem {
 public:
  KernelProblem(std::shared_ptr<const KernelFamily> family, const Params& params,
                const DataSpec& data);

  const Layout& layout() const { return layout_; }
  std::span<const std::byte> input() const override { return input_; }
  Chunk chunk(std::int64_t index, std::int64_t count) const override;
  void gather(const Chunk& chunk, std::byte* to) const override;
  std::size_t output_bytes(std::int64_t chunks) const override;
  bool wants_output() const override;
  void take_output(std::span<const std::byte> output) override;
  Verification verify(std::span<const std::byte> output, std::int64_t chunks) const override;
  /// Of an output of many blocks, it checks one in eight.
  Verification look(std::span<const std::byte> output, std::int64_t chunks,
                    std::uint64_t seed) const override;

 private:
  using IsDrawn = std::function<bool(std::int64_t block, std::int64_t blocks)>;
  void fill(std::size_t arg, const Params& params, const DataSpec& data);
  void borrow_workload(const Params& params, const DataSpec& data);
  void read_arrays();
  bool is_known(std::size_t a) const {
    return formulas_[a] || !values_[a].empty() || !expected_.empty();
  }
  /// What elements `first` and on of output `a` should be. `a` must be known.
  void wanted(std::size_t a, std::int64_t first, std::span<Element> to) const;
  void check_tolerance() const;
  Verification held_against(std::span<const std::byte> output, std::int64_t chunks,
                            const IsDrawn& is_drawn) const;
  Verification verify_arrays(std::span<const std::byte> output, const IsDrawn& is_drawn) const;
  std::string broken_guard(const Layout& layout, std::span<const std::byte> output) const;
  /// The output of all parts as if there had been one.
  Array<std::byte> joined(const std::vector<Part>& parts, std::span<const std::byte> output) const;

  std::shared_ptr<const KernelFamily> family_;
  const KernelSpec& spec_;
  const Params params_;
  Layout layout_;
  Array<std::byte> input_;
  /// The expected outputs: a formula, which is evaluated when needed, or values, or the complete
  /// output.
  std::vector<Array<double>> values_;
  std::vector<std::optional<Shapes::Formula>> formulas_;
  Array<std::byte> expected_;
  std::unique_ptr<Problem> other_;  ///< of the workload that is the reference
};

/// The experiment's kernel, from its spec to the family, which is made once. One thread at a time.
struct KernelFile {
  KernelSpec spec;
  /// Throws SpecError.
  const KernelFamily& family() const;

 private:
  mutable std::shared_ptr<const KernelFamily> family_;
};

/// A variant for the registry, of the backend CUDA. Without that backend it was not built.
VariantEntry variant_of(const KernelFile& file, const std::string& name, const Registry& registry);

}  // namespace apod::file
