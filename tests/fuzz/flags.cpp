// The values of flags that choose and change what is run or shown: a part each.

#include "tests/fuzz/harness.hpp"
#include "tests/fuzz/targets.hpp"

void apod::fuzz::try_flags(const std::string& input) {
  static const std::string experiments = write("x.yaml", R"(
schema: 1
experiments:
  - workload: reduction
    axes: {variant: [host], size: [1Ki, 1Mi]}
  - workload: transfer
    axes: {variant: host, size: 4MiB, streams: [1, 4], host_memory: [pinned, pageable]}
)");
  auto parts = parts_of(input);
  parts.resize(4);
  const std::vector<std::string> plan{"--config", experiments, "--dry-run", "--backend", "host"};
  const auto with = [&](const char* flag, const std::string& value) {
    auto words = plan;
    words.push_back(std::string(flag) + "=" + value);
    bench(words, input);
  };
  with("--filter", parts[0]);
  with("--set", parts[1]);
  with("--having", parts[2]);
  with("--only", write("ids", parts[3]));
  bench({"show", "tests/data/results/apod/two_processes.json", "--columns=" + parts[0]}, input);
  bench({"show", "tests/data/results/apod/two_processes.json", "--filter=" + parts[1]}, input);
}
