/// \file
/// NVRTC, which is opened at run time.

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <future>
#include <map>
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

constexpr const char* standard_library =
    "#include <cuda/std/algorithm>\n#include <cuda/std/array>\n#include <cuda/std/cmath>\n"
    "#include <cuda/std/cstddef>\n#include <cuda/std/cstdint>\n#include <cuda/std/limits>\n"
    "#include <cuda/std/type_traits>\n#include <cuda/std/utility>\n"
    "namespace std { using namespace cuda::std; }\n";

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

/// Takes away what is included of a library of the toolkit, such as thrust.
bool take_library(const std::string& library, DeviceCode& code) {
  bool changed = false;
  const auto take = [&](std::string& text) {
    const auto mark = '<' + library + '/';
    for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1)) {
      const auto line = text.rfind('\n', at) + 1;
      const auto end = std::min(text.find('\n', at), text.size());
      if (text.find_first_not_of(" \t", line) != text.find('#', line)) continue;
      text.replace(line, end - line, end - line, ' ');
      changed = true;
    }
  };
  take(code.text);
  for (auto& header : code.headers) take(header.second);
  return changed;
}

/// Gives the program's own headers, where their file names differ, names that are no path: the
/// compiler would find the files themselves beside one another.
constexpr std::string_view own_folder = "apod_own/";
void rename_headers(DeviceCode& code) {
  const auto file_of = [](const std::string& name) { return name.substr(name.rfind('/') + 1); };
  std::map<std::string, int> files;
  for (const auto& header : code.headers) ++files[file_of(header.first)];
  const auto rename = [&](std::string& text) {
    for (auto at = text.find("#include"); at != std::string::npos;
         at = text.find("#include", at + 1)) {
      const auto open = text.find_first_of("\"<\n", at);
      const auto close = text.find_first_of("\">\n", std::min(open, text.size() - 1) + 1);
      if (close >= text.size() || text[close] == '\n') continue;
      const auto file = file_of(text.substr(open + 1, close - open - 1));
      const auto found = files.find(file);
      if (found != files.end() && found->second == 1)
        text.replace(open, close - open + 1, '"' + std::string(own_folder) + file + '"');
    }
  };
  rename(code.text);
  const auto count = code.headers.size();
  for (std::size_t i = 0; i < count; ++i) {
    const auto name = code.headers[i].first;
    rename(code.headers[i].second);
    if (files[file_of(name)] > 1) continue;
    code.headers[i].first = std::string(own_folder) + file_of(name);
    code.headers.emplace_back(name, "#include \"" + code.headers[i].first + "\"\n");
  }
}

/// What the kernels need.
DeviceCode device_code_of(const Source& source) {
  // Headers come before what includes them.
  std::vector<std::string> texts;
  for (auto header = source.headers.rbegin(); header != source.headers.rend(); ++header)
    texts.push_back(header->second);
  texts.push_back(source.text);
  for (const auto& further : source.further) texts.push_back(further.text);
  texts = source::device_sources(texts, source.appended);
  const auto count = source.headers.size();
  DeviceCode code{.text = texts[count], .headers = {}};
  for (std::size_t i = 0; i < source.further.size(); ++i)
    code.text += "\n#line 1 \"" + source.further[i].name + "\"\n" + texts[count + 1 + i];
  code.text += std::string("\n#line 1 \"") + appended_name + "\"\n" + source.appended;
  for (std::size_t i = 0; i < count; ++i)
    code.headers.emplace_back(source.headers[count - 1 - i].first, texts[i]);
  rename_headers(code);
  for (const auto& [name, text] : host_headers) code.headers.emplace_back(name, text);
  code.headers.emplace_back(known_header, known_to_nvcc);
  for (const std::string library : {"thrust", "cub"}) {
    const bool is_named = std::ranges::any_of(
        texts, [&](const auto& text) { return text.find(library + "::") != std::string::npos; });
    if (!is_named) take_library(library, code);
  }
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
  for (auto at = compiled.log.find(own_folder); at != std::string::npos;
       at = compiled.log.find(own_folder, at))
    compiled.log.erase(at, own_folder.size());
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

/// Adds the header that a message misses, empty: if the device needs it, the compiler will say what
/// of it is missing.
bool add_missing_header(const std::string& log, DeviceCode& code) {
  constexpr std::string_view mark = "cannot open source file \"";
  const auto at = log.find(mark);
  if (at == std::string::npos) return false;
  const auto begin = at + mark.size();
  const auto header = log.substr(begin, log.find('"', begin) - begin);
  const bool is_known =
      std::ranges::find(code.headers, header, &Headers::value_type::first) != code.headers.end();
  if (!is_known) code.headers.emplace_back(header, "");
  return !is_known;
}

/// The text that a message is about: the file's own, or a header's.
std::string* text_called(const Source& source, DeviceCode& code, const std::string& name) {
  if (name == source.name || name == "./" + source.name) return &code.text;
  for (auto& [header, text] : code.headers) {
    const bool is_it = header == name || header.ends_with("/" + name);
    if (is_it || name.ends_with("/" + header)) return &text;
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
      const auto header = name.substr(folder.size() + 1);
      const bool is_known = std::any_of(code.headers.begin(), code.headers.end(),
                                        [&](const auto& one) { return one.first == header; });
      if (const auto slash = header.find('/'); slash != std::string::npos) {
        changed = take_library(header.substr(0, slash), code) || changed;
        continue;
      }
      if (is_known) continue;
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

/// Gives the device's code the part of the standard library that the toolkit has for it.
bool add_standard_library(const std::string& log, DeviceCode& code) {
  auto& known = std::ranges::find(code.headers, known_header, &Headers::value_type::first)->second;
  const bool lacks =
      log.find("\"std\" has no member") != std::string::npos ||
      log.find("followed by \"::\" must be a class or namespace") != std::string::npos;
  if (!lacks || known.find(standard_library) != std::string::npos) return false;
  known += standard_library;
  return true;
}

Compiled compile_in_rounds(const Source& source) {
  auto code = device_code_of(source);
  Compiled compiled;
  for (int round = 0; !compile_once(source, code, compiled); ++round) {
    const auto& log = compiled.log;
    const bool changed = add_missing_header(log, code) || add_standard_library(log, code) ||
                         take_away(source, log, code);
    if (changed && round < most_rounds) continue;
    const bool takes_all_of_cub = source.text.find("cub/cub.cuh") != std::string::npos;
    std::string absent;
    for (const auto& [name, text] : code.headers) {
      const auto names = [&](const auto& other) {
        return text.empty() && other.second.find('"' + name + '"') != std::string::npos;
      };
      if (names(std::pair("", code.text)) || std::ranges::any_of(code.headers, names))
        absent += "\nNVRTC did not find " + name;
    }
    throw std::runtime_error(
        shortened_log(log) + absent +
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
