#pragma once

#include <string>
#include <string_view>

namespace apod::text {

/// SHA-256 of `bytes` (FIPS 180-4) in base 64 (RFC 4648), as a page's policy names what it allows.
std::string sha256_base64(std::string_view bytes);

}  // namespace apod::text
