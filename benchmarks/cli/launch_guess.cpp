/// \file
/// The launch of a kernel that the host code does not launch, from how its code uses blockIdx, and
/// a block's memory where its threads are others than the host's.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "benchmarks/cli/guess_parts.hpp"
#include "kernels/files/spec.hpp"

namespace apod::cli {
namespace {

using source::Traced;

class LaunchGuesser {
 public:
  LaunchGuesser(KernelGuess& guess, const GuessBasis& basis) : guess_(guess), basis_(basis) {}

  void run() {
    const auto uses = [&](const char* what, const char* side) {
      const auto body = basis_.body();
      for (std::size_t i = 0; i + 2 < body.size(); ++i) {
        if (body[i].is(what) && body[i + 2].is(side)) return true;
      }
      return false;
    };
    if (guess_.block.empty()) {
      std::optional<Traced> most;
      if (basis_.kernel.code != nullptr)
        most = basis_.host.trace(basis_.kernel.code->most_threads, {});
      const bool is_known = most && most->is_number();
      guess_.block = {is_known ? most->text() : "256"};
      if (uses("threadIdx", "y")) guess_.block = {"16", "16"};
      if (!basis_.sketch.most.empty()) guess_.block.clear();
      for (const auto side : basis_.sketch.most) guess_.block.push_back(std::to_string(side));
      while (guess_.block.size() > 1 && guess_.block.back() == "1") guess_.block.pop_back();
      guess_.notes.push_back("the block is a guess: " + why_guessed());
      guess_.is_launch_guessed = true;
    }
    if (!guess_.grid.empty()) return;
    for (std::size_t side = 0; side < 3; ++side) {
      if (side > 0 && !uses("blockIdx", sides_[side])) continue;
      while (guess_.grid.size() < side) guess_.grid.emplace_back("1");
      const bool has_threads = basis_.kernel.code == nullptr || uses("threadIdx", sides_[side]);
      guess_.grid.push_back(blocks_along(sides_[side], side, has_threads));
    }
    guess_.notes.push_back("the grid is a guess: " + why_guessed());
    guess_.is_launch_guessed = true;
  }

  /// Sizes that the code gives no value are as large as a launch of so many threads.
  void fit_sizes() {
    std::map<std::string, double> known;
    for (const auto& [name, axis] : guess_.axes)
      if (axis.known) known[name] = static_cast<double>(axis.value);
    for (std::size_t side = 0; side < std::min<std::size_t>(guess_.grid.size(), 3); ++side) {
      const auto blocks = worth(guess_.grid[side], known);
      const auto threads =
          side < guess_.block.size() ? worth(guess_.block[side], known) : std::optional(1.0);
      const auto found = along(sides_[side]);
      if (!blocks || !threads || *blocks < 2 || !found.limit) continue;
      // One that steps on takes any size.
      const auto body = basis_.body();
      bool steps = false;
      for (std::size_t i = 0; i + 1 < body.size(); ++i)
        steps = steps || (body[i].is(found.variable) && body[i + 1].is("+="));
      for (const auto& name : file::template_names("<" + *found.limit)) {
        const auto axis = guess_.axes.find(name);
        const bool is_open = axis != guess_.axes.end() && !axis->second.known &&
                             axis->second.value == 0 && !usual_value(name);
        if (is_open && !steps)
          axis->second.value =
              static_cast<std::int64_t>(*blocks * (found.joins_threads ? *threads : 1));
      }
    }
  }

  /// Memory of a block that grows with the block's threads in the kernel, though the launch says a
  /// number of bytes, follows the block.
  void follow_shared() {
    const auto bytes = worth(guess_.shared, {});
    auto launch =
        basis_.kernel.launch ? launch_at(guess_, basis_, values_now(guess_)) : std::nullopt;
    if (!bytes || !launch) return;
    // What the code itself says, without --block.
    source::TracedAxes axes;
    source::HostValues host(basis_.program, axes);
    double threads = 1;
    const auto said = [&](const Traced& value) {
      const auto axis = axes.find(value.text());
      return axis != axes.end() ? static_cast<double>(axis->second.value)
                                : worth(value.text(), {}).value_or(0);
    };
    for (const auto& side : host.sides(basis_.kernel.launch->block, basis_.place))
      threads *= said(side);
    const auto first = host.trace(basis_.kernel.launch->shared, basis_.place);
    if (threads < 1 || !first || said(*first) != *bytes) return;
    launch->grid = {1, 1, 1};
    const auto reach = [&](const std::string& name, double times) {
      auto other = *launch;
      other.block[0] *= times;
      const auto all = source::accesses_of(basis_.program, *basis_.kernel.code, other);
      const auto access = all.find(name);
      return access != all.end() && access->second.is_known ? access->second.highest + 1 : 0;
    };
    const bool grows =
        std::ranges::any_of(source::shared_arrays(*basis_.kernel.code), [&](const auto& one) {
          const auto now = one.lengths.front().empty() ? reach(one.name, 1) : 0;
          return now > 1 && std::abs(reach(one.name, 2) - 2 * now) <= 2;
        });
    const auto block = product_text(guess_.block);
    const auto now = worth(block, {});
    if (!grows || (now && *now == threads)) return;
    if (std::fmod(*bytes, threads) != 0) {
      guess_.notes.push_back(
          fmt::format("'shared' is right only for blocks of {} threads", threads));
    } else {
      guess_.shared = now ? fmt::format("{}", *bytes / threads * *now)
                          : fmt::format("{} * {}", *bytes / threads, bracketed(block));
    }
  }

 private:
  static constexpr std::array<const char*, 3> sides_{"x", "y", "z"};

  std::string why_guessed() const {
    return basis_.kernel.launch == nullptr ? "no launch of the kernel was found"
                                           : "the launch in the host code could not be read";
  }
  /// What is made of blockIdx along a side, and what it is below.
  struct Along {
    std::string variable;
    bool joins_threads = false;          ///< it is made of threadIdx, too
    std::optional<std::string> limit{};  ///< an expression of the kernel's scalars
  };
  Along along(const char* side) {
    const auto body = basis_.body();
    Along made;
    auto& variable = made.variable;
    for (std::size_t i = 0; i + 2 < body.size() && variable.empty(); ++i) {
      if (!body[i].is("blockIdx") || !body[i + 2].is(side)) continue;
      std::size_t begin = i;
      while (begin > 0 && !body[begin].is("=") && !body[begin].is(";")) --begin;
      if (begin == 0 || !body[begin].is("=")) continue;
      variable = body[begin - 1].text;
      for (auto k = begin; k < body.size() && !body[k].is(";"); ++k)
        made.joins_threads = made.joins_threads || body[k].is("threadIdx");
    }
    for (std::size_t i = 0; i + 2 < body.size() && !variable.empty() && !made.limit; ++i) {
      const bool is_limit = body[i].is(variable) && (body[i + 1].is("<") || body[i + 1].is(">"));
      if (!is_limit) continue;
      const auto from = i + 2 + (body[i + 2].is("=") ? 1 : 0);
      const auto expression = source::c_expression(body.subspan(from), basis_.program.macros);
      const auto* first = &expression;
      while (first->kind == source::CExpression::Kind::binary &&
             (first->text == "&&" || first->text == "||")) {
        first = &first->parts.front();
      }
      made.limit = parameter_text(*first);
    }
    return made;
  }
  /// As many blocks as the limit needs.
  std::string blocks_along(const char* side, std::size_t number, bool has_threads) {
    const auto found = along(side);
    const bool joins_threads = found.joins_threads || basis_.kernel.code == nullptr;
    const auto limit = found.limit ? *found.limit : first_size(guess_, basis_);
    if (!joins_threads && has_threads) return limit;
    return has_threads && number < guess_.block.size()
               ? "ceil(" + bracketed(limit) + " / " + guess_.block[number] + ")"
               : limit;
  }
  /// An expression of the kernel's own scalars.
  std::optional<std::string> parameter_text(const source::CExpression& expression) {
    if (expression.kind == source::CExpression::Kind::name) {
      for (const auto& arg : guess_.args) {
        if (arg.code == expression.text && !arg.value.empty()) return arg.value;
      }
    }
    if (expression.kind == source::CExpression::Kind::number) return std::nullopt;
    if (expression.kind == source::CExpression::Kind::binary && expression.parts.size() == 2 &&
        std::string_view("*/+-").find(expression.text) != std::string_view::npos) {
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

  KernelGuess& guess_;
  const GuessBasis& basis_;
};

}  // namespace

bool waits_for_grid(const GuessBasis& basis) {
  const auto body = basis.body();
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (!body[i].is("this_grid")) continue;
    auto first = i;  // of "cg::this_grid()", whose name is ahead of "="
    while (first > 1 && body[first - 1].is("::")) first -= 2;
    const auto name = first > 1 ? body[first - 2].text : "";
    for (auto k = i; k + 2 < body.size(); ++k) {
      const bool is_grid = k == i + 2 || body[k].is(name);
      if (is_grid && body[k + 1].is(".") && body[k + 2].is("sync")) return true;
      if (body[k].is("sync") && body[k + 2].is(name)) return true;
    }
  }
  return false;
}

void guess_launch(KernelGuess& guess, const GuessBasis& basis) {
  LaunchGuesser(guess, basis).run();
}

void fit_sizes_to_launch(KernelGuess& guess, const GuessBasis& basis) {
  if (!guess.is_launch_guessed && !basis.wish.size && basis.kernel.code != nullptr)
    LaunchGuesser(guess, basis).fit_sizes();
}

void follow_shared(KernelGuess& guess, const GuessBasis& basis) {
  LaunchGuesser(guess, basis).follow_shared();
}

}  // namespace apod::cli
