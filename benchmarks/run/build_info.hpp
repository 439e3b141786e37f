#pragma once

namespace apod::run {

/// Of fixed length, so that another commit does not move what follows in the program.
using Stamp = const char[64];

extern Stamp build_version;
extern Stamp build_compiler;
extern Stamp build_cuda_compiler;  ///< nvcc's version; "" in a host-only build
extern Stamp build_type;
extern Stamp build_commit;  ///< "" if the sources are not a git checkout

}  // namespace apod::run
