#include "benchmarks/base/text/markup.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "benchmarks/base/text/plain.hpp"

namespace apod::text {

std::string as_markup(std::string_view text) {
  std::string escaped;
  const std::string clean = printable(text);
  for (std::size_t i = 0; i < clean.size(); ++i) {
    const char c = clean[i];
    const std::string_view three = std::string_view(clean).substr(i, 3);
    if (three == "\xEF\xBF\xBE" || three == "\xEF\xBF\xBF") {
      escaped += "\uFFFD";
      i += 2;
    } else if (c == '&') {
      escaped += "&amp;";
    } else if (c == '<') {
      escaped += "&lt;";
    } else if (c == '>') {
      escaped += "&gt;";
    } else if (c == '"') {
      escaped += "&quot;";
    } else if (clean.compare(i, 2, "::") == 0 && (i == 0 || clean[i - 1] == ' ')) {
      escaped +=
          "&#58;";  // GitHub's runner takes a line of a log that begins with :: for a command
    } else {
      escaped += c;
    }
  }
  return escaped;
}

namespace {

using Words = std::array<std::uint32_t, 8>;

/// The first `count` primes.
template <std::size_t count>
constexpr std::array<std::uint32_t, count> primes() {
  std::array<std::uint32_t, count> found{};
  std::size_t n = 0;
  for (std::uint32_t number = 2; n < count; ++number) {
    bool divides = false;
    for (std::size_t i = 0; i < n; ++i) divides = divides || number % found[i] == 0;
    if (!divides) found[n++] = number;
  }
  return found;
}

/// The first 32 bits of the fraction of a root, to which long double is exact enough.
std::uint32_t fraction(long double root) {
  return static_cast<std::uint32_t>((root - std::floor(root)) * 4294967296.0L);
}

std::array<std::uint32_t, 64> round_constants() {
  std::array<std::uint32_t, 64> constants{};
  const auto numbers = primes<64>();
  for (std::size_t i = 0; i < constants.size(); ++i)
    constants[i] = fraction(std::cbrt(static_cast<long double>(numbers[i])));
  return constants;
}

Words initial_hash() {
  Words hash{};
  const auto numbers = primes<8>();
  for (std::size_t i = 0; i < hash.size(); ++i)
    hash[i] = fraction(std::sqrt(static_cast<long double>(numbers[i])));
  return hash;
}

std::uint32_t word_at(std::string_view bytes, std::size_t at) {
  std::uint32_t word = 0;
  for (std::size_t i = 0; i < 4; ++i) word = word << 8 | static_cast<unsigned char>(bytes[at + i]);
  return word;
}

/// Takes in a block of 64 bytes.
void take(Words& hash, std::string_view block) {
  static const auto constants = round_constants();
  std::array<std::uint32_t, 64> w{};
  for (std::size_t i = 0; i < 16; ++i) w[i] = word_at(block, 4 * i);
  for (std::size_t i = 16; i < w.size(); ++i) {
    const auto s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ w[i - 15] >> 3;
    const auto s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ w[i - 2] >> 10;
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = hash;
  for (std::size_t i = 0; i < w.size(); ++i) {
    const auto s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const auto t1 = h + s1 + ((e & f) ^ (~e & g)) + constants[i] + w[i];
    const auto s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const auto t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  const Words more{a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < hash.size(); ++i) hash[i] += more[i];
}

}  // namespace

std::string sha256_base64(std::string_view bytes) {
  std::string padded(bytes);
  padded += '\x80';
  padded.resize((padded.size() + 8 + 63) / 64 * 64 - 8, '\0');
  const std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
  for (int shift = 56; shift >= 0; shift -= 8) padded += static_cast<char>(bits >> shift & 0xFF);
  Words hash = initial_hash();
  for (std::size_t at = 0; at < padded.size(); at += 64)
    take(hash, std::string_view(padded).substr(at, 64));
  static constexpr std::string_view alphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  std::uint64_t held = 0;
  int count = 0;  // bits of `held` that are not written yet
  for (const auto word : hash) {
    held = held << 32 | word;
    for (count += 32; count >= 6; count -= 6) text += alphabet[held >> (count - 6) & 63];
  }
  text += alphabet[held << (6 - count) & 63];  // 256 is 42 times 6, and 4
  return text + "=";
}

}  // namespace apod::text
