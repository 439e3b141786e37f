#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <random>
#include <stdexcept>

#include "kernels/api/code_facts.hpp"
#include "kernels/api/collector.hpp"
#include "kernels/api/demangle.hpp"
#include "kernels/backends/cuda/check.hpp"
#include "kernels/backends/cuda/files/compile.hpp"
#include "kernels/backends/cuda/files/driver.hpp"
#include "kernels/backends/cuda/files/fixed_memory.hpp"
#include "kernels/backends/cuda/files/launch_config.hpp"
#include "kernels/backends/cuda/files/variant.hpp"
#include "kernels/backends/cuda/stream.hpp"
#include "kernels/files/captured_problem.hpp"

namespace apod::cuda {
namespace {

using capture::CapturedLaunch;
using file::CapturedSpec;

bool is_captured(const file::Launch& launch) {
  return launch.file == file::captured_variant;
}

/// Where the code for a device is: its cubin is of one architecture, PTX of that and later ones.
std::string code_for(const file::KernelSpec& spec, const std::string& compute_capability) {
  const auto& captured = *spec.captured;
  const auto& launch = captured.launch;
  const auto in = [&](const char* name) {
    return file::path_of(spec, (captured.folder.empty() ? "" : captured.folder + "/") + name);
  };
  const auto major = [](const std::string& text) { return text.substr(0, text.find('.')); };
  const bool same = compute_capability.empty() || compute_capability == launch.compute_capability ||
                    (major(compute_capability) == major(launch.compute_capability) &&
                     compute_capability > launch.compute_capability);
  // What the program compiled from PTX when it ran may have no cubin.
  const auto cubin = std::filesystem::path(spec.folder) / captured.folder / capture::cubin_file;
  std::error_code error;
  if (same && (!launch.has_ptx || std::filesystem::exists(cubin, error)))
    return in(capture::cubin_file);
  if (launch.has_ptx) return in(capture::ptx_file);
  throw BackendError(BackendError::Code::unsupported,
                     "the machine code was captured on compute capability " +
                         launch.compute_capability + ", but this device has " + compute_capability +
                         ", and the program had no PTX: capture the launch on this machine");
}

std::string sizes_text(const std::vector<std::size_t>& sizes) {
  std::string text;
  for (const auto size : sizes) text += (text.empty() ? "" : ", ") + std::to_string(size);
  return text.empty() ? "none" : text;
}

class CapturedVariant final : public Variant, public Collector, public CodeFacts {
 public:
  CapturedVariant(std::shared_ptr<const file::KernelFamily> family, bool is_reference)
      : family_(std::move(family)), spec_(*family_->spec().captured), is_reference_(is_reference) {}

  void prepare(const Params& params, const DeviceFacts& device) override {
    launch_ = family_->shapes().launches(params).front();
    const bool is_own = is_reference_ || is_captured(launch_);
    memory_ = FixedMemory::at(spec_.launch.windows);
    if (is_own) {
      take_captured(device);
    } else {
      take_replacement(device);
    }
    allow(launch_, function_);
    facts_.merge(resources_of({function_}, {launch_.shared_bytes}));
    for (const auto& window : spec_.launch.windows)
      facts_["device_bytes"] += static_cast<double>(window.bytes);
  }

  std::map<std::string, double> code_facts() const override { return facts_; }

  std::unique_ptr<Variant> reference() const override {
    return std::make_unique<CapturedVariant>(family_, true);
  }

  bool needs_restore() const override { return true; }

  /// All memory for the first launch, later what a launch changes. Of a launch that gives the same
  /// answer on its own output some random pages are enough to see that it did its work; so caches
  /// are as in a program that launches it again and again.
  void restore(const Task& task) const override {
    const auto& problem = dynamic_cast<const file::CapturedProblem&>(task.problem);
    if (problem.changed_bytes() == 0 && !is_reference_ && !is_captured(launch_)) {
      throw std::runtime_error(
          "the captured launch changed no byte, so bench can't check that " + name_ +
          " does its work: the output was already in memory (capture the first launch)");
    }
    const auto all = capture::stretches(spec_.launch);
    const auto* from = static_cast<const std::byte*>(task.input);
    const auto stream = native(task.stream);
    const auto put_back = [&](const capture::Stretch& piece) {
      for (std::size_t i = 0; i < all.size(); ++i) {
        const auto begin = std::max(piece.at, all[i].at);
        const auto end = std::min(piece.at + piece.bytes, all[i].at + all[i].bytes);
        if (begin < end) copy_to(i, all[i], begin - all[i].at, end - begin, from, stream);
      }
    };
    const auto& changed = problem.changed();
    const auto put_back_some = [&] {
      constexpr int pages = 16;
      for (int i = 0; i < pages; ++i) {
        const auto& piece = changed[draw(changed.size())];
        put_back({piece.at + draw(piece.bytes / capture::page) * capture::page, capture::page});
      }
    };
    if (restored_from_ != task.input) {
      // A launch in a row finds the windows as the one before left them, but has a module of its
      // own.
      const auto first = problem.in_a_row() > 0 ? spec_.launch.windows.size() : 0;
      for (std::size_t i = first; i < all.size(); ++i)
        copy_to(i, all[i], 0, all[i].bytes, from, stream);
      if (problem.in_a_row() > 1) put_back_some();
      restored_from_ = task.input;
      return;
    }
    // A replacement might do its work once only, and find it done.
    if (problem.repeats() && (is_reference_ || is_captured(launch_))) return put_back_some();
    std::for_each(changed.begin(), changed.end(), put_back);
  }

  void compute(const Task& task) const override {
    const LaunchConfig how(launch_, native(task.stream));
    // The driver copies the arguments before it returns.
    std::vector<void*> arguments;
    for (const auto& bytes : arguments_) arguments.push_back(const_cast<std::byte*>(bytes.data()));
    arguments.push_back(nullptr);
    check(Driver::instance().launch(&how.config, function_, arguments.data(), nullptr),
          "launching " + name_);
  }

  void collect(const Task& task) const override {
    const auto& problem = dynamic_cast<const file::CapturedProblem&>(task.problem);
    const auto all = capture::stretches(spec_.launch);
    auto* to = static_cast<std::byte*>(task.output);
    const auto stream = native(task.stream);
    // What is between the pieces is in neither.
    APOD_CUDA(
        cudaMemcpyAsync(to, task.input, task.chunk.output_bytes, cudaMemcpyDeviceToDevice, stream));
    for (std::size_t i = 0; i < all.size(); ++i) {
      const void* address = address_of(i);
      if (address == nullptr) {
        const auto answer = problem.answer_of(all[i]);
        APOD_CUDA(cudaMemcpyAsync(to + all[i].at, answer.data(), answer.size(), cudaMemcpyDefault,
                                  stream));
        continue;
      }
      APOD_CUDA(cudaMemcpyAsync(to + all[i].at, address, all[i].bytes, cudaMemcpyDefault, stream));
    }
  }

 private:
  void take_captured(const DeviceFacts& device) {
    const auto& launch = spec_.launch;
    launch_.kernel = name_ = demangled(launch.kernel);
    launch_.grid = {launch.grid[0], launch.grid[1], launch.grid[2]};
    launch_.block = {launch.block[0], launch.block[1], launch.block[2]};
    launch_.cluster = {launch.cluster[0], launch.cluster[1], launch.cluster[2]};
    launch_.shared_bytes = launch.shared_bytes;
    launch_.cooperative = launch.cooperative;
    load(read_code(code_for(family_->spec(), device.compute_capability)), launch.kernel);
    take_arguments(parameter_sizes(function_), "");
    for (const auto& variable : launch.variables) variables_.push_back(find(variable));
    if (launch.carveout >= 0) {
      (void)Driver::instance().set_attribute(
          function_, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, launch.carveout);
    }
  }

  void take_replacement(const DeviceFacts& device) {
    const auto code = compile(family_->spec(), {launch_}, device.compute_capability);
    name_ = launch_.kernel;
    facts_ = code.facts();
    load(code.images.front(), code.entries.front().mangled);
    const auto sizes = parameter_sizes(function_);
    if (!sizes) {
      throw BackendError(BackendError::Code::unsupported,
                         "reading a kernel's parameters needs the driver of CUDA 12.4 or later");
    }
    const auto& captured = spec_.launch.parameters;
    if (spec_.args.empty())
      return take_arguments(sizes, ": map the arguments, for example args: {y: p1, x: p0+8}");
    if (sizes->size() != spec_.args.size()) {
      throw std::runtime_error(name_ + " takes " + std::to_string(sizes->size()) +
                               " arguments; 'args' has " + std::to_string(spec_.args.size()));
    }
    for (std::size_t i = 0; i < spec_.args.size(); ++i) {
      const auto& arg = spec_.args[i];
      const auto all = capture::bytes_of(captured.at(arg.parameter));
      if (arg.offset > all.size() || (*sizes)[i] > all.size() - arg.offset) {
        throw std::runtime_error("'" + arg.name + "' has " + std::to_string((*sizes)[i]) +
                                 " bytes, but p" + std::to_string(arg.parameter) + " has " +
                                 std::to_string(all.size()));
      }
      const auto from = all.begin() + static_cast<std::ptrdiff_t>(arg.offset);
      arguments_.emplace_back(from, from + static_cast<std::ptrdiff_t>((*sizes)[i]));
    }
  }

  /// All that the program passed.
  void take_arguments(const std::optional<std::vector<std::size_t>>& sizes, const char* hint) {
    std::vector<std::size_t> given;
    for (const auto& parameter : spec_.launch.parameters) {
      given.push_back(parameter.bytes);
      arguments_.push_back(capture::bytes_of(parameter));
    }
    if (!sizes || *sizes == given) return;
    throw std::runtime_error(name_ + " takes arguments of " + sizes_text(*sizes) +
                             " bytes, but the captured launch has " + sizes_text(given) + hint);
  }

  void load(const std::vector<std::byte>& image, const std::string& mangled) {
    module_ = std::make_unique<Module>(image, name_);
    function_ = module_->function(mangled, name_);
  }

  void* find(const capture::Variable& variable) const {
    std::size_t bytes = 0;
    const auto address = module_->variable(variable.name, bytes);
    if (address == 0) throw std::runtime_error("the code has no variable " + variable.name);
    if (bytes != variable.bytes) {
      throw std::runtime_error(variable.name + " has " + std::to_string(bytes) +
                               " bytes, but the manifest says " + std::to_string(variable.bytes));
    }
    return reinterpret_cast<void*>(address);
  }

  /// Null for a variable of the captured kernel's module, where another kernel is in its place.
  void* address_of(std::size_t i) const {
    const auto& windows = spec_.launch.windows;
    if (i < windows.size()) return reinterpret_cast<void*>(windows[i].address);
    const auto variable = i - windows.size();
    return variable < variables_.size() ? variables_[variable] : nullptr;
  }

  /// Below `end`; 0 if that is 0.
  std::uint64_t draw(std::uint64_t end) const {
    return end == 0 ? 0 : std::uniform_int_distribution<std::uint64_t>(0, end - 1)(chance_);
  }

  void copy_to(std::size_t i, const capture::Stretch& stretch, std::uint64_t offset,
               std::uint64_t bytes, const std::byte* packed, cudaStream_t stream) const {
    auto* const address = static_cast<std::byte*>(address_of(i));
    if (address == nullptr) return;
    APOD_CUDA(cudaMemcpyAsync(address + offset, packed + stretch.at + offset, bytes,
                              cudaMemcpyDefault, stream));
  }

  std::shared_ptr<const file::KernelFamily> family_;
  const CapturedSpec& spec_;
  const bool is_reference_;
  std::map<std::string, double> facts_;
  file::Launch launch_;
  std::string name_;
  std::shared_ptr<const FixedMemory> memory_;
  std::unique_ptr<Module> module_;
  CUfunction function_ = nullptr;
  std::vector<std::vector<std::byte>> arguments_;
  std::vector<void*> variables_;
  mutable std::mt19937_64 chance_{std::random_device{}()};
  mutable const void* restored_from_ = nullptr;  ///< the packed memory that is at its addresses
};

}  // namespace

std::unique_ptr<Variant> make_captured_variant(std::shared_ptr<const file::KernelFamily> family) {
  return std::make_unique<CapturedVariant>(std::move(family), false);
}

std::vector<std::string> compile_captured(const file::KernelFamily& family, const Params& params,
                                          const std::string& compute_capability) {
  const auto launch = family.shapes().launches(params).front();
  if (!is_captured(launch)) {
    const auto code = compile(family.spec(), {launch}, compute_capability);
    std::vector<std::string> lines{launch.kernel + " in " + launch.file};
    lines.insert(lines.end(), code.remarks.begin(), code.remarks.end());
    return lines;
  }
  const auto& captured = family.spec().captured->launch;
  return {demangled(captured.kernel) + " in " + code_for(family.spec(), compute_capability)};
}

}  // namespace apod::cuda
