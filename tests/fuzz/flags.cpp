// The values of flags that choose and change what is run or shown: a line each.

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
  auto lines = parts_of(input);
  lines.resize(4);
  const std::vector<std::string> plan{"--config", experiments, "--dry-run", "--backend", "host"};
  const auto with = [&](const char* flag, const std::string& value) {
    auto words = plan;
    words.push_back(std::string(flag) + "=" + value);
    bench(words, input);
  };
  with("--filter", lines[0]);
  with("--set", lines[1]);
  with("--having", lines[2]);
  with("--only", write("ids", lines[3]));
  bench({"show", path_of("absent.json"), "--columns=" + lines[0], "--filter=" + lines[1]}, input);
}
