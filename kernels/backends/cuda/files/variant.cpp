/// \file
/// Kernels that came in a file as a Variant: loaded once, launched as the experiment says.

#include "kernels/backends/cuda/files/variant.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <stdexcept>
#include <vector>

#include "kernels/api/code_facts.hpp"
#include "kernels/backends/cuda/check.hpp"
#include "kernels/backends/cuda/files/apart.hpp"
#include "kernels/backends/cuda/files/compile.hpp"
#include "kernels/backends/cuda/files/compiler.hpp"
#include "kernels/backends/cuda/files/driver.hpp"
#include "kernels/backends/cuda/files/launch_config.hpp"
#include "kernels/backends/cuda/files/signature.hpp"
#include "kernels/backends/cuda/files/sources.hpp"
#include "kernels/backends/cuda/files/texture.hpp"
#include "kernels/backends/cuda/stream.hpp"
#include "kernels/data/poison.hpp"
#include "kernels/files/kernel_family.hpp"

namespace apod::cuda {
namespace {

using file::Launch;

/// 32764 bytes of them are the most (CUDA C++ Programming Guide, "Function Parameters").
constexpr std::size_t most_parameters = 4096;

/// The kernels of a case, or the one of its reference.
class FileVariant final : public Variant, public CodeFacts {
 public:
  FileVariant(std::shared_ptr<const file::KernelFamily> family, bool is_reference)
      : family_(std::move(family)), is_reference_(is_reference) {}

  void prepare(const Params& params, const DeviceFacts& device) override {
    const auto& shapes = family_->shapes();
    const auto launches_of = [&](const Params& own) {
      return is_reference_ ? std::vector{shapes.reference(own)} : shapes.launches(own);
    };
    auto first_parts = shapes.parts(params, 1);
    const auto code = compile_case(*family_, first_parts.front().params, device.compute_capability);
    for (auto& part : first_parts) add_part(part, launches_of(part.params));
    const auto streams = is_reference_ ? 1 : params.integer_or("streams", 1);
    if (streams > 1) {
      for (auto& part : shapes.parts(params, streams)) add_part(part, launches_of(part.params));
    }
    const auto& launches = parts_.front().launches;
    facts_ = code.facts();
    std::map<std::size_t, std::unique_ptr<Module>> modules;  // by their images
    const auto* entry = is_reference_ ? &code.entries.back() : &code.entries.front();
    for (std::size_t i = 0; i < launches.size(); ++i, ++entry) {
      auto& module = modules[entry->image];
      if (!module) module = std::make_unique<Module>(code.images[entry->image], launches[i].file);
      functions_.push_back(module->function(entry->mangled, launches[i].kernel));
      for (const auto& part : parts_) check_limits(part.launches[i], functions_.back());
      check_arguments(launches[i], functions_.back());
    }
    for (auto& [image, module] : modules) modules_.push_back(std::move(module));
    std::vector<std::size_t> shared;
    for (const auto& launch : launches) shared.push_back(launch.shared_bytes);
    facts_.merge(resources_of(functions_, shared));
    find_variables(launches);
    for (auto& part : parts_) make_textures(part);
  }

  std::unique_ptr<Variant> reference() const override {
    using Kind = file::ReferenceSpec::Kind;
    const auto kind = family_->spec().reference.kind;
    if (kind != Kind::kernel && kind != Kind::itself) return nullptr;
    // The kernel itself, too, in a module of its own: what it keeps there the timed one can't see.
    return std::make_unique<FileVariant>(family_, kind == Kind::kernel);
  }

  std::map<std::string, double> code_facts() const override { return facts_; }

  std::size_t most_scratch_bytes(const Params& params) const override {
    std::size_t most = 0;
    for (const auto& part : family_->shapes().parts(params, params.integer_or("streams", 1)))
      most = std::max(most, part.layout.scratch_bytes);
    return most;
  }
  std::size_t scratch_bytes(const Problem&, const Params&, const Chunk& chunk) const override {
    return part_of(chunk).layout.scratch_bytes;
  }

  bool needs_restore() const override { return true; }

  /// Poison where nothing is given: what is left of an earlier run is of no use to the next.
  void restore(const Task& task) const override {
    const auto stream = native(task.stream);
    const auto& places = part_of(task.chunk).layout;
    if (poisons_memory()) {
      APOD_CUDA(cudaMemsetAsync(task.output, poison_byte, places.output_bytes, stream));
      if (places.scratch_bytes > 0)
        APOD_CUDA(cudaMemsetAsync(task.scratch, poison_byte, places.scratch_bytes, stream));
    }
    const auto& args = family_->spec().args;
    const auto* const input = static_cast<const std::byte*>(task.input);
    for (const auto& [a, to] : variables_) {
      APOD_CUDA(cudaMemcpyAsync(reinterpret_cast<void*>(to), input + places.args[a].in_input,
                                places.args[a].bytes, cudaMemcpyDeviceToDevice, stream));
    }
    for (const auto& [a, texture] : part_of(task.chunk).textures)
      texture->fill(input + places.args[a].in_input, stream);
    for (std::size_t a = 0; a < args.size(); ++a) {
      if (!file::is_output(args[a]) || args[a].role == file::Role::out) continue;
      auto* const at = static_cast<std::byte*>(task.output) + places.args[a].in_output;
      if (args[a].role == file::Role::zeroed) {
        APOD_CUDA(cudaMemsetAsync(at, 0, places.args[a].bytes, stream));
        continue;
      }
      APOD_CUDA(cudaMemcpyAsync(at, input + places.args[a].in_input, places.args[a].bytes,
                                cudaMemcpyDeviceToDevice, stream));
    }
  }

  void compute(const Task& task) const override {
    const auto& part = part_of(task.chunk);
    const auto& args = family_->spec().args;
    const auto launch_all = [&](const std::vector<void*>& arrays) {
      for (std::size_t i = 0; i < part.launches.size(); ++i)
        launch(part, part.launches[i], functions_[i], arrays, native(task.stream));
    };
    if (!keeps_arrays_apart()) return launch_all(array_addresses(args, part.layout, task));
    const ApartArrays arrays(args, part.layout, task);
    launch_all(arrays.addresses());
    arrays.copy_back();
  }

 private:
  /// A part of the case, ready to be launched.
  struct ReadyPart {
    file::Layout layout;
    std::vector<Launch> launches;
    std::map<std::size_t, std::unique_ptr<Texture>> textures{};  ///< by argument
  };

  void add_part(file::Part& part, std::vector<Launch> launches) {
    parts_.push_back({std::move(part.layout), std::move(launches), {}});
  }

  const ReadyPart& part_of(const Chunk& chunk) const {
    return parts_[chunk.count == 1 ? 0 : static_cast<std::size_t>(1 + chunk.index)];
  }

  static int attribute(CUfunction function, CUfunction_attribute which) {
    int value = 0;
    check(Driver::instance().attribute(&value, which, function), "cuFuncGetAttribute");
    return value;
  }

  /// What a launch would be refused for, said so that it can be mended.
  static void check_limits(const Launch& launch, CUfunction function) {
    const auto threads = static_cast<int>(launch.block[0] * launch.block[1] * launch.block[2]);
    const int most = attribute(function, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    if (threads > most) {
      throw std::runtime_error(launch.kernel + " allows at most " + std::to_string(most) +
                               " threads per block (because of __launch_bounds__ or its " +
                               std::to_string(attribute(function, CU_FUNC_ATTRIBUTE_NUM_REGS)) +
                               " registers per thread), but the block has " +
                               std::to_string(threads));
    }
    allow(launch, function);
  }

  /// Code that was not compiled here may tell nothing of its arguments before.
  void check_arguments(const Launch& launch, CUfunction function) const {
    const auto sizes = parameter_sizes(function);
    const auto why =
        sizes ? misfit(family_->spec(), launch.args, launch.kernel, {.mangled = "", .sizes = sizes})
              : "";
    if (!why.empty()) throw std::runtime_error(why);
  }

  /// Finds the addresses of the variables that arguments are written to.
  void find_variables(const std::vector<Launch>& launches) {
    const auto& args = family_->spec().args;
    for (std::size_t a = 0; a < args.size(); ++a) {
      if (args[a].variable.empty()) continue;
      bool is_found = false;
      for (const auto& module : modules_) {
        std::size_t bytes = 0;
        const auto address = module->variable(args[a].variable, bytes);
        if (address == 0) continue;
        is_found = true;
        const auto wanted = parts_.front().layout.args[a].bytes;
        if (bytes < wanted) {
          throw std::runtime_error("the variable " + args[a].variable + " has " +
                                   std::to_string(bytes) + " bytes, but '" + args[a].name +
                                   "' has " + std::to_string(wanted));
        }
        variables_.push_back({a, address});
      }
      if (!is_found) {
        throw std::runtime_error("there is no variable '" + args[a].variable + "' in " +
                                 launches.front().file);
      }
    }
  }

  void make_textures(ReadyPart& part) const {
    const auto& args = family_->spec().args;
    for (std::size_t a = 0; a < args.size(); ++a) {
      if (args[a].texture)
        part.textures.emplace(a, std::make_unique<Texture>(args[a], part.layout.args[a].sides));
    }
  }

  /// `arrays` has the address of each argument that is an array.
  void launch(const ReadyPart& part, const Launch& launch, CUfunction function,
              const std::vector<void*>& arrays, cudaStream_t stream) const {
    const auto& spec = family_->spec();
    // The driver copies the arguments before it returns.
    std::vector<std::byte> bytes;
    std::vector<std::size_t> begins;
    for (const auto& parameter : file::parameters_of(spec, launch.args)) {
      begins.push_back((bytes.size() + 15) / 16 * 16);
      bytes.resize(begins.back() + parameter.bytes);
      for (std::size_t i = parameter.begin; i < parameter.end; ++i) {
        const auto a = launch.args[i];
        const auto& arg = spec.args[a];
        auto* const at = bytes.data() + begins.back() + parameter.offsets[i - parameter.begin];
        if (arg.shape.empty()) {
          const auto own = launch.scalars.find(a);
          const auto& value =
              own == launch.scalars.end() ? part.layout.args[a].scalar : own->second;
          std::memcpy(at, value.data(), size_of(arg.type));
        } else if (arg.texture) {
          const auto object = part.textures.at(a)->object();
          std::memcpy(at, &object, sizeof object);
        } else {
          std::memcpy(at, &arrays[a], sizeof arrays[a]);
        }
      }
    }
    // A kernel whose parameters could not be counted must not read beyond the list.
    static std::array<std::byte, 4096> zeros{};
    std::vector<void*> arguments(begins.size() + most_parameters, zeros.data());
    for (std::size_t i = 0; i < begins.size(); ++i) arguments[i] = bytes.data() + begins[i];
    const LaunchConfig how(launch, stream);
    check(Driver::instance().launch(&how.config, function, arguments.data(), nullptr),
          "launching " + launch.kernel);
  }

  std::shared_ptr<const file::KernelFamily> family_;
  const bool is_reference_;
  std::vector<ReadyPart> parts_;  ///< the whole case, and then what each stream gets
  std::vector<std::unique_ptr<Module>> modules_;
  std::vector<CUfunction> functions_;
  std::map<std::string, double> facts_;
  std::vector<std::pair<std::size_t, CUdeviceptr>> variables_;  ///< argument, and where it goes
};

}  // namespace

KernelFiles kernel_files() {
  return {.make = [](const file::KernelFamily& family) -> std::unique_ptr<Variant> {
            if (family.spec().captured) return make_captured_variant(family.shared_from_this());
            return std::make_unique<FileVariant>(family.shared_from_this(), false);
          },
          .missing = compiler_missing,
          .compile =
              [](const file::KernelFamily& family, const Params& params,
                 const std::string& compute_capability) {
                return family.spec().captured ? compile_captured(family, params, compute_capability)
                                              : compile_lines(family, params, compute_capability);
              },
          .sketch = sketch_kernels,
          .sources =
              [](const file::KernelSpec& spec) {
                return read_sources(spec, spec.launches.front().file).files;
              }};
}

}  // namespace apod::cuda
