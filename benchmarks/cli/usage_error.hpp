#pragma once

#include <stdexcept>

namespace apod::cli {

/// A command line that can't be followed. The message names the flag and says what to write.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace apod::cli
