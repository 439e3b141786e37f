#pragma once

/// \file
/// Runs of the program with the faults workload.

#include <string>

#include "tests/cli/run_program.hpp"

namespace apod::test {

/// A config of the faults workload with these variants.
inline std::string faults(
    const std::string& variants, const std::string& measure = "processes: 1",
    const std::string& more_axes = "",
    const std::string& budget = "max_time: 50ms, min_samples: 2, max_samples: 100") {
  return "schema: 1\nname: faults\nmeasure: {cache: hot, warmup: 0ms, " + budget + ", " + measure +
         "}\nexperiments:\n  - workload: faults\n    axes: {variant: [" + variants + "], size: 64" +
         more_axes + "}\n";
}

class FaultsTest : public ProgramTest {
 protected:
  FaultsTest() { write("a.yaml", faults("fine")); }

  /// The rows of faults.json: one for each process of a measured case.
  Json rows() const { return json("faults.json")["benchmarks"]; }
};

/// Shell words that wait until `condition` holds, or the last background job is over.
inline std::string await(const std::string& condition) {
  return " while kill -0 $! && ! " + condition + "; do sleep 0.05; done 2>/dev/null; ";
}

/// Waits until the journal of faults.json has `lines`, the first of which is its header.
inline std::string await_journal(int lines) {
  return await("test \"$(cat faults.json.journal | wc -l)\" -ge " + std::to_string(lines));
}

}  // namespace apod::test
