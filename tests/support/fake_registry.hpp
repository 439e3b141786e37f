#pragma once

#include "kernels/api/registry.hpp"

namespace apod::test {

/// A registry for tests of configs and plans: families with axes of every kind, variants that only
/// have names. `sum` (size, accumulator fp32|fp64, repeats) has fast and slow (cuda), unbuilt
/// (cuda, only in the sources) and host; `blur` (size as a shape, mask 1..31, even ones rejected)
/// has tile (cuda) and host.
Registry fake_registry();

}  // namespace apod::test
