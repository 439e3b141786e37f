/// \file
/// load_array and array_shape, for the two formats of data files. Strict: nothing is allocated
/// before the file's size agrees with its header.
///
/// .npy: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
/// .pgm: see pgm.hpp

#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "kernels/data/array_error.hpp"
#include "kernels/data/data.hpp"
#include "kernels/data/pgm.hpp"

namespace apod {
namespace {

using array_error::fail;
using array_error::fail_longer;

static_assert(std::endian::native == std::endian::little,
              "files are little-endian, and values are not converted");

std::string quoted(std::string_view text) {
  return std::string(1, '\'').append(text).append(1, '\'');
}

/// An open file that knows how much of it is left.
class Input {
 public:
  explicit Input(const std::string& path) {
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (status.type() == std::filesystem::file_type::not_found) fail("no such file");
    if (status.type() == std::filesystem::file_type::none) fail_open(error);
    if (!std::filesystem::is_regular_file(status)) fail("is not a regular file");
    errno = 0;
    stream_.open(path, std::ios::binary);
    if (!stream_) fail_open({errno, std::generic_category()});
    left_ = std::filesystem::file_size(path, error);
    if (error) fail_open(error);
  }

  std::uint64_t left() const { return left_; }

  void read(std::span<std::byte> into) {
    if (into.size() > left_) fail("is truncated");
    stream_.read(reinterpret_cast<char*>(into.data()), static_cast<std::streamsize>(into.size()));
    if (stream_.gcount() != std::ssize(into)) fail("could not be read to its end");
    left_ -= into.size();
  }

  std::string text(std::uint64_t bytes) {
    if (bytes > left_) fail("is truncated");
    std::string text(bytes, '\0');
    read(std::as_writable_bytes(std::span(text)));
    return text;
  }

 private:
  [[noreturn]] static void fail_open(const std::error_code& error) {
    fail("can't be opened: " + error.message());
  }

  std::ifstream stream_;
  std::uint64_t left_ = 0;
};

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return value;
}

constexpr std::string_view npy_magic = "\x93NUMPY";

/// The header of a .npy file is a Python dictionary of three keys, in any order:
/// {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
class NpyHeader {
 public:
  explicit NpyHeader(std::string_view text) : left_(text) {
    expect('{');
    while (!accept('}')) {
      const auto key = word();
      expect(':');
      if (key == "descr" && descr_.empty()) {
        if (peek() == '[') fail("contains records; only float32 and float64 arrays can be read");
        descr_ = word();
      } else if (key == "fortran_order" && order_.empty()) {
        order_ = name();
      } else if (key == "shape" && !has_shape_) {
        read_shape();
      } else {
        fail("has an unexpected key " + quoted(key) + " in its header");
      }
      if (!accept(',') && peek() != '}') fail_syntax();
    }
    if (peek() != '\0' || !left_.empty()) fail_syntax();
    if (descr_.empty() || order_.empty() || !has_shape_) {
      fail("has a header without 'descr', 'fortran_order' or 'shape'");
    }
  }

  std::string_view descr() const { return descr_; }
  std::string_view fortran_order() const { return order_; }
  const std::vector<std::int64_t>& shape() const { return shape_; }

 private:
  [[noreturn]] static void fail_syntax() { fail("has a .npy header that can't be read"); }

  /// The next character that is no space; 0 at the end.
  char peek() {
    const auto at = left_.find_first_not_of(" \n");
    left_.remove_prefix(std::min(at, left_.size()));
    return left_.empty() ? '\0' : left_.front();
  }
  bool accept(char wanted) {
    if (left_.empty() || peek() != wanted) return false;
    left_.remove_prefix(1);
    return true;
  }
  void expect(char wanted) {
    if (!accept(wanted)) fail_syntax();
  }
  std::string_view take(std::size_t count) {
    const auto taken = left_.substr(0, count);
    left_.remove_prefix(taken.size());
    return taken;
  }

  /// A quoted word; never empty.
  std::string_view word() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') fail_syntax();
    take(1);
    const auto end = left_.find(quote);
    if (end == 0 || end == std::string_view::npos) fail_syntax();
    const auto text = take(end);
    take(1);
    return text;
  }
  /// True or False.
  std::string_view name() {
    peek();
    for (const std::string_view known : {"True", "False"}) {
      if (left_.starts_with(known)) return take(known.size());
    }
    fail_syntax();
  }
  void read_shape() {
    expect('(');
    while (!accept(')')) {
      peek();
      std::int64_t side = 0;
      const auto [end, error] = std::from_chars(left_.data(), left_.data() + left_.size(), side);
      if (error == std::errc::result_out_of_range) fail("has a dimension of more than 63 bits");
      if (error != std::errc{} || side < 0) fail_syntax();
      take(static_cast<std::size_t>(end - left_.data()));
      shape_.push_back(side);
      if (!accept(',') && peek() != ')') fail_syntax();
    }
    has_shape_ = true;
  }

  std::string_view left_;
  std::string_view descr_;
  std::string_view order_;
  std::vector<std::int64_t> shape_;
  bool has_shape_ = false;
};

/// A shape of one or two sides whose elements, `size` bytes each, fill what is left of the file.
Shape npy_shape(const std::vector<std::int64_t>& sides, std::uint64_t size, std::uint64_t left) {
  if (sides.empty()) fail("contains a scalar, but a vector or an image is needed");
  if (sides.size() > 2) {
    fail("has " + std::to_string(sides.size()) + " dimensions, but a vector or an image is needed");
  }
  const Shape shape{sides.size() == 2 ? sides.front() : 1, sides.back()};
  const std::string text = to_string(shape);
  if (shape.rows == 0 || shape.cols == 0) fail("is empty: its shape is " + text);
  const std::uint64_t held = left / size;
  const auto rows = static_cast<std::uint64_t>(shape.rows);
  const auto cols = static_cast<std::uint64_t>(shape.cols);
  if (rows > held / cols) {
    fail("is truncated: its shape is " + text + ", but it has only " + std::to_string(held) +
         " values");
  }
  if (rows * cols * size != left) {
    fail_longer(text, left - rows * cols * size);
  }
  return shape;
}

/// Reads all values, which are stored as T, and keeps them as fp32.
template <class T>
Floats read_values(Input& input, std::size_t count) {
  Floats values(count);
  std::vector<T> stored(std::min(count, std::size_t{1} << 16));
  for (std::size_t done = 0; done < count; done += stored.size()) {
    const auto block = std::span(stored).first(std::min(stored.size(), count - done));
    input.read(std::as_writable_bytes(block));
    for (std::size_t i = 0; i < block.size(); ++i) {
      // Also false for NaN. One infinity would make every sum, and so every reference, useless.
      if (!(std::abs(block[i]) <= T{std::numeric_limits<float>::max()})) {
        fail("value " + std::to_string(done + i) + " is " + std::to_string(block[i]) +
             "; every value must be finite in fp32");
      }
      values[done + i] = static_cast<float>(block[i]);
    }
  }
  return values;
}

struct NpyArray {
  Shape shape;
  bool is_double = false;  ///< stored as fp64
};

/// Reads the header and leaves `input` at the first value.
NpyArray read_npy_header(Input& input) {
  const std::string version = input.text(2);
  const int major = static_cast<unsigned char>(version[0]);
  if (major != 1 && major != 2) {
    fail("has .npy version " + std::to_string(major) + "; bench reads versions 1 and 2");
  }
  const std::uint64_t length = little_endian(input.text(major == 1 ? 2 : 4));
  if (length > std::uint64_t{1} << 20 && length <= input.left()) {
    fail("has a .npy header of " + std::to_string(length) + " bytes; the limit is 1 MiB");
  }
  const std::string text = input.text(length);
  const NpyHeader header(text);
  const auto descr = header.descr();
  if (descr != "<f4" && descr != "<f8") {
    if (descr == ">f4" || descr == ">f8") {
      fail("is big-endian (" + quoted(descr) + "); save it with .astype('<f4')");
    }
    fail("holds " + quoted(descr) +
         " values; float32 ('<f4') and float64 ('<f8') can be read, so save it with "
         ".astype('<f4')");
  }
  if (header.fortran_order() == "True") {
    fail("is in Fortran order; save it with numpy.ascontiguousarray(...)");
  }
  const bool is_double = descr == "<f8";
  return {npy_shape(header.shape(), is_double ? 8 : 4, input.left()), is_double};
}

LoadedArray read_npy(Input& input) {
  const auto [shape, is_double] = read_npy_header(input);
  const auto count = static_cast<std::size_t>(shape.rows * shape.cols);
  return {shape, is_double ? read_values<double>(input, count) : read_values<float>(input, count)};
}

enum class Format : std::uint8_t { npy, plain_pgm, raw_pgm };

/// By the file's first bytes, which are read.
Format read_format(Input& input) {
  const std::string magic = input.text(std::min<std::uint64_t>(2, input.left()));
  if (magic == "P2") return Format::plain_pgm;
  if (magic == "P5") return Format::raw_pgm;
  if (magic == npy_magic.substr(0, 2) &&
      input.text(std::min<std::uint64_t>(4, input.left())) == npy_magic.substr(2)) {
    return Format::npy;
  }
  fail("is neither a .npy file nor a .pgm file of type P2 or P5");
}

/// Opens the file and calls read(input, format). Errors get the file's name in front.
template <class Read>
auto with_file(const std::string& path, const Read& read) {
  try {
    Input input(path);
    const Format format = read_format(input);
    return read(input, format);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(path + ": " + error.what());
  }
}

}  // namespace

LoadedArray load_array(const std::string& path) {
  return with_file(path, [](Input& input, Format format) {
    if (format == Format::npy) return read_npy(input);
    return read_pgm(format == Format::plain_pgm, input.text(input.left()));
  });
}

Shape array_shape(const std::string& path) {
  return with_file(path, [](Input& input, Format format) {
    if (format == Format::npy) return read_npy_header(input).shape;
    // Three numbers and comments, as many as fit.
    constexpr std::uint64_t longest_header = 1 << 20;
    const std::string text = input.text(std::min(input.left(), longest_header));
    return read_pgm_header(format == Format::plain_pgm, text, input.left()).shape;
  });
}

}  // namespace apod
