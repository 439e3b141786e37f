#pragma once

/// \file
/// Commands as workloads: a file with one, and programs that write what Google Benchmark writes.

#include <string>
#include <vector>

#include "tests/cli/run_program.hpp"

namespace apod::test {

class CommandsTest : public ProgramTest {
 protected:
  /// x.yaml, with this workload and what stands below it.
  void file(const std::string& workload, const std::string& more = "",
            const std::string& measure = "processes: 1") const {
    write("x.yaml", "schema: 1\nmeasure: {" + measure +
                        "}\nexperiments:\n  - name: e\n    workload: {" + workload + "}\n" + more);
  }
  void program(const std::string& name, const std::string& text) const {
    write(name, text);
    std::filesystem::permissions(path(name), std::filesystem::perms::owner_all);
  }
  /// Of a fake program of Google Benchmark's: it notes its arguments, and writes two cases. The
  /// second takes `slow` ns.
  void google_program(const std::string& name, const std::string& slow = "2000",
                      const std::string& extra = "") const {
    program(name, R"(#!/bin/bash
echo "$0 $*" >>calls
)" + extra + R"(
for word; do
  case $word in
    --benchmark_out=*) out=${word#*=} ;;
    --benchmark_filter=*) filter=${word#*=} ;;
    --benchmark_list_tests=true) list=1 ;;
  esac
done
[[ -z $list ]] || { printf 'BM_a/8\nBM_b<int>/8\n' | grep -E "${filter:-.}"; exit 0; }
run=$(wc -l <calls)
row() {
  [[ $1 =~ ${filter:-.} ]] || return 0
  ns=$(awk "BEGIN { print $2 * (1 + 0.0002 * (($run * 7) % 5 - 2)) }")
  rows="$rows${rows:+,}{\"name\":\"$1\",\"run_type\":\"iteration\",\"iterations\":1,\"real_time\":$ns,\"cpu_time\":$ns,\"time_unit\":\"ns\"}"
}
row BM_a/8 1000
row 'BM_b<int>/8' )" + slow +
                      R"(
echo "{\"context\":{\"host_name\":\"h\"},\"benchmarks\":[$rows]}" >"$out"
)");
  }
  Outcome runs(int exit_code, const std::string& more = "") const {
    return ends(exit_code, "bench --config ./x.yaml --trust -q --out r.json " + more);
  }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    const auto result = json("r.json");
    for (const auto& c : result.at("apod_cases")) all.push_back(c.at("id"));
    return all;
  }
  Json facts_of_first() const { return json("r.json").at("benchmarks")[0].at("apod").at("facts"); }
  /// The reason of the only case.
  std::string reason() const { return json("r.json").at("apod_cases")[0].at("reason"); }
};

}  // namespace apod::test
