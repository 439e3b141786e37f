#pragma once

/// \file
/// The compilers of kernels that come in files: nvcc where there is one, because their authors use
/// it, and NVRTC otherwise.

#include <array>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/files/spec.hpp"

namespace apod::cuda {

/// The variables that a compiler gets: programs, libraries, flags. Others, such as CPATH, could
/// change the code by files that are not in the key of the cache.
inline constexpr std::array compiler_variables{
    "PATH",       "LD_LIBRARY_PATH",    "CUDA_HOME",        "CUDA_PATH",
    "NVCC_CCBIN", "NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"};

/// The source to compile.
struct Source {
  std::string name;  ///< of the file, for messages
  std::string path;  ///< of the file; absolute
  std::string text;  ///< of the file
  /// What is included from the folders of files and flags: name as included, and text.
  std::vector<std::pair<std::string, std::string>> headers;
  /// Further files of the same program, which come behind it.
  struct Further {
    std::string name, path, text;
  };
  std::vector<Further> further;
  /// Lines of our own behind it. Messages place them in `appended_name`.
  std::string appended;
  std::vector<std::string> flags;    ///< the author's, with macros and folders of includes
  std::vector<std::string> toolkit;  ///< folders of the toolkit's headers
  std::string architecture;          ///< "sm_90"
  /// What the compiler may read beside its own files; nothing: whatever it likes.
  std::optional<std::vector<std::string>> readable;
  bool bounded = false;  ///< in memory: see KernelSpec
};
inline constexpr const char* appended_name = "kernel_names";

struct Compiled {
  std::vector<std::byte> image;  ///< a cubin
  std::string log;               ///< warnings
  double seconds = 0;            ///< that the compiler took
};

/// A limit of this process has ended the compiler. What it said of a source that is not trusted may
/// be of files that are not to be shown: then `log` is empty.
struct LimitReached : std::runtime_error {
  explicit LimitReached(const std::string& what, const std::string& log = "")
      : std::runtime_error("the compiler used up its " + what + (log.empty() ? "" : "\n" + log)) {}
};

/// One that is there. It needs no device and no driver.
struct Compiler {
  std::string name;                ///< "nvcc", "NVRTC"
  std::string version;             ///< "13.0"
  std::vector<int> architectures;  ///< that it compiles for, such as 90 for 9.0, in rising order
  /// Throws std::runtime_error with the compiler's messages, each with its file and line.
  Compiled (*compile)(const Source& source);
};

/// The one that the spec names; if it names none, nvcc where there is one and NVRTC otherwise.
/// Throws std::runtime_error if it is not there.
const Compiler& compiler_for(const file::KernelSpec& spec);
/// Why nothing can be compiled on this machine; empty if something can.
std::string compiler_missing();

struct FoundCompiler {
  std::optional<Compiler> compiler{};
  std::string why_not{};  ///< there is none
};
FoundCompiler find_nvcc();
FoundCompiler find_nvrtc();

/// A log without blank lines at its end, and with at most 4000 characters.
std::string shortened_log(std::string log);

}  // namespace apod::cuda
