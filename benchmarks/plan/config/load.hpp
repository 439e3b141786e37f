#pragma once

/// \file
/// An experiment file in, an ExperimentConfig and diagnostics out. The only home of yaml-cpp.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/base/command.hpp"
#include "benchmarks/base/experiment.hpp"
#include "kernels/api/registry.hpp"

namespace apod::config {

struct LoadOptions {
  /// The backend the run prefers. With `host`, each experiment's `host:` block takes the place of
  /// the keys it names.
  BackendKind backend = BackendKind::cuda;
  /// "axis=value[,value...]" (the axis of every experiment that has or may have it) or
  /// "measure-key=value" (precision, processes, cache ...), as given with --set.
  std::vector<std::string> overrides;
  /// "axis=value[,value...]": only the experiments that have the axis and know all of the values,
  /// as given with --having; empty: all.
  std::string having = {};
  /// Where else a bare name was looked for, for the message that there is no such file.
  std::vector<std::string> searched = {};
  /// The file is trusted: kernels that it names may lie outside of its folder.
  bool trusted = false;
  /// Of a file that was made for one run: the folder that it names files from.
  std::optional<std::string> folder = {};
};

/// The result of the first of two rounds: the experiments that were read without a problem, and the
/// diagnostics of the others. plan::expand takes both and plans the former, so that one mistake
/// gives one diagnostic. Nothing runs while there are any.
struct LoadOutcome {
  std::optional<ExperimentConfig> config;  ///< absent if the file is not an experiment file at all
  Diagnostics diagnostics;                 ///< in_order
};

LoadOutcome load_file(const std::string& path, const Registry& registry,
                      const LoadOptions& options);
/// The same for a text already read; `path` serves messages and relative data files.
LoadOutcome load_text(const std::string& text, const std::string& path, const Registry& registry,
                      const LoadOptions& options);

/// An experiment file of one command.
struct CommandFile {
  std::string name;  ///< of the experiment
  std::vector<std::string> words;
  std::string folder{};  ///< where it starts; empty: that of the file
  Reads reads = Reads::process;
  std::vector<Figure> figures{};  ///< of Reads::regex
  std::vector<std::pair<std::string, std::vector<std::string>>> axes{};
  std::vector<std::pair<std::string, std::string>> measure{};

  /// `words` and `folder` have names in braces where they stand for values.
  std::string text() const;
};
/// `text` with its braces written twice, so that they stand for themselves.
std::string with_plain_braces(const std::string& text);

/// JSON Schema (draft 7) of experiment files, from the tables that the reader refuses keys by and
/// from the registry's workloads and axes. Every file that the reader takes is valid by it; what
/// only values can tell, such as a baseline that no case meets, is left to the reader.
std::string experiment_schema(const Registry& registry);

}  // namespace apod::config
