#pragma once

#include <string>

namespace apod::os {

/// Call once, before anything else: makes a file size limit (ulimit -f) an error like a full disk
/// rather than the end of the process. Returns why nothing can work here: the working folder is
/// gone, or the stack may not grow. Empty if all is well.
std::string prepare_process();

}  // namespace apod::os
