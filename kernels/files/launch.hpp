#pragma once

/// \file
/// The values of a kernel file's expressions in one case: how its kernels are launched, and where
/// its arrays lie.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/api/workload.hpp"
#include "kernels/files/expression.hpp"
#include "kernels/files/spec.hpp"

namespace apod::file {

/// What is wrong with a part of a KernelSpec in one case.
class SpecError : public std::runtime_error {
 public:
  SpecError(std::string key, std::size_t at, const std::string& what)
      : std::runtime_error(what), key_(std::move(key)), at_(at) {}
  /// Which part: "grid/0" (of kernel k + 1 "kernel/k/grid/0"), "args/y/shape/1", "args/n/value",
  /// "traffic/read", "reference/y".
  const std::string& key() const { return key_; }
  std::size_t at() const { return at_; }  ///< bytes into its text

 private:
  std::string key_;
  std::size_t at_;
};

struct Launch {
  using Dims = std::array<unsigned, 3>;
  std::string file;    ///< as the experiment writes it
  std::string kernel;  ///< with the values of axes in its angle brackets
  Dims grid{1, 1, 1};
  Dims block{1, 1, 1};
  Dims cluster{0, 0, 0};  ///< 0: none
  unsigned shared_bytes = 0;
  bool cooperative = false;
  std::vector<std::size_t> args{};  ///< into KernelSpec::args; fields of a structure in a row
  std::map<std::size_t, std::array<std::byte, 16>> scalars{};  ///< those that loops change
  std::vector<std::string> defines{};                          ///< "TILE=4"
};

/// Where an argument is. Offsets are multiples of 256 bytes.
struct Place {
  std::int64_t count = 0;     ///< elements; 0 of a scalar
  std::size_t bytes = 0;      ///< of an array
  std::size_t in_input = 0;   ///< of in and inout: into the problem's input
  std::size_t in_output = 0;  ///< of out and inout: into its output
  std::size_t in_scratch = 0;
  std::array<std::byte, 16> scalar{};  ///< the value of a scalar, in its type
  std::vector<std::int64_t> sides{};   ///< of an array
};

/// The arguments of a launch that are one parameter: the fields of a structure, or one. They begin
/// at `begin` in Launch::args.
struct Parameter {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t bytes = 0;
  std::vector<std::size_t> offsets{};  ///< of each
};
/// As C++ lays them out. Arguments that are variables of the code are no parameters.
std::vector<Parameter> parameters_of(const KernelSpec& spec, const std::vector<std::size_t>& args);

/// The input holds what is only read, and then what is changed in place. Arrays of the output have
/// guards of 256 bytes or more before and after them, where nothing may be written.
struct Layout {
  static constexpr std::size_t granule = 256;
  std::vector<Place> args;
  std::size_t input_bytes = 0;
  std::size_t output_bytes = 0;
  std::size_t scratch_bytes = 0;
};

/// One stream's part of a case: the case itself with less of the split axis.
struct Part {
  Params params;
  Layout layout;
  std::vector<std::int64_t> first{};  ///< element of each array in that of the whole case
};

/// A spec with its expressions read. Const functions throw SpecError.
class Shapes {
 public:
  /// Throws SpecError for an expression that can't be read or that names something else than an
  /// axis (in formulas: or an argument).
  explicit Shapes(const KernelSpec& spec);

  Layout layout(const Params& params) const;
  /// A case in `count` parts. Inputs that don't depend on the split axis are in each of them.
  std::vector<Part> parts(const Params& params, std::int64_t count) const;
  /// The kernels of a case, in turn. `params` name the variant.
  std::vector<Launch> launches(const Params& params) const;
  /// The launch of the reference, if it is a kernel.
  Launch reference(const Params& params) const;
  Traffic traffic(const Params& params) const;
  /// Names in any of its expressions, axes and others.
  std::set<std::string> all_names() const;
  /// The names that arrays, their contents and the reference depend on.
  std::set<std::string> problem_names() const;

  /// The bindings of a formula's names except `i`: axes and scalars, and arrays at their places in
  /// `input` (out arrays are not in it: they can't be named). `params` and `input` must live as
  /// long.
  struct Formula {
    const Expression* expression = nullptr;
    std::vector<Binding> bindings;
    std::ptrdiff_t index = -1;  ///< of `i` among the bindings
    std::string key;
    /// Of elements `first` and on. Throws SpecError.
    void values(std::int64_t first, std::span<Value> to) const;
    /// Their numbers, `first` and on; a truth value is 0 or 1. Throws SpecError.
    void numbers(std::int64_t first, std::span<double> to) const;
  };
  /// Of the reference's output `name`.
  Formula reference_formula(const std::string& name, const Params& params, const Layout& layout,
                            const std::byte* input) const;
  /// Of the content of argument `arg`: no arrays.
  Formula data_formula(std::size_t arg, const Params& params, const Layout& layout) const;

 private:
  struct Text {
    std::string key;
    Expression expression;
  };
  struct Loop {
    std::string name;
    Text begin, end, step;
    char by;
  };
  struct LaunchTexts {
    std::vector<Text> grid, block, cluster, shared;
    std::vector<Loop> loops;
  };
  enum class Names { axes, loops, scalars, arrays };

  Text text(const std::string& key, const std::string& text, Names allowed) const;
  void check_split() const;
  bool is_split(std::size_t arg) const;
  static void add_names(const Text& text, std::set<std::string>& names);
  static void add_names(const LaunchTexts& texts, std::set<std::string>& names);
  LaunchTexts texts_of(const LaunchSpec& spec, const std::string& prefix) const;
  Launch launch(const LaunchSpec& spec, const LaunchTexts& texts, const std::string& prefix,
                const Params& params, bool is_reference) const;
  void add_launches(const LaunchSpec& spec, const LaunchTexts& texts, const std::string& prefix,
                    const Params& params, std::size_t loop, std::size_t& rounds,
                    std::vector<Launch>& to) const;
  bool is_looped(const Text& text) const;
  std::array<std::byte, 16> scalar(std::size_t arg, const Params& params) const;
  Formula formula(const Text& text, const Params& params, const Layout& layout,
                  const std::byte* input) const;

  const KernelSpec& spec_;
  std::set<std::string> loop_names_;
  /// Arguments of templates somewhere in the source, which macros of their names would break.
  std::set<std::string> code_names_;
  std::vector<LaunchTexts> launches_;
  LaunchTexts reference_;
  std::vector<std::vector<Text>> shapes_;  ///< of each argument; of a scalar its value
  std::map<std::string, Text> traffic_;
  std::map<std::string, Text> outputs_;
  std::map<std::size_t, Text> contents_;
};

}  // namespace apod::file
