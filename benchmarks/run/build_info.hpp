#pragma once

namespace apod::run {

extern const char* const build_version;
extern const char* const build_compiler;
extern const char* const build_cuda_compiler;  ///< nvcc's version; "" in a host-only build
extern const char* const build_type;
extern const char* const build_commit;  ///< "" where the sources are no git checkout

}  // namespace apod::run
