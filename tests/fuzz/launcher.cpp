// A launcher's environment, a line a variable: which shard of a study is measured.

#include <map>
#include <sstream>

#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/cli/exit_code.hpp"
#include "benchmarks/cli/shard_run.hpp"
#include "tests/fuzz/harness.hpp"
#include "tests/fuzz/targets.hpp"

void apod::fuzz::try_launcher(const std::string& input) {
  std::map<std::string, std::string> variables;
  std::istringstream lines(input);
  for (std::string line; std::getline(lines, line);) {
    const auto equals = line.find('=');
    if (equals != std::string::npos) variables[line.substr(0, equals)] = line.substr(equals + 1);
  }
  const auto variable = [&](const char* name) { return variables[name]; };
  try {
    const auto choice = cli::choose_shard(std::nullopt, variable);
    expect(choice.shard.index >= 1 && choice.shard.index <= choice.shard.count,
           "no shard: " + choice.shard.text());
    expect(choice.shard.count <= 100'000, "too many shards: " + choice.shard.text());
  } catch (const cli::UsageError& error) {
    check_shown(text::printable(error.what()), input);
  }
}
