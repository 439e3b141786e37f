#include "kernels/backends/cuda/files/compile.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <stdexcept>

#include "kernels/api/demangle.hpp"
#include "kernels/backends/cuda/files/code_cache.hpp"
#include "kernels/backends/cuda/files/compiler.hpp"
#include "kernels/backends/cuda/files/confined.hpp"
#include "kernels/backends/cuda/files/resources.hpp"
#include "kernels/backends/cuda/files/signature.hpp"
#include "kernels/backends/cuda/files/sources.hpp"
#include "kernels/backends/cuda/tracer/machine_code.hpp"

namespace apod::cuda {
namespace {

// Of a multiprocessor and of a block, on every device since compute capability 3.7 (CUDA C++
// Programming Guide, "Technical Specifications per Compute Capability").
constexpr unsigned most_registers = 65536;
constexpr std::size_t most_code = std::size_t{256} << 20;

/// "sm_90a": for the capability, with all that it has alone, or for the latest before it that the
/// compiler knows.
std::string architecture_for(const std::string& compute_capability, const Compiler& compiler) {
  int wanted = 90;
  if (const auto point = compute_capability.find('.'); point != std::string::npos) {
    wanted = 10 * std::stoi(compute_capability.substr(0, point)) +
             std::stoi(compute_capability.substr(point + 1));
  }
  int chosen = 0;
  for (const int one : compiler.architectures) {
    if (one <= wanted) chosen = std::max(chosen, one);
  }
  if (chosen == 0) {
    throw std::runtime_error(compiler.name + " " + compiler.version +
                             " can't compile for compute capability " + compute_capability);
  }
  // CUDA 12 was the first with such a variant, of 9.0.
  const bool has_variant = chosen == wanted && chosen >= 90 && std::stoi(compiler.version) >= 12;
  return "sm_" + std::to_string(chosen) + (has_variant ? "a" : "");
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
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i)
    text += (i == 0 ? "" : ", ") + names[i];
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
         (names.empty() ? "" : "; the kernels are: " + listed(names));
}

/// Whether a message is about the lines that name the kernels.
bool is_of_names(const std::string& line) {
  return line.starts_with(std::string(appended_name) + "(");
}

/// Whether the compiler says that it doesn't know `name`, which we had it look up.
bool is_unknown(const std::string& log, const std::string& name) {
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    if (!is_of_names(line)) continue;
    if (line.find('"' + name + "\" is undefined") != std::string::npos) return true;
  }
  return false;
}

/// Whether all that the compiler complains of are the names that we had it look up.
bool is_of_lookups(const std::string& log) {
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    const bool is_error = line.find("error:") != std::string::npos;
    if (is_error && !is_of_names(line)) return false;
  }
  return true;
}

/// Of errors about nothing but the instances that we had it make.
std::string no_instance(const std::vector<std::string>& kernels, const std::string& log) {
  constexpr std::string_view mark = "error: ";
  const auto begin = log.find(mark);
  if (begin == std::string::npos || !is_of_lookups(log)) return "";
  const auto told = log.substr(begin + mark.size(), log.find('\n', begin) - begin - mark.size());
  const auto kernel = std::ranges::find_if(
      kernels, [](const auto& name) { return name.find('<') != std::string::npos; });
  const auto name = kernel == kernels.end() ? kernels.front() : *kernel;
  const auto plain = name.substr(0, name.find('<'));
  return "the compiler does not accept " + name + " as an instance of a template (" + told +
         "): name the instance that the program launches, such as '" + plain +
         "<float, 256>', with all namespaces (bench try FILE --kernel '" + plain + "<float, 256>')";
}

/// Why a compiler may have failed that was confined; empty if nothing points to that.
std::string hint_at_confinement(const Source& source, const std::string& log) {
  const auto has = [&](const char* words) { return log.find(words) != std::string::npos; };
  const bool is_refused =
      has("Permission denied") || has("ermission error") || has("cannot open shared object");
  if (!source.readable || !is_refused) return "";
  return "\nthe compiler could not open a file: without --trust, it can read only the experiment "
         "file's folder, the toolkit and the system's programs";
}

struct CompiledSource {
  Compiled code;
  std::map<std::size_t, CompiledKernel> kernels;  ///< by their places in what was asked for
  std::string compiler;
};

CompiledSource compile_source(const file::KernelSpec& spec, const file::Launch& first,
                              const std::vector<std::string>& kernels,
                              const std::string& capability) {
  const auto& compiler = compiler_for(spec);
  if (!spec.outside && !Confinement::is_possible()) {
    throw std::runtime_error(
        "is not compiled, because this system can't confine the compiler (this needs Landlock, "
        "Linux 5.13 or later); to compile it unconfined, add --trust");
  }
  const auto sources = read_sources(spec, first.file);
  Source source{.name = first.file,
                .path = file::path_of(spec, first.file),
                .text = sources.files.front().second,
                .headers = {},
                .further = {},
                .appended = naming_lines(kernels),
                .flags = {},
                .toolkit = toolkit_includes(),
                .architecture = architecture_for(capability, compiler),
                .readable = {},
                .bounded = spec.bounded};
  if (!spec.outside) source.readable = {spec.folder.empty() ? "." : spec.folder};
  for (std::size_t i = 1; i < sources.files.size(); ++i) {
    const auto& [name, text] = sources.files[i];
    const auto own = std::find_if(sources.further.begin(), sources.further.end(),
                                  [&](const auto& one) { return one.second == i; });
    if (own == sources.further.end()) {
      source.headers.emplace_back(name, text);
    } else {
      source.further.push_back({name, own->first, text});
    }
  }
  const bool has_standard = std::any_of(spec.flags.begin(), spec.flags.end(), [](const auto& flag) {
    return flag.find("-std=") != std::string::npos;
  });
  if (!has_standard) source.flags.emplace_back("-std=c++17");
  for (const auto& flag : spec.flags) {
    if (!names_folder(flag)) source.flags.push_back(flag);
  }
  for (const auto& folder : sources.folders) source.flags.push_back("-I" + folder);
  for (const auto& define : first.defines) source.flags.push_back("-D" + define);
  const auto in_shell = std::find_if(source.flags.begin(), source.flags.end(), file::runs_in_shell);
  if (compiler.name == "nvcc" && in_shell != source.flags.end()) {
    throw std::runtime_error(
        "nvcc passes its flags to a shell, and the shell would replace a part of " + *in_shell);
  }
  // So that tools find the line of an instruction; the code is the same.
  if (std::find(source.flags.begin(), source.flags.end(), "-lineinfo") == source.flags.end())
    source.flags.emplace_back("-lineinfo");

  CompiledSource made;
  made.compiler = compiler.name + " " + compiler.version;
  // What may have changed unseen is compiled anew.
  const auto folder = sources.complete ? cache_folder() : "";
  const auto key = cache_key(source, compiler, sources.files);
  const auto shown = [&](const std::string& log) { return own_messages(spec, first.file, log); };
  if (auto found = cached(folder, key)) {
    made.code = std::move(*found);
  } else {
    try {
      const auto begin = std::chrono::steady_clock::now();
      made.code = compiler.compile(source);
      made.code.seconds =
          std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    } catch (const LimitReached&) {
      throw;
    } catch (const std::runtime_error& error) {
      // Not every kernel is in the list of the source's: a macro may make one.
      for (const auto& kernel : kernels) {
        const auto name = plain_name(kernel);
        if (!is_unknown(error.what(), name)) continue;
        std::vector<std::string> known;
        for (const auto& [file, text] : sources.files) {
          for (auto& one : kernels_in(text)) known.push_back(std::move(one));
        }
        const auto why = no_kernel(name, first.file, known);
        throw std::runtime_error(is_of_lookups(error.what()) ? why
                                                             : why + "\n" + shown(error.what()));
      }
      if (auto why = no_instance(kernels, error.what()); !why.empty())
        throw std::runtime_error(why);
      throw std::runtime_error(shown(error.what()) + hint_at_confinement(source, error.what()) +
                               "\n(compiled by " + made.compiler + " for " + source.architecture +
                               ")");
    }
    store(folder, key, made.code);
  }
  made.code.log = shown(made.code.log);
  made.kernels = named_kernels(content_of_cubin(made.code.image));
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (made.kernels.contains(i)) continue;
    throw std::runtime_error(made.compiler + " made no code for " + kernels[i] + " in " +
                             first.file);
  }
  return made;
}

/// The kernels of a file that was compiled before, by their mangled names; none of a fatbin, which
/// is compressed.
std::map<std::string, CompiledKernel> kernels_of_code(const std::string& file,
                                                      const std::vector<std::byte>& code) {
  std::map<std::string, CompiledKernel> all;
  if (file.ends_with(".ptx"))
    all = kernels_of_ptx({reinterpret_cast<const char*>(code.data()), code.size()});
  const auto content = content_of_cubin(code);
  if (file.ends_with(".cubin")) {
    for (const auto& [name, hash] : Cubin(code).functions()) {
      auto& made = all[name];
      made.mangled = name;
      const auto known = content.kernels.find(name);
      if (known == content.kernels.end()) continue;
      made.registers = known->second.registers;
      made.most_threads = known->second.most_threads;
      if (made.most_threads > 0) made.most = {made.most_threads};
      made.block = known->second.block;
      made.sizes = known->second.parameters;
    }
  }
  for (auto& [name, kernel] : all) kernel.parameters = parameters_of(name);
  return all;
}

/// The one of the file's kernels that C++ or C calls `kernel`.
CompiledKernel kernel_called(const std::string& kernel, const std::string& file,
                             const std::map<std::string, CompiledKernel>& all) {
  if (const auto found = all.find(kernel); found != all.end()) return found->second;
  if (file.ends_with(".fatbin")) return {.mangled = kernel, .parameters = parameters_of(kernel)};
  std::vector<std::string> known;
  for (const auto& [name, made] : all) {
    auto plain = demangled(name);
    // A template's begins with what it returns: "void conv<4>(float*)".
    if (plain.starts_with("void ")) plain = plain.substr(5);
    if (plain.starts_with(kernel + '(')) return made;
    known.push_back(plain.substr(0, plain.rfind('(')));
  }
  throw std::runtime_error(no_kernel(kernel, file, known));
}

/// What parameters of these sizes usually are.
std::vector<Parameter> by_sizes(const CompiledKernel& kernel) {
  using T = ElementType;
  const std::map<std::size_t, T> usual{{1, T::u8}, {2, T::i16}, {4, T::i32}, {8, T::f32}};
  std::vector<Parameter> all = kernel.seen;
  for (auto i = all.size(); kernel.sizes && i < kernel.sizes->size(); ++i) {
    const auto bytes = (*kernel.sizes)[i];
    auto& made = all.emplace_back(Parameter{.text = std::to_string(bytes) + " bytes"});
    made.is_pointer = bytes == 8;
    if (const auto known = usual.find(bytes); known != usual.end()) made.type = known->second;
  }
  return all;
}

void check_block(const file::Launch& launch, const CompiledKernel& kernel) {
  const auto threads = launch.block[0] * launch.block[1] * launch.block[2];
  const auto block = "a block of " + std::to_string(threads) + " threads";
  if (!kernel.block.empty() && !std::ranges::equal(kernel.block, launch.block)) {
    std::string sides;
    for (const auto side : kernel.block)
      sides += (sides.empty() ? "" : ", ") + std::to_string(side);
    throw file::SpecError("block", 0,
                          launch.kernel + " runs only in blocks of [" + sides +
                              "] threads (.reqntid, __block_size__), not in " + block);
  }
  if (kernel.most_threads > 0 && threads > kernel.most_threads) {
    throw file::SpecError("block", 0,
                          launch.kernel + " allows " + std::to_string(kernel.most_threads) +
                              " threads in a block (__launch_bounds__), too few for " + block);
  }
  // They are given out to warps, 8 a thread at a time.
  const auto registers = static_cast<unsigned>(kernel.registers + 7) / 8 * 8;
  if (registers * 32 * ((threads + 31) / 32) <= most_registers) return;
  throw file::SpecError("block", 0,
                        launch.kernel + " uses " + std::to_string(kernel.registers) +
                            " registers per thread, too many for " + block +
                            ": use a smaller block, __launch_bounds__ or -maxrregcount");
}

}  // namespace

std::vector<std::byte> read_code(const std::string& path) {
  std::error_code error;
  const auto bytes_there = std::filesystem::file_size(path, error);
  std::ifstream file;
  if (!error && bytes_there <= most_code) file.open(path, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  if (!file.is_open() || text.empty())
    throw std::runtime_error(path + ": can't be read, is empty or larger than 256 MiB");
  const bool fits = path.ends_with(".cubin") ? text.starts_with(
                                                   "\x7f"
                                                   "ELF")
                    : path.ends_with(".fatbin") ? text.starts_with("\x50\xED\x55\xBA")
                                                : text.find(".version") != std::string::npos;
  if (!fits) throw std::runtime_error(path + ": the content does not match the file's extension");
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  if (path.ends_with(".ptx")) bytes.push_back(std::byte{0});  // it is a text
  return bytes;
}

std::map<std::string, double> CaseCode::facts() const {
  const auto blank = compiler.find(' ');
  if (blank == std::string::npos) return {};
  const double version = std::strtod(compiler.c_str() + blank, nullptr);
  return {{compiler.starts_with("nvcc") ? "nvcc" : "nvrtc", version}, {"compile_time", compile_s}};
}

CaseCode compile(const file::KernelSpec& spec, const std::vector<file::Launch>& launches,
                 const std::string& compute_capability) {
  CaseCode code;
  code.entries.resize(launches.size());
  std::map<std::string, std::vector<std::size_t>> by_file;
  for (std::size_t i = 0; i < launches.size(); ++i) by_file[launches[i].file].push_back(i);
  for (const auto& [file, which] : by_file) {
    std::vector<std::string> names;
    std::vector<std::size_t> places;  // of each launch's kernel among them
    for (const auto i : which) {
      const auto& name = launches[i].kernel;
      const auto found = std::find(names.begin(), names.end(), name);
      places.push_back(static_cast<std::size_t>(found - names.begin()));
      if (found == names.end()) names.push_back(name);
    }
    std::vector<CompiledKernel> kernels;
    if (file.ends_with(".cu")) {
      auto compiled = compile_source(spec, launches[which.front()], names, compute_capability);
      if (!compiled.code.log.empty()) code.remarks.push_back(compiled.code.log);
      code.compiler = compiled.compiler;
      code.compile_s += compiled.code.seconds;
      for (auto& [place, kernel] : compiled.kernels) kernels.push_back(std::move(kernel));
      code.images.push_back(std::move(compiled.code.image));
    } else {
      auto image = read_code(file::path_of(spec, file));
      const auto all = kernels_of_code(file, image);
      for (const auto& name : names) kernels.push_back(kernel_called(name, file, all));
      code.images.push_back(std::move(image));
    }
    for (std::size_t w = 0; w < which.size(); ++w) {
      const auto& launch = launches[which[w]];
      const auto& kernel = kernels[places[w]];
      code.entries[which[w]] = {.image = code.images.size() - 1,
                                .mangled = kernel.mangled,
                                .registers = kernel.registers};
      // A captured launch says itself which argument is which.
      const auto why =
          spec.captured ? std::string() : misfit(spec, launch.args, launch.kernel, kernel);
      if (!why.empty()) throw file::SpecError("args", 0, why);
      check_block(launch, kernel);
    }
  }
  return code;
}

CaseCode compile_case(const file::KernelFamily& family, const Params& params,
                      const std::string& compute_capability) {
  auto launches = family.shapes().launches(params);
  if (family.spec().reference.kind == file::ReferenceSpec::Kind::kernel)
    launches.push_back(family.shapes().reference(params));
  return compile(family.spec(), launches, compute_capability);
}

std::vector<std::string> compile_lines(const file::KernelFamily& family, const Params& params,
                                       const std::string& compute_capability) {
  const auto launches = family.shapes().launches(params);
  const auto code = compile_case(family, params, compute_capability);
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const int registers = code.entries[i].registers;
    const auto by = launches[i].file.ends_with(".cu") ? ", by " + code.compiler : "";
    const auto in = family.spec().sources.empty() ? " in " + launches[i].file : "";
    lines.push_back(launches[i].kernel + in +
                    (registers > 0 ? ": " + std::to_string(registers) + " registers" : "") + by);
  }
  lines.insert(lines.end(), code.remarks.begin(), code.remarks.end());
  return lines;
}

std::vector<file::KernelSketch> sketch_kernels(const file::KernelSpec& spec) {
  const auto& first = spec.launches.front();
  std::vector<file::KernelSketch> sketches;
  const auto add = [&](const std::string& name, const CompiledKernel& kernel) {
    sketches.push_back({.name = name,
                        .parameters = kernel.parameters ? *kernel.parameters : by_sizes(kernel),
                        .sizes = kernel.sizes.value_or(std::vector<std::size_t>{}),
                        .block = kernel.block,
                        .most = kernel.most,
                        .has_types = kernel.parameters.has_value()});
  };
  if (first.file.ends_with(".cu")) {
    const file::Launch launch{.file = first.file, .kernel = first.kernel};
    const auto compiled = compile_source(spec, launch, {first.kernel}, "");
    add(first.kernel, compiled.kernels.at(0));
    return sketches;
  }
  const auto code = read_code(file::path_of(spec, first.file));
  for (const auto& [mangled, kernel] : kernels_of_code(first.file, code)) {
    const auto name = demangled(mangled);
    add(name.substr(0, name.rfind('(')), kernel);
  }
  return sketches;
}

}  // namespace apod::cuda
