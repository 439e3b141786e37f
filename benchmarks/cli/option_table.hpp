#pragma once

/// \file
/// Every command with its flags, as data for completion and the manual page.

#include <string>
#include <vector>

#include "benchmarks/cli/frame.hpp"

namespace apod::cli {

struct OptionEntry {
  std::vector<std::string> names;  ///< "-o", "--out"; for words without a flag, their name
  std::string type;                ///< "FILE", "json|csv"; empty: it takes no value
  std::string help;
  std::string heading;  ///< as in the help; empty: none
  bool is_word = false;

  /// The words to choose from, if the type is a list of them.
  std::vector<std::string> choices() const;
};

struct CommandTable {
  std::string name;  ///< "bench compare"
  std::string help;  ///< one line
  HelpText text;
  std::vector<OptionEntry> options;
};

CommandTable table_of(const CommandEntry& entry);

/// What a shell may complete the last of `words` to, which follow "bench": commands, flags, choices
/// of a flag. Empty if a file, or anything else, is expected.
struct Candidate {
  std::string word;
  std::string help;
};
std::vector<Candidate> candidates(const std::vector<std::string>& words);

}  // namespace apod::cli
