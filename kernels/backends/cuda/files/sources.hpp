#pragma once

/// \file
/// The source of a kernel file with its includes from its folder, and what can be read from it
/// without compiling.

#include <string>
#include <utility>
#include <vector>

#include "kernels/files/spec.hpp"

namespace apod::cuda {

struct Sources {
  /// Name as included, and text; the file itself comes first. Headers of the toolkit are left out.
  std::vector<std::pair<std::string, std::string>> files;
  /// Whether these are all. An include that is a macro may name any file.
  bool complete = true;
  /// Paths of the spec's further sources that no file includes; into `files`, too.
  std::vector<std::pair<std::string, std::size_t>> further;
  /// Those of the spec's flags -I; absolute.
  std::vector<std::string> folders;
};

/// Whether a flag is -IFOLDER, a folder of includes.
bool names_folder(const std::string& flag);

/// Reads a file of the spec and the headers of its folder and of those of its flags. Throws
/// std::runtime_error if a file can't be read, and for more than 200 files or 8 MiB. Unless files
/// may lie outside of the folder, it also throws for a flag that names a folder outside, for an
/// include that is a macro, and for one that is neither in the folder nor a header of the toolkit.
Sources read_sources(const file::KernelSpec& spec, const std::string& file);

/// The names of the kernels in a source. Macros are not expanded.
std::vector<std::string> kernels_in(const std::string& source);

/// The compiler's messages on a file of the spec; unless files may lie outside, only those that
/// show lines of the spec's folder or of the toolkit.
std::string own_messages(const file::KernelSpec& spec, const std::string& file,
                         const std::string& log);

/// The toolkit's header folders: CUDA's own, and those of CUB, Thrust and libcu++. Empty if there
/// is no toolkit.
std::vector<std::string> toolkit_includes();

}  // namespace apod::cuda
