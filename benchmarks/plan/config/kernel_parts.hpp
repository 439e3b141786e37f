#pragma once

/// \file
/// Parts of a kernel file's experiment. Internal to config/.

#include <string>
#include <vector>

#include "benchmarks/base/experiment.hpp"
#include "benchmarks/plan/config/yaml_fields.hpp"

namespace apod::config {

/// Where the first byte of a text is: after its quotation mark, if any.
SourcePlace first_byte(const YAML::Node& node);

/// What the readers of the parts share.
struct KernelParts {
  std::string folder;  ///< of the file
  Experiment& made;
  Problems& problems;
  file::KernelSpec spec{};

  /// A text; its place is kept under `key`.
  std::string text_of(const YAML::Node& node, const std::string& what, const std::string& key);
  /// One to `most` expressions.
  std::vector<std::string> texts_of(const Field& field, const std::string& key, std::size_t most);

  /// The axes of the file's own.
  void read_axes(const Fields& axes, const Field* zip);
  void read_args(const Field& field);

  struct ArgumentReader;  ///< an item of `args`

 private:
  void add_axis(const Field& field);
  void read_arg(const Fields& fields, SourcePlace place);
  void check_arg_name(const std::string& name, SourcePlace place);
  void read_content(const Field& field, const std::string& key, file::Argument& arg);
};

}  // namespace apod::config
