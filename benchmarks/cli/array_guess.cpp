/// \file
/// Roles, shapes and data of a kernel's arrays.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/cli/guess_parts.hpp"
#include "kernels/files/spec.hpp"

namespace apod::cli {
namespace {

using source::Traced;
using Values = std::map<std::string, double>;
using Accesses = std::map<std::string, source::Access>;

class ArrayGuesser {
 public:
  ArrayGuesser(KernelGuess& guess, const GuessBasis& basis) : guess_(guess), basis_(basis) {}

  void run() {
    value_axes();
    for (int halvings = 0; halvings < 20 && reached_bytes() > most_bytes; ++halvings) halve_axes();
    for (auto& arg : guess_.args)
      if (arg.takes.is_pointer && arg.shape.empty()) take_number(arg);
    const auto now = accesses_at(usual_);
    const auto otherwise = accesses_at(distinct_);
    default_highest_ *= 2;
    further_ = accesses_at(usual_);
    default_highest_ /= 2;
    for (auto& arg : guess_.args)
      if (arg.takes.is_pointer && arg.shape.empty()) take_array(arg, now, otherwise);
    settle_axes(guess_, basis_.wish);
    value_axes();  // shapes may have brought new ones
    for (int halvings = 0; halvings < 20 && has_empty_side(); ++halvings) halve_axes();
    note_lengths_of_memory();
    note_shared_memory();
    // Values that are indices stay within what they are indices of.
    for (auto& arg : guess_.args)
      if (arg.takes.is_pointer && basis_.kernel.code != nullptr) take_indices(arg, now);
  }

 private:
  /// "n - m" where m is large.
  bool has_empty_side() const {
    return std::ranges::any_of(guess_.args, [&](const auto& arg) {
      return std::ranges::any_of(arg.shape, [&](const auto& side) {
        const auto value = worth(side, usual_);
        return value && *value < 1;
      });
    });
  }
  /// Names that the launch, or a scalar that the kernel's code uses, is made of.
  std::set<std::string> names_of_launch() const {
    auto all = text_of_launch(guess_);
    for (const auto& arg : guess_.args) {
      const auto word = arg.code.substr(0, arg.code.find('.'));
      if (source::has_any(basis_.body(), {word})) all += " " + arg.value;
    }
    return file::template_names("<" + all);
  }
  /// Whether a side of memory is one of the launch, or has its value from the code.
  bool is_tied(const std::string& side) const {
    const auto named = names_of_launch();
    const auto names = file::template_names("<" + side);
    return std::ranges::all_of(
        names, [&](const auto& name) { return !is_free(guess_, name) || named.contains(name); });
  }
  /// Lengths of memory alone, which the kernel may reach beyond.
  void note_lengths_of_memory() {
    const auto now = accesses_at(usual_);
    for (const auto& arg : guess_.args) {
      const auto access = now.find(arg.code);
      if (access == now.end() || access->second.is_known) continue;
      for (const auto& side : arg.shape) {
        if (is_tied(side)) continue;
        guess_.notes.push_back(fmt::format(
            "{} is a guess: the code does not say how long {} is for this launch", side, arg.name));
      }
    }
  }
  /// One array of the host that is several arguments is several arrays here.
  void note_shared_memory() {
    std::map<std::string, std::string> first;
    for (const auto& arg : guess_.args) {
      if (!arg.takes.is_pointer || arg.passed.empty()) continue;
      const auto memory = basis_.host.memory_of(arg.passed, basis_.place);
      if (memory.empty() || first.try_emplace(memory, arg.name).second) continue;
      guess_.notes.push_back(first[memory] + " and " + arg.name +
                             " share one array in the host code; here, each has its own array");
    }
  }
  /// Those that the code gives no value.
  void halve_axes() {
    for (auto& [name, axis] : guess_.axes) {
      const bool is_kept = axis.known || usual_value(name) || is_side_of_block(guess_, name);
      if (!is_kept && axis.value > 16) axis.value /= 2;
      usual_[name] = static_cast<double>(axis.value);
    }
  }
  /// Whether a scalar may lead beyond the array: it is made of an axis that the code gives no
  /// value, and that the array's length has nothing to do with, though the code gives it one.
  bool depends_on_guesses(const GuessedArgument& array) const {
    const auto is_guess = [&](const std::string& name) { return is_free(guess_, name); };
    const auto sides = file::template_names("<" + text::joined(array.shape, " "));
    return std::ranges::none_of(sides, is_guess) &&
           std::ranges::any_of(names_of_launch(), is_guess);
  }
  /// Of all arrays, as far as the kernel's indices tell.
  double reached_bytes() const {
    double all = 0;
    const auto now = accesses_at(usual_);
    for (const auto& arg : guess_.args) {
      const auto access = now.find(arg.code);
      if (access == now.end() || !access->second.is_known || !arg.takes.type) continue;
      all += (access->second.highest + 1) * arg.takes.count *
             static_cast<double>(size_of(*arg.takes.type));
    }
    return all;
  }
  static constexpr double most_bytes = 2.0 * (1 << 30);
  /// Their usual values, and other values that make them distinguishable.
  void value_axes() {
    // Multiples of usual blocks, by primes.
    static constexpr std::array<double, 12> large{5632,  6656,  8704,  9728,  11776, 14848,
                                                  15872, 18944, 20992, 22016, 24064, 27136};
    const auto of_block = file::template_names("<" + text::joined(guess_.block, " "));
    for (const auto& [name, axis] : guess_.axes) {
      const auto value = static_cast<double>(axis.value);
      if (!usual_.emplace(name, value).second) continue;
      // Small numbers stay small, such as the width of a mask or of a block.
      const bool is_of_block = of_block.contains(name);
      const bool is_guessed_size = axis.is_size && !axis.known && !usual_value(name);
      const bool is_small = value < 64 && (!is_guessed_size || is_of_block);
      static constexpr std::array<double, 4> times{3, 5, 7, 9};
      // Those that blocks and tiles may have still divide the large ones.
      static constexpr std::array<double, 4> powers{2, 4, 8, 16}, threads{832, 704, 448, 320};
      const auto nth = distinct_.size() % times.size();
      const auto several = value < 2 ? 1 : value >= 16 || is_of_block ? powers[nth] : times[nth];
      distinct_[name] = is_small || next_ >= large.size() ? value * several
                        : is_of_block                     ? threads[nth]
                                                          : large[next_++];
    }
  }
  std::optional<source::KernelLaunch> launch_at_(const Values& axes) const {
    auto launch = launch_at(guess_, basis_, values_of(guess_, axes));
    if (launch) launch->highest_values = highest_values_;
    if (launch) launch->default_highest = default_highest_;
    return launch;
  }
  Accesses accesses_at(const Values& axes) const {
    const auto launch = basis_.kernel.code != nullptr ? launch_at_(axes) : std::nullopt;
    return launch ? source::accesses_of(basis_.program, *basis_.kernel.code, *launch) : Accesses{};
  }

  /// Whether the values of another array, which may be large, alone say how far the kernel reaches.
  bool follows_indices(const std::string& array, const source::Access& used,
                       const Accesses& now) const {
    const auto further = further_.find(array);
    if (used.is_atomic || further == further_.end() || further->second.highest <= used.highest)
      return false;
    return std::ranges::any_of(guess_.args, [&](const auto& arg) {
      const auto access = now.find(arg.code);
      return access != now.end() && arg.takes.type && size_of(*arg.takes.type) > 1 &&
             !access->second.holds_offsets &&
             std::ranges::find(access->second.indexes, array) != access->second.indexes.end();
    });
  }
  static source::Access access_of(const Accesses& all, const GuessedArgument& arg) {
    const auto found = all.find(arg.code);
    return found == all.end() ? source::Access{} : found->second;
  }
  void take_array(GuessedArgument& arg, const Accesses& now, const Accesses& otherwise) {
    const auto& takes = arg.takes;
    const auto used = access_of(now, arg);
    source::Buffer buffer;
    if (!arg.passed.empty()) buffer = basis_.host.buffer(arg.passed, basis_.place);
    arg.role = role_of(takes, used, buffer);
    const bool sums = used.is_atomic && takes.type && is_real(*takes.type);
    guess_.sums_in_any_order = guess_.sums_in_any_order || sums;
    const auto bytes = static_cast<std::int64_t>(
        takes.type ? size_of(*takes.type) * static_cast<std::size_t>(takes.count) : 1);
    if (buffer.bytes) {
      settle_axes(guess_, basis_.wish);
      auto count = *buffer.bytes;
      if (count.constant % bytes == 0) {
        count.constant /= bytes;
      } else {
        count =
            Traced{.constant = 1,
                   .factors = {"ceil(" + count.operand() + " / " + std::to_string(bytes) + ")"}};
      }
      arg.shape = sides_of(count);
    }
    const bool is_whole_count = buffer.bytes && buffer.bytes->constant % bytes == 0;
    if (!buffer.bytes && follows_indices(arg.code, used, now)) {
      arg.shape = {first_size(guess_, basis_)};
      guess_.notes.push_back(fmt::format("{} is a guess: the code does not say how long {} is",
                                         arg.shape.front(), arg.name));
    } else if (!buffer.bytes && takes.count > 4096 && (!used.is_known || used.highest < 0)) {
      arg.shape = {"1"};  // a structure of arrays
      guess_.notes.push_back(arg.name + " is one structure: its length is a guess");
    } else if (!buffer.bytes || is_too_short(arg, used, is_whole_count)) {
      arg.shape = counted(used, access_of(otherwise, arg), arg.name);
    }
    if (takes.count > 1) arg.shape.push_back(std::to_string(takes.count));
    take_filling(arg, buffer);
  }
  /// The number that each of its elements, or of its bytes, is set to.
  static void take_filling(GuessedArgument& arg, const source::Buffer& buffer) {
    if (!arg.takes.type || !is_whole(*arg.takes.type)) return;
    const bool is_input = arg.role == "in" || arg.role == "inout";
    if (is_input && buffer.each && holds(*arg.takes.type, buffer.each->constant))
      arg.data = buffer.each->text();
    if (buffer.fill == 0 || arg.role != "inout") return;
    const auto filled = ~std::uint64_t{0} / 255 * static_cast<std::uint64_t>(buffer.fill);
    const auto unused = 64 - 8 * size_of(*arg.takes.type);
    arg.data = arg.type.starts_with('i')
                   ? fmt::format("{}", static_cast<std::int64_t>(filled) >> unused)
                   : fmt::format("{}", std::min<std::uint64_t>(filled >> unused, INT64_MAX));
  }
  /// The one number that the host copies there.
  void take_number(GuessedArgument& arg) {
    const auto& type = arg.takes.type;
    const auto buffer = arg.passed.empty() || !type || arg.takes.count > 1
                            ? source::Buffer{}
                            : basis_.host.buffer(arg.passed, basis_.place);
    const bool is_one = buffer.value && buffer.bytes && buffer.bytes->is_number() &&
                        buffer.bytes->constant == static_cast<std::int64_t>(size_of(*type));
    if (!is_one) return;
    arg.data = buffer.value->text();
    settle_axes(guess_, basis_.wish);
    value_axes();
    if (is_whole(*type)) {
      if (const auto value = worth(arg.data, usual_)) highest_values_[arg.code] = *value;
      return;
    }
    if (is_free(guess_, arg.data))
      arg.data = fmt::format("{:g}", usual_real(text::lower(arg.name)));
  }
  /// Whether the host's memory is too short for these axes, which it has nothing to do with, or is
  /// of another type. Accesses are estimated from above.
  bool is_too_short(const GuessedArgument& arg, const source::Access& used, bool is_of_type) {
    const bool is_hosts = !basis_.wish.block && basis_.wish.grid.empty();
    const double far = is_hosts ? 1.5 : 1;
    settle_axes(guess_, basis_.wish);
    value_axes();
    const bool is_launchs =
        is_hosts && !guess_.is_launch_guessed && !depends_on_guesses(arg) &&
        std::ranges::all_of(arg.shape, [&](const auto& side) { return is_tied(side); });
    const auto count = elements(arg, usual_);
    const bool reaches_beyond = used.is_known && count && used.highest + 1 > far * *count;
    if (!reaches_beyond || (is_launchs && is_of_type)) return false;
    guess_.notes.push_back(arg.name +
                           " has the length that the kernel needs: the size in the host code is "
                           "too small for these axis values");
    return true;
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
    if (buffer.fill != 0) return "inout";
    if (is_zeroed || (used.is_atomic && !buffer.is_copied_in)) return "zeroed";
    // What is written first may be updated and read then.
    const bool is_first_written = used.is_written && (used.is_updated || !used.is_read);
    return is_first_written && !buffer.is_copied_in ? "out" : "inout";
  }

  /// A product of axes that is as large as what is accessed, or the number itself.
  std::vector<std::string> counted(const source::Access& now, const source::Access& otherwise,
                                   const std::string& name) {
    if (now.is_known && now.highest >= 0) {
      const double wanted = now.highest + 1;
      const double other = otherwise.is_known ? otherwise.highest + 1 : -1;
      const auto found = length_near(factors_of_shapes(), wanted, other);
      if (found && found->is_for_all) return found->sides;
      for (auto& [axis, of] : guess_.axes) of.values.clear();  // one case alone has this length
      guess_.notes.push_back(
          fmt::format("the size of {} is right only for these axis values", name));
      return {fmt::format("{}", static_cast<std::int64_t>(wanted))};
    }
    // All sizes together are enough if the size is unknown.
    std::vector<std::string> sides;
    double count = 1;
    for (const auto& [axis, value] : usual_) {
      if (usual_value(axis) && value < 32) continue;
      const auto is_scalar =
          std::ranges::any_of(guess_.args, [&](const auto& arg) { return arg.value == axis; });
      if (!is_scalar || count * value > 1 << 28) continue;
      sides.push_back(axis);
      count *= value;
    }
    guess_.notes.push_back(
        fmt::format("the shape of {} is a guess: the index could not be read from the code", name));
    // Not shorter than the launch has threads.
    auto launch = guess_.grid;
    launch.insert(launch.end(), guess_.block.begin(), guess_.block.end());
    const auto threads = product_text(launch);
    const auto launched = worth(threads, values_of(guess_, usual_));
    if (launched && *launched > count) return {threads};
    if (sides.empty()) sides.push_back(first_size(guess_, basis_));
    return sides;
  }
  /// Axes, and what else the kernel takes and is launched with: "floor(c / heads)".
  std::vector<LengthFactor> factors_of_shapes() const {
    std::vector<LengthFactor> all;
    for (const auto& [name, value] : usual_) all.push_back({name, value, distinct_.at(name)});
    const auto add = [&](const std::string& text) {
      const bool is_known =
          std::ranges::any_of(all, [&](const auto& one) { return one.text == text; });
      if (is_known || text.find_first_not_of("0123456789") == std::string::npos) return;
      const auto usual = worth(text, usual_);
      const auto otherwise = worth(text, distinct_);
      if (usual && otherwise) all.push_back({text, *usual, *otherwise});
    };
    for (const auto& arg : guess_.args)
      if (arg.takes.type && is_whole(*arg.takes.type)) add(arg.value);
    for (const auto& list : {guess_.grid, guess_.block}) {
      for (const auto& side : list) add(side);
    }
    return all;
  }
  std::optional<double> elements(const GuessedArgument& arg, const Values& axes) const {
    double count = 1;
    for (const auto& side : arg.shape) {
      const auto value = worth(side, axes);
      if (!value) return std::nullopt;
      count *= *value;
    }
    return count;
  }
  /// What the kernel's index counts: vectors, where it is of them.
  std::optional<double> places(const GuessedArgument& arg, const Values& axes) const {
    const auto count = elements(arg, axes);
    return count ? std::optional(*count / std::max(1, arg.takes.count)) : count;
  }
  /// "n" of "n + 1" ends.
  static std::string ranges_of(const GuessedArgument& arg) {
    auto all = arg.shape.size() == 1 ? arg.shape.front() : product_text(arg.shape);
    if (all.ends_with(" + 1")) all.resize(all.size() - 4);
    return all;
  }
  void take_indices(GuessedArgument& arg, const Accesses& now) {
    const auto access = now.find(arg.code);
    const auto type = arg.takes.type;
    if (access == now.end() || !type || !is_whole(*type) ||
        (arg.role != "in" && arg.role != "inout") || access->second.indexes.empty()) {
      return;
    }
    // What its values may be at most so that each array that they lead into is long enough.
    const auto limit = [&](const std::map<std::string, double>& at) -> std::optional<double> {
      const auto reach = [&](double value) {
        highest_values_[arg.code] = value;
        return accesses_at(at);
      };
      const auto low = reach(1024);
      const auto high = reach(2048);
      std::optional<double> most;
      for (const auto& name : access->second.indexes) {
        const auto other = std::ranges::find(guess_.args, name, &GuessedArgument::code);
        const auto first = low.find(name);
        const auto second = high.find(name);
        if (other == guess_.args.end() || first == low.end() || second == high.end()) continue;
        const auto count = places(*other, at);
        const double step = (second->second.highest - first->second.highest) / 1024;
        if (!count || step <= 0) continue;
        const double least = first->second.highest - 1024 * step;
        const double value = std::floor((*count - 1 - least) / step);
        most = most ? std::min(*most, value) : value;
      }
      return most;
    };
    const auto here = limit(usual_);
    const auto there = limit(distinct_);
    const auto own = places(arg, usual_);
    highest_values_.erase(arg.code);
    if (!here || !own) return;
    if (access->second.holds_offsets && *own > 1 && *here < *own - 1) {
      // Not what is led into by what lies in the ranges.
      std::vector<std::string> ranged;
      for (const auto& name : access->second.indexes) {
        const bool is_far = std::ranges::any_of(access->second.indexes, [&](const auto& other) {
          const auto found = now.find(other);
          if (found == now.end()) return false;
          const auto& into = found->second.indexes;
          return std::ranges::find(into, name) != into.end();
        });
        if (!is_far) ranged.push_back(name);
      }
      if (!ranged.empty()) lengthen(arg, *here, ranged);
      return;
    }
    if (*here < 0) return;
    // Indices are below it; ends of ranges may be it.
    const double more = access->second.holds_offsets ? 0 : 1;
    std::string bound = fmt::format("{}", static_cast<std::int64_t>(*here + more));
    if (const auto found =
            there ? length_near(factors_of_shapes(), *here + more, *there + more) : std::nullopt) {
      bound = product_text(found->sides);
    }
    const auto& of = access->second.indexes.front();
    for (auto& other : guess_.args) {
      const auto& names = access->second.indexes;
      const bool is_led_into = std::ranges::find(names, other.code) != names.end();
      other.is_gathered = other.is_gathered || (is_led_into && !access->second.holds_offsets);
    }
    highest_values_[arg.code] = *here;
    if (access->second.holds_offsets) {
      // Ranges of equal length, which fill it.
      const auto ranges = ranges_of(arg);
      arg.data =
          *own > 1 ? fmt::format("i * floor({} / {})", bracketed(bound), bracketed(ranges)) : "0";
      guess_.notes.push_back(arg.name + " is filled with offsets into " + of);
    } else if (*here + 1 < *own || *here > 127 || *here < 127) {
      arg.data = "(i * 7919) % " + bracketed(bound);
      guess_.notes.push_back(arg.name + " is filled with indices into " + of);
    }
  }

  /// Ranges of an element each, if not more, are in arrays that are long enough for them.
  void lengthen(GuessedArgument& ends, double reach, const std::vector<std::string>& ranged) {
    constexpr int elements_each = 16;
    const auto ranges = ranges_of(ends);
    ends.data = fmt::format("{} * i", elements_each);
    for (auto& other : guess_.args) {
      if (std::ranges::find(ranged, other.code) == ranged.end()) continue;
      const auto count = places(other, usual_);
      // What the kernel reaches beyond the last of them.
      const auto more = count ? std::max(0.0, *count - 1 - reach) : 0.0;
      other.shape = {fmt::format("{} * {} + {}", elements_each, bracketed(ranges),
                                 static_cast<std::int64_t>(more))};
      if (more == 0) other.shape = {std::to_string(elements_each), ranges};
      if (other.takes.count > 1) other.shape.push_back(std::to_string(other.takes.count));
    }
    if (const auto own = places(ends, usual_)) highest_values_[ends.code] = elements_each * *own;
    guess_.notes.push_back(
        fmt::format("{} is filled with offsets into {}; {} elements per range is a guess",
                    ends.name, ranged.front(), elements_each));
  }

  KernelGuess& guess_;
  const GuessBasis& basis_;
  Values usual_, distinct_;
  std::size_t next_ = 0;  ///< of the large values
  double default_highest_ = 127;
  Accesses further_;  ///< with other values in arrays of integers
  Values highest_values_;
};

}  // namespace

void guess_arrays(KernelGuess& guess, const GuessBasis& basis) {
  ArrayGuesser(guess, basis).run();
}

}  // namespace apod::cli
