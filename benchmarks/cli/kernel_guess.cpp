#include "benchmarks/cli/kernel_guess.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <stdexcept>

#include "benchmarks/cli/usual_values.hpp"
#include "kernels/files/expression.hpp"
#include "kernels/files/spec.hpp"

namespace apod::cli {
namespace {

using source::Traced;
using Place = source::HostValues::Place;

class Guesser {
 public:
  Guesser(const source::Program& program, const ChosenKernel& kernel,
          const file::KernelSketch& sketch, const KernelWish& wish)
      : program_(program),
        kernel_(kernel),
        sketch_(sketch),
        wish_(wish),
        host_(program, guess_.axes) {}

  KernelGuess make() {
    if (kernel_.launch != nullptr) {
      place_ = {kernel_.launch->function, kernel_.launch->at};
      host_.inline_names(kernel_.launch->templates);
    }
    take_parameters();
    take_scalars();
    take_launch();
    settle_axes();
    fit_launch();
    drop_idle_axes();
    take_arrays();
    settle_axes();
    drop_idle_axes();
    return std::move(guess_);
  }

 private:
  const source::Declared* code_of(std::size_t i) const {
    const bool fits =
        kernel_.code != nullptr && kernel_.code->parameters.size() == sketch_.parameters.size();
    return fits ? &kernel_.code->parameters[i] : nullptr;
  }
  source::Tokens passed(std::size_t i) const {
    const bool fits = kernel_.launch != nullptr && i < kernel_.launch->arguments.size();
    return fits ? kernel_.launch->arguments[i] : source::Tokens{};
  }

  void take_parameters() {
    for (std::size_t i = 0; i < sketch_.parameters.size(); ++i) {
      const auto& parameter = sketch_.parameters[i];
      GuessedArgument arg;
      const auto* code = code_of(i);
      arg.name = code != nullptr && !code->name.empty() ? code->name : fmt::format("p{}", i);
      const bool is_taken = std::any_of(guess_.args.begin(), guess_.args.end(),
                                        [&](const auto& other) { return other.name == arg.name; });
      if (arg.name == "i" || is_taken) arg.name += "_";
      if (parameter.type) {
        arg.type = to_string(*parameter.type);
      } else if (parameter.is_pointer) {
        arg.type = "u8";  // void, or a struct
      } else {
        throw std::runtime_error(
            fmt::format("parameter {} ({}) is {}, which an experiment can't give by value", i,
                        arg.name, parameter.text));
      }
      guess_.args.push_back(std::move(arg));
    }
  }

  void take_scalars() {
    for (std::size_t i = 0; i < sketch_.parameters.size(); ++i) {
      const auto& parameter = sketch_.parameters[i];
      if (parameter.is_pointer) continue;
      auto& arg = guess_.args[i];
      const bool is_integer = is_whole(*parameter.type) && arg.type != "bool";
      std::optional<Traced> value;
      if (!passed(i).empty()) value = host_.trace(passed(i), place_);
      if (!value && kernel_.launch != nullptr && passed(i).empty() && code_of(i) != nullptr) {
        value = host_.trace(code_of(i)->value, place_);  // a default argument
      }
      if (arg.type == "bool") {
        const bool is_false = value && value->is_number() && value->constant == 0;
        arg.value = is_false ? "0" : "1";
      } else if (is_integer) {
        if (!value) {
          const auto name = lower(arg.name);
          const auto usual = usual_value(name);
          value = usual == 0 ? Traced{.constant = 0} : host_.axis(arg.name, std::nullopt);
        }
        arg.value = value->is_real ? "floor(" + value->text() + ")" : value->text();
      } else {
        arg.value = value && is_real_constant(*value)
                        ? value->text()
                        : fmt::format("{:g}", usual_real(lower(arg.name)));
      }
    }
  }
  /// A number that was traced to the code, not to an axis that stands for one.
  bool is_real_constant(const Traced& value) const {
    return std::none_of(guess_.axes.begin(), guess_.axes.end(), [&](const auto& axis) {
      return !axis.second.known && value.text() == axis.first;
    });
  }

  void take_launch() {
    if (kernel_.launch != nullptr) {
      const auto text = [](const std::vector<Traced>& sides) -> std::vector<std::string> {
        std::vector<std::string> all;
        for (const auto& side : sides) {
          // What is 0 here is set where it can't be seen.
          if (side.is_number() && side.constant < 1) return std::vector<std::string>{};
          all.push_back(side.text());
        }
        return all;
      };
      guess_.block = text(host_.sides(kernel_.launch->block, place_));
      guess_.grid = text(host_.sides(kernel_.launch->grid, place_));
      guess_.cooperative = kernel_.launch->cooperative;
      if (const auto bytes = host_.trace(kernel_.launch->shared, place_)) {
        if (!bytes->is_number() || bytes->constant > 0) guess_.shared = bytes->text();
      }
      if (kernel_.launch->cluster) {
        for (const auto side : *kernel_.launch->cluster) {
          const auto value = side.empty() ? std::nullopt : host_.trace(side, place_);
          guess_.cluster.push_back(value ? value->text() : "1");
        }
      }
    }
    guess_without_launch();
    if (wish_.block) guess_.block = {std::to_string(*wish_.block)};
    if (!wish_.grid.empty()) guess_.grid = {wish_.grid};
  }

  /// From how the code uses its place in the grid.
  void guess_without_launch() {
    const auto uses = [&](const char* what, const char* side) {
      const auto body = kernel_.code != nullptr ? kernel_.code->body : source::Tokens{};
      for (std::size_t i = 0; i + 2 < body.size(); ++i) {
        if (body[i].is(what) && body[i + 2].is(side)) return true;
      }
      return false;
    };
    const bool is_flat = !uses("threadIdx", "y");
    if (guess_.block.empty()) {
      std::optional<Traced> most;
      if (kernel_.code != nullptr) most = host_.trace(kernel_.code->most_threads, {});
      const bool is_known = most && most->is_number();
      if (!is_flat) {
        guess_.block = {"16", "16"};
      } else {
        guess_.block = {is_known ? most->text() : "256"};
      }
      guess_.notes.emplace_back("the block is a guess: no host code tells it");
    }
    if (!guess_.grid.empty()) return;
    const std::array<const char*, 3> names{"x", "y", "z"};
    for (std::size_t side = 0; side < 3; ++side) {
      if (side > 0 && !uses("blockIdx", names[side])) continue;
      while (guess_.grid.size() < side) guess_.grid.emplace_back("1");
      guess_.grid.push_back(blocks_along(names[side], side, uses("threadIdx", names[side])));
    }
    guess_.notes.emplace_back("the grid is a guess: no host code tells it");
  }
  /// The variable that is made of blockIdx along a side is below a limit: as many are needed.
  std::string blocks_along(const char* side, std::size_t number, bool has_threads) {
    const auto body = kernel_.code != nullptr ? kernel_.code->body : source::Tokens{};
    std::string variable;
    bool joins_threads = false;
    for (std::size_t i = 0; i + 2 < body.size() && variable.empty(); ++i) {
      if (!body[i].is("blockIdx") || !body[i + 2].is(side)) continue;
      std::size_t begin = i;
      while (begin > 0 && !body[begin].is("=") && !body[begin].is(";")) --begin;
      if (begin == 0 || !body[begin].is("=")) continue;
      variable = body[begin - 1].text;
      for (auto k = begin; k < body.size() && !body[k].is(";"); ++k) {
        joins_threads = joins_threads || body[k].is("threadIdx");
      }
    }
    std::optional<std::string> limit;
    for (std::size_t i = 0; i + 2 < body.size() && !variable.empty() && !limit; ++i) {
      const bool is_limit = body[i].is(variable) && (body[i + 1].is("<") || body[i + 1].is(">"));
      if (!is_limit) continue;
      const auto from = i + 2 + (body[i + 2].is("=") ? 1 : 0);
      const auto expression = source::c_expression(body.subspan(from), program_.macros);
      const auto* first = &expression;
      while (first->kind == source::CExpression::Kind::binary &&
             (first->text == "&&" || first->text == "||")) {
        first = &first->parts.front();
      }
      limit = parameter_text(*first);
    }
    if (!limit) limit = first_size();
    if (!joins_threads && has_threads) return *limit;
    return has_threads && number < guess_.block.size()
               ? "ceil(" + bracketed(*limit) + " / " + guess_.block[number] + ")"
               : *limit;
  }
  static std::string bracketed(const std::string& text) {
    return text.find(' ') == std::string::npos ? text : "(" + text + ")";
  }
  /// An expression of the kernel's own scalars.
  std::optional<std::string> parameter_text(const source::CExpression& expression) {
    if (expression.kind == source::CExpression::Kind::name) {
      for (const auto& arg : guess_.args) {
        if (arg.name == expression.text && !arg.value.empty()) return arg.value;
      }
    }
    if (expression.kind == source::CExpression::Kind::number) return std::nullopt;
    if (expression.kind == source::CExpression::Kind::binary && expression.parts.size() == 2 &&
        (expression.text == "*" || expression.text == "/")) {
      const auto left = parameter_text(expression.parts[0]);
      const auto right = expression.parts[1].kind == source::CExpression::Kind::number
                             ? std::optional(expression.parts[1].text)
                             : parameter_text(expression.parts[1]);
      if (left && right) {
        const auto text = bracketed(*left) + " " + expression.text + " " + bracketed(*right);
        return expression.text == "/" ? "floor(" + text + ")" : text;
      }
    }
    return std::nullopt;
  }
  std::string first_size() {
    for (std::size_t i = 0; i < guess_.args.size(); ++i) {
      const auto& parameter = sketch_.parameters[i];
      if (parameter.is_pointer || !is_whole(*parameter.type)) continue;
      const auto axis = guess_.axes.find(guess_.args[i].value);
      if (axis != guess_.axes.end() && !usual_value(axis->first)) return axis->first;
    }
    return host_.axis("size", std::nullopt).text();
  }

  /// Axes that the code gives no value get a usual one.
  void settle_axes() {
    std::vector<std::string> sizes;
    for (auto& [name, axis] : guess_.axes) {
      if (axis.known || axis.value != 0) continue;
      if (const auto usual = usual_value(name)) {
        axis.value = std::max<std::int64_t>(1, *usual);
      } else {
        sizes.push_back(name);
      }
    }
    std::size_t free = 0;
    for (const auto& [name, axis] : guess_.axes) {
      free += !axis.known && !usual_value(name) ? 1 : 0;
    }
    for (const auto& name : sizes) {
      guess_.axes[name].value = free <= 1 ? 1 << 20 : free == 2 ? 1024 : free == 3 ? 512 : 64;
      if (wish_.size) guess_.axes[name].value = *wish_.size;
    }
  }
  /// Free axes become smaller until a block may have its threads and a grid its blocks.
  void fit_launch() {
    const auto is_allowed = [&] {
      std::map<std::string, double> axes;
      for (const auto& [name, axis] : guess_.axes) axes[name] = static_cast<double>(axis.value);
      const auto launch = launch_at(axes);
      if (!launch) return true;  // it is said where the experiment is read
      const auto& [x, y, z] = launch->block;
      return x * y * z <= 1024 && launch->grid[1] <= 65535 && launch->grid[2] <= 65535;
    };
    for (int halvings = 0; halvings < 20 && !is_allowed(); ++halvings) {
      for (auto& [name, axis] : guess_.axes) {
        if (!axis.known && axis.value > 16) axis.value /= 2;
      }
    }
  }
  void drop_idle_axes() {
    std::string all = guess_.shared + " " + wish_.reference;
    for (const auto& list : {guess_.grid, guess_.block, guess_.cluster, wish_.args}) {
      for (const auto& text : list) all += " " + text;
    }
    for (const auto& arg : guess_.args) {
      all += " " + arg.value + " " + arg.data;
      for (const auto& side : arg.shape) all += " " + side;
    }
    const auto names = file::template_names("<" + all);
    std::erase_if(guess_.axes, [&](const auto& axis) {
      return std::find(names.begin(), names.end(), axis.first) == names.end();
    });
  }

  /// The value of an expression where the axes have these values.
  static std::optional<double> worth(const std::string& text,
                                     const std::map<std::string, double>& axes) {
    try {
      const Expression expression(text);
      std::vector<Binding> bindings;
      for (const auto& name : expression.names()) {
        const auto found = axes.find(name);
        if (found == axes.end()) return std::nullopt;
        bindings.push_back({.value = Value::of(static_cast<std::int64_t>(found->second))});
      }
      const auto value = expression.evaluate(bindings);
      if (!value.is_number()) return std::nullopt;
      return value.number();
    } catch (const ExpressionError&) {
      return std::nullopt;
    }
  }
  std::optional<source::KernelLaunch> launch_at(const std::map<std::string, double>& axes) const {
    source::KernelLaunch launch;
    const auto fill = [&](const std::vector<std::string>& from, std::array<double, 3>& to) {
      for (std::size_t i = 0; i < from.size() && i < 3; ++i) {
        const auto value = worth(from[i], axes);
        if (!value) return false;
        to[i] = *value;
      }
      return true;
    };
    if (!fill(guess_.grid, launch.grid) || !fill(guess_.block, launch.block)) return std::nullopt;
    for (const auto& arg : guess_.args) {
      if (arg.value.empty()) continue;
      const auto value = worth(arg.value, axes);
      if (value) launch.scalars[arg.name] = *value;
    }
    for (const auto& [name, value] : kernel_.templates) launch.scalars[name] = value;
    launch.highest_values = highest_values_;
    for (std::size_t i = 0; i < sketch_.parameters.size(); ++i) {
      const auto& type = sketch_.parameters[i].type;
      if (type) launch.element_bytes[guess_.args[i].name] = static_cast<double>(size_of(*type));
    }
    return launch;
  }

  void take_arrays() {
    std::map<std::string, double> usual;
    std::map<std::string, double> distinct;
    // Multiples of usual blocks, by primes.
    static constexpr std::array<double, 12> primes{1536, 2560,  3584,  5632,  6656,  8704,
                                                   9728, 11776, 14848, 15872, 18944, 20992};
    std::size_t next = 0;
    for (const auto& [name, axis] : guess_.axes) {
      usual[name] = static_cast<double>(axis.value);
      // Small numbers stay small, such as the width of a mask.
      distinct[name] = axis.value < 64 || next >= primes.size()
                           ? static_cast<double>(axis.value) * (axis.value > 2 ? 3 : 1)
                           : primes[next++];
    }
    std::map<std::string, source::Access> now;
    std::map<std::string, source::Access> otherwise;
    const auto look = [&] {
      if (kernel_.code == nullptr) return;
      if (const auto launch = launch_at(usual)) {
        now = source::accesses_of(program_, *kernel_.code, *launch);
      }
      if (const auto launch = launch_at(distinct)) {
        otherwise = source::accesses_of(program_, *kernel_.code, *launch);
      }
    };
    look();
    for (std::size_t i = 0; i < guess_.args.size(); ++i) {
      if (sketch_.parameters[i].is_pointer) take_array(i, now, otherwise, usual, distinct);
    }
    // Values that are indices stay within what they are indices of.
    for (std::size_t i = 0; i < guess_.args.size(); ++i) {
      if (sketch_.parameters[i].is_pointer) take_indices(i, now, usual, distinct);
    }
  }

  void take_array(std::size_t i, const std::map<std::string, source::Access>& now,
                  const std::map<std::string, source::Access>& otherwise,
                  const std::map<std::string, double>& usual,
                  const std::map<std::string, double>& distinct) {
    const auto& parameter = sketch_.parameters[i];
    auto& arg = guess_.args[i];
    const auto access = now.find(arg.name);
    const source::Access used = access == now.end() ? source::Access{} : access->second;
    source::Buffer buffer;
    if (!passed(i).empty()) buffer = host_.buffer(passed(i), place_);
    arg.role = role_of(parameter, used, buffer);
    const bool sums = used.is_atomic && parameter.type && is_real(*parameter.type);
    guess_.sums_in_any_order = guess_.sums_in_any_order || sums;
    const auto bytes = static_cast<std::int64_t>(element_bytes(i));
    if (buffer.bytes && bytes > 0) {
      settle_axes();
      auto count = *buffer.bytes;
      if (count.constant % bytes == 0) {
        count.constant /= bytes;
      } else {
        count = Traced{.constant = 1,
                       .factors = {"ceil(" + count.text() + " / " + std::to_string(bytes) + ")"}};
      }
      arg.shape = sides_of(count);
    } else {
      const auto other = otherwise.find(arg.name);
      arg.shape = counted(used, other == otherwise.end() ? source::Access{} : other->second, usual,
                          distinct, arg.name);
    }
    const auto* vector = &parameter;
    if (vector->count > 1) arg.shape.push_back(std::to_string(vector->count));
  }
  std::size_t element_bytes(std::size_t i) const {
    const auto& parameter = sketch_.parameters[i];
    return parameter.type ? size_of(*parameter.type) * parameter.count : 1;
  }
  /// "m * n" as [m, n].
  static std::vector<std::string> sides_of(const Traced& count) {
    if (count.factors.size() < 2 || count.is_real) return {count.text()};
    std::vector<std::string> sides;
    if (count.constant != 1) sides.push_back(std::to_string(count.constant));
    for (const auto& one : count.factors) sides.push_back(Traced{.factors = {one}}.text());
    if (sides.size() > 8) return {count.text()};
    return sides;
  }

  std::string role_of(const file::KernelSketch::Parameter& parameter, const source::Access& used,
                      const source::Buffer& buffer) const {
    if (parameter.is_const) return "in";
    const bool is_zeroed = buffer.is_zeroed && !buffer.is_copied_in;
    const bool changes = used.is_written || used.is_updated || used.is_atomic;
    if (!changes && !used.is_read) return buffer.is_copied_in || !buffer.bytes ? "inout" : "out";
    if (!changes) return "in";
    if (is_zeroed || (used.is_atomic && !buffer.is_copied_in)) return "zeroed";
    // What is written first may be updated and read then.
    const bool is_first_written = used.is_written && (used.is_updated || !used.is_read);
    return is_first_written && !buffer.is_copied_in ? "out" : "inout";
  }

  /// A product of axes that is as large as what is accessed, or the number itself.
  std::vector<std::string> counted(const source::Access& now, const source::Access& otherwise,
                                   const std::map<std::string, double>& usual,
                                   const std::map<std::string, double>& distinct,
                                   const std::string& name) {
    if (now.is_known && now.highest >= 0) {
      const double wanted = now.highest + 1;
      const double other = otherwise.is_known ? otherwise.highest + 1 : -1;
      if (auto found = product_near(wanted, other, usual, distinct)) return *found;
      guess_.notes.push_back(fmt::format("the size of {} is a number for these axes", name));
      return {fmt::format("{}", static_cast<std::int64_t>(wanted))};
    }
    // All sizes together are enough for what isn't told.
    std::vector<std::string> sides;
    double count = 1;
    for (const auto& [axis, value] : usual) {
      if (usual_value(axis) && value < 32) continue;
      const auto is_scalar = std::any_of(guess_.args.begin(), guess_.args.end(),
                                         [&](const auto& arg) { return arg.value == axis; });
      if (!is_scalar || count * value > 1 << 28) continue;
      sides.push_back(axis);
      count *= value;
    }
    guess_.notes.push_back(
        fmt::format("the shape of {} is a guess: its index can't be told", name));
    if (sides.empty()) sides.push_back(first_size());
    return sides;
  }
  /// c * a * b + d that is `wanted` at the usual values of the axes and about `other` at the
  /// distinct ones, d being small.
  std::optional<std::vector<std::string>> product_near(
      double wanted, double other, const std::map<std::string, double>& usual,
      const std::map<std::string, double>& distinct) const {
    constexpr double little = 1.0 / 32;
    std::optional<std::vector<std::string>> found;
    double least = 1e300;
    std::vector<std::string> sides;
    const auto consider = [&](double product, double other_product) {
      const double times = std::floor(wanted / product);
      if (times < 1 || times > 4096) return;
      const double more = wanted - times * product;
      const double other_more = other > 0 ? other - times * other_product : more;
      const bool is_near = more <= wanted * little && other_more >= 0 &&
                           (other <= 0 || other_more <= other * little);
      const double cost = (more > 0 || other_more > 0 ? 1e6 + more : 0) + times +
                          8.0 * static_cast<double>(sides.size());
      if (!is_near || cost >= least || (other <= 0 && times > 1)) return;
      least = cost;
      found = sides;
      if (times > 1 || sides.empty()) {
        found->insert(found->begin(), fmt::format("{}", static_cast<std::int64_t>(times)));
      }
      if (more <= 0) return;
      std::string all;
      for (const auto& side : *found) all += (all.empty() ? "" : " * ") + side;
      found = {fmt::format("{} + {}", all, static_cast<std::int64_t>(more))};
    };
    const std::function<void(std::map<std::string, double>::const_iterator, double, double)> grow =
        [&](auto from, double product, double other_product) {
          consider(product, other_product);
          if (sides.size() >= 6) return;
          for (auto axis = from; axis != usual.end(); ++axis) {
            if (axis->second <= 1 || product * axis->second > wanted) continue;
            sides.push_back(axis->first);
            grow(axis, product * axis->second, other_product * distinct.at(axis->first));
            sides.pop_back();
          }
        };
    grow(usual.begin(), 1, 1);
    return found;
  }

  std::optional<double> elements(const GuessedArgument& arg,
                                 const std::map<std::string, double>& axes) const {
    double count = 1;
    for (const auto& side : arg.shape) {
      const auto value = worth(side, axes);
      if (!value) return std::nullopt;
      count *= *value;
    }
    return count;
  }
  std::string whole_shape(const GuessedArgument& arg) const {
    std::string all;
    for (const auto& side : arg.shape) {
      all += (all.empty() ? "" : " * ") + (arg.shape.size() > 1 ? bracketed(side) : side);
    }
    return all;
  }
  void take_indices(std::size_t i, const std::map<std::string, source::Access>& now,
                    const std::map<std::string, double>& axes,
                    const std::map<std::string, double>& distinct) {
    auto& arg = guess_.args[i];
    const auto access = now.find(arg.name);
    const auto type = sketch_.parameters[i].type;
    if (access == now.end() || !type || !is_whole(*type) ||
        (arg.role != "in" && arg.role != "inout") || access->second.indexes.empty()) {
      return;
    }
    // What its values may be at most so that each array that they lead into is long enough.
    const auto limit = [&](const std::map<std::string, double>& at) -> std::optional<double> {
      const auto reach = [&](double value) {
        highest_values_[arg.name] = value;
        const auto launch = launch_at(at);
        return launch ? source::accesses_of(program_, *kernel_.code, *launch)
                      : std::map<std::string, source::Access>{};
      };
      const auto low = reach(0);
      const auto high = reach(1024);
      std::optional<double> most;
      for (const auto& name : access->second.indexes) {
        const auto other = std::find_if(guess_.args.begin(), guess_.args.end(),
                                        [&](const auto& one) { return one.name == name; });
        const auto first = low.find(name);
        const auto second = high.find(name);
        if (other == guess_.args.end() || first == low.end() || second == high.end()) continue;
        const auto count = elements(*other, at);
        const double step = (second->second.highest - first->second.highest) / 1024;
        if (!count || step <= 0) continue;
        const double value = std::floor((*count - 1 - first->second.highest) / step);
        most = most ? std::min(*most, value) : value;
      }
      return most;
    };
    const auto here = limit(axes);
    const auto there = limit(distinct);
    const auto own = elements(arg, axes);
    highest_values_.erase(arg.name);
    if (!here || *here < 0 || !own) return;
    std::string bound = fmt::format("{}", static_cast<std::int64_t>(*here + 1));
    if (const auto sides =
            there ? product_near(*here + 1, *there + 1, axes, distinct) : std::nullopt) {
      bound.clear();
      for (const auto& side : *sides) bound += (bound.empty() ? "" : " * ") + side;
    }
    const auto& of = access->second.indexes.front();
    highest_values_[arg.name] = *here;
    if (access->second.holds_offsets) {
      // Ranges of equal length.
      arg.data =
          *own > 1 ? fmt::format("i * floor({} / ({}))", bracketed(bound), whole_shape(arg)) : "0";
      guess_.notes.push_back(arg.name + " holds the ends of ranges within " + of);
    } else if (*here + 1 < *own || *here > 127 || *here < 127) {
      arg.data = "(i * 7919) % " + bracketed(bound);
      guess_.notes.push_back(arg.name + " holds indices of " + of);
    }
  }

  const source::Program& program_;
  const ChosenKernel& kernel_;
  const file::KernelSketch& sketch_;
  const KernelWish& wish_;
  KernelGuess guess_;
  source::HostValues host_;
  Place place_{static_cast<std::size_t>(-1), 0};
  std::map<std::string, double> highest_values_;
};

}  // namespace

KernelGuess guess(const source::Program& program, const ChosenKernel& kernel,
                  const file::KernelSketch& sketch, const KernelWish& wish) {
  return Guesser(program, kernel, sketch, wish).make();
}

}  // namespace apod::cli
