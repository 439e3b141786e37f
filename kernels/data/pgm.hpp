#pragma once

/// \file
/// Grey images, https://netpbm.sourceforge.net/doc/pgm.html: type P2 is plain text, P5 has raw
/// greys. Both functions get the text after the two letters of the type. They throw
/// std::runtime_error for malformed text.

#include <cstdint>
#include <string_view>

#include "kernels/data/data.hpp"

namespace apod {

struct PgmHeader {
  Shape shape;
  std::int64_t white = 0;   ///< the largest grey
  std::string_view raster;  ///< what follows the header in the text that was given
};
/// The header at the start of `text`, which `unread` bytes follow in the file.
PgmHeader read_pgm_header(bool plain, std::string_view text, std::uint64_t unread);

/// The whole image, its greys scaled to [0, 1].
LoadedArray read_pgm(bool plain, std::string_view text);

}  // namespace apod
