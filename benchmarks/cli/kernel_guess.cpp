#include "benchmarks/cli/kernel_guess.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <utility>

#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/cli/guess_parts.hpp"
#include "kernels/files/spec.hpp"

namespace apod::cli {
namespace {

using source::Traced;

/// Loops of the host whose variables are axes.
struct LoopsOfCases {
  std::vector<std::string> all{};       ///< those that arrays are as long as among them
  std::vector<std::string> launches{};  ///< in which nothing but grid and block differs
};

class Guesser {
 public:
  Guesser(KernelGuess& guess, const GuessBasis& basis, const LoopsOfCases& cases)
      : guess_(guess), basis_(basis), cases_(cases) {}

  void run() {
    take_loops();
    guess_.args = arguments_of(basis_);
    guess_.notes = zeros_of(basis_, guess_.args);
    if (!basis_.sketch.has_types)
      guess_.notes.emplace_back(
          "the types are guesses: the file contains only the size of each parameter");
    for (auto& arg : guess_.args)
      if (!arg.takes.is_pointer) take_scalar(arg);
    take_launch();
    for (auto& arg : guess_.args)
      if (!arg.texture.empty()) take_texture_sides(arg);
    drop_idle_loops();
    shorten_loops();
    drop_idle_axes();
    find_sizes();
    fit_sizes_to_launch(guess_, basis_);
    settle_axes(guess_, basis_.wish);
    fit_launch();
    replace_empty_launch();
    follow_shared(guess_, basis_);
    drop_idle_axes();
    note_first_passes();
    guess_arrays(guess_, basis_);
    settle_axes(guess_, basis_.wish);
    drop_idle_axes();
    note_what_is_left_out();
    for (const auto& [axis, fields] : basis_.host.fields()) {
      if (fields.size() < 2 || !guess_.axes.contains(axis)) continue;
      guess_.notes.push_back(
          fmt::format("the axis {} replaces {} of the host code", axis, fmt::join(fields, ", ")));
    }
  }

 private:
  /// Those whose variables the launch may name; the others are repetitions.
  void take_loops() {
    if (basis_.kernel.launch == nullptr) return;
    std::vector<source::HostValues::Place> way{basis_.place};
    while (way.back().by != nullptr) way.push_back(way.back().by->place);
    std::vector<source::HostValues::HostLoop> loops;
    for (auto place = way.rbegin(); place != way.rend(); ++place) {
      for (auto& loop : basis_.host.loops_around(*place)) {
        std::erase_if(loops, [&](const auto& one) { return one.variable == loop.variable; });
        loops.push_back(std::move(loop));
      }
    }
    for (const auto& loop : loops) {
      if (std::ranges::find(cases_.all, loop.variable) != cases_.all.end()) {
        const auto first =
            loop.first.is_number() ? std::optional(loop.first.constant) : std::nullopt;
        const auto axis = basis_.host.axis(loop.variable, first);
        basis_.host.replace(loop.variable, axis, loop.function);
        const bool compares =
            std::ranges::find(cases_.launches, loop.variable) != cases_.launches.end();
        if (compares) guess_.axes[axis.text()].values = values_of_loop(loop);
        continue;
      }
      guess_.loops.push_back({loop.variable, loop.first.text(), loop.last.text(), loop.step});
    }
  }

  /// Of a loop that counts; empty if they are unknown, or many.
  static std::vector<std::int64_t> values_of_loop(const source::HostValues::HostLoop& loop) {
    constexpr std::size_t most_cases = 16;
    std::vector<std::int64_t> all;
    const auto by = std::atoll(loop.step.c_str() + 1);
    const bool counts = loop.first.is_number() && loop.last.is_number() &&
                        (loop.step[0] == '+' ? by > 0 : loop.step[0] == '*' && by > 1) &&
                        loop.first.constant >= (loop.step[0] == '+' ? 0 : 1);
    for (auto at = loop.first.constant; counts && at <= loop.last.constant;) {
      if (all.size() == most_cases) return {};
      all.push_back(at);
      at = loop.step[0] == '+' ? at + by : at * by;
    }
    return all;
  }
  void take_scalar(GuessedArgument& arg) {
    const bool is_integer = is_whole(*arg.takes.type) && arg.type != "bool";
    std::optional<Traced> value;
    if (!arg.passed.empty()) value = basis_.host.trace(arg.passed, basis_.place);
    if (arg.type == "bool") {
      const bool is_false = value && value->is_number() && value->constant == 0;
      arg.is_guessed = !value || !value->is_number();
      arg.value = is_false ? "0" : "1";
    } else if (is_integer) {
      if (!value) {
        const auto usual = usual_value(text::lower(arg.name));
        arg.is_guessed = usual == 0;
        value = arg.is_guessed ? Traced{.constant = 0} : basis_.host.axis(arg.name, std::nullopt);
      }
      // A byte is no size, and holds none.
      if (size_of(*arg.takes.type) == 1 && is_free(guess_, value->text())) {
        arg.is_guessed = true;
        value = Traced{.constant = 1};
      }
      take_window(text::lower(arg.name), *value);
      arg.value = value->whole().text();
    } else {
      arg.is_guessed = !value || is_free(guess_, value->text());
      arg.value =
          arg.is_guessed ? fmt::format("{:g}", usual_real(text::lower(arg.name))) : value->text();
    }
  }
  /// The kernel may say better than the host that it is no size: "kSize" of "size".
  void take_window(const std::string& name, const Traced& value) {
    const auto axis = guess_.axes.find(value.text());
    const auto usual = usual_value(name);
    const bool is_open =
        is_free(guess_, value.text()) && axis->second.value == 0 && !usual_value(axis->first);
    if (is_open && usual && *usual > 1 && *usual < 8) axis->second.value = *usual;
  }
  /// Those of the host's memory behind it; else as long as the grid has threads.
  void take_texture_sides(GuessedArgument& arg) {
    const auto bytes = static_cast<std::int64_t>(size_of(*arg.takes.type)) * arg.takes.count;
    const auto sides = basis_.host.texture_sides(arg.shape.size(), bytes);
    const auto along = [](const std::vector<std::string>& of, std::size_t side) {
      return side < of.size() ? bracketed(of[side]) : std::string("1");
    };
    for (std::size_t k = 0; k < arg.shape.size(); ++k) {
      const auto side = arg.shape.size() - 1 - k;
      arg.shape[k] = !sides.empty() ? sides[side].text()
                                    : along(guess_.grid, side) + " * " + along(guess_.block, side);
    }
    if (arg.takes.count > 1) arg.shape.push_back(std::to_string(arg.takes.count));
    if (!sides.empty()) return;
    guess_.notes.push_back(fmt::format(
        "the size of {} is a guess: it equals the number of threads in the grid", arg.name));
  }

  void take_launch() {
    if (const auto* launch = basis_.kernel.launch) {
      const auto texts = [](const std::vector<Traced>& sides) -> std::vector<std::string> {
        std::vector<std::string> all;
        for (const auto& side : sides) {
          // What is 0 here is set where it can't be seen.
          if (side.is_number() && side.constant < 1) return {};
          all.push_back(side.text());
        }
        return all;
      };
      guess_.block = texts(basis_.host.sides(launch->block, basis_.place));
      guess_.grid = texts(basis_.host.sides(launch->grid, basis_.place));
      const auto end = basis_.place.to(std::numeric_limits<std::size_t>::max());
      const auto where =
          basis_.host.condition(basis_.host.guards(basis_.place.at, end), basis_.place);
      if (where && *where != "true" && *where != "false") guess_.condition = *where;
      guess_.cooperative = launch->cooperative;
      if (const auto bytes = basis_.host.trace(launch->shared, basis_.place)) {
        if (!bytes->is_number() || bytes->constant > 0) guess_.shared = bytes->text();
      }
      if (launch->cluster) {
        for (const auto side : *launch->cluster) {
          const auto value = side.empty() ? std::nullopt : basis_.host.trace(side, basis_.place);
          guess_.cluster.push_back(value ? value->text() : "1");
        }
      }
    }
    if (waits_for_grid(basis_) && !guess_.cooperative) {
      guess_.cooperative = true;
      guess_.notes.emplace_back(
          "the launch is cooperative: the kernel synchronises the whole grid");
    }
    if (guess_.block.empty())
      for (const auto side : basis_.sketch.block) guess_.block.push_back(std::to_string(side));
    while (guess_.block.size() > 1 && guess_.block.back() == "1") guess_.block.pop_back();
    guess_launch(guess_, basis_);
    const auto said = guess_.block;
    if (basis_.wish.block) guess_.block = {std::to_string(*basis_.wish.block)};
    for (std::size_t k = 0; k < std::min({said.size(), guess_.block.size(), guess_.grid.size()});
         ++k)
      follow_block(said[k], guess_.block[k], guess_.grid[k]);
    if (!basis_.wish.grid.empty()) guess_.grid = {basis_.wish.grid};
  }
  /// "ceil(n / 256)" beside a block of 256 is divided by what the block is here.
  void follow_block(const std::string& said, const std::string& block, std::string& grid) {
    const auto axis = guess_.axes.find(said);
    const auto number = axis != guess_.axes.end() ? std::to_string(axis->second.value) : said;
    const auto divisor = " / " + number;
    const auto at = grid.find(divisor);
    const auto end = at + divisor.size();
    const bool is_whole = at != std::string::npos && (end == grid.size() || grid[end] == ')');
    if (is_whole && number != "1" && number != block) grid.replace(at + 3, number.size(), block);
  }

  std::string all_texts() const {
    auto all = text_of_launch(guess_) + " " + guess_.shared + " " + basis_.wish.reference + " " +
               text::joined(guess_.cluster, " ") + " " + text::joined(basis_.wish.args, " ");
    for (const auto& arg : guess_.args)
      all += " " + arg.value + " " + arg.data + " " + text::joined(arg.shape, " ");
    return all;
  }
  void drop_idle_loops() {
    // A loop may be named by one within it alone.
    auto names = file::template_names("<" + all_texts());
    std::vector<GuessedLoop> kept;
    for (auto loop = guess_.loops.rbegin(); loop != guess_.loops.rend(); ++loop) {
      if (!names.contains(loop->name)) continue;
      names.merge(file::template_names("<" + loop->begin + " " + loop->end + loop->step));
      kept.insert(kept.begin(), *loop);
    }
    guess_.loops = std::move(kept);
  }
  /// A case has no more launches than this.
  void shorten_loops() {
    constexpr double most = 10'000;
    constexpr double few = 100;
    for (auto& loop : guess_.loops) {
      const auto first = worth(loop.begin, {});
      const auto last = worth(loop.end, {});
      if (!first || !last || loop.step != "+1" || *last - *first < most) continue;
      guess_.notes.push_back(
          fmt::format("the loop over {} has {:.0f} launches in the host code; here it has {:.0f}",
                      loop.name, *last - *first + 1, few));
      loop.end = fmt::format("{:.0f}", *first + few - 1);
    }
  }
  void drop_idle_axes() {
    auto all = all_texts();
    for (const auto& loop : guess_.loops) all += " " + loop.begin + " " + loop.end + loop.step;
    const auto names = file::template_names("<" + all);
    std::erase_if(guess_.axes, [&](const auto& axis) { return !names.contains(axis.first); });
  }

  /// Whether each side of the grid, or of the block, is 1 or more, as far as this is known.
  bool has_sides(std::array<double, 3> source::KernelLaunch::*of) const {
    const auto launch = launch_at(guess_, basis_, values_now(guess_));
    return !launch || std::ranges::all_of((*launch).*of, [](double side) { return side >= 1; });
  }
  /// Which axes are sizes: the launch, or an index or limit of the kernel, is made of them.
  void find_sizes() {
    if (basis_.kernel.code == nullptr) return;
    const auto of_kernel = source::sizes_of(basis_.program, *basis_.kernel.code);
    auto launch = "<" + guess_.shared + " " + text_of_launch(guess_);
    for (const auto& loop : guess_.loops) launch += " " + loop.begin + " " + loop.end;
    for (const auto& arg : guess_.args) {
      const auto axis = guess_.axes.find(arg.value);
      const bool is_index = axis == guess_.axes.end() || of_kernel.contains(arg.code) ||
                            of_kernel.contains(arg.code.substr(0, arg.code.find('.')));
      launch += (is_index ? " " + arg.value : "") + " " + text::joined(arg.shape, " ");
    }
    const auto names = file::template_names(launch);
    for (auto& [name, axis] : guess_.axes) axis.is_size = names.contains(name);
  }
  /// A launch of nothing is none of the host's: what it is made of is set where it can't be seen.
  void replace_empty_launch() {
    const bool has_threads = has_sides(&source::KernelLaunch::block);
    if (has_sides(&source::KernelLaunch::grid) && has_threads) return;
    if (!has_threads && !basis_.wish.block) guess_.block.clear();
    if (basis_.wish.grid.empty()) guess_.grid.clear();
    guess_launch(guess_, basis_);
    settle_axes(guess_, basis_.wish);
    fit_launch();
  }
  void note_first_passes() {
    for (const auto& line : basis_.host.several_calls()) guess_.notes.push_back(line);
    for (const auto& arg : guess_.args) {
      if (arg.passed.size() != 1 || !basis_.host.first_passes().contains(arg.passed[0].text))
        continue;
      guess_.notes.push_back(arg.name +
                             " has its value from the first iteration of the host's loop");
    }
  }
  /// By how many elements the kernel reaches beyond a block's memory and the code's own arrays.
  double excess() const {
    const auto values = values_now(guess_);
    auto launch = basis_.kernel.code ? launch_at(guess_, basis_, values) : std::nullopt;
    const auto fixed = fixed_lengths();
    const auto shared =
        launch ? source::shared_arrays(*basis_.kernel.code) : std::vector<source::Declared>{};
    if (!launch || (shared.empty() && fixed.empty())) return 0;
    const auto bytes = worth(guess_.shared, values);
    for (const auto& [length, name] : fixed) launch->element_bytes.emplace(name, 0);
    for (const auto& one : shared) launch->element_bytes.emplace(one.name, 0);
    const auto all = source::accesses_of(basis_.program, *basis_.kernel.code, *launch);
    launch->grid = {1, 1, 1};  // in each block, memory of a block is reached as in the first
    const auto own = source::accesses_of(basis_.program, *basis_.kernel.code, *launch);
    double beyond = 0;
    const auto hold = [&](const auto& of, const std::string& name, double length) {
      const auto access = of.find(name);
      if (access != of.end() && access->second.is_known)
        beyond += std::max(0.0, access->second.highest + 1 - length);
    };
    constexpr double far = 1.5;  // accesses are estimated from above
    for (const auto& one : shared) {
      const auto side = one.lengths.front();
      const auto size = static_cast<double>(basis_.host.bytes_of(source::text_of(one.type)));
      const auto dynamic = bytes && size > 0 ? *bytes / size : unknown;
      hold(own, one.name, side.empty() ? dynamic : far * number_of(side));
    }
    for (const auto& [length, name] : fixed) hold(all, name, length);
    return beyond;
  }
  static constexpr double unknown = std::numeric_limits<double>::infinity();
  /// Of an array's side in the code. It makes no axis.
  double number_of(source::Tokens side) const {
    const auto known = guess_.axes;
    const auto value = basis_.host.trace(side, {source::HostValues::nowhere, 0});
    std::erase_if(guess_.axes, [&](const auto& axis) { return !known.contains(axis.first); });
    return value && value->is_number() ? static_cast<double>(value->constant) : unknown;
  }
  /// A size that the code gives no value is as large as the code's own array that it leads into.
  void fit_fixed_arrays() {
    const auto lengths = fixed_lengths();
    for (auto& [name, axis] : guess_.axes) {
      std::string note;
      for (const auto& [length, array] : lengths) {
        const auto was = axis.value;
        const auto before = axis.known || length >= static_cast<double>(was) ? 0 : excess();
        if (before <= 0) continue;
        axis.value = static_cast<std::int64_t>(length);
        if (excess() >= before) {
          axis.value = was;
        } else {
          note = fmt::format("{} is a guess: {} has {} elements in the code", name, array, length);
        }
      }
      if (!note.empty()) guess_.notes.push_back(note);
    }
  }
  /// Of the __constant__ and __device__ arrays of the code, of several sides the first, which is
  /// what the first index is of; and of arrays whose length the host says.
  std::multimap<double, std::string, std::greater<>> fixed_lengths() const {
    std::multimap<double, std::string, std::greater<>> all;  // the longest first
    for (const auto& variable : basis_.program.variables) {
      const bool is_devices = source::has_any(variable.type, {"__constant__", "__device__"});
      if (!is_devices || variable.lengths.empty() || variable.lengths.front().empty()) continue;
      all.emplace(number_of(variable.lengths.front()), variable.name);
    }
    const auto axes = guess_.axes;
    for (const auto& arg : guess_.args) {
      if (!arg.takes.is_pointer || arg.passed.empty() || !arg.takes.type) continue;
      const auto buffer = basis_.host.buffer(arg.passed, basis_.place);
      std::map<std::string, double> known;
      for (const auto& [name, axis] : guess_.axes)
        if (axis.known) known[name] = static_cast<double>(axis.value);
      const auto bytes = buffer.bytes ? worth(buffer.bytes->text(), known) : std::nullopt;
      const auto size = static_cast<double>(size_of(*arg.takes.type)) * arg.takes.count;
      if (bytes) all.emplace(std::floor(*bytes / size), arg.code);
    }
    std::erase_if(all, [](const auto& one) { return one.first < 1; });
    std::erase_if(guess_.axes, [&](const auto& axis) { return !axes.contains(axis.first); });
    return all;
  }
  /// Whether the host launches it: "" is where it always does.
  bool is_launched() const {
    const auto holds = worth("if(" + guess_.condition + ", 1, 0)", values_now(guess_));
    return guess_.condition.empty() || !holds || *holds != 0;
  }
  std::set<std::string> idle_loops() const {
    const auto* code = basis_.kernel.code;
    const auto launch = code ? launch_at(guess_, basis_, values_now(guess_)) : std::nullopt;
    return launch ? source::idle_loops(basis_.program, *code, *launch) : std::set<std::string>{};
  }
  void note_what_is_left_out() {
    if (!is_launched()) {
      guess_.notes.push_back("the host code launches the kernel if " + guess_.condition +
                             ", which is false for these axis values");
    }
    const bool has_output = std::ranges::any_of(
        guess_.args, [](const auto& arg) { return arg.role != "" && arg.role != "in"; });
    if (!has_output)
      guess_.notes.emplace_back(
          "no array is known that the kernel writes: its result is not checked");
    for (const auto& loop : idle_loops()) {
      guess_.notes.push_back("the kernel's loop runs zero times: " + loop +
                             " is false for these values");
    }
  }
  void note_growth(const std::string& name, std::int64_t was) {
    const auto now = guess_.axes.at(name).value;
    if (now <= was) return;
    guess_.notes.push_back(
        fmt::format("{} is {}: with a smaller value, the host would not launch the kernel, or a "
                    "loop of the kernel would not run",
                    name, now));
  }
  /// Free axes become smaller one after another until it holds, or larger, or stay as they are.
  void change_axes(const std::function<bool()>& holds) {
    auto fits = [&, looks = 0]() mutable { return looks++ < 500 && holds(); };
    if (fits()) return;
    const auto before = guess_.axes;
    for (auto& [name, axis] : guess_.axes) {  // one alone, if that is enough
      while (!axis.known && axis.value > 16) {
        axis.value /= 2;
        if (fits()) return;
      }
      axis.value = before.at(name).value;
    }
    for (int halvings = 0; halvings < 20; ++halvings) {
      for (auto& [name, axis] : guess_.axes) {
        if (axis.known || axis.value <= 16) continue;
        axis.value /= 2;
        if (fits()) return;
      }
    }
    guess_.axes = before;
    for (auto& [name, axis] : guess_.axes) {
      if (axis.known || basis_.wish.size) continue;
      const auto was = axis.value;
      // "n % 96 == 0": a multiple of an odd number, which stays one of a power of two.
      for (int odd = 3; odd < 128; odd += 2) {
        const auto step = odd * (was >= odd * 1024 ? 256 : 1);
        axis.value = std::max<std::int64_t>(was / step, 1) * step;
        if (fits()) return note_growth(name, was);
      }
      axis.value = was;
      for (int k = 0; k < 8; ++k) {
        axis.value *= 2;
        if (fits()) return note_growth(name, was);
      }
      axis.value = was;
    }
  }
  /// Free axes become smaller until the block, the grid and the loops are allowed.
  void fit_launch() {
    constexpr double most_launches = 2048;
    constexpr double most_shared = 227 * 1024;  // of the GPUs that have most
    constexpr double multiprocessors = 108;     // of an A100; each has room for a block
    const auto is_allowed = [&] {
      const auto values = values_now(guess_);
      double launches = 1;
      for (const auto& loop : guess_.loops) {
        const auto begin = worth(loop.begin, values);
        const auto end = worth(loop.end, values);
        const bool counts = loop.step.front() == '+' || loop.step.front() == '-';
        if (begin && end && counts) launches *= std::max(1.0, std::abs(*end - *begin));
      }
      const auto launch = launch_at(guess_, basis_, values);
      if (!launch) return true;  // it is said where the experiment is read
      const auto& [x, y, z] = launch->block;
      const auto shared = worth(guess_.shared, values);
      const auto& [across, down, deep] = launch->grid;
      const double most_blocks = guess_.cooperative ? multiprocessors : 1e300;
      return has_sides(&source::KernelLaunch::grid) && across * down * deep <= most_blocks &&
             down <= 65535 && deep <= 65535 && x * y * z <= 1024 &&
             (!shared || *shared <= most_shared) && launches <= most_launches;
    };
    const std::array<std::function<bool()>, 4> wishes{is_allowed, [&] { return is_launched(); },
                                                      [&] { return excess() <= 0; },
                                                      [&] { return idle_loops().empty(); }};
    std::vector<std::function<bool()>> kept;
    fit_fixed_arrays();
    for (const auto& wish : wishes) {
      kept.push_back(wish);
      change_axes([&] { return std::ranges::all_of(kept, [](const auto& one) { return one(); }); });
      if (!wish()) kept.pop_back();
    }
  }

  KernelGuess& guess_;
  const GuessBasis& basis_;
  const LoopsOfCases& cases_;
};

LoopsOfCases loops_of_cases(const KernelGuess& guess) {
  auto others = "<" + guess.shared;
  std::string sides = "<";
  for (const auto& arg : guess.args) {
    others += " " + arg.value + " " + arg.data;
    sides += " " + text::joined(arg.shape, " ");
  }
  for (const auto& loop : guess.loops) others += " " + loop.begin + " " + loop.end;
  const auto of_others = file::template_names(others);
  const auto of_memory = file::template_names(sides);
  LoopsOfCases found;
  for (const auto& [name, begin, end, step] : guess.loops) {
    const bool compares = !of_others.contains(name);
    if (compares) found.launches.push_back(name);
    if (compares || of_memory.contains(name)) found.all.push_back(name);
  }
  return found;
}

KernelGuess guess_with(const source::Program& program, const ChosenKernel& kernel,
                       const file::KernelSketch& sketch, const KernelWish& wish,
                       const LoopsOfCases& cases) {
  KernelGuess made;
  source::HostValues host(program, made.axes);
  GuessBasis basis{program, kernel, sketch, wish, host, {source::HostValues::nowhere, 0}};
  if (kernel.launch != nullptr) {
    basis.place = {kernel.launch->function, kernel.launch->at, kernel.by};
    host.inline_names(kernel.launch->templates, basis.place);
    host.take_cases(basis.place);
    if (wish.block && kernel.launch->block.size() == 1) {
      const auto& name = kernel.launch->block.front().text;
      for (const std::string side : {"", ".x", ".y", ".z"})
        host.replace(name + side, source::number(side < ".y" ? *wish.block : 1));
    }
    for (const auto& [name, what] : kernel.of_host) {
      bool is_real = false;
      const auto value = source::literal(what, is_real);
      if (!value) host.name_type(name, what);
      if (value && !is_real) host.replace(name, source::number(static_cast<std::int64_t>(*value)));
    }
  }
  Guesser(made, basis, cases).run();
  return made;
}

}  // namespace

KernelGuess guess(const source::Program& program, const ChosenKernel& kernel,
                  const file::KernelSketch& sketch, const KernelWish& wish) {
  auto made = guess_with(program, kernel, sketch, wish, {});
  const auto cases = loops_of_cases(made);
  if (!cases.all.empty()) made = guess_with(program, kernel, sketch, wish, cases);
  if (!kernel.launched_as.empty() && !made.is_launch_guessed) {
    made.is_launch_guessed = true;
    made.notes.insert(made.notes.begin(),
                      "the grid and the block are copied from the launch of " + kernel.launched_as +
                          " in the host code: check that they cover all elements");
  }
  if (!kernel.guessed_templates.empty()) {
    made.notes.insert(made.notes.begin(), fmt::format("the template arguments are a guess: {}",
                                                      fmt::join(kernel.guessed_templates, ", ")));
  }
  return made;
}

}  // namespace apod::cli
