#include "benchmarks/cli/kernel_guess.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "benchmarks/base/text/plain.hpp"
#include "kernels/files/spec.hpp"

namespace apod::cli {
namespace {

struct GuessedArg {
  std::string name, type, role, shape, value;
};

const file::KernelSketch& chosen(const std::vector<file::KernelSketch>& sketches,
                                 const KernelWish& wish) {
  std::vector<std::string> names;
  for (const auto& sketch : sketches) {
    if (sketch.name == wish.kernel || (wish.kernel.empty() && sketches.size() == 1)) return sketch;
    names.push_back(sketch.name);
  }
  std::string known;
  for (const auto& name : names) known += (known.empty() ? "" : ", ") + name;
  if (wish.kernel.empty()) {
    throw std::runtime_error(wish.file + " has several kernels; --kernel names one: " + known);
  }
  const auto near = text::closest(wish.kernel, names);
  throw std::runtime_error("there is no kernel '" + wish.kernel + "' in " + wish.file + "; " +
                           text::did_you_mean(near, "there are: " + known));
}

GuessedArg guessed(const file::KernelSketch::Parameter& parameter, std::size_t index) {
  if (!parameter.type) {
    throw std::runtime_error(
        fmt::format("parameter {} is {}, which an experiment can't give: write the file by hand",
                    index, parameter.text));
  }
  GuessedArg arg{.name = fmt::format("p{}", index),
                 .type = std::string(to_string(*parameter.type)),
                 .role = "",
                 .shape = "",
                 .value = ""};
  if (parameter.is_pointer) {
    arg.role = parameter.is_const ? "in" : "inout";
    arg.shape = "size";
  } else {
    arg.value = is_whole(*parameter.type) ? "size" : "1";
  }
  return arg;
}

void apply(const std::string& wish, std::vector<GuessedArg>& args) {
  const auto equals = wish.find('=');
  auto name = wish.substr(0, equals);
  if (!name.empty() && name[0] == 'p') name.erase(0, 1);
  const bool is_number =
      !name.empty() && name.size() < 3 &&
      std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
  const auto index = is_number ? static_cast<std::size_t>(std::stoi(name)) : args.size();
  if (args.empty()) throw std::runtime_error("--arg " + wish + ": the kernel has no parameters");
  if (equals == std::string::npos || index >= args.size()) {
    throw std::runtime_error(fmt::format(
        "--arg {}: write INDEX=ROLE, INDEX=VALUE or INDEX=[SIDE, ...], with an index from 0 to {}",
        wish, args.size() - 1));
  }
  auto& arg = args[index];
  const auto said = wish.substr(equals + 1);
  const bool is_role = apod::parse<file::Role>(said).has_value();
  const bool is_shape = said.starts_with('[') && said.ends_with(']');
  if (arg.shape.empty() ? is_role || is_shape : !is_role && !is_shape) {
    throw std::runtime_error(fmt::format("--arg {}: {} is {}", wish, arg.name,
                                         arg.shape.empty() ? "a scalar, which has a value"
                                                           : "an array, which has a role or a "
                                                             "shape"));
  }
  (is_role ? arg.role : is_shape ? arg.shape : arg.value) = said;
}

/// Whether one of the names in expressions is `name`.
bool names(const std::string& expressions, std::string_view name) {
  const auto all = file::template_names("<" + expressions);
  return std::find(all.begin(), all.end(), name) != all.end();
}

/// As YAML reads it: in quotes, which the text does not hold.
std::string quoted(const std::string& text) {
  if (text.find_first_of("\"\\\n") != std::string::npos) {
    throw std::runtime_error("'" + text + "' has a quotation mark or a backslash");
  }
  return '"' + text + '"';
}

}  // namespace

std::string experiment_for(const std::vector<file::KernelSketch>& sketches,
                           const KernelWish& wish) {
  const auto& sketch = chosen(sketches, wish);
  std::vector<GuessedArg> args;
  for (const auto& parameter : sketch.parameters) args.push_back(guessed(parameter, args.size()));
  for (const auto& one : wish.args) apply(one, args);
  const auto grid = wish.grid.empty() ? "ceil(size / block)" : wish.grid;
  std::string all = grid + " " + wish.reference;
  for (const auto& arg : args) all += " " + arg.shape + " " + arg.value;
  std::string axes = fmt::format("block: {}", wish.block.value_or(256));
  // An axis that stands nowhere is a mistake: of who asks for it.
  if (wish.size || names(all, "size")) {
    axes = fmt::format("size: {}, ", wish.size.value_or(std::int64_t{1} << 20)) + axes;
  }
  std::string yaml = fmt::format(
      "schema: 1\nname: {}\nexperiments:\n"
      "  - kernel: {{file: {}, name: {}}}\n"
      "    axes: {{{}}}\n    grid: {}\n    block: block\n",
      text::slug(std::filesystem::path(wish.file).stem().string()), quoted(wish.file),
      quoted(sketch.name), axes, quoted(grid));
  if (!args.empty()) yaml += "    args:\n";
  std::string first_output;
  for (const auto& arg : args) {
    if (first_output.empty() && (arg.role == "out" || arg.role == "inout")) first_output = arg.name;
    yaml += fmt::format("      - {{name: {}, type: {}, ", arg.name, arg.type);
    if (arg.shape.empty()) {
      yaml += fmt::format("value: {}}}\n", quoted(arg.value));
    } else {
      yaml += fmt::format("shape: {}, role: {}}}\n", arg.shape, arg.role);
    }
  }
  if (!wish.reference.empty()) {
    if (first_output.empty()) throw std::runtime_error("--reference: there is no output");
    yaml += fmt::format(
        "    reference: {{expression: {{{}: {}}}}}\n"
        "    tolerance: {{absolute: 1e-6, relative: 1e-5}}\n",
        first_output, quoted(wish.reference));
  }
  return yaml;
}

}  // namespace apod::cli
