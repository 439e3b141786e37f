#include "kernels/backends/cuda/files/captured_variant.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
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
#include "kernels/backends/cuda/stream.hpp"
#include "kernels/files/captured_problem.hpp"

namespace apod::cuda {
namespace {

using capture::CapturedLaunch;
using file::CapturedSpec;

bool is_captured(const file::Launch& launch) {
  return launch.file == file::captured_variant;
}

std::vector<char> read_all(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> bytes(std::istreambuf_iterator<char>(file), {});
  if (!file.is_open() || bytes.empty()) throw std::runtime_error(path + ": can't be read");
  bytes.push_back('\0');  // PTX is a text
  return bytes;
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
  ~CapturedVariant() override {
    if (module_ != nullptr) (void)Driver::instance().unload(module_);
  }

  void prepare(const Params& params, const DeviceFacts& device) override {
    launch_ = family_->shapes().launches(params).front();
    const bool is_own = is_reference_ || is_captured(launch_);
    memory_ = FixedMemory::at(spec_.launch.windows);
    if (is_own) {
      take_captured(device);
    } else {
      take_replacement(device);
    }
    set_limits();
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
    name_ = demangled(launch.kernel);
    launch_.grid = {launch.grid[0], launch.grid[1], launch.grid[2]};
    launch_.block = {launch.block[0], launch.block[1], launch.block[2]};
    launch_.cluster = {launch.cluster[0], launch.cluster[1], launch.cluster[2]};
    launch_.shared_bytes = launch.shared_bytes;
    launch_.cooperative = launch.cooperative;
    const auto code = read_all(code_for(family_->spec(), device.compute_capability));
    load(code.data(), launch.kernel);
    for (const auto& parameter : launch.parameters)
      arguments_.push_back(capture::bytes_of(parameter));
    const auto sizes = sizes_of_function();
    std::vector<std::size_t> given;
    for (const auto& bytes : arguments_) given.push_back(bytes.size());
    if (sizes && *sizes != given) {
      throw std::runtime_error("the manifest has parameters of " + sizes_text(given) +
                               " bytes, but the kernel needs " + sizes_text(*sizes));
    }
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
    load(code.images.front().data(), code.entries.front().mangled);
    const auto sizes = sizes_of_function();
    if (!sizes) {
      throw BackendError(BackendError::Code::unsupported,
                         "reading a kernel's parameters needs the driver of CUDA 12.4 or later");
    }
    const auto& captured = spec_.launch.parameters;
    if (spec_.args.empty()) {
      std::vector<std::size_t> given;
      for (const auto& parameter : captured) given.push_back(parameter.bytes);
      if (*sizes != given) {
        throw std::runtime_error(name_ + " takes arguments of " + sizes_text(*sizes) +
                                 " bytes, but the captured kernel needs " + sizes_text(given) +
                                 ": map the arguments, for example args: {y: p1, x: p0+8}");
      }
      for (const auto& parameter : captured) arguments_.push_back(capture::bytes_of(parameter));
      return;
    }
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

  void load(const void* image, const std::string& mangled) {
    const auto& driver = Driver::instance();
    check(driver.load(&module_, image), "loading the code of " + name_);
    check(driver.function(&function_, module_, mangled.c_str()), "finding " + name_);
  }

  /// The bytes of its arguments; nothing where the driver does not say.
  std::optional<std::vector<std::size_t>> sizes_of_function() const {
    const auto info = Driver::instance().parameter;
    if (info == nullptr) return std::nullopt;
    std::vector<std::size_t> sizes;
    std::size_t offset = 0;
    std::size_t bytes = 0;
    constexpr std::size_t most = 8192;
    while (sizes.size() < most && info(function_, sizes.size(), &offset, &bytes) == CUDA_SUCCESS) {
      sizes.push_back(bytes);
    }
    return sizes;
  }

  void* find(const capture::Variable& variable) const {
    static const Library library("cuda", 1);
    static const auto get = library.function<decltype(::cuModuleGetGlobal)>("cuModuleGetGlobal_v2");
    CUdeviceptr address = 0;
    std::size_t bytes = 0;
    check(get(&address, &bytes, module_, variable.name.c_str()), "finding " + variable.name);
    if (bytes != variable.bytes) {
      throw std::runtime_error(variable.name + " has " + std::to_string(bytes) +
                               " bytes, but the manifest says " + std::to_string(variable.bytes));
    }
    return reinterpret_cast<void*>(address);
  }

  void set_limits() const {
    const auto& driver = Driver::instance();
    if (launch_.shared_bytes > 0) {
      check(
          driver.set_attribute(function_, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                               static_cast<int>(launch_.shared_bytes)),
          name_ + ": " + std::to_string(launch_.shared_bytes) + " bytes of dynamic shared memory");
    }
    if (launch_.cluster[0] * launch_.cluster[1] * launch_.cluster[2] > 8) {
      check(driver.set_attribute(function_, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1),
            name_ + ": setting the cluster size");
    }
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
  CUmodule module_ = nullptr;
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
