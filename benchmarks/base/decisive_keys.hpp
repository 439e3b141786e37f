#pragma once

#include <array>
#include <string_view>

namespace apod {

/// Keys of SideSession::environment whose values must be equal for times to be comparable, in the
/// order of a report.
inline constexpr std::array<std::string_view, 9> decisive_keys{
    "backend", "gpu", "mig", "ecc", "power_limit_w", "driver", "cuda", "cpu", "build_type"};

}  // namespace apod
