#include "kernels/backends/cuda/files/nvrtc.hpp"

#include <cuda_runtime_api.h>

#include <stdexcept>

#include "kernels/backends/cuda/library.hpp"

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

std::string shortened_log(std::string log) {
  constexpr std::size_t most = 4000;
  if (log.size() > most) log = log.substr(0, log.rfind('\n', most)) + "\n...";
  while (!log.empty() && (log.back() == '\n' || log.back() == ' ')) log.pop_back();
  return log;
}

}  // namespace

std::string nvrtc_missing() {
  return nvrtc_library().missing();
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

Compiled nvrtc_compile(const Source& source) {
  ProgramOwner owner;
  using Create = NvrtcResult(NvrtcProgram*, const char*, const char*, int, const char* const*,
                             const char* const*);
  demand(nvrtc_function<Create>("nvrtcCreateProgram")(&owner.program, source.text.c_str(),
                                                      source.name.c_str(), 0, nullptr, nullptr),
         "nvrtcCreateProgram");
  for (const auto& kernel : source.kernels) {
    demand(nvrtc_function<NvrtcResult(NvrtcProgram, const char*)>("nvrtcAddNameExpression")(
               owner.program, kernel.c_str()),
           "nvrtcAddNameExpression");
  }
  std::vector<const char*> options;
  for (const auto& option : source.options) options.push_back(option.c_str());
  const auto result = nvrtc_function<NvrtcResult(NvrtcProgram, int, const char* const*)>(
      "nvrtcCompileProgram")(owner.program, static_cast<int>(options.size()), options.data());
  Compiled compiled;
  compiled.log =
      shortened_log(program_text(owner.program, "nvrtcGetProgramLogSize", "nvrtcGetProgramLog"));
  if (result != 0) {
    if (!compiled.log.empty()) throw std::runtime_error(compiled.log);
    demand(result, "nvrtcCompileProgram");
  }
  for (const auto& kernel : source.kernels) {
    const char* name = nullptr;
    demand(nvrtc_function<NvrtcResult(NvrtcProgram, const char*, const char**)>(
               "nvrtcGetLoweredName")(owner.program, kernel.c_str(), &name),
           "nvrtcGetLoweredName");
    compiled.mangled[kernel] = name;
  }
  std::size_t size = 0;
  demand(nvrtc_function<NvrtcResult(NvrtcProgram, std::size_t*)>("nvrtcGetCUBINSize")(owner.program,
                                                                                      &size),
         "nvrtcGetCUBINSize");
  compiled.image.resize(size);
  demand(nvrtc_function<NvrtcResult(NvrtcProgram, char*)>("nvrtcGetCUBIN")(
             owner.program, reinterpret_cast<char*>(compiled.image.data())),
         "nvrtcGetCUBIN");
  compiled.ptx = program_text(owner.program, "nvrtcGetPTXSize", "nvrtcGetPTX");
  return compiled;
}

}  // namespace apod::cuda
