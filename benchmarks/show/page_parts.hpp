#pragma once

/// \file
/// page.css and page.js, as they are built in. Internal to report/.

namespace apod::show {

extern const char* const page_style;
extern const char* const page_script;

}  // namespace apod::show
