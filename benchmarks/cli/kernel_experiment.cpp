/// \file
/// The guess about a kernel as an experiment file.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/cli/guess_parts.hpp"
#include "kernels/files/spec.hpp"

namespace apod::cli {
namespace {

/// As YAML reads it: in quotes, which the text does not hold.
std::string as_yaml(const std::string& text) {
  if (text.find_first_of("\"\\\n") != std::string::npos)
    throw std::runtime_error("'" + text + "' contains a quotation mark or a backslash: remove it");
  const bool is_plain =
      file::is_identifier(text) || text.find_first_not_of("0123456789") == std::string::npos;
  return is_plain && !text.empty() ? text : '"' + text + '"';
}
std::string listed(const std::vector<std::string>& texts) {
  const auto all = text::joined(texts, ", ", as_yaml);
  return texts.size() == 1 ? all : "[" + all + "]";
}

/// What is between commas that are in no brackets.
std::vector<std::string> sides_in(const std::string& list) {
  std::vector<std::string> sides(1);
  int depth = 0;
  for (const char c : list) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == ',' && depth == 0) {
      sides.emplace_back();
    } else if (c != ' ' || !sides.back().empty()) {
      sides.back() += c;
    }
  }
  return sides;
}

void apply(const std::string& wish, std::vector<GuessedArgument>& args) {
  const auto equals = wish.find('=');
  const auto name = wish.substr(0, equals);
  if (args.empty()) throw std::runtime_error("--arg " + wish + ": the kernel has no parameters");
  auto found = std::ranges::find_if(args, [&](const auto& arg) { return arg.name == name; });
  const bool is_number =
      !name.empty() && name.size() < 3 && name.find_first_not_of("0123456789") == std::string::npos;
  if (found == args.end() && is_number && std::stoul(name) < args.size())
    found = args.begin() + std::stol(name);
  if (equals == std::string::npos || found == args.end()) {
    throw std::runtime_error(
        "--arg " + wish + ": write NAME=ROLE, NAME=[ROWS, COLUMNS] or NAME=VALUE; NAME is one of " +
        text::joined(args, ", ", &GuessedArgument::name));
  }
  auto& arg = *found;
  const auto said = wish.substr(equals + 1);
  const bool is_role = apod::parse<file::Role>(said).has_value();
  const bool is_shape = said.starts_with('[') && said.ends_with(']');
  if (arg.shape.empty() ? is_role || is_shape : !is_role && !is_shape) {
    throw std::runtime_error(fmt::format("--arg {}: {} is {}", wish, arg.name,
                                         arg.shape.empty()
                                             ? "a number: write its value"
                                             : "an array: write its role (in, out, inout, zeroed, "
                                               "scratch) or shape ([ROWS, COLUMNS])"));
  }
  if (is_role) {
    arg.role = said;
    arg.data.clear();
  } else if (is_shape) {
    arg.shape = sides_in(said.substr(1, said.size() - 2));
  } else {
    arg.value = said;
  }
}

std::string entry_of(const GuessedArgument& arg) {
  auto text = fmt::format("{{name: {}, type: {}", arg.name, arg.type);
  if (arg.shape.empty()) return text + fmt::format(", value: {}}}", as_yaml(arg.value));
  text += fmt::format(", shape: {}", listed(arg.shape));
  if (arg.role != "in") text += ", role: " + arg.role;
  if (!arg.variable.empty()) text += ", variable: " + arg.variable;
  if (!arg.texture.empty()) text += ", texture: " + arg.texture;
  if (!arg.data.empty()) text += ", data: {expression: " + as_yaml(arg.data) + "}";
  return text + "}";
}

/// The bytes that are read, as an expression. Arrays that are read by index are left out: how much
/// of them is read depends on the data.
std::string read_bytes(const std::vector<GuessedArgument>& args) {
  std::string all;
  for (const auto& arg : args) {
    const bool is_read = arg.role == "in" || arg.role == "inout";
    const auto type = apod::parse<ElementType>(arg.type);
    if (!is_read || arg.is_gathered || arg.shape.empty() || !type) continue;
    all += (all.empty() ? "" : " + ") + std::to_string(size_of(*type));
    for (const auto& side : arg.shape) all += " * " + bracketed(side);
  }
  return all.empty() ? "0" : all;
}

/// A line about each; the fields of a structure are below it.
std::string lines_of(const std::vector<GuessedArgument>& args) {
  std::string text;
  std::string structure;
  for (const auto& arg : args) {
    const bool is_field = !arg.structure.empty();
    if (is_field && arg.structure != structure)
      text += "      - name: " + arg.structure + "\n        fields:\n";
    structure = arg.structure;
    text += (is_field ? "          - " : "      - ") + entry_of(arg) + "\n";
  }
  return text;
}

}  // namespace

std::string experiment_text(const ChosenKernel& kernel, KernelGuess guess, const KernelWish& wish) {
  for (const auto& one : wish.args) apply(one, guess.args);
  std::string yaml =
      "schema: 1\nname: " + text::slug(std::filesystem::path(wish.file).stem().string()) + "\n";
  const auto remark = [&](std::string line) {
    std::ranges::replace(line, '\n', ' ');
    yaml += "# " + line + "\n";
  };
  remark(!guess.is_launch_guessed
             ? "bench guessed roles, shapes and data, and copied the launch from the file."
             : "bench guessed roles, shapes, data and the launch.");
  if (wish.reference.empty()) {
    remark(
        "Without a reference, the check only shows that the kernel gives the same result every "
        "time.");
  }
  if (!wish.only_device.empty()) {
    remark("- NVRTC compiles the device code alone, because nvcc can't compile the file: " +
           wish.only_device);
  }
  for (const auto& line : wish.found) remark("- " + line);
  if (!wish.callers.empty()) remark("- values were also read from " + wish.callers);
  std::string unknown;
  for (const auto& [name, axis] : guess.axes)
    if (!axis.known) unknown += (unknown.empty() ? "" : ", ") + name;
  for (const auto& arg : guess.args)
    if (arg.is_guessed) unknown += (unknown.empty() ? "" : ", ") + arg.name;
  if (!unknown.empty()) remark("- the code has no value for " + unknown);
  for (const auto& note : guess.notes) remark("- " + note);
  if (!kernel.others.empty()) remark("Other kernels of the file:");
  for (const auto& other : kernel.others) remark("  " + other);
  const auto flags = text::joined(wish.flags, ", ", as_yaml);
  const auto sources = text::joined(wish.sources, ", ", as_yaml);
  yaml +=
      fmt::format("experiments:\n  - kernel: {{file: {}, name: {}{}{}{}}}\n", as_yaml(wish.file),
                  as_yaml(kernel.name), sources.empty() ? "" : ", sources: [" + sources + "]",
                  flags.empty() ? "" : ", flags: [" + flags + "]",
                  wish.only_device.empty() ? "" : ", compiler: nvrtc");
  if (!guess.axes.empty()) {
    const auto axes = text::joined(guess.axes, ", ", [](const auto& named) {
      const auto& [name, axis] = named;
      return axis.values.size() > 1 ? fmt::format("{}: [{}]", name, fmt::join(axis.values, ", "))
                                    : fmt::format("{}: {}", name, axis.value);
    });
    yaml += "    axes: {" + axes + "}\n";
  }
  yaml += "    grid: " + listed(guess.grid) + "\n    block: " + listed(guess.block) + "\n";
  if (!guess.cluster.empty()) yaml += "    cluster: " + listed(guess.cluster) + "\n";
  if (!guess.shared.empty()) yaml += "    shared: " + as_yaml(guess.shared) + "\n";
  if (guess.cooperative) yaml += "    cooperative: true\n";
  if (!guess.loops.empty()) {
    const auto loops = text::joined(guess.loops, ", ", [](const GuessedLoop& loop) {
      const auto by = loop.step == "+1" ? "" : " by " + loop.step;
      return loop.name + ": " + as_yaml(loop.begin + ".." + loop.end + by);
    });
    yaml += "    for: {" + loops + "}\n";
  }
  if (!guess.args.empty()) yaml += "    args:\n";
  yaml += lines_of(guess.args);
  if (std::ranges::any_of(guess.args, &GuessedArgument::is_gathered))
    yaml += "    traffic: {read: " + as_yaml(read_bytes(guess.args)) + "}\n";
  if (!wish.reference.empty()) {
    const auto output = std::ranges::find_if(guess.args, [](const auto& arg) {
      return arg.role == "out" || arg.role == "inout" || arg.role == "zeroed";
    });
    if (output == guess.args.end())
      throw std::runtime_error("--reference: the kernel has no output (leave out --reference)");
    yaml += fmt::format("    reference: {{expression: {{{}: {}}}}}\n", output->name,
                        as_yaml(wish.reference));
  }
  if (!wish.reference.empty() || guess.sums_in_any_order) {
    // What is left of large numbers that cancel is as inexact as they are.
    yaml += fmt::format("    tolerance: {{absolute: {0}, relative: {1}}}\n",
                        guess.sums_in_any_order ? "1e-3" : "1e-6",
                        guess.sums_in_any_order ? "1e-3" : "1e-5");
  }
  return yaml;
}

}  // namespace apod::cli
