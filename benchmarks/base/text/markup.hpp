#pragma once

#include <string>
#include <string_view>

namespace apod::text {

/// Printable text as XML 1.0 and HTML have it, between tags or in a quoted attribute. U+FFFE and
/// U+FFFF are characters of UTF-8 that XML has no room for.
std::string as_markup(std::string_view text);

}  // namespace apod::text
