#include "kernels/backends/cuda/files/compiler.hpp"

#include <stdexcept>

namespace apod::cuda {
namespace {

const FoundCompiler& nvcc() {
  static const auto found = find_nvcc();
  return found;
}
const FoundCompiler& nvrtc() {
  static const auto found = find_nvrtc();
  return found;
}

}  // namespace

const Compiler& compiler_for(const file::KernelSpec& spec) {
  using Choice = file::CompilerChoice;
  const bool takes_nvcc = spec.compiler == Choice::nvcc ||
                          (spec.compiler == Choice::any && nvcc().compiler.has_value());
  const auto& found = takes_nvcc ? nvcc() : nvrtc();
  if (!found.compiler) throw std::runtime_error(found.why_not);
  return *found.compiler;
}

std::string compiler_missing() {
  return nvcc().compiler || nvrtc().compiler ? "" : nvcc().why_not + "; " + nvrtc().why_not;
}

std::string shortened_log(std::string log) {
  constexpr std::size_t most = 4000;
  // Warnings may be ahead of the error that matters.
  const auto error = log.size() > most ? log.find("error") : std::string::npos;
  if (error != std::string::npos && error > most / 2) {
    const auto line = log.rfind('\n', error);
    if (line != std::string::npos) log.erase(0, line + 1);
  }
  if (log.size() > most) log = log.substr(0, log.rfind('\n', most)) + "\n...";
  while (!log.empty() && (log.back() == '\n' || log.back() == ' ')) log.pop_back();
  return log;
}

}  // namespace apod::cuda
