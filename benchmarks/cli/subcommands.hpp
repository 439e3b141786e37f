#pragma once

#include <string>
#include <vector>

namespace apod::cli {

/// `bench compare ...` and its like: what does something with results rather than making one.
struct Subcommand {
  const char* name;
  const char* help;                                       ///< one line for bench --help
  int (*run)(const std::vector<std::string>& arguments);  ///< what follows the name; the exit code
};

const std::vector<Subcommand>& subcommands();
/// Null where there is none of that name.
const Subcommand* find_subcommand(const std::string& name);

}  // namespace apod::cli
