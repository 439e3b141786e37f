#include "benchmarks/results/json_source.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string_view>

#include "benchmarks/text/plain.hpp"

namespace apod::results {
namespace {

constexpr std::size_t block_bytes = 1 << 20;
/// What the parser gets for a hidden value; the key's colon is behind us by then.
constexpr std::string_view substitute = ":null";

enum class Kind : std::uint8_t { wrong, separator, scalar, quote, open, close };

/// What a character means outside of strings.
constexpr std::array<Kind, 256> kinds = [] {
  std::array<Kind, 256> table{};
  const auto put = [&table](std::string_view characters, Kind kind) {
    for (const unsigned char c : characters) table[c] = kind;
  };
  put(" \t\r\n,:", Kind::separator);
  put("0123456789+-.eEtrufalsn", Kind::scalar);
  put("\"", Kind::quote);
  put("{[", Kind::open);
  put("}]", Kind::close);
  return table;
}();

Kind kind_of(char c) {
  return kinds[static_cast<unsigned char>(c)];
}

bool is_plain(char c) {
  return kind_of(c) == Kind::separator || kind_of(c) == Kind::scalar;
}

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

bool is_hex(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/// Whether a character of a string stands for itself, alone.
bool is_simple(char c) {
  return c != '"' && c != '\\' && c >= 0x20 && static_cast<unsigned char>(c) < 0x80;
}

}  // namespace

bool holds(const Keys& keys, std::string_view key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

JsonSource::JsonSource(const std::string& file) : buffer_(substitute.size() + block_bytes) {
  at_ = block_end_ = buffer_.data() + substitute.size();
  in_.rdbuf()->pubsetbuf(nullptr, 0);  // the block is the buffer
  in_.open(file, std::ios::binary);
  if (!in_) throw std::runtime_error(std::string("can't be opened: ") + std::strerror(errno));
}

bool JsonSource::next_block() {
  char* const block = buffer_.data() + substitute.size();
  in_.read(block, block_bytes);
  at_ = block;
  block_end_ = block + in_.gcount();
  ended_ = at_ == block_end_;
  return !ended_;
}

bool JsonSource::hide_value(const Keys& hidden, std::size_t max_depth) {
  do {
    if (!skip_value(max_depth)) return false;
  } while (skip_key(hidden));
  at_ -= substitute.size();
  std::copy(substitute.begin(), substitute.end(), at_);
  return true;
}

/// A colon and what follows it.
bool JsonSource::skip_value(std::size_t max_depth) {
  if (!skip_blanks() || *at_ != ':') return false;
  ++at_;
  if (!skip_blanks()) return false;
  switch (kind_of(*at_)) {
    case Kind::open:
      return skip_container(max_depth);
    case Kind::quote:
      return skip_string();
    case Kind::scalar:
      return skip_scalar();
    default:
      return false;
  }
}

/// A comma and a key that is to be hidden. Passes over nothing where something else follows, or
/// where the block ends before that is known; it is the parser's then.
bool JsonSource::skip_key(const Keys& hidden) {
  char* at = at_;
  const auto skip = [&](char wanted) {
    while (at != block_end_ && is_blank(*at)) ++at;
    return at != block_end_ && *at++ == wanted;
  };
  if (!skip(',') || !skip('"')) return false;
  // A key with an escape is not found, which costs time and nothing else.
  char* const end = std::find(at, block_end_, '"');
  if (end == block_end_ || !holds(hidden, std::string_view(at, end))) return false;
  at_ = end + 1;
  return true;
}

bool JsonSource::skip_scalar() {
  while (!at_end() && kind_of(*at_) == Kind::scalar) ++at_;
  return true;
}

bool JsonSource::skip_blanks() {
  while (!at_end()) {
    if (!is_blank(*at_)) return true;
    ++at_;
  }
  return false;
}

bool JsonSource::skip_container(std::size_t max_depth) {
  std::string open;
  while (!at_end()) {
    switch (kind_of(*at_)) {
      case Kind::separator:
      case Kind::scalar:
        // Most of what is hidden are long arrays of numbers.
        while (at_ != block_end_ && is_plain(*at_)) ++at_;
        break;
      case Kind::quote:
        if (!skip_string()) return false;
        break;
      case Kind::open:
        open += *at_++;
        if (open.size() > max_depth) return false;
        break;
      case Kind::close:
        if ((open.back() == '{') != (*at_ == '}')) return false;
        ++at_;
        open.pop_back();
        if (open.empty()) return true;
        break;
      default:
        return false;
    }
  }
  return false;
}

bool JsonSource::skip_string() {
  ++at_;  // the quote
  while (!at_end()) {
    while (at_ != block_end_ && is_simple(*at_)) ++at_;
    if (at_ == block_end_) continue;
    if (*at_ == '"') {
      ++at_;
      return true;
    }
    if (!(*at_ == '\\' ? skip_escape() : skip_sequence())) return false;
  }
  return false;
}

bool JsonSource::skip_escape() {
  ++at_;  // the backslash
  if (at_end()) return false;
  const char kind = *at_++;
  if (kind != 'u') return std::string_view("\"\\/bfnrt").find(kind) != std::string_view::npos;
  for (int digit = 0; digit < 4; ++digit) {
    if (at_end() || !is_hex(*at_)) return false;
    ++at_;
  }
  return true;
}

/// One character of several bytes; a control character is none.
bool JsonSource::skip_sequence() {
  std::string bytes;
  do {
    bytes += *at_++;
    if (bytes.size() > 1 && text::sequence_length(bytes) == bytes.size()) return true;
  } while (bytes.size() < 4 && !at_end());
  return false;
}

}  // namespace apod::results
