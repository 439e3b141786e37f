#include "kernels/backends/cuda/files/compile.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <stdexcept>

#include "kernels/api/demangle.hpp"
#include "kernels/backends/cuda/files/code_cache.hpp"
#include "kernels/backends/cuda/files/nvrtc.hpp"
#include "kernels/backends/cuda/files/resources.hpp"
#include "kernels/backends/cuda/files/signature.hpp"
#include "kernels/backends/cuda/files/sources.hpp"
#include "kernels/backends/cuda/tracer/machine_code.hpp"

namespace apod::cuda {
namespace {

// Of a multiprocessor and of a block, on every device since compute capability 3.7 (CUDA C++
// Programming Guide, "Technical Specifications per Compute Capability").
constexpr int most_registers = 65536;
constexpr std::size_t most_code = std::size_t{256} << 20;

/// "sm_90": for the capability, or for the latest before it that the compiler knows.
std::string architecture_for(const std::string& compute_capability) {
  int wanted = 90;
  if (const auto point = compute_capability.find('.'); point != std::string::npos) {
    wanted = 10 * std::stoi(compute_capability.substr(0, point)) +
             std::stoi(compute_capability.substr(point + 1));
  }
  const auto known = nvrtc_architectures();
  int chosen = 0;
  for (const int one : known) {
    if (one <= wanted) chosen = std::max(chosen, one);
  }
  if (chosen == 0) {
    throw std::runtime_error("NVRTC " + nvrtc_version() +
                             " does not compile for compute "
                             "capability " +
                             compute_capability);
  }
  return "sm_" + std::to_string(chosen);
}

/// "conv" of "ns::conv<4>".
std::string plain_name(const std::string& kernel) {
  const auto whole = kernel.substr(0, kernel.find('<'));
  const auto colons = whole.rfind("::");
  return colons == std::string::npos ? whole : whole.substr(colons + 2);
}

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t most = 20;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i) {
    text += (i == 0 ? "" : ", ") + names[i];
  }
  return text + (names.size() > most ? ", ..." : "");
}

/// The names that begin most like the kernel's come first.
std::string no_kernel(const std::string& kernel, const std::string& file,
                      std::vector<std::string> names) {
  const auto likeness = [&](const std::string& name) {
    return std::mismatch(name.begin(), name.end(), kernel.begin(), kernel.end()).first -
           name.begin();
  };
  std::stable_sort(names.begin(), names.end(),
                   [&](const auto& a, const auto& b) { return likeness(a) > likeness(b); });
  return "there is no kernel '" + kernel + "' in " + file +
         (names.empty() ? "" : "; there are: " + listed(names));
}

/// Whether the compiler says that it doesn't know `name`, which we had it look up.
bool is_unknown(const std::string& log, const std::string& name) {
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("__nv_name_map(")) continue;
    if (line.find('"' + name + "\" is undefined") != std::string::npos) return true;
  }
  return false;
}

/// Whether all that the compiler complains of are the names that we had it look up.
bool is_of_lookups(const std::string& log) {
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    const bool is_error = line.find("error:") != std::string::npos;
    if (is_error && !line.starts_with("__nv_name_map(")) return false;
  }
  return true;
}

Compiled compile_source(const file::KernelSpec& spec, const file::Launch& first,
                        const std::vector<std::string>& kernels, const std::string& capability) {
  const auto missing = nvrtc_missing();
  if (!missing.empty()) throw std::runtime_error(missing);
  const auto sources = read_sources(spec, first.file);
  // NVRTC would take a name that begins with - for an option.
  const auto name_of_file = (first.file.starts_with('-') ? "./" : "") + first.file;
  Source source{.name = name_of_file,
                .text = sources.files.front().second,
                .options = {},
                .kernels = kernels};
  auto& options = source.options;
  options.push_back("-arch=" + architecture_for(capability));
  // As nvcc takes lambdas and constexpr functions in a kernel.
  options.emplace_back("-default-device");
  const bool has_standard = std::any_of(spec.flags.begin(), spec.flags.end(), [](const auto& flag) {
    return flag.find("-std=") != std::string::npos;
  });
  if (!has_standard) options.emplace_back("-std=c++17");
  options.insert(options.end(), spec.flags.begin(), spec.flags.end());
  for (const auto& define : first.defines) options.push_back("-D" + define);
  const auto path = file::path_of(spec, first.file);
  const auto slash = path.rfind('/');
  options.push_back("-I" + (slash == std::string::npos ? "." : path.substr(0, slash)));
  for (const auto& folder : toolkit_includes()) options.push_back("-I" + folder);

  // What may have changed unseen is compiled anew.
  const auto folder = sources.complete ? cache_folder() : "";
  const auto key = cache_key(source, nvrtc_version(), sources.files);
  const auto shown = [&](const std::string& log) { return own_messages(spec, first.file, log); };
  if (auto found = cached(folder, key)) {
    found->log = shown(found->log);
    return std::move(*found);
  }
  try {
    auto compiled = nvrtc_compile(source);
    store(folder, key, compiled);
    compiled.log = shown(compiled.log);
    return compiled;
  } catch (const std::runtime_error& error) {
    // Not every kernel is in the list of the source's: a macro may make one.
    for (const auto& kernel : kernels) {
      const auto name = plain_name(kernel);
      if (!is_unknown(error.what(), name)) continue;
      const auto why = no_kernel(name, first.file, sources.kernels);
      throw std::runtime_error(is_of_lookups(error.what()) ? why
                                                           : why + "\n" + shown(error.what()));
    }
    throw std::runtime_error(shown(error.what()));
  }
}

std::vector<std::byte> read_code(const std::string& path) {
  std::error_code error;
  const auto bytes_there = std::filesystem::file_size(path, error);
  std::ifstream file;
  if (!error && bytes_there <= most_code) file.open(path, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  if (!file.is_open() || text.empty()) {
    throw std::runtime_error(path + ": can't be read, is empty or larger than 256 MiB");
  }
  const bool fits = path.ends_with(".cubin") ? text.starts_with(
                                                   "\x7f"
                                                   "ELF")
                    : path.ends_with(".fatbin") ? text.starts_with("\x50\xED\x55\xBA")
                                                : text.find(".version") != std::string::npos;
  if (!fits) throw std::runtime_error(path + ": its content is not what its name ends in");
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

/// Mangled names of the kernels in PTX or in a cubin; none of a fatbin, which is compressed.
std::vector<std::string> entries_of(const std::string& file, const std::vector<std::byte>& code) {
  std::vector<std::string> names;
  if (file.ends_with(".cubin")) {
    for (const auto& [name, hash] : Cubin(code).functions()) names.push_back(name);
  }
  if (!file.ends_with(".ptx")) return names;
  const std::string_view text(reinterpret_cast<const char*>(code.data()), code.size());
  for (auto at = text.find(".entry"); at != std::string_view::npos;
       at = text.find(".entry", at + 1)) {
    const auto begin = text.find_first_not_of(" \t", at + 6);
    const auto end = text.find_first_of("( \t\r\n", begin);
    if (end != std::string_view::npos) names.emplace_back(text.substr(begin, end - begin));
  }
  return names;
}

/// The one of `names` that C++ or C calls `kernel`.
std::string entry_called(const std::string& kernel, const std::string& file,
                         const std::vector<std::string>& names) {
  if (names.empty() && file.ends_with(".fatbin")) return kernel;
  std::vector<std::string> known;
  for (const auto& name : names) {
    auto plain = demangled(name);
    // A template's begins with what it returns: "void conv<4>(float*)".
    if (plain.starts_with("void ")) plain = plain.substr(5);
    plain = plain.substr(0, plain.rfind('('));
    if (name == kernel || plain == kernel) return name;
    known.push_back(plain);
  }
  throw std::runtime_error(no_kernel(kernel, file, known));
}

void check_registers(const file::Launch& launch, int registers) {
  const auto threads = static_cast<int>(launch.block[0] * launch.block[1] * launch.block[2]);
  // They are given out to warps, 8 a thread at a time.
  const int warps = (threads + 31) / 32;
  const int taken = (registers + 7) / 8 * 8 * 32 * warps;
  if (taken <= most_registers) return;
  throw std::runtime_error(launch.kernel + " takes " + std::to_string(registers) +
                           " registers a thread, too many for a block of " +
                           std::to_string(threads) +
                           " threads: a smaller block, "
                           "__launch_bounds__ or -maxrregcount helps");
}

}  // namespace

CaseCode compile(const file::KernelSpec& spec, const std::vector<file::Launch>& launches,
                 const std::string& compute_capability) {
  CaseCode code;
  code.entries.resize(launches.size());
  std::map<std::string, std::vector<std::size_t>> by_file;
  for (std::size_t i = 0; i < launches.size(); ++i) by_file[launches[i].file].push_back(i);
  for (const auto& [file, which] : by_file) {
    const auto& first = launches[which.front()];
    std::map<std::string, std::string> mangled;
    std::string ptx;
    if (file.ends_with(".cu")) {
      std::vector<std::string> kernels;
      for (const auto i : which) {
        const auto& name = launches[i].kernel;
        if (std::find(kernels.begin(), kernels.end(), name) == kernels.end()) {
          kernels.push_back(name);
        }
      }
      auto compiled = compile_source(spec, first, kernels, compute_capability);
      if (!compiled.log.empty()) code.remarks.push_back(compiled.log);
      mangled = std::move(compiled.mangled);
      ptx = std::move(compiled.ptx);
      code.images.push_back(std::move(compiled.image));
    } else {
      auto image = read_code(file::path_of(spec, file));
      const auto names = entries_of(file, image);
      for (const auto i : which) {
        mangled[launches[i].kernel] = entry_called(launches[i].kernel, file, names);
      }
      if (file.ends_with(".ptx")) {
        ptx.assign(reinterpret_cast<const char*>(image.data()), image.size());
        image.push_back(std::byte{0});  // PTX is a text
      }
      code.images.push_back(std::move(image));
    }
    const auto registers = registers_in(code.images.back());
    for (const auto i : which) {
      auto& entry = code.entries[i];
      entry.image = code.images.size() - 1;
      entry.mangled = mangled.at(launches[i].kernel);
      const auto why = spec.captured
                           ? std::string()  // it says itself which argument is which
                           : misfit(spec, launches[i].args, launches[i].kernel, entry.mangled, ptx);
      if (!why.empty()) throw std::runtime_error(why);
      const auto known = registers.find(entry.mangled);
      if (known == registers.end()) continue;
      entry.registers = known->second;
      check_registers(launches[i], entry.registers);
    }
  }
  return code;
}

std::vector<std::string> compile_lines(const file::KernelFamily& family, const Params& params,
                                       const std::string& compute_capability) {
  const auto& spec = family.spec();
  auto launches = family.shapes().launches(params);
  const auto code = compile(spec, launches, compute_capability);
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const int registers = code.entries[i].registers;
    lines.push_back(launches[i].kernel + " in " + launches[i].file +
                    (registers > 0 ? ": " + std::to_string(registers) + " registers" : ""));
  }
  lines.insert(lines.end(), code.remarks.begin(), code.remarks.end());
  if (spec.reference.kind == file::ReferenceSpec::Kind::kernel) {
    compile(spec, {family.shapes().reference(params)}, compute_capability);
  }
  return lines;
}

std::vector<file::KernelSketch> sketch_kernels(const file::KernelSpec& spec) {
  const auto& file = spec.launches.front().file;
  std::vector<file::KernelSketch> sketches;
  const auto add = [&](const std::string& name, const std::string& mangled, int registers) {
    sketches.push_back({.name = name,
                        .parameters = parameters_of(mangled).value_or(std::vector<Parameter>{}),
                        .registers = registers});
  };
  if (!file.ends_with(".cu")) {
    const auto code = read_code(file::path_of(spec, file));
    const auto registers = registers_in(code);
    for (const auto& mangled : entries_of(file, code)) {
      const auto known = registers.find(mangled);
      auto name = demangled(mangled);
      name = name.substr(0, name.rfind('('));
      add(name, mangled, known == registers.end() ? 0 : known->second);
    }
    return sketches;
  }
  // Each is compiled by itself, for one that is wrong hides the others.
  constexpr std::size_t most = 16;
  auto names = read_sources(spec, file).kernels;
  const auto& wanted = spec.launches.front().kernel;
  if (!wanted.empty()) names = {wanted};
  if (names.size() > most) {
    throw std::runtime_error(file + " has " + std::to_string(names.size()) +
                             " kernels; --kernel names one: " + listed(names));
  }
  std::string failed = "there is no __global__ function in " + file;
  for (const auto& name : names) {
    try {
      // A template needs arguments, which nobody has given.
      const auto compiled = compile_source(spec, {.file = file, .kernel = name}, {name}, "");
      const auto& mangled = compiled.mangled.at(name);
      const auto registers = registers_in(compiled.image);
      const auto known = registers.find(mangled);
      add(name, mangled, known == registers.end() ? 0 : known->second);
    } catch (const std::runtime_error& error) {
      failed = error.what();
    }
  }
  if (sketches.empty()) throw std::runtime_error(failed);
  return sketches;
}

}  // namespace apod::cuda
