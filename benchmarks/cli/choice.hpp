#pragma once

/// \file
/// Options that take one of a few words.

#include <CLI/CLI.hpp>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/model/diagnostic.hpp"
#include "benchmarks/text/closest.hpp"

namespace apod::cli {

template <class Value>
using Choices = std::vector<std::pair<std::string, Value>>;

/// The value called `text`. CLI11's own message would list pairs of words and numbers.
template <class Value>
Value choose(const std::string& flag, const std::string& text, const Choices<Value>& choices) {
  std::vector<std::string> names;
  for (const auto& [name, value] : choices) {
    if (name == text) return value;
    names.push_back(name);
  }
  const auto near = text::closest(text, names);
  std::string all;
  for (const auto& name : names) all += (all.empty() ? "" : ", ") + name;
  throw CLI::ValidationError(flag, "'" + text + "' is none of " + all +
                                       (near.empty() ? "" : " (did you mean " + near + "?)"));
}

/// An option that takes one of a few words.
template <class Value>
CLI::Option* add_choice(CLI::App& app, const std::string& flag, Value& target,
                        Choices<Value> choices, const std::string& help) {
  std::string type;
  for (const auto& [name, value] : choices) type += (type.empty() ? "" : "|") + name;
  return app
      .add_option_function<std::string>(
          flag,
          [flag, &target, choices](const std::string& text) {
            target = choose(flag, text, choices);
          },
          help)
      ->type_name(type);
}

}  // namespace apod::cli
