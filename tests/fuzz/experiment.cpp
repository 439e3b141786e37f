// The text of an experiment file, up to the plan that --dry-run shows.

#include "tests/fuzz/harness.hpp"
#include "tests/fuzz/targets.hpp"

void apod::fuzz::try_experiment(const std::string& input) {
  bench({"--config", write("x.yaml", input), "--dry-run", "--backend", "host"}, input);
}
