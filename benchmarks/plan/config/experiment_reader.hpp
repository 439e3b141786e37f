#pragma once

/// \file
/// The readers of an experiment and of its parts. Internal to config/.

#include <optional>
#include <string>
#include <vector>

#include "benchmarks/base/command.hpp"
#include "benchmarks/base/experiment.hpp"
#include "benchmarks/plan/config/yaml_fields.hpp"
#include "kernels/api/registry.hpp"
#include "kernels/data/data.hpp"

namespace apod::config {

/// What the reader of an experiment needs besides the experiment.
struct ReadContext {
  const Registry& registry;
  BackendKind backend;              ///< its variants replace an unnamed `variant`
  std::string folder;               ///< of the file; base of relative data files
  std::optional<Fields> measure{};  ///< `measure` of the whole file; nothing if it is wrong
  DataSpec data{};                  ///< `data` of the whole file
  SourcePlace data_place{};
  SourcePlace measure_place{};
  bool outside = false;    ///< by --trust: files may lie outside of the folder
  bool for_host = false;   ///< the `host:` block takes the place of the keys it names
  bool as_written = true;  ///< no flag changes its cases, and each of its keys could be read
};

/// One item of `experiments:`. Continues after a problem, to find the others too; the result is
/// useful only if there was none.
Experiment read_experiment(Fields fields, SourcePlace place, const ReadContext& context,
                           Problems& problems);

/// Adds a problem unless `name` consists of letters, digits, '_', '-' and '.', at most 64: it
/// becomes a part of case ids and file names.
void check_name(const std::string& name, SourcePlace place, Problems& problems);

/// `kernel: {file: conv.cu, name: conv}` and the keys that belong to it, from the experiment's
/// `fields`. `axes` and `zip` give its axes: counts if all values are, else words. Files are
/// relative to `folder` and must lie in it, unless `outside`. The result is useful only if there
/// was no problem.
void read_kernel(const Fields& fields, const Fields& axes, const Field* zip,
                 const std::string& folder, bool outside, Experiment& experiment,
                 Problems& problems);

/// Conditions on the axes of the experiment that are called `known`.
void read_where(const Field& field, const std::vector<std::string>& known, Experiment& experiment,
                Problems& problems);

/// `workload: {command: [...], ...}`. `axes` and `zip` are the experiment's, and give its axes:
/// counts if all values are, else words. A relative `cwd` starts at `folder`, the config's. The
/// result is useful only if there was no problem.
CommandSpec read_command(const Field& workload, const Fields& axes, const Field* zip,
                         const std::string& folder, Problems& problems);

/// The name of the program, for ids: "sort" of /usr/bin/sort.
std::string name_of_program(const CommandSpec& command);

/// The `data:` of an experiment: ones, uniform, normal, {uniform: {seed: 7}},
/// {kind: uniform, seed: 7} or {file: x.npy}. A relative file is relative to `folder`; its
/// header is read, its values are not.
std::optional<DataSpec> read_data(const Field& field, const std::string& folder,
                                  Problems& problems);

/// Where the first byte of a text is: after its quotation mark, if any.
SourcePlace first_byte(const YAML::Node& node);

/// `axes`, and behind them those that `zip` holds.
Fields all_axes(const Fields& axes, const Field* zip);

/// What the readers of the parts share.
struct KernelParts {
  std::string folder;  ///< of the file
  Experiment& made;
  Problems& problems;
  file::KernelSpec spec{};
  std::vector<std::pair<std::string, SourcePlace>> expressions{};

  /// A text; its place is kept under `key`.
  std::string text_of(const YAML::Node& node, const std::string& what, const std::string& key);
  /// An expression, which check_expressions() reads.
  std::string expression_of(const YAML::Node& node, const std::string& what,
                            const std::string& key);
  /// Adds a problem for each that can't be read, or that names what is nowhere in the experiment.
  void check_expressions();
  /// One to `most` expressions.
  std::vector<std::string> texts_of(const Field& field, const std::string& key, std::size_t most);

  /// Whether a launch is cooperative.
  bool is_cooperative(const Field& field) {
    const auto word = read_word(field, problems);
    if (word && word != "true" && word != "false")
      problems.add(place_of(field), "'cooperative' must be true or false");
    return word == "true";
  }
  void read_flags(const Field& field);
  /// The axes of the file's own.
  void read_axes(const Fields& axes, const Field* zip);
  void read_args(const Field& field);

  struct ArgumentReader;  ///< an item of `args`

 private:
  void add_axis(const Field& field);
  void read_arg(Fields fields, SourcePlace place);
  void read_structure(const Field& name, const Field& fields);
  void check_arg_name(const std::string& name, SourcePlace place);
  void read_content(const Field& field, const std::string& key, file::Argument& arg);
};

/// `cases` of an experiment's fields: the rows of the file become an item of `zip`. `weight` is the
/// column that counts.
void read_cases_file(Fields& fields, const ReadContext& context, std::string& weight,
                     Problems& problems);

/// Whether `kernel` names a captured launch, and its reader, which needs the whole experiment.
bool names_capture(const Field& kernel);
void read_captured(const Fields& experiment, KernelParts& parts);

}  // namespace apod::config
