/// \file
/// NVRTC, which is opened at run time.

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <future>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "kernels/backends/cuda/files/compiler.hpp"
#include "kernels/backends/cuda/files/confined.hpp"
#include "kernels/backends/cuda/library.hpp"
#include "kernels/files/source/program.hpp"

namespace apod::cuda {
namespace {

// The few functions that are used, as nvrtc.h declares them; not every toolkit has that header.
using NvrtcProgram = struct ProgramOfNvrtc*;
using NvrtcResult = int;

const Library& nvrtc_library() {
  static const Library nvrtc("nvrtc", CUDART_VERSION / 1000);
  return nvrtc;
}

template <class Function>
Function* nvrtc_function(const char* name) {
  return nvrtc_library().function<Function>(name);
}

void demand(NvrtcResult result, const char* what) {
  if (result == 0) return;
  const char* text = nvrtc_function<const char*(NvrtcResult)>("nvrtcGetErrorString")(result);
  throw std::runtime_error(std::string("NVRTC: ") + what + ": " + text);
}

template <class... Arguments>
void call(const char* name, Arguments... arguments) {
  demand(nvrtc_function<NvrtcResult(Arguments...)>(name)(arguments...), name);
}

struct ProgramOwner {
  ~ProgramOwner() {
    (void)nvrtc_function<NvrtcResult(NvrtcProgram*)>("nvrtcDestroyProgram")(&program);
  }
  NvrtcProgram program = nullptr;
};

/// A text that NVRTC hands out, without its terminating 0.
std::string program_text(NvrtcProgram program, const char* size_name, const char* name) {
  std::size_t size = 0;
  call(size_name, program, &size);
  std::string text(size, '\0');
  if (size > 0) call(name, program, text.data());
  if (!text.empty() && text.back() == '\0') text.pop_back();
  return text;
}

std::string nvrtc_version() {
  int major = 0;
  int minor = 0;
  call("nvrtcVersion", &major, &minor);
  return std::to_string(major) + "." + std::to_string(minor);
}

std::vector<int> nvrtc_architectures() {
  int count = 0;
  call("nvrtcGetNumSupportedArchs", &count);
  std::vector<int> all(static_cast<std::size_t>(count));
  call("nvrtcGetSupportedArchs", all.data());
  return all;
}

/// What nvcc knows of the host's headers without an include.
constexpr const char* known_header = "apod_known";
constexpr const char* known_to_nvcc =
    "typedef unsigned int uint; typedef unsigned short ushort; typedef unsigned long ulong;\n"
    "#define M_PI 3.14159265358979323846\n#define INFINITY __int_as_float(0x7f800000)\n"
    "#define NAN __int_as_float(0x7fffffff)\n";

std::vector<std::string> options_of(const Source& source) {
  // As nvcc takes lambdas and constexpr functions in a kernel.
  std::vector<std::string> options{"-arch=" + source.architecture, "-default-device",
                                   std::string("-include=") + known_header};
  for (const auto& flag : source.flags) {
    const bool is_nvccs = flag.find("-expt-") != std::string::npos ||
                          flag.find("-extended-lambda") != std::string::npos;
    if (!is_nvccs) options.push_back(flag);
  }
  options.push_back("-I" + source.path.substr(0, source.path.rfind('/')));
  for (const auto& further : source.further)
    options.push_back("-I" + further.path.substr(0, further.path.rfind('/')));
  for (const auto& folder : source.toolkit) options.push_back("-I" + folder);
  return options;
}

/// Headers of the host's library, which NVRTC has not: with what device code takes from them.
constexpr const char* integers = "#include <cuda/std/cstdint>\n";
constexpr const char* limits =
    "#define FLT_MAX 3.402823466e+38F\n#define FLT_MIN 1.175494351e-38F\n"
    "#define FLT_EPSILON 1.192092896e-07F\n#define DBL_MAX 1.7976931348623157e+308\n"
    "#define INT_MAX 2147483647\n#define INT_MIN (-2147483647 - 1)\n#define UINT_MAX 4294967295U\n";
constexpr std::array<std::pair<const char*, const char*>, 6> host_headers{{{"cstdint", integers},
                                                                           {"stdint.h", integers},
                                                                           {"cfloat", limits},
                                                                           {"float.h", limits},
                                                                           {"climits", limits},
                                                                           {"limits.h", limits}}};
/// All others are empty. Each is found missing by a compilation that ends there.
constexpr int most_rounds = 200;

/// Name as included, and text.
using Headers = std::vector<std::pair<std::string, std::string>>;

/// What the compiler is given: the text of the program, and its own headers.
struct DeviceCode {
  std::string text;
  Headers headers;
};

/// Without functions that only the host runs.
DeviceCode device_code_of(const Source& source) {
  // Headers come before what includes them.
  std::vector<std::string> texts;
  for (auto header = source.headers.rbegin(); header != source.headers.rend(); ++header)
    texts.push_back(header->second);
  texts.push_back(source.text);
  for (const auto& further : source.further) texts.push_back(further.text);
  texts = source::device_sources(texts);
  const auto count = source.headers.size();
  DeviceCode code{.text = texts[count], .headers = {}};
  for (std::size_t i = 0; i < source.further.size(); ++i)
    code.text += "\n#line 1 \"" + source.further[i].name + "\"\n" + texts[count + 1 + i];
  code.text += std::string("\n#line 1 \"") + appended_name + "\"\n" + source.appended;
  for (std::size_t i = 0; i < count; ++i)
    code.headers.emplace_back(source.headers[count - 1 - i].first, texts[i]);
  for (const auto& [name, text] : host_headers) code.headers.emplace_back(name, text);
  code.headers.emplace_back(known_header, known_to_nvcc);
  return code;
}

/// False, with messages in `log`, if it does not compile.
bool compile_once(const Source& source, const DeviceCode& code, Compiled& compiled) {
  // It would take a name that begins with - for an option.
  const auto name = (source.name.starts_with('-') ? "./" : "") + source.name;
  ProgramOwner owner;
  std::vector<const char*> headers;
  std::vector<const char*> names;
  for (const auto& [header, content] : code.headers) {
    names.push_back(header.c_str());
    headers.push_back(content.c_str());
  }
  call("nvrtcCreateProgram", &owner.program, code.text.c_str(), name.c_str(),
       static_cast<int>(headers.size()), headers.data(), names.data());
  const auto all = options_of(source);
  std::vector<const char*> options;
  for (const auto& option : all) options.push_back(option.c_str());
  const auto result = nvrtc_function<NvrtcResult(NvrtcProgram, int, const char* const*)>(
      "nvrtcCompileProgram")(owner.program, static_cast<int>(options.size()), options.data());
  compiled.log = program_text(owner.program, "nvrtcGetProgramLogSize", "nvrtcGetProgramLog");
  if (result != 0) {
    if (compiled.log.empty()) demand(result, "nvrtcCompileProgram");
    return false;
  }
  std::size_t size = 0;
  call("nvrtcGetCUBINSize", owner.program, &size);
  compiled.image.resize(size);
  call("nvrtcGetCUBIN", owner.program, reinterpret_cast<char*>(compiled.image.data()));
  return true;
}

/// Of the standard library, whether in angle brackets or in quotes.
bool is_of_language(const std::string& header) {
  static constexpr std::array<std::string_view, 22> all{
      "assert.h",  "ctype.h",  "errno.h",  "float.h",  "inttypes.h", "limits.h",
      "locale.h",  "math.h",   "memory.h", "setjmp.h", "signal.h",   "stdarg.h",
      "stdbool.h", "stddef.h", "stdint.h", "stdio.h",  "stdlib.h",   "string.h",
      "time.h",    "unistd.h", "iostream", "vector"};
  return std::find(all.begin(), all.end(), header) != all.end();
}

/// The header of the host's system that a message misses: one that a header of the toolkit
/// includes, or that is named in angle brackets, or the standard library's. Empty if there is none;
/// the program's own have quotes.
std::string missing_system_header(const Source& source, const DeviceCode& code,
                                  const std::string& log) {
  constexpr std::string_view mark = "cannot open source file \"";
  const auto at = log.find(mark);
  if (at == std::string::npos) return "";
  const auto begin = at + mark.size();
  const auto header = log.substr(begin, log.find('"', begin) - begin);
  const auto line = log.substr(0, at).substr(log.substr(0, at).rfind('\n') + 1);
  const auto includes = [&](const std::string& text) {
    for (auto open = text.find('<' + header + '>'); open != std::string::npos;
         open = text.find('<' + header + '>', open + 1)) {
      const auto word = text.find_last_not_of(" \t", open == 0 ? 0 : open - 1);
      if (word != std::string::npos && word >= 6 && text.compare(word - 6, 7, "include") == 0)
        return true;
    }
    return false;
  };
  const bool is_systems =
      std::any_of(source.toolkit.begin(), source.toolkit.end(),
                  [&](const auto& folder) { return line.starts_with(folder); }) ||
      is_of_language(header) || includes(code.text) ||
      std::any_of(code.headers.begin(), code.headers.end(),
                  [&](const auto& one) { return includes(one.second); });
  return is_systems ? header : "";
}

/// The text that a message is about: the file's own, or a header's.
std::string* text_called(const Source& source, DeviceCode& code, const std::string& name) {
  if (name == source.name || name == "./" + source.name) return &code.text;
  for (auto& [header, text] : code.headers) {
    if (header == name || header.ends_with("/" + name)) return &text;
  }
  return nullptr;
}

/// What a header includes, without the rest of it: types of halves come by headers of libraries.
std::string includes_alone(const std::string& path) {
  std::ifstream file(path);
  std::string text = "#pragma once\n";
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#include")) text += line + "\n";
  }
  return text;
}

/// Takes away what the messages find wrong, where it is the host's: headers of the toolkit's host
/// libraries, and declarations that are not marked as the device's. False if there is none.
bool take_away(const Source& source, const std::string& log, DeviceCode& code) {
  bool changed = false;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    const auto place = line.find("): error");
    const auto open = place == std::string::npos ? place : line.rfind('(', place);
    if (open == std::string::npos) continue;
    const auto name = line.substr(0, open);
    for (const auto& folder : source.toolkit) {
      if (!name.starts_with(folder + "/")) continue;
      // Those in folders are CUB, libcu++ and the like.
      const auto header = name.substr(folder.size() + 1);
      const bool is_known = std::any_of(code.headers.begin(), code.headers.end(),
                                        [&](const auto& one) { return one.first == header; });
      if (is_known || header.find('/') != std::string::npos) continue;
      code.headers.emplace_back(header, includes_alone(name));
      changed = true;
    }
    auto* const text = text_called(source, code, name);
    if (text == nullptr) continue;
    const auto number = std::strtoull(line.c_str() + open + 1, nullptr, 10);
    changed = source::blank_host_part(*text, number) || changed;
  }
  return changed;
}

Compiled compile_in_rounds(const Source& source) {
  auto code = device_code_of(source);
  Compiled compiled;
  for (int round = 0; !compile_once(source, code, compiled); ++round) {
    const auto header = missing_system_header(source, code, compiled.log);
    if (!header.empty()) code.headers.emplace_back(header, "");
    const bool changed = !header.empty() || take_away(source, compiled.log, code);
    if (changed && round < most_rounds) continue;
    const bool takes_all_of_cub = source.text.find("cub/cub.cuh") != std::string::npos;
    throw std::runtime_error(
        shortened_log(compiled.log) +
        (takes_all_of_cub ? "\nNVRTC can't compile <cub/cub.cuh>, which needs host headers: "
                            "include single parts of CUB, such as <cub/block/block_reduce.cuh>"
                          : ""));
  }
  compiled.log = shortened_log(compiled.log);
  return compiled;
}

Compiled compile_by_nvrtc(const Source& source) {
  const auto confinement = confinement_to(source.readable);
  if (confinement == nullptr) return compile_in_rounds(source);
  // Only a thread can be confined, and it stays so.
  auto compiled = std::async(std::launch::async, [&] {
    if (!confinement->enter()) throw std::runtime_error("NVRTC could not be confined");
    return compile_in_rounds(source);
  });
  return compiled.get();
}

}  // namespace

FoundCompiler find_nvrtc() {
  const auto why_not = nvrtc_library().missing();
  if (!why_not.empty()) return {.why_not = why_not};
  return {.compiler = Compiler{.name = "NVRTC",
                               .version = nvrtc_version(),
                               .architectures = nvrtc_architectures(),
                               .compile = compile_by_nvrtc}};
}

}  // namespace apod::cuda
