#pragma once

/// \file
/// Short ways to read sides from files of the tests or from text.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "benchmarks/files/read_side.hpp"
#include "tests/kernels/api/temporary_folder.hpp"

namespace apod::files {

/// The path of a result file in tests/data/results.
inline std::string fixture(const std::string& name) {
  return std::string(APOD_SOURCE_DIR) + "/tests/data/results/" + name;
}

/// A result of ours of two processes.
inline const std::string two_processes = fixture("apod/two_processes.json");

/// The case of that name; fails the test and gives an empty one where there is none.
inline SideCase case_of(const Side& side, const std::string& name) {
  const auto found = std::find_if(side.cases.begin(), side.cases.end(),
                                  [&](const SideCase& c) { return c.name == name; });
  if (found == side.cases.end()) {
    ADD_FAILURE() << "there is no case " << name;
    return {};
  }
  return *found;
}

/// The note that contains `text`; fails the test where there is none.
inline std::string note_of(const Side& side, const std::string& text) {
  for (const std::string& note : side.notes) {
    if (note.find(text) != std::string::npos) return note;
  }
  ADD_FAILURE() << "there is no note with " << text << " among " << side.notes.size();
  return "";
}

/// Reads text as if it were in a file, result.json.
class FromText : public ::testing::Test {
 protected:
  Side read(std::string_view text) const { return read_side({folder_.write("result.json", text)}); }
  /// What is wrong with `text`, without the name of the file; empty where it can be read.
  std::string refusal(std::string_view text) const {
    const std::string path = folder_.write("result.json", text);
    const auto what = error_of<BadResult>([&] { read_side({path}); });
    EXPECT_TRUE(what.empty() || what.starts_with(path + ": ")) << what;
    return what.substr(std::min(what.size(), path.size() + 2));
  }

  const TemporaryFolder folder_;
};

}  // namespace apod::files
