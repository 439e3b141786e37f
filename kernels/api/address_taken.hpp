#pragma once

namespace apod::capture {

/// In the message of a captured launch's case whose addresses are taken in its process. Processes
/// have other layouts, so the next one may have room.
inline constexpr const char* address_taken = "is taken in this process";

}  // namespace apod::capture
