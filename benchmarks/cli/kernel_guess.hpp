#pragma once

/// \file
/// What a kernel of a file takes and how it is launched: from its compiled types, the names in its
/// code and the launch in the file's own host code. All but the types are guesses.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/files/sketch.hpp"
#include "kernels/files/source/host_values.hpp"
#include "kernels/files/source/index_bounds.hpp"

namespace apod::cli {

/// What the user says of it.
struct KernelWish {
  std::string file;      ///< as the experiment names it
  std::string kernel{};  ///< "conv", "conv<4>"; empty: the one that the host code launches most
  std::optional<std::int64_t> size{};   ///< of axes that the code gives no value
  std::optional<std::int64_t> block{};  ///< threads
  std::string grid{};
  std::string reference{};             ///< an expression for the first output
  std::vector<std::string> args{};     ///< "y=out", "n=size / 2", "0=[n, 3]": by name or place
  std::vector<std::string> flags{};    ///< of the compiler
  std::vector<std::string> sources{};  ///< further files of the program
  std::string callers{};               ///< a file that is not compiled, but whose main calls it
  std::vector<std::string> found{};    ///< a line about each file or folder that was looked up
  std::string only_device{};           ///< why nvcc can't compile it, though NVRTC can
};

/// The kernel to measure.
struct ChosenKernel {
  const source::ProgramFunction* code = nullptr;  ///< null: of a file without a source
  const source::ProgramLaunch* launch = nullptr;  ///< null: no host code launches it
  const source::HostValues::Call* by = nullptr;   ///< the call on its way, which `way` keeps
  std::shared_ptr<const void> way{};
  std::string name;                 ///< "ns::conv<4, float>"
  std::vector<std::string> others;  ///< a line about each of the file's other kernels
  /// Values of its template's parameters, by name, if they are numbers.
  std::map<std::string, double> templates{};
  std::string launched_as{};  ///< the instance of the launch, if another one was asked for
  std::vector<std::string> guessed_templates{};  ///< those that the code does not give: "T = float"
  /// What was chosen for parameters of the template that launches it.
  std::map<std::string, std::string> of_host{};
};

/// Throws std::runtime_error: no kernel, or none of that name.
ChosenKernel choose_kernel(const source::Program& program, const KernelWish& wish);

struct GuessedArgument {
  std::string name, type, role;
  std::vector<std::string> shape;       ///< of an array
  std::string value;                    ///< of a scalar
  std::string data;                     ///< of an input: an expression of i
  std::string structure;                ///< the parameter that it is a field of
  std::string variable;                 ///< of the code, which holds it
  std::string texture;                  ///< how a texture is read
  bool is_guessed = false;              ///< the value of a scalar, which the code does not say
  bool is_gathered = false;             ///< indices lead into it: not all of it need be read
  std::string code;                     ///< its name in the kernel: "p.n"
  file::KernelSketch::Parameter takes;  ///< its type
  source::Tokens passed;                ///< what the host passes
};

/// A loop of the host around the launch.
struct GuessedLoop {
  std::string name, begin, end;
  std::string step;  ///< "+1", "*2"
};

struct KernelGuess {
  std::vector<std::string> notes;  ///< lines for the head of the experiment
  std::vector<std::string> grid, block, cluster;
  std::string shared;
  std::string condition;  ///< under which the host launches it; empty: none is known
  bool cooperative = false;
  bool is_launch_guessed = false;  ///< its grid or its block
  bool sums_in_any_order = false;  ///< atomics on real numbers
  std::vector<GuessedLoop> loops;  ///< from the outermost
  std::vector<GuessedArgument> args;
  source::TracedAxes axes;
};

/// `sketch` is of the chosen kernel. Throws std::runtime_error for a type that can't be given.
KernelGuess guess(const source::Program& program, const ChosenKernel& kernel,
                  const file::KernelSketch& sketch, const KernelWish& wish);

/// The text of an experiment file. Throws std::runtime_error if the wish does not fit the kernel.
std::string experiment_text(const ChosenKernel& kernel, KernelGuess guess, const KernelWish& wish);

}  // namespace apod::cli
