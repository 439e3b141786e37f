#pragma once

#include <string>

#include "kernels/api/captured_launch.hpp"

namespace apod::files {

/// Reads the manifest of a captured launch, and checks it and the sizes of the files beside it, so
/// that nothing of the folder is mapped or launched that does not fit together. Throws
/// std::runtime_error with the file and the place in it: "f/manifest.json: windows: [2]: ...".
capture::CapturedLaunch read_captured_folder(const std::string& folder);

}  // namespace apod::files
