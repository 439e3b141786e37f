#pragma once

/// \file
/// Runs the program under test as a user would, in a folder of its own.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace apod::test {

struct Outcome {
  int exit_code = -1;
  std::string out;
  std::string err;
};

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// A temporary folder that is the working directory of what runs in it.
class ProgramTest : public ::testing::Test {
 protected:
  ProgramTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "apod_cli.XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~ProgramTest() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  std::filesystem::path path(const std::string& name) const { return folder_ / name; }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
  }

  /// `command` in a shell 120 columns wide, with `bench` and `faulty` for the two programs.
  Outcome shell(const std::string& command) const {
    // A background job has to be the program itself, or a signal would reach a shell: $FAULTY or
    // $BENCH.
    const std::string script =
        "export COLUMNS=120; BENCH='" APOD_BENCH "'; FAULTY='" APOD_BENCH_WITH_FAULTS "'; cd '" +
        folder_.string() +
        "' && bench() { '" APOD_BENCH "' \"$@\"; } && faulty() { \"$FAULTY\" \"$@\"; } && { " +
        command + "; } >'" + path("stdout").string() + "' 2>'" + path("stderr").string() +
        "' </dev/null";
    const int status = std::system(("bash -c \"$(cat <<'EOS'\n" + script + "\nEOS\n)\"").c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
            read_file(path("stdout")), read_file(path("stderr"))};
  }

  struct Refused {
    std::string command;
    std::string says;
  };
  /// Each of the commands ends with 1, says so on standard error, and prints nothing.
  void expect_refused(const std::vector<Refused>& all) const {
    for (const auto& [command, says] : all) {
      const auto run = shell(command);
      EXPECT_EQ(run.exit_code, 1) << command << run.err;
      EXPECT_TRUE(run.err.find(says) != std::string::npos) << command << '\n' << run.err;
      EXPECT_EQ(run.out, "") << command;
    }
  }

  std::filesystem::path folder_;
};

/// Whether `text` holds `part`; says both where it does not.
inline ::testing::AssertionResult holds(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "'" << part << "' is not in:\n" << text;
}

}  // namespace apod::test
