/// \file
/// Values of axes, and what expressions and launches are worth with them.

#include <algorithm>

#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/cli/guess_parts.hpp"
#include "kernels/files/expression.hpp"

namespace apod::cli {
namespace {

/// Whether it is an expression of these names.
bool names_only(const std::string& text, const std::map<std::string, double>& values) {
  try {
    const auto names = Expression(text).names();
    return std::ranges::all_of(names, [&](const auto& name) { return values.contains(name); });
  } catch (const ExpressionError&) {
    return false;
  }
}

}  // namespace

std::string bracketed(const std::string& text) {
  return text.find(' ') == std::string::npos ? text : "(" + text + ")";
}

std::optional<double> worth(const std::string& text, const std::map<std::string, double>& values) {
  try {
    const Expression expression(text);
    std::vector<Binding> bindings;
    for (const auto& name : expression.names()) {
      const auto found = values.find(name);
      if (found == values.end()) return std::nullopt;
      bindings.push_back({.value = Value::of(static_cast<std::int64_t>(found->second))});
    }
    const auto of = expression.evaluate(bindings);
    if (!of.is_number()) return std::nullopt;
    return of.number();
  } catch (const ExpressionError&) {
    return std::nullopt;
  }
}

std::map<std::string, double> values_of(const KernelGuess& guess,
                                        const std::map<std::string, double>& axes) {
  auto values = axes;
  for (const auto& loop : guess.loops) {
    const auto begin = worth(loop.begin, values);
    const auto end = worth(loop.end, values);
    if (begin && end) values[loop.name] = std::max(*begin, *end);
  }
  return values;
}

std::map<std::string, double> values_now(const KernelGuess& guess) {
  std::map<std::string, double> axes;
  for (const auto& [name, axis] : guess.axes) axes[name] = static_cast<double>(axis.value);
  return values_of(guess, axes);
}

std::string first_size(KernelGuess& guess, const GuessBasis& basis) {
  for (const auto& arg : guess.args) {
    if (arg.takes.is_pointer || !arg.takes.type || !is_whole(*arg.takes.type)) continue;
    const auto axis = guess.axes.find(arg.value);
    if (axis != guess.axes.end() && !usual_value(axis->first)) return axis->first;
  }
  return basis.host.axis("size", std::nullopt).text();
}

bool is_free(const KernelGuess& guess, const std::string& axis) {
  const auto found = guess.axes.find(axis);
  return found != guess.axes.end() && !found->second.known;
}

std::string text_of_launch(const KernelGuess& guess) {
  return text::joined(guess.grid, " ") + " " + text::joined(guess.block, " ");
}

bool is_side_of_block(const KernelGuess& guess, const std::string& axis) {
  return std::ranges::find(guess.block, axis) != guess.block.end() &&
         std::ranges::find(guess.args, axis, &GuessedArgument::value) == guess.args.end();
}

void settle_axes(KernelGuess& guess, const KernelWish& wish) {
  std::vector<std::string> sizes;
  std::size_t free = 0;
  for (auto& [name, axis] : guess.axes) {
    const auto usual = usual_value(name);
    const bool is_of_block = is_side_of_block(guess, name);
    free += !axis.known && !usual && axis.is_size && !is_of_block ? 1U : 0U;
    if (axis.known || axis.value != 0) continue;
    if (is_of_block) {
      axis.value = guess.block.size() < 2 ? 256 : guess.block.size() < 3 ? 16 : 8;
    } else if (!axis.is_size && !usual) {
      axis.value = 1;
    } else if (usual) {
      axis.value = std::max<std::int64_t>(1, *usual);
    } else {
      sizes.push_back(name);
    }
  }
  for (const auto& name : sizes) {
    guess.axes[name].value = free <= 1 ? 1 << 20 : free == 2 ? 1024 : free == 3 ? 512 : 64;
    if (wish.size) guess.axes[name].value = *wish.size;
  }
}

std::optional<source::KernelLaunch> launch_at(const KernelGuess& guess, const GuessBasis& basis,
                                              const std::map<std::string, double>& values) {
  source::KernelLaunch launch;
  const auto fill = [&](const std::vector<std::string>& from, std::array<double, 3>& to) {
    for (std::size_t i = 0; i < from.size() && i < 3; ++i) {
      const auto value = worth(from[i], values);
      if (!value && !names_only(from[i], values)) return false;
      to[i] = value.value_or(0);  // nothing is divided by 0
    }
    return true;
  };
  if (!fill(guess.grid, launch.grid) || !fill(guess.block, launch.block)) return std::nullopt;
  for (const auto& arg : guess.args) {
    if (!arg.value.empty()) {
      if (const auto value = worth(arg.value, values)) launch.scalars[arg.code] = *value;
    } else if (arg.takes.is_pointer) {
      // Of a vector type it is the vector.
      launch.element_bytes[arg.code] =
          arg.takes.type ? static_cast<double>(size_of(*arg.takes.type)) * arg.takes.count : 0;
    }
  }
  for (const auto& [name, value] : basis.kernel.templates) launch.scalars[name] = value;
  return launch;
}

}  // namespace apod::cli
