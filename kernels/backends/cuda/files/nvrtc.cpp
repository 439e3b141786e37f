/// \file
/// NVRTC, which is opened at run time.

#include <cuda_runtime_api.h>

#include <array>
#include <stdexcept>
#include <utility>

#include "kernels/backends/cuda/files/compiler.hpp"
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

struct ProgramOwner {
  ~ProgramOwner() {
    (void)nvrtc_function<NvrtcResult(NvrtcProgram*)>("nvrtcDestroyProgram")(&program);
  }
  NvrtcProgram program = nullptr;
};

/// A text that NVRTC hands out, without its terminating 0.
std::string program_text(NvrtcProgram program, const char* size_name, const char* name) {
  std::size_t size = 0;
  demand(nvrtc_function<NvrtcResult(NvrtcProgram, std::size_t*)>(size_name)(program, &size),
         size_name);
  std::string text(size, '\0');
  if (size > 0)
    demand(nvrtc_function<NvrtcResult(NvrtcProgram, char*)>(name)(program, text.data()), name);
  if (!text.empty() && text.back() == '\0') text.pop_back();
  return text;
}

std::string nvrtc_version() {
  int major = 0;
  int minor = 0;
  demand(nvrtc_function<NvrtcResult(int*, int*)>("nvrtcVersion")(&major, &minor), "nvrtcVersion");
  return std::to_string(major) + "." + std::to_string(minor);
}

std::vector<int> nvrtc_architectures() {
  int count = 0;
  demand(nvrtc_function<NvrtcResult(int*)>("nvrtcGetNumSupportedArchs")(&count),
         "nvrtcGetNumSupportedArchs");
  std::vector<int> all(static_cast<std::size_t>(count));
  demand(nvrtc_function<NvrtcResult(int*)>("nvrtcGetSupportedArchs")(all.data()),
         "nvrtcGetSupportedArchs");
  return all;
}

std::vector<std::string> options_of(const Source& source) {
  // As nvcc takes lambdas and constexpr functions in a kernel.
  std::vector<std::string> options{"-arch=" + source.architecture, "-default-device"};
  for (const auto& flag : source.flags) {
    const bool is_nvccs = flag.find("-expt-") != std::string::npos ||
                          flag.find("-extended-lambda") != std::string::npos;
    if (!is_nvccs) options.push_back(flag);
  }
  options.push_back("-I" + source.path.substr(0, source.path.rfind('/')));
  for (const auto& folder : source.toolkit) options.push_back("-I" + folder);
  return options;
}

/// Headers of the host's library, which NVRTC has not: with what device code takes from them.
constexpr const char* integers = "#include <cuda/std/cstdint>\n";
constexpr const char* limits =
    "#define FLT_MAX 3.402823466e+38F\n#define FLT_MIN 1.175494351e-38F\n"
    "#define FLT_EPSILON 1.192092896e-07F\n#define DBL_MAX 1.7976931348623157e+308\n"
    "#define INT_MAX 2147483647\n#define INT_MIN (-2147483647 - 1)\n#define UINT_MAX 4294967295U\n";
constexpr const char* mathematics =
    "#define M_PI 3.14159265358979323846\n#define INFINITY __int_as_float(0x7f800000)\n";
constexpr std::array<std::pair<const char*, const char*>, 34> host_headers{
    {{"cstdint", integers}, {"stdint.h", integers}, {"cfloat", limits},     {"float.h", limits},
     {"climits", limits},   {"limits.h", limits},   {"cmath", mathematics}, {"math.h", mathematics},
     {"cstdio", ""},        {"stdio.h", ""},        {"cstdlib", ""},        {"stdlib.h", ""},
     {"cstring", ""},       {"string.h", ""},       {"iostream", ""},       {"vector", ""},
     {"string", ""},        {"algorithm", ""},      {"cassert", ""},        {"assert.h", ""},
     {"chrono", ""},        {"random", ""},         {"memory", ""},         {"functional", ""},
     {"numeric", ""},       {"fstream", ""},        {"sstream", ""},        {"iomanip", ""},
     {"map", ""},           {"stdexcept", ""},      {"time.h", ""},         {"ctime", ""},
     {"sys/time.h", ""},    {"unistd.h", ""}}};

Compiled compile_by_nvrtc(const Source& source) {
  const auto text = source::device_source(source.text) + "\n#line 1 \"" + appended_name + "\"\n" +
                    source.appended;
  // It would take a name that begins with - for an option.
  const auto name = (source.name.starts_with('-') ? "./" : "") + source.name;
  ProgramOwner owner;
  using Create = NvrtcResult(NvrtcProgram*, const char*, const char*, int, const char* const*,
                             const char* const*);
  std::vector<const char*> headers;
  std::vector<const char*> names;
  for (const auto& [header, content] : host_headers) {
    names.push_back(header);
    headers.push_back(content);
  }
  demand(nvrtc_function<Create>("nvrtcCreateProgram")(&owner.program, text.c_str(), name.c_str(),
                                                      static_cast<int>(headers.size()),
                                                      headers.data(), names.data()),
         "nvrtcCreateProgram");
  const auto all = options_of(source);
  std::vector<const char*> options;
  for (const auto& option : all) options.push_back(option.c_str());
  const auto result = nvrtc_function<NvrtcResult(NvrtcProgram, int, const char* const*)>(
      "nvrtcCompileProgram")(owner.program, static_cast<int>(options.size()), options.data());
  Compiled compiled;
  compiled.log =
      shortened_log(program_text(owner.program, "nvrtcGetProgramLogSize", "nvrtcGetProgramLog"));
  if (result != 0) {
    const bool takes_all_of_cub = source.text.find("cub/cub.cuh") != std::string::npos;
    if (takes_all_of_cub) {
      compiled.log +=
          "\nNVRTC takes the headers of CUB's parts, such as "
          "<cub/block/block_reduce.cuh>, and not <cub/cub.cuh>, which is the host's too";
    }
    if (!compiled.log.empty()) throw std::runtime_error(compiled.log);
    demand(result, "nvrtcCompileProgram");
  }
  std::size_t size = 0;
  demand(nvrtc_function<NvrtcResult(NvrtcProgram, std::size_t*)>("nvrtcGetCUBINSize")(owner.program,
                                                                                      &size),
         "nvrtcGetCUBINSize");
  compiled.image.resize(size);
  demand(nvrtc_function<NvrtcResult(NvrtcProgram, char*)>("nvrtcGetCUBIN")(
             owner.program, reinterpret_cast<char*>(compiled.image.data())),
         "nvrtcGetCUBIN");
  return compiled;
}

}  // namespace

std::optional<Compiler> find_nvrtc(std::string& why_not) {
  why_not = nvrtc_library().missing();
  if (!why_not.empty()) return std::nullopt;
  return Compiler{.name = "NVRTC",
                  .version = nvrtc_version(),
                  .architectures = nvrtc_architectures(),
                  .compile = compile_by_nvrtc};
}

}  // namespace apod::cuda
