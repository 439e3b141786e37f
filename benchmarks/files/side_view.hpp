#pragma once

#include <memory>

#include "benchmarks/files/events.hpp"
#include "benchmarks/files/side_builder.hpp"

namespace apod::files {

/// Takes the events of one file, which SideBuilder::begin has announced, and puts into the side
/// what a comparison needs of each case.
std::unique_ptr<Events> side_view(SideBuilder& side);

}  // namespace apod::files
