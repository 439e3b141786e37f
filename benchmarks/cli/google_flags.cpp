#include <functional>
#include <map>
#include <string_view>

#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/cli/exit_code.hpp"
#include "benchmarks/cli/flags.hpp"
#include "benchmarks/cli/options.hpp"

namespace apod::cli {
namespace {

constexpr const char* flag_prefix = "--benchmark_";

bool truth(const std::string& value) {
  return value.empty() || value == "true" || value == "1" || value == "yes" || value == "on";
}

/// The value, which may not be empty: as for the flags of our own.
const std::string& given(const std::string& value) {
  if (value.empty()) throw UsageError(empty_value);
  return value;
}

/// Does what the flag says. Throws UsageError where its value says nothing.
using Setter = std::function<void(const std::string& value, Options& options)>;

show::Format format_called(const std::string& value) {
  if (value == "console" || value == "tabular") return show::Format::console;
  if (value == "json") return show::Format::json;
  if (value == "csv") return show::Format::csv;
  throw UsageError("'" + value + "' is not a format: write console, json or csv");
}

void set_filter(const std::string& value, Options& options) {
  if (value.starts_with('-'))
    throw UsageError("bench can't negate a filter: match the cases to keep");
  options.filter = text::Pattern(given(value) == "all" ? "" : value);
}

void set_color(const std::string& value, Options& options) {
  options.color = value == "auto" ? ColorChoice::automatic
                  : truth(value)  ? ColorChoice::always
                                  : ColorChoice::never;
}

void add_context(const std::string& value, Options& options) {
  const auto equals = value.find('=');
  if (equals == std::string::npos || equals == 0)
    throw UsageError("'" + value + "' is not of the form key=value");
  options.context.emplace_back(value.substr(0, equals), value.substr(equals + 1));
}

const std::map<std::string, Setter> known_flags{
    {"filter", set_filter},
    {"list_tests", [](const auto& value, auto& options) { options.list_cases = truth(value); }},
    {"dry_run", [](const auto& value, auto& options) { options.dry_run = truth(value); }},
    {"out", [](const auto& value, auto& options) { options.out.push_back(given(value)); }},
    {"format", [](const auto& value, auto& options) { options.format = format_called(value); }},
    // Its value is checked; the extension of --out decides.
    {"out_format", [](const auto& value, auto&) { format_called(value); }},
    {"repetitions",
     [](const auto& value, auto& options) {
       options.processes = parse_count("repetitions", value, 1, 1000);
     }},
    {"color", set_color},
    {"context", add_context},
    // Always so here: accepted, nothing to do.
    {"enable_random_interleaving", [](const auto&, auto&) {}},
    {"counters_tabular", [](const auto&, auto&) {}},
};

/// Flags of Google Benchmark that would promise what is not done here, with the way to ask for it.
const std::map<std::string, std::string> flags_without_meaning{
    {"min_time",
     "the wanted precision decides the number of samples: use --set precision=0.5% or --set "
     "max_time=2s"},
    {"min_warmup_time", "use --set warmup=100ms"},
    {"time_unit",
     "the units can't be chosen: files use seconds and ns, tables choose a unit for each value"},
    {"report_aggregates_only", "files keep every sample; the table shows the aggregate"},
    {"display_aggregates_only", "files keep every sample; the table shows the aggregate"},
    {"perf_counters", "bench does not read the CPU's hardware counters"},
};

/// What is wrong with a flag that is not known; `name` without its prefix.
std::string unknown(const std::string& name) {
  if (const auto other = flags_without_meaning.find(name); other != flags_without_meaning.end()) {
    return "has no equivalent in bench (" + other->second + ")";
  }
  std::vector<std::string> names;
  for (const auto& [key, setter] : known_flags) names.push_back(key);
  const auto near = text::closest(name, names);
  return "is a Google Benchmark flag that bench does not know" +
         text::in_brackets(text::did_you_mean(near.empty() ? "" : flag_prefix + near));
}

}  // namespace

void take_google_flags(std::vector<std::string>& arguments, Options& options) {
  std::string problems;
  const auto add = [&](const std::string& flag, const std::string& what) {
    problems += (problems.empty() ? "" : "\n") + flag + ": " + what;
  };
  std::erase_if(arguments, [&](const std::string& argument) {
    if (!argument.starts_with(flag_prefix)) return false;
    const auto equals = argument.find('=');
    const auto flag = argument.substr(0, equals);
    const auto name = flag.substr(std::string_view(flag_prefix).size());
    const auto known = known_flags.find(name);
    if (known == known_flags.end()) {
      add(flag, unknown(name));
      return true;
    }
    try {
      const bool is_bare = equals == std::string::npos;
      known->second(is_bare ? "" : given(argument.substr(equals + 1)), options);
    } catch (const std::exception& error) {
      add(flag, error.what());
    }
    return true;
  });
  if (!problems.empty()) throw UsageError(problems);
}

}  // namespace apod::cli
