#include "benchmarks/files/json_source.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "benchmarks/base/text/plain.hpp"

namespace apod::files {
namespace {

constexpr std::size_t block_bytes = 1 << 20;

enum class Kind : std::uint8_t { wrong, separator, scalar, quote, open, close };

/// What a character means outside of strings.
constexpr std::array<Kind, 256> kinds = [] {
  std::array<Kind, 256> table{};
  const auto put = [&table](std::string_view characters, Kind kind) {
    for (const unsigned char c : characters) table[c] = kind;
  };
  put(" \t\r\n,:", Kind::separator);
  put("0123456789+-.eEtrufalsnNIiy", Kind::scalar);
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

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Whether a character of a string stands for itself, alone.
bool is_simple(char c) {
  return c != '"' && c != '\\' && c >= 0x20 && static_cast<unsigned char>(c) < 0x80;
}

char closing_of(char opening) {
  return opening == '{' ? '}' : ']';
}

/// The UTF-8 of a code point.
void append(std::string& out, std::uint32_t point) {
  const auto put = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (point < 0x80) return put(point);
  if (point < 0x800) {
    put(0xC0 | point >> 6);
  } else {
    if (point < 0x10000) {
      put(0xE0 | point >> 12);
    } else {
      put(0xF0 | point >> 18);
      put(0x80 | (point >> 12 & 0x3F));
    }
    put(0x80 | (point >> 6 & 0x3F));
  }
  put(0x80 | (point & 0x3F));
}

/// What RFC 8259 calls a number.
enum class NumberForm : std::uint8_t { none, integer, real };

NumberForm number_form_of(std::string_view text) {
  std::size_t at = 0;
  const auto digits = [&] {
    const auto first = at;
    while (at < text.size() && is_digit(text[at])) ++at;
    return at > first;
  };
  const auto is_next = [&](std::string_view any) {
    const bool found = at < text.size() && any.find(text[at]) != any.npos;
    at += found ? 1 : 0;
    return found;
  };
  is_next("-");
  const bool zero = is_next("0");
  if (!zero && !digits()) return NumberForm::none;
  auto kind = NumberForm::integer;
  if (is_next(".")) {
    if (!digits()) return NumberForm::none;
    kind = NumberForm::real;
  }
  if (is_next("eE")) {
    is_next("+-");
    if (!digits()) return NumberForm::none;
    kind = NumberForm::real;
  }
  return at == text.size() ? kind : NumberForm::none;
}

/// What other programs write for a number that is none, though JSON has no such words.
bool is_no_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return text == "NaN" || text == "nan" || text == "Infinity" || text == "inf";
}

template <class Value>
bool is_whole(const std::string& text, Value& value) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end;
}

}  // namespace

bool holds(const Keys& keys, std::string_view key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

JsonSource::JsonSource(std::istream& in, JsonEvents& events, std::function<const Keys*()> hidden,
                       std::size_t max_depth)
    : events_(events),
      hidden_(std::move(hidden)),
      max_depth_(max_depth),
      in_(in),
      block_(std::make_unique_for_overwrite<char[]>(block_bytes)) {
  at_ = block_end_ = block_.get();
}

bool JsonSource::next_block() {
  in_.read(block_.get(), block_bytes);
  at_ = block_.get();
  block_end_ = at_ + in_.gcount();
  return at_ != block_end_;
}

bool JsonSource::tell(bool goes_on) {
  ended_ = !goes_on;
  return goes_on;
}

bool JsonSource::skip_blanks() {
  while (!at_end()) {
    if (!is_blank(*at_)) return true;
    ++at_;
  }
  return false;
}

bool JsonSource::skip_byte_order_mark() {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  if (at_end()) return false;
  if (std::string_view(at_, block_end_).starts_with(mark)) at_ += mark.size();
  return true;
}

JsonSource::End JsonSource::read() {
  bool good = skip_byte_order_mark() && skip_blanks();
  while (good && (wants_value_ || !open_.empty()))
    good = wants_value_ ? one_value() : close_and_find_next();
  if (ended_) return End::ended_by_events;
  return good && !skip_blanks() ? End::whole : End::not_json;
}

/// A whole scalar, or the beginning of a container.
bool JsonSource::one_value() {
  wants_value_ = false;
  switch (kind_of(*at_)) {
    case Kind::quote:
      return text(&text_) && tell(events_.string(text_));
    case Kind::scalar:
      return scalar();
    case Kind::open: {
      const char opening = *at_++;
      open_ += opening;
      const auto unknown = static_cast<std::size_t>(-1);  // the number of elements, to the library
      return tell(opening == '{' ? events_.start_object(unknown) : events_.start_array(unknown)) &&
             first_of(closing_of(opening));
    }
    default:
      return false;
  }
}

/// The first element of a container, unless it has none.
bool JsonSource::first_of(char closing) {
  if (!skip_blanks()) return false;
  if (*at_ == closing) return true;
  if (closing == '}') return member();
  return wants_value_ = true;
}

/// A comma and what follows it, or the end of a container.
bool JsonSource::close_and_find_next() {
  if (!skip_blanks()) return false;
  const char opening = open_.back();
  const char found = *at_++;
  if (found == ',') {
    if (!skip_blanks()) return false;
    if (opening == '{') return member();
    return wants_value_ = true;
  }
  if (found != closing_of(opening)) return false;
  open_.pop_back();
  return tell(opening == '{' ? events_.end_object() : events_.end_array());
}

/// A key, and its value where that is hidden.
bool JsonSource::member() {
  if (kind_of(*at_) != Kind::quote || !text(&text_)) return false;
  if (!skip_blanks() || *at_++ != ':' || !skip_blanks()) return false;
  const Keys* const hidden = hidden_();
  if (hidden != nullptr && holds(*hidden, text_)) return skip_value();
  wants_value_ = true;
  return tell(events_.key(text_));
}

bool JsonSource::collect_scalar() {
  token_.clear();
  while (!at_end()) {
    const char* const first = at_;
    while (at_ != block_end_ && kind_of(*at_) == Kind::scalar) ++at_;
    token_.append(first, at_);
    if (at_ != block_end_) break;
  }
  return true;
}

bool JsonSource::scalar() {
  collect_scalar();
  if (!is_digit(token_.front())) {
    if (token_ == "null") return tell(events_.null());
    if (token_ == "true" || token_ == "false") return tell(events_.boolean(token_ == "true"));
  }
  if (is_no_number(token_)) return tell(events_.null());
  const auto kind = number_form_of(token_);
  if (kind == NumberForm::none) return false;
  std::uint64_t natural = 0;
  std::int64_t integer = 0;
  if (kind == NumberForm::integer) {
    const bool is_negative = token_.front() == '-';
    if (!is_negative && is_whole(token_, natural)) return tell(events_.number_unsigned(natural));
    if (is_negative && is_whole(token_, integer)) return tell(events_.number_integer(integer));
  }
  double real = 0;
  if (!is_whole(token_, real)) real = std::strtod(token_.c_str(), nullptr);  // far too small
  return std::isfinite(real) && tell(events_.number_float(real, token_));
}

/// A string, quotes and all; `out` may be null.
bool JsonSource::text(std::string* out) {
  ++at_;  // the quote
  if (out != nullptr) out->clear();
  while (!at_end()) {
    const char* const first = at_;
    while (at_ != block_end_ && is_simple(*at_)) ++at_;
    if (out != nullptr) out->append(first, at_);
    if (at_ == block_end_) continue;
    if (*at_ == '"') {
      ++at_;
      return true;
    }
    if (!(*at_ == '\\' ? escape(out) : sequence(out))) return false;
  }
  return false;
}

bool JsonSource::hex(std::uint32_t& unit) {
  std::array<char, 4> digits{};
  for (char& digit : digits) {
    if (at_end()) return false;
    digit = *at_++;
  }
  const auto [stop, error] = std::from_chars(digits.begin(), digits.end(), unit, 16);
  return error == std::errc() && stop == digits.end();
}

bool JsonSource::escape(std::string* out) {
  constexpr std::string_view letters = "\"\\/bfnrt";
  constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
  ++at_;  // the backslash
  if (at_end()) return false;
  const char kind = *at_++;
  if (kind != 'u') {
    const auto found = letters.find(kind);
    if (found == letters.npos) return false;
    if (out != nullptr) *out += meanings[found];
    return true;
  }
  std::uint32_t point = 0;
  if (!hex(point)) return false;
  const auto is_surrogate = [](std::uint32_t unit, std::uint32_t first) {
    return unit >= first && unit < first + 0x400;
  };
  constexpr std::uint32_t first_high = 0xD800;
  constexpr std::uint32_t first_low = 0xDC00;
  if (is_surrogate(point, first_low)) return false;
  if (is_surrogate(point, first_high)) {
    for (const char wanted : {'\\', 'u'}) {
      if (at_end() || *at_++ != wanted) return false;
    }
    std::uint32_t low = 0;
    if (!hex(low) || !is_surrogate(low, first_low)) return false;
    point = 0x10000 + ((point - first_high) << 10) + (low - first_low);
  }
  if (out != nullptr) append(*out, point);
  return true;
}

/// One character of several bytes; a control character is none.
bool JsonSource::sequence(std::string* out) {
  std::string bytes;
  do {
    bytes += *at_++;
    if (bytes.size() > 1 && text::sequence_length(bytes) == bytes.size()) {
      if (out != nullptr) *out += bytes;
      return true;
    }
  } while (bytes.size() < 4 && !at_end());
  return false;
}

/// A hidden value is only looked at as far as it takes to find its end: brackets, strings, and that
/// there is no other character than JSON has outside of them.
bool JsonSource::skip_value() {
  switch (kind_of(*at_)) {
    case Kind::open:
      return skip_container();
    case Kind::quote:
      return text(nullptr);
    case Kind::scalar:
      return collect_scalar();
    default:
      return false;
  }
}

bool JsonSource::skip_container() {
  const std::size_t outside = open_.size();
  do {
    switch (kind_of(*at_)) {
      case Kind::separator:
      case Kind::scalar:
        // Most of what is hidden are long arrays of numbers.
        while (at_ != block_end_ && is_plain(*at_)) ++at_;
        break;
      case Kind::quote:
        if (!text(nullptr)) return false;
        break;
      case Kind::open:
        open_ += *at_++;
        if (open_.size() > max_depth_) return false;
        break;
      case Kind::close:
        if (*at_ != closing_of(open_.back())) return false;
        ++at_;
        open_.pop_back();
        if (open_.size() == outside) return true;
        break;
      default:
        return false;
    }
  } while (!at_end());
  return false;
}

}  // namespace apod::files
