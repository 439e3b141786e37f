#include "tests/fuzz/targets.hpp"

#include <map>

#include "tests/fuzz/harness.hpp"

apod::fuzz::Target apod::fuzz::target_called(const std::string& name) {
  static const std::map<std::string, Target> targets{
      {"experiment", try_experiment}, {"saved", try_saved},   {"comparison", try_comparison},
      {"recording", try_recording},   {"record", try_record}, {"array", try_array},
      {"listing", try_listing},       {"flags", try_flags},   {"expression", try_expression},
      {"output", try_output},         {"parts", try_parts},   {"words", try_words},
      {"launcher", try_launcher},     {"log", try_log},       {"foreign", try_foreign},
  };
  const auto found = targets.find(name);
  expect(found != targets.end(), "there is no target '" + name + "'");
  return found->second;
}
