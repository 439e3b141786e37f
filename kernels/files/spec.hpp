#pragma once

/// \file
/// A workload from a file: what the experiment says about its kernels, as texts. Expressions are
/// texts too; see kernels/files/expression.hpp.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/api/params.hpp"
#include "kernels/data/data.hpp"
#include "kernels/data/element.hpp"
#include "kernels/files/captured_spec.hpp"

namespace apod::file {

/// How a kernel uses an array. `inout` is changed in place and gets its first content back before
/// each run; `zeroed` is an output that is zero before each run; `scratch` is neither filled nor
/// read by the harness.
enum class Role : std::uint8_t { in, out, inout, zeroed, scratch };

/// How a kernel reads a texture.
struct TextureSpec {
  bool is_linear = false;      ///< values between elements are interpolated
  bool is_normalized = false;  ///< coordinates are 0 to 1
  bool wraps = false;          ///< beyond the borders it begins anew; else the border goes on
};

/// An array, or a scalar if `shape` is empty.
struct Argument {
  std::string name;
  ElementType type = ElementType::f32;
  Role role = Role::in;
  std::vector<std::string> shape{};  ///< expressions; their product is the number of elements
  std::string value{};               ///< of a scalar; an expression
  DataSpec made{};                   ///< an array's first content
  std::string formula{};             ///< likewise, of `i`; takes the place of `made`
  bool has_data = false;             ///< neither is the experiment's
  std::string structure{};  ///< the parameter that this is a field of; empty: it is one itself
  std::string variable{};   ///< of the code, __constant__ or __device__, that holds it instead of a
                            ///< parameter; empty: none
  std::optional<TextureSpec> texture{};  ///< the parameter is a texture of the array
};

/// Whether it is an array with a content before the kernel.
inline bool is_input(const Argument& arg) {
  return !arg.shape.empty() && (arg.role == Role::in || arg.role == Role::inout);
}
/// Whether it is an array that is verified.
inline bool is_output(const Argument& arg) {
  return !arg.shape.empty() && arg.role != Role::in && arg.role != Role::scratch;
}

/// A number that counts from `begin` to `end`, both included. By a step: "by *2" multiplies.
struct LoopSpec {
  std::string name;
  std::string begin, end;  ///< expressions, which may name loops before
  std::string by = "+";    ///< + - * /
  std::string step = "1";  ///< an expression
};

/// One kernel of a case, launched in the order of the list.
struct LaunchSpec {
  std::string file;                    ///< .cu, .ptx, .cubin or .fatbin
  std::string kernel;                  ///< "conv<TILE>"; the brackets may name axes
  std::vector<std::string> grid{};     ///< up to three expressions
  std::vector<std::string> block{};    ///< likewise
  std::vector<std::string> cluster{};  ///< likewise; empty: none
  std::string shared{};                ///< dynamic shared memory, bytes; empty: none
  bool cooperative = false;
  std::vector<std::string> args{};  ///< names; empty: all, in their order
  /// It is launched for each of their values, the last one counting fastest. Expressions of the
  /// launch and of the scalars may name them.
  std::vector<LoopSpec> loops{};
};

/// The source of the right answer.
struct ReferenceSpec {
  enum class Kind : std::uint8_t {
    itself,    ///< the kernel's own first run: shows only that it repeats itself
    kernel,    ///< another kernel, with the same arguments
    workload,  ///< the fp64 reference of a shipped workload, which then makes the inputs too
    formula,   ///< an expression of `i` for each output
    array,     ///< a .npy file for each output
    host,      ///< a function in a C++ file, which is compiled and run in a process of its own
  };
  Kind kind = Kind::itself;
  LaunchSpec launch{};                           ///< of Kind::kernel; of host file and function
  std::string workload{};                        ///< of Kind::workload: "convolution"
  std::map<std::string, std::string> outputs{};  ///< by name: an expression, or a path
};

/// What compiles a .cu file. `any`: nvcc where there is one, and NVRTC otherwise.
enum class CompilerChoice : std::uint8_t { any, nvcc, nvrtc };

struct KernelSpec {
  std::string folder;    ///< where relative files begin
  bool outside = false;  ///< files may lie outside of it
  bool bounded = false;  ///< compiling it may take as little as that of a stranger's file
  std::vector<LaunchSpec> launches{};
  std::vector<std::string> sources{};  ///< .cu files that are compiled together with a launch's own
  std::vector<std::string> flags{};
  CompilerChoice compiler = CompilerChoice::any;
  std::vector<Argument> args{};
  ReferenceSpec reference{};
  double absolute = 0;  ///< an output may be off by absolute + relative * |reference|
  double relative = 0;
  std::map<std::string, std::string> traffic{};  ///< read, write, fp32, fp64, tensor, tf32, bf16
  std::vector<AxisSpec> axes{};                  ///< the file's own
  std::vector<std::string> variants{};           ///< those that the file names, run or not
  /// A captured launch: the first of `launches` says how kernels in its place are launched.
  std::optional<CapturedSpec> captured{};
  std::string split{};  ///< the axis along which the work is split over streams; empty: none

  /// The name of variants if the experiment names none: the file.
  const std::string& usual_variant() const { return launches.front().file; }
};

/// ExperimentPlan::workload of a kernel file.
inline constexpr std::string_view workload_name = "kernel";

inline constexpr std::array<std::string_view, 4> extensions{".cu", ".ptx", ".cubin", ".fatbin"};
/// Whether a variant names a file; else it names a kernel.
bool names_file(std::string_view variant);

/// Why scope end_to_end can't time it: something that the kernel reads is not copied from the host
/// before each run. Empty if it can.
std::string why_not_end_to_end(const KernelSpec& spec);

/// The path of a file that the spec names. Throws std::runtime_error if there is none, or if it
/// lies outside of the folder, after following links, and may not.
std::string path_of(const KernelSpec& spec, const std::string& file);

/// Whether a path, links followed, lies in a folder.
bool is_below(const std::string& path, const std::string& folder);

/// Whether a file that is named from a folder lies in it, links followed. An absolute name is not
/// from a folder.
bool is_within(const std::string& folder, const std::string& file);

/// Whether a flag of nvcc holds what a shell replaces within double quotes, which is how nvcc
/// passes it on ($, `, \, and what ends a line).
bool runs_in_shell(std::string_view flag);

/// Why a compiler flag is refused in an experiment file; empty if it is not. Flags are allowed if
/// they affect the generated code, and read and write no file.
std::string refused_flag(std::string_view flag);

/// Letters, digits and _, and no digit first: a name in C++ and in our expressions.
bool is_identifier(std::string_view text);
/// Why a text can't be a part of C++ for a compiler, as a kernel's name, a template's argument or
/// the value of a macro; empty if it can. It must be an expression or a type on one line: names,
/// numbers, operators, and round brackets in pairs.
std::string refused_code(std::string_view text);

/// Names in a kernel's angle brackets, which may be axes.
std::set<std::string> template_names(std::string_view kernel);
/// The kernel with the values of axes in its angle brackets.
std::string with_values(std::string_view kernel, const Params& params);
/// Whether an axis is a macro of the source: only capitals, digits and _, and at least one letter.
bool is_macro(std::string_view axis);

}  // namespace apod::file

template <>
struct apod::EnumNames<apod::file::Role> {
  static constexpr std::array<std::string_view, 5> names{"in", "out", "inout", "zeroed", "scratch"};
};
template <>
struct apod::EnumNames<apod::file::CompilerChoice> {
  static constexpr std::array<std::string_view, 3> names{"any", "nvcc", "nvrtc"};
};
template <>
struct apod::EnumNames<apod::file::ReferenceSpec::Kind> {
  static constexpr std::array<std::string_view, 6> names{"itself",  "kernel", "workload",
                                                         "formula", "array",  "host"};
};
