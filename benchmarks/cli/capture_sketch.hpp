#pragma once

/// \file
/// A kernel to begin with, in the place of a captured one.

#include <string>

namespace apod::cli {

struct CaptureSketch {
  std::string source;      ///< of NAME.cu
  std::string experiment;  ///< of NAME.yaml
};

/// For the capture in `folder`: an argument for each pointer and each scalar of the captured
/// parameters, also of those within structs; what the launch changed is an output. Types are
/// guesses, and said to be. Throws std::runtime_error as files::read_captured_folder() does.
CaptureSketch sketch_of_capture(const std::string& folder, const std::string& name);

}  // namespace apod::cli
