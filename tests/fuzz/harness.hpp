#pragma once

/// \file
/// What every fuzz target has: files for its input, and what is asked of a command beside that it
/// does not crash. What goes wrong ends the process with abort().

#include <string>
#include <string_view>
#include <vector>

namespace apod::fuzz {

/// Ends the process with `what`, which is no `good` behaviour.
void expect(bool good, const std::string& what);

/// A path in a folder of this process alone, in memory where the system allows that.
std::string path_of(const std::string& name);
std::string write(const std::string& name, std::string_view content);
std::string read(const std::string& path);

/// `input` at lines of "=====": one part or more.
std::vector<std::string> parts_of(const std::string& input);

/// What is made for people has no broken UTF-8, no control characters and no invisible marks,
/// and says nothing of C++ that `input` did not.
void check_shown(const std::string& text, const std::string& input);

/// A file that a command wrote, by its extension: .json and .xml parse, .md has no raw HTML, .txt,
/// .md and .csv are for people.
void check_written(const std::string& path, const std::string& input);

/// Runs "bench WORDS" in this process. Its exit code is a documented one, what it printed is fit
/// for people, and a failure is explained.
struct Said {
  int exit_code = 0;
  std::string out, err;
};
Said bench(std::vector<std::string> words, const std::string& input);

}  // namespace apod::fuzz
