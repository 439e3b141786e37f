#pragma once

/// \file
/// What the files of a guess share: its arguments, their usual values, its launch and its arrays.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/cli/kernel_guess.hpp"

namespace apod::cli {

/// What a guess is made from. All outlive it.
struct GuessBasis {
  const source::Program& program;
  const ChosenKernel& kernel;
  const file::KernelSketch& sketch;
  const KernelWish& wish;
  source::HostValues& host;
  source::HostValues::Place place;  ///< of the launch

  source::Tokens body() const {
    return kernel.code != nullptr ? kernel.code->body : source::Tokens{};
  }
};

/// Whether it is a side of the block that the kernel does not take.
bool is_side_of_block(const KernelGuess& guess, const std::string& axis);
/// Whether it is an axis that the code gives no value.
bool is_free(const KernelGuess& guess, const std::string& axis);
/// "float" of "const float*".
std::string base_name(source::Tokens type);
/// The sides of the grid and of the block, with blanks between them.
std::string text_of_launch(const KernelGuess& guess);
/// Gives axes a value that the code gives none.
void settle_axes(KernelGuess& guess, const KernelWish& wish);
/// A size of the kernel, or a new axis if it takes none.
std::string first_size(KernelGuess& guess, const GuessBasis& basis);
/// Whether the kernel's code calls sync() of its whole grid.
bool waits_for_grid(const GuessBasis& basis);
/// The grid and the block as far as they are empty, from the kernel's code.
void guess_launch(KernelGuess& guess, const GuessBasis& basis);
/// Gives sizes that the kernel compares with its threads the number of threads of the host's
/// launch.
void fit_sizes_to_launch(KernelGuess& guess, const GuessBasis& basis);
/// Gives a block's memory the size that its threads need, if these are others than the host's.
void follow_shared(KernelGuess& guess, const GuessBasis& basis);
/// Roles, shapes and data of the arrays, when scalars and launch are known.
void guess_arrays(KernelGuess& guess, const GuessBasis& basis);
/// The launch where the axes and loops have these values; nothing if it is unknown.
std::optional<source::KernelLaunch> launch_at(const KernelGuess& guess, const GuessBasis& basis,
                                              const std::map<std::string, double>& values);
/// Of all axes, and of loops where they are largest.
std::map<std::string, double> values_of(const KernelGuess& guess,
                                        const std::map<std::string, double>& axes);
std::map<std::string, double> values_now(const KernelGuess& guess);
/// The value of an expression; nothing if it has none with these.
std::optional<double> worth(const std::string& text, const std::map<std::string, double>& values);
/// In brackets if it is more than a word.
std::string bracketed(const std::string& text);

/// The kernel's parameters in turn, structures by their fields, and the __constant__ variables that
/// it reads. Throws std::runtime_error for a type that an experiment can't give.
std::vector<GuessedArgument> arguments_of(const GuessBasis& basis);

/// A line about each of the program's variables that the kernel names and that stay zero.
std::vector<std::string> zeros_of(const GuessBasis& basis,
                                  const std::vector<GuessedArgument>& given);

// What numbers that a kernel takes usually are, by their names in lower case.

/// Of an integer; nothing for a size.
std::optional<std::int64_t> usual_value(const std::string& name);
/// Of a real number.
double usual_real(const std::string& name);

// The length of an array as a product of what it may be made of.

/// An axis, or what else the kernel takes, with its value at the usual values of the axes and at
/// others that make them distinguishable.
struct LengthFactor {
  std::string text;
  double usual, otherwise;
};

struct GuessedLength {
  std::vector<std::string> sides;
  bool is_for_all = true;  ///< values of the axes, not the usual ones alone
};

/// c * a * b + d that is `wanted` at the usual values and `other` at the others, d being small: a
/// number, or such a product itself. `other` below 0: it is not known.
std::optional<GuessedLength> length_near(const std::vector<LengthFactor>& factors, double wanted,
                                         double other);

std::string product_text(const std::vector<std::string>& sides);

}  // namespace apod::cli
