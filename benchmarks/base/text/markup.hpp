#pragma once

#include <string>
#include <string_view>

namespace apod::text {

/// Printable text as XML 1.0 and HTML have it, between tags or in a quoted attribute. U+FFFE and
/// U+FFFF are characters of UTF-8 that XML has no room for.
std::string as_markup(std::string_view text);

/// SHA-256 of `bytes` (FIPS 180-4) in base 64 (RFC 4648), as a page's policy names what it allows.
std::string sha256_base64(std::string_view bytes);

}  // namespace apod::text
