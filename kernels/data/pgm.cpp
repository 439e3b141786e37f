#include "kernels/data/pgm.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <system_error>
#include <vector>

#include "kernels/data/array_error.hpp"

namespace apod {
namespace {

using array_error::fail;
using array_error::fail_longer;

bool is_space(char c) {
  return std::string_view(" \t\n\v\f\r").find(c) != std::string_view::npos;
}

/// The decimal numbers of a .pgm file. A # starts a comment that ends with its line.
class PgmText {
 public:
  explicit PgmText(std::string_view text) : left_(text) {}

  /// The next number; `what` names it in an error.
  std::int64_t number(const std::string& what) {
    skip();
    if (left_.empty()) fail("is truncated: it ends before " + what);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(left_.data(), left_.data() + left_.size(), value);
    const auto digits = static_cast<std::size_t>(end - left_.data());
    const bool ends = digits == left_.size() || is_space(left_[digits]) || left_[digits] == '#';
    if (error != std::errc{} || value < 0 || !ends) fail("has no number for " + what);
    left_.remove_prefix(digits);
    return value;
  }

  /// What follows the one space that ends the header.
  std::string_view raster() {
    if (left_.empty() || !is_space(left_.front()))
      fail("has no blank or line end after its largest grey value");
    return left_.substr(1);
  }

  /// Skips spaces and comments; what is left.
  std::string_view skip() {
    while (!left_.empty() && (is_space(left_.front()) || left_.front() == '#')) {
      const auto length = left_.front() == '#' ? left_.find('\n') : 1;
      left_.remove_prefix(std::min(length, left_.size()));
    }
    return left_;
  }

 private:
  std::string_view left_;
};

}  // namespace

PgmHeader read_pgm_header(bool plain, std::string_view text, std::uint64_t unread) {
  PgmText header(text);
  Shape shape;
  shape.cols = header.number("its width");
  shape.rows = header.number("its height");
  const std::int64_t white = header.number("its largest grey");
  if (shape.cols == 0 || shape.rows == 0) fail("is empty: its shape is " + to_string(shape));
  if (white < 1 || white > 65535) {
    fail("has " + std::to_string(white) + " as its largest grey value, which must be 1 to 65535");
  }
  const std::string_view raster = header.raster();

  // The fewest bytes that hold the image: a plain grey is a digit and, but for the last, a space.
  const std::uint64_t size = plain || white > 255 ? 2 : 1;
  const std::uint64_t bytes = raster.size() + unread;
  const auto held = static_cast<std::int64_t>((bytes + (plain ? 1 : 0)) / size);
  if (shape.rows > held / shape.cols) {
    fail("is truncated: its shape is " + to_string(shape) + ", but it has at most " +
         std::to_string(held) + " grey values");
  }
  const auto count = static_cast<std::uint64_t>(shape.rows * shape.cols);
  if (!plain && bytes != count * size) fail_longer(to_string(shape), bytes - count * size);
  return {shape, white, raster};
}

LoadedArray read_pgm(bool plain, std::string_view text) {
  const auto [shape, white, raster] = read_pgm_header(plain, text, 0);
  const std::size_t size = white > 255 ? 2 : 1;
  const auto count = static_cast<std::size_t>(shape.rows * shape.cols);
  PgmText greys(raster);
  Floats values(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::int64_t grey = 0;
    if (plain) {
      grey = greys.number("grey " + std::to_string(i));
    } else {  // big-endian where it has two bytes
      for (const char byte : raster.substr(i * size, size)) {
        grey = grey << 8 | static_cast<unsigned char>(byte);
      }
    }
    if (grey > white) {
      fail("grey value " + std::to_string(i) + " is " + std::to_string(grey) +
           ", above the largest grey value of the header, " + std::to_string(white));
    }
    values[i] = static_cast<float>(grey) / static_cast<float>(white);
  }
  if (plain && !greys.skip().empty())
    fail("has more grey values than its shape, " + to_string(shape) + ", needs");
  return {shape, std::move(values)};
}

}  // namespace apod
