#pragma once

/// \file
/// Comparisons side by side of programs that are scripts, whose times are fixed.

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/run_program.hpp"

namespace apod::test {

/// A program that understands what a slot is told: it notes its arguments in `slots`, and writes
/// times (ns) of two cases, 1000 and `slow`, as Google Benchmark would. Each run's times differ a
/// little. It lists its cases, and has nothing against any plan.
inline std::string fake_bench(const std::string& slow = "2000", const std::string& extra = "") {
  return R"(#!/bin/bash
[[ " $* " != *" --dry-run "* ]] || exit 0
[[ " $* " == *" --benchmark_list_tests"* ]] && lists=1 || echo "$0 $*" >>slots
while (($#)); do
  case $1 in
    --out) out=$2 ;;
    --only) only=$2 ;;
    --set) set=$2 ;;
  esac
  shift
done
run=$(wc -l <slots)
row() {
  [[ -z $lists ]] || { echo "$1"; return; }
  [[ -z $only ]] || grep -qxF "$1" "$only" || return 0
  ns=$(awk "BEGIN { print $2 * (1 + 0.0002 * (($run * 7) % 5 - 2)) }")
  rows="$rows${rows:+,}{\"name\":\"$1\",\"run_type\":\"iteration\",\"iterations\":1,\"real_time\":$ns,\"cpu_time\":$ns,\"time_unit\":\"ns\"}"
}
)" + extra +
         R"(
row e/v/size:8/streams:1 1000
row e/v/size:9/streams:1 )" +
         slow + R"(
[[ -n $lists ]] || echo "{\"context\":{\"host_name\":\"h\"},\"benchmarks\":[$rows]}" >"$out"
)";
}

class SideBySideTest : public ProgramTest {
 protected:
  /// Two builds that are as fast.
  SideBySideTest() {
    write("x.yaml", "schema: 1\n");
    builds(fake_bench(), fake_bench());
  }

  void program(const std::string& name, const std::string& text) const {
    write(name, text);
    std::filesystem::permissions(path(name), std::filesystem::perms::owner_all);
  }
  void builds(const std::string& a, const std::string& b) const {
    program("a", a);
    program("b", b);
  }
  /// Both do this in every slot.
  void builds_that(const std::string& extra, const std::string& slow_of_b = "2000") const {
    builds(fake_bench("2000", extra), fake_bench(slow_of_b, extra));
  }
  Outcome compare(const std::string& arguments) const {
    return shell("bench compare --config ./x.yaml --format json -q " + arguments);
  }
  /// Compares both builds, which has to end with this code.
  Outcome compare_builds(int exit_code, const std::string& more = "") const {
    auto run = compare("--base-bin ./a --new-bin ./b --seed 7 " + more);
    EXPECT_EQ(run.exit_code, exit_code) << run.err;
    return run;
  }
  std::vector<std::string> slots() const {
    std::vector<std::string> lines;
    std::istringstream text(read("slots"));
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
  }
  static Json case_of(const Outcome& run, const std::string& name) {
    const auto comparison = Json::parse(run.out);
    for (const auto& c : comparison.at("cases")) {
      if (c.at("name") == name) return c;
    }
    ADD_FAILURE() << name << " is not in:\n" << run.out << run.err;
    return {{"verdict", ""}, {"change", 0.0}};
  }
};

}  // namespace apod::test
