#pragma once

#include <cstddef>

namespace apod::gemm {

/// What cuBLAS asks for on its largest devices (its documentation, cublasSetWorkspace: 32 MiB on
/// Hopper and later, 4 MiB elsewhere).
inline constexpr std::size_t workspace_bytes = std::size_t{32} << 20;

}  // namespace apod::gemm
