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
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace apod::test {

using Json = nlohmann::json;

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

/// Whether `text` holds every one of `parts`, or none of them.
template <class... Parts>
::testing::AssertionResult holds(const std::string& text, const Parts&... parts) {
  for (const std::string& part : {std::string(parts)...}) {
    if (text.find(part) != std::string::npos) continue;
    return ::testing::AssertionFailure() << part << " <- is not in:\n" << text;
  }
  return ::testing::AssertionSuccess();
}
template <class... Parts>
::testing::AssertionResult lacks(const std::string& text, const Parts&... parts) {
  for (const std::string& part : {std::string(parts)...}) {
    if (text.find(part) == std::string::npos) continue;
    return ::testing::AssertionFailure() << part << " <- is in:\n" << text;
  }
  return ::testing::AssertionSuccess();
}

/// How often `text` holds `part`.
inline int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

/// A config that copies so many elements (one number, or a list) on the host.
inline std::string copies(
    const std::string& sizes,
    const std::string& measure = "max_time: 20ms, min_samples: 2, max_samples: 100, processes: 1") {
  return "schema: 1\nname: small\nmeasure: {cache: hot, warmup: 0ms, " + measure +
         "}\nexperiments:\n  - workload: copy\n    axes: {variant: host, size: " + sizes + "}\n";
}

/// A file of Google Benchmark's with one case, `name`, of these times (ns).
inline std::string google(const std::string& name, const std::vector<double>& times,
                          const std::string& date = "") {
  Json json{{"context", {{"host_name", "h"}}}, {"benchmarks", Json::array()}};
  if (!date.empty()) json["context"]["date"] = date;
  for (const double ns : times) {
    json["benchmarks"].push_back({{"name", name},
                                  {"run_type", "iteration"},
                                  {"iterations", 1},
                                  {"real_time", ns},
                                  {"cpu_time", ns},
                                  {"time_unit", "ns"}});
  }
  return json.dump();
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
  bool exists(const std::string& name) const { return std::filesystem::exists(path(name)); }
  std::string read(const std::string& name) const { return read_file(path(name)); }
  Json json(const std::string& name) const { return Json::parse(read(name)); }
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
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read("stdout"),
            read("stderr")};
  }
  /// Runs `command`, which has to end with this code.
  Outcome ends(int exit_code, const std::string& command) const {
    auto run = shell(command);
    EXPECT_EQ(run.exit_code, exit_code) << command << '\n' << run.out << run.err;
    return run;
  }
  Outcome passes(const std::string& command) const { return ends(0, command); }
  Outcome fails(const std::string& command) const { return ends(1, command); }

  struct Refused {
    std::string command;
    std::string says;
  };
  /// Each of the commands ends with 1, says so on standard error, and prints nothing.
  void expect_refused(const std::vector<Refused>& all, const std::string& begin = "") const {
    for (const auto& [command, says] : all) {
      const auto run = fails(begin + command);
      EXPECT_TRUE(holds(run.err, says)) << begin + command;
      EXPECT_EQ(run.out, "") << begin + command;
    }
  }

  std::filesystem::path folder_;
};

}  // namespace apod::test
