#pragma once

/// \file
/// Every command with its flags, as data: what completion and the manual page are made of.

#include <string>
#include <vector>

#include "benchmarks/cli/frame.hpp"

namespace apod::cli {

struct OptionEntry {
  std::vector<std::string> names;  ///< "-o", "--out"; of words without a flag, what they are called
  std::string type;                ///< "FILE", "json|csv"; empty: it takes no value
  std::string help;
  std::string heading;  ///< as in the help; empty: none of its own
  bool is_word = false;

  /// The words to choose from, where the type is a list of such.
  std::vector<std::string> choices() const;
};

struct CommandTable {
  std::string name;  ///< "bench compare"
  std::string help;  ///< one line; of bench itself, its purpose
  std::string purpose;
  std::string footer;
  std::vector<OptionEntry> options;
};

CommandTable table_of(const CommandEntry& entry);

/// What a shell may put for the last of `words`, which follow "bench": commands, flags, choices of
/// a flag. Empty where a file, or anything else, is meant.
struct Candidate {
  std::string word;
  std::string help;
};
std::vector<Candidate> candidates(const std::vector<std::string>& words);

}  // namespace apod::cli
