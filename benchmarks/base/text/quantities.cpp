#include "benchmarks/base/text/quantities.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <regex>
#include <system_error>
#include <vector>

#include "benchmarks/base/text/plain.hpp"

namespace apod::text {

namespace {

constexpr std::string_view count_forms = "write a whole number, such as 1000, 1e6, 2^20 or 64Mi";

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// a * b for a, b >= 0; nothing when it does not fit.
std::optional<std::int64_t> times(std::optional<std::int64_t> a, std::int64_t b) {
  if (!a) return std::nullopt;
  if (b != 0 && *a > std::numeric_limits<std::int64_t>::max() / b) return std::nullopt;
  return *a * b;
}

/// base to the power `exponent`; nothing when it does not fit. Ends early: 1 and 0 stay as they
/// are.
std::optional<std::int64_t> power(std::int64_t base, std::int64_t exponent) {
  if (base <= 1) return exponent == 0 ? 1 : base;
  std::optional<std::int64_t> result = 1;
  for (std::int64_t i = 0; i < exponent && result; ++i) result = times(result, base);
  return result;
}

/// Digits with single underscores between them, removed; nothing when `text` is anything else.
std::optional<std::string> plain_digits(std::string_view text) {
  std::string digits;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool between = i > 0 && i + 1 < text.size() && is_digit(text[i - 1]);
    if (is_digit(text[i])) {
      digits += text[i];
    } else if (text[i] != '_' || !between || !is_digit(text[i + 1])) {
      return std::nullopt;
    }
  }
  if (digits.empty()) return std::nullopt;
  return digits;
}

Parsed<std::int64_t> too_large(std::string_view text) {
  return Parsed<std::int64_t>::bad(in_quotes(text) + " is too large",
                                   "the largest number is 2^63 - 1");
}

Parsed<std::int64_t> digits_value(const std::string& digits, std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc::result_out_of_range) return too_large(text);
  return Parsed<std::int64_t>::good(value);
}

/// 1e6 and 1.5e6, exactly: the fraction's digits shift the exponent.
Parsed<std::int64_t> parse_scientific(std::string_view text) {
  const auto not_a_number = Parsed<std::int64_t>::bad(in_quotes(text) + " is not a whole number",
                                                      std::string(count_forms));
  const auto e = text.find_first_of("eE");
  const auto mantissa = text.substr(0, e);
  const auto dot = mantissa.find('.');
  const auto whole = plain_digits(mantissa.substr(0, dot));
  std::string fraction;
  if (dot != std::string_view::npos) {
    const auto digits = plain_digits(mantissa.substr(dot + 1));
    if (!digits) return not_a_number;
    fraction = *digits;
    while (!fraction.empty() && fraction.back() == '0') fraction.pop_back();
  }
  if (!whole) return not_a_number;
  std::int64_t exponent = 0;
  if (e != std::string_view::npos) {
    auto sign_free = text.substr(e + 1);
    if (sign_free.starts_with('+')) sign_free.remove_prefix(1);
    const auto digits = plain_digits(sign_free);
    if (!digits) return not_a_number;
    const auto value = digits_value(*digits, text);
    if (!value.value) return value;
    exponent = *value.value;
  }
  if (exponent < static_cast<std::int64_t>(fraction.size())) return not_a_number;
  const auto digits = digits_value(*whole + fraction, text);
  if (!digits.value || *digits.value == 0) return digits;
  const auto scale = power(10, exponent - static_cast<std::int64_t>(fraction.size()));
  const auto result = scale ? times(digits.value, *scale) : std::nullopt;
  return result ? Parsed<std::int64_t>::good(*result) : too_large(text);
}

struct NamedFactor {
  std::string_view name;
  double factor;
};
constexpr std::array<NamedFactor, 6> time_units{
    {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"min", 60}, {"h", 3600}}};
constexpr std::array<NamedFactor, 2> clock_units{{{"MHz", 1}, {"GHz", 1e3}}};
constexpr std::array<NamedFactor, 4> energy_units{
    {{"uJ", 1e-6}, {"mJ", 1e-3}, {"J", 1}, {"kJ", 1e3}}};
constexpr std::array<NamedFactor, 3> power_units{{{"mW", 1e-3}, {"W", 1}, {"kW", 1e3}}};
constexpr std::array<NamedFactor, 11> unit_prefixes{{{"", 1},
                                                     {"k", 1e3},
                                                     {"K", 1e3},
                                                     {"M", 1e6},
                                                     {"G", 1e9},
                                                     {"T", 1e12},
                                                     {"P", 1e15},
                                                     {"Ki", 0x1p10},
                                                     {"Mi", 0x1p20},
                                                     {"Gi", 0x1p30},
                                                     {"Ti", 0x1p40}}};

template <std::size_t N>
std::optional<double> factor_of(const std::array<NamedFactor, N>& units, std::string_view name) {
  const auto found = std::ranges::find(units, name, &NamedFactor::name);
  return found == units.end() ? std::nullopt : std::optional(found->factor);
}

/// 1e9 for "GB/s" where the unit without its prefix is "B/s".
std::optional<double> prefixed(std::string_view name, std::string_view unit) {
  if (!name.ends_with(unit)) return std::nullopt;
  return factor_of(unit_prefixes, name.substr(0, name.size() - unit.size()));
}

/// How the quantities of a unit are written.
struct Notation {
  std::string_view quantity;        ///< completes "is not ..."
  std::string_view hint;            ///< what to write instead: "write ...", or units
  std::vector<std::string> common;  ///< the units to offer where one is missing; empty: optional
  std::optional<double> (*factor)(std::string_view unit_name);
};

std::string advice(const Notation& notation) {
  return (notation.hint.starts_with("write") ? "" : "use one of the units ") +
         std::string(notation.hint);
}

const Notation& notation_of(Unit unit) {
  using Name = std::string_view;
  constexpr auto percent = [](Name name) {
    return name == "%" ? std::optional(0.01) : std::nullopt;
  };
  static const std::array<Notation, 12> all{{
      {"a count", "write it without a unit", {}, [](Name) { return std::optional<double>(); }},
      {"a factor", "write it as 1.5 or 150%", {}, percent},
      {"a time in seconds",
       "ns, us, ms, s, min, h",
       {"s", "ms", "us"},
       [](Name name) { return factor_of(time_units, name); }},
      {"a number of bytes",
       "B, kB, MB, GB, TB, KiB, MiB, GiB, TiB",
       {},
       [](Name name) { return prefixed(name, "B"); }},
      {"a rate in bytes per second",
       "B/s, MB/s, GB/s, TB/s, MiB/s, GiB/s",
       {"GB/s", "TB/s"},
       [](Name name) { return prefixed(name, "B/s"); }},
      {"a rate in FLOP per second",
       "FLOP/s, MFLOP/s, GFLOP/s, TFLOP/s",
       {"GFLOP/s", "TFLOP/s"},
       [](Name name) { return prefixed(name, "FLOP/s"); }},
      {"a clock in MHz",
       "MHz, GHz",
       {"MHz", "GHz"},
       [](Name name) { return factor_of(clock_units, name); }},
      {"an energy in joules",
       "uJ, mJ, J, kJ",
       {"J", "mJ"},
       [](Name name) { return factor_of(energy_units, name); }},
      {"a power in watts",
       "mW, W, kW",
       {"W", "kW"},
       [](Name name) { return factor_of(power_units, name); }},
      {"a number of FLOP per joule",
       "FLOP/J, MFLOP/J, GFLOP/J, TFLOP/J",
       {"GFLOP/J"},
       [](Name name) { return prefixed(name, "FLOP/J"); }},
      {"a number per second",
       "/s, k/s, M/s, G/s",
       {"/s", "M/s"},
       [](Name name) { return prefixed(name, "/s"); }},
      {"a percentage or fraction", "write it as 80% or 0.8", {}, percent},
  }};
  return all.at(static_cast<std::size_t>(unit));
}

/// "write 5s, 5ms or 5us".
std::string offer(const std::string& number, const std::vector<std::string>& units) {
  std::string text = "write ";
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (i > 0) text += i + 1 == units.size() ? " or " : ", ";
    text += number + units[i];
  }
  return text;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::optional<std::pair<double, std::string_view>> leading_number(std::string_view text) {
  text = trimmed(text);
  // from_chars would take "inf" and "nan" for numbers.
  const auto first = text.find_first_not_of("+-.");
  if (first == std::string_view::npos || !is_digit(text[first])) return std::nullopt;
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || !std::isfinite(value)) return std::nullopt;
  return std::pair{value, trimmed(text.substr(static_cast<std::size_t>(end - text.data())))};
}

Parsed<std::int64_t> parse_count(std::string_view text) {
  const auto word = trimmed(text);
  if (word.empty()) return Parsed<std::int64_t>::bad("is empty", std::string(count_forms));
  if (word.front() == '-' || word.front() == '+') {
    auto result = is_digit(word.size() > 1 ? word[1] : ' ')
                      ? parse_count(word.substr(1))
                      : Parsed<std::int64_t>::bad(in_quotes(word) + " is not a whole number",
                                                  std::string(count_forms));
    if (result.value && word.front() == '-') *result.value = -*result.value;
    return result;
  }
  if (const auto caret = word.find('^'); caret != std::string_view::npos) {
    const auto base = plain_digits(word.substr(0, caret));
    const auto exponent = plain_digits(word.substr(caret + 1));
    if (!base || !exponent)
      return Parsed<std::int64_t>::bad(in_quotes(word) + " is not a power", "write it as 2^20");
    const auto b = digits_value(*base, word);
    const auto e = digits_value(*exponent, word);
    const auto result = b.value && e.value ? power(*b.value, *e.value) : std::nullopt;
    return result ? Parsed<std::int64_t>::good(*result) : too_large(word);
  }
  const auto unit_at = word.find_first_not_of("0123456789_.");
  if (unit_at != std::string_view::npos && unit_at > 0) {
    const auto number = word.substr(0, unit_at);
    const auto unit = trimmed(word.substr(unit_at));
    constexpr std::string_view prefixes = "KMGT";
    if (unit.size() == 2 && unit[1] == 'i' && prefixes.find(unit[0]) != std::string_view::npos) {
      const auto digits = plain_digits(number);
      if (!digits) {
        return Parsed<std::int64_t>::bad(in_quotes(word) + " is not a whole number",
                                         std::string(count_forms));
      }
      const auto value = digits_value(*digits, word);
      const auto scale = power(1024, static_cast<std::int64_t>(prefixes.find(unit[0])) + 1);
      const auto result = times(value.value, *scale);
      return result ? Parsed<std::int64_t>::good(*result) : too_large(word);
    }
    const bool names_bytes = std::string_view("kKMGTB").find(unit[0]) != std::string_view::npos;
    if (names_bytes && unit.ends_with('B') && unit.size() <= 3) {
      const auto prefix = std::string(1, unit[0] == 'k' ? 'K' : unit[0]);
      return Parsed<std::int64_t>::bad(
          in_quotes(word) + " is in bytes, but a count is needed",
          prefix == "B" ? "write it without 'B'" : "write " + std::string(number) + prefix + "i");
    }
    if (unit.front() != 'e' && unit.front() != 'E') {
      return Parsed<std::int64_t>::bad(in_quotes(word) + " is not a whole number",
                                       std::string(count_forms));
    }
  }
  return parse_scientific(word);
}

Parsed<double> parse_seconds(std::string_view text) {
  const auto number = leading_number(text);
  if (!number)
    return Parsed<double>::bad(in_quotes(text) + " is not a time", "write it as 5s or 200ms");
  const auto [value, unit_name] = *number;
  if (unit_name.empty()) {
    return Parsed<double>::bad(in_quotes(text) + " has no unit",
                               offer(std::string(trimmed(text)), {"s", "ms"}));
  }
  const auto factor = factor_of(time_units, unit_name);
  if (!factor) {
    return Parsed<double>::bad(in_quotes(unit_name) + " is not a unit of time",
                               advice(notation_of(Unit::seconds)));
  }
  return Parsed<double>::good(value * *factor);
}

Parsed<double> parse_share(std::string_view text) {
  const auto number = leading_number(text);
  if (!number || number->second != "%") {
    const bool is_number = number && number->second.empty();
    return Parsed<double>::bad(
        in_quotes(text) + (is_number ? " has no unit" : " is not a percentage"),
        "write it in percent, such as 0.5%");
  }
  return Parsed<double>::good(number->first / 100);
}

std::optional<NamedUnit> unit_called(std::string_view name) {
  if (name.empty()) return NamedUnit{};
  // The two signs of micro that Unicode has.
  for (const std::string_view micro : {"\u00b5", "\u03bc"}) {
    if (name.starts_with(micro)) return unit_called("u" + std::string(name.substr(micro.size())));
  }
  for (auto unit = Unit::count; unit != Unit::share;
       unit = static_cast<Unit>(static_cast<int>(unit) + 1)) {
    if (const auto factor = notation_of(unit).factor(name)) return NamedUnit{unit, *factor};
  }
  return std::nullopt;
}

bool demands_unit(Unit unit) {
  return !notation_of(unit).common.empty();
}

Parsed<double> parse_quantity(std::string_view text, Unit unit) {
  const auto& notation = notation_of(unit);
  const auto without_unit = [&](double value) {
    if (value == 0 || !demands_unit(unit)) return Parsed<double>::good(value);
    return Parsed<double>::bad(in_quotes(text) + " has no unit",
                               offer(std::string(trimmed(text)), notation.common));
  };
  if (const auto count = parse_count(text); count.value)
    return without_unit(static_cast<double>(*count.value));
  const auto number = leading_number(text);
  if (number && number->second.empty()) return without_unit(number->first);
  const auto factor = number ? notation.factor(number->second) : std::nullopt;
  if (factor) return Parsed<double>::good(number->first * *factor);
  return Parsed<double>::bad(in_quotes(text) + " is not " + std::string(notation.quantity),
                             advice(notation));
}

namespace {

/// No date is longer; the stack that matching takes grows with the text.
constexpr std::size_t longest_date = 64;

/// "+02:00", "-0530", "Z" or nothing, in seconds east of Greenwich; absent beyond a day.
std::optional<double> offset_of(const std::string& text) {
  if (text.empty() || text == "Z") return 0;
  const int hours = std::atoi(text.substr(1, 2).c_str());
  const int minutes = text.size() > 3 ? std::atoi(text.substr(text.size() - 2).c_str()) : 0;
  if (hours > 23 || minutes > 59) return std::nullopt;
  return (text[0] == '-' ? -60 : 60) * (60 * hours + minutes);
}

/// "05/17/26 10:00:00", as old programs write the date of the C locale, in the other order.
std::string as_iso(const std::string& date) {
  static const std::regex pattern(R"((\d\d)/(\d\d)/(\d\d) (\d\d:\d\d:\d\d))");
  std::smatch parts;
  if (date.size() > longest_date || !std::regex_match(date, parts, pattern)) return date;
  // POSIX: 69 to 99 are of the last century.
  const std::string century = parts[3].str() < "69" ? "20" : "19";
  return century + parts[3].str() + "-" + parts[1].str() + "-" + parts[2].str() + " " +
         parts[4].str();
}

}  // namespace

std::optional<double> instant_of(const std::string& written) {
  const auto date = as_iso(written);
  static const std::regex pattern(
      R"((\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d(?:\.\d+)?))? ?(Z|[+-]\d\d(?::?\d\d)?)?)?)");
  std::smatch parts;
  if (date.size() > longest_date || !std::regex_match(date, parts, pattern)) return std::nullopt;
  // An absent part is an empty text, and counts as 0.
  const auto number = [&](std::size_t part) { return std::atoi(parts[part].str().c_str()); };
  using namespace std::chrono;
  const year_month_day day(year(number(1)), month(static_cast<unsigned>(number(2))),
                           std::chrono::day(static_cast<unsigned>(number(3))));
  const double second = std::strtod(parts[6].str().c_str(), nullptr);
  const auto offset = offset_of(parts[7].str());
  // A leap second has the number 60.
  if (!day.ok() || number(4) > 23 || number(5) > 59 || second >= 61 || !offset) return std::nullopt;
  const auto days = sys_days(day).time_since_epoch().count();
  return 86400.0 * static_cast<double>(days) + 3600.0 * number(4) + 60.0 * number(5) + second -
         *offset;
}

}  // namespace apod::text
