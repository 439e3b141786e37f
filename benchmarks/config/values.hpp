#pragma once

/// \file
/// The words of an experiment file as values: counts, times, shares, conditions. Text only, no
/// YAML.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "benchmarks/model/experiment.hpp"
#include "benchmarks/model/facts.hpp"

namespace apod::config {

/// A value, or what is wrong with the text and what to write instead.
template <class T>
struct Parsed {
  std::optional<T> value;
  std::string message;
  std::string hint;

  static Parsed good(T value) { return {std::move(value), {}, {}}; }
  static Parsed bad(std::string message, std::string hint = {}) {
    return {std::nullopt, std::move(message), std::move(hint)};
  }
};

/// A whole number: 1000000, 1_000_000, 1e6, 1.5e6, 2^28, 64Mi (Ki, Mi, Gi, Ti are powers of 1024).
/// A negative one is read, so that its axis can say what it allows.
Parsed<std::int64_t> parse_count(std::string_view text);

/// Seconds from "5s", "200ms", "50us", "10ns", "2min" or "1h". The unit is demanded.
Parsed<double> parse_seconds(std::string_view text);

/// 0.005 from "0.5%". The percent sign is demanded.
Parsed<double> parse_share(std::string_view text);

/// A number of what is measured in `unit`: "5ms", "800GB/s", "1.2TFLOP/s", "64MiB", "1500MHz",
/// "30%" (0.3), "2^20". Units that do not fit are refused; where one is demanded, only 0 needs
/// none.
Parsed<double> parse_quantity(std::string_view text, Unit unit);

/// Whether numbers of `unit` can't be written without it.
bool demands_unit(Unit unit);

/// "> 1", ">= 30%", "!= pinned", "== streams"; without a sign it is equality. With a unit it is a
/// condition on a fact: what begins like a number must be one of that unit, all else is a word.
/// With none it is one on an axis, whose values are counts and words ("200x300" is one).
Parsed<Condition> parse_condition(std::string_view text, std::optional<Unit> unit);

/// `text` in single quotes, control characters made visible, shortened where it is long.
std::string in_quotes(std::string_view text);

}  // namespace apod::config
