#pragma once

namespace apod::run {

/// So long whatever stands there: another commit must not move what follows it in the program.
using Stamp = const char[64];

extern Stamp build_version;
extern Stamp build_compiler;
extern Stamp build_cuda_compiler;  ///< nvcc's version; "" in a host-only build
extern Stamp build_type;
extern Stamp build_commit;  ///< "" where the sources are no git checkout

}  // namespace apod::run
