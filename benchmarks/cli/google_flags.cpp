#include <charconv>
#include <functional>
#include <map>

#include "benchmarks/cli/options.hpp"
#include "benchmarks/text/closest.hpp"

namespace apod::cli {
namespace {

constexpr const char* flag_prefix = "--benchmark_";

bool truth(const std::string& value) {
  return value.empty() || value == "true" || value == "1" || value == "yes" || value == "on";
}

/// Sets what the flag says; the returned text is what is wrong with its value, if anything.
using Setter = std::function<std::string(const std::string& value, Options& options)>;

std::string set_format(const std::string& value, report::Format& format) {
  if (value == "console" || value == "tabular") {
    format = report::Format::console;
  } else if (value == "json") {
    format = report::Format::json;
  } else if (value == "csv") {
    format = report::Format::csv;
  } else {
    return "'" + value + "' is no format: console, json or csv";
  }
  return "";
}

const std::map<std::string, Setter>& known_flags() {
  static const std::map<std::string, Setter> flags{
      {"filter",
       [](const std::string& value, Options& options) -> std::string {
         if (value.rfind('-', 0) == 0) return "a negative filter has no counterpart here";
         options.filter = value == "all" ? "" : value;
         return "";
       }},
      {"list_tests",
       [](const std::string& value, Options& options) -> std::string {
         options.list_cases = truth(value);
         return "";
       }},
      {"dry_run",
       [](const std::string& value, Options& options) -> std::string {
         options.dry_run = truth(value);
         return "";
       }},
      {"out",
       [](const std::string& value, Options& options) -> std::string {
         options.out.push_back(value);
         return "";
       }},
      {"format", [](const std::string& value,
                    Options& options) { return set_format(value, options.format); }},
      {"out_format",
       [](const std::string& value, Options&) {
         report::Format ignored{};
         return set_format(value, ignored);  // the extension of --out decides
       }},
      {"repetitions",
       [](const std::string& value, Options& options) -> std::string {
         int count = 0;
         const auto [end, error] =
             std::from_chars(value.data(), value.data() + value.size(), count);
         if (error != std::errc{} || end != value.data() + value.size() || count < 1 ||
             count > 1000) {
           return "'" + value + "' is no count from 1 to 1000";
         }
         options.processes = count;
         return "";
       }},
      {"color",
       [](const std::string& value, Options& options) -> std::string {
         if (value == "auto") {
           options.color = ColorChoice::automatic;
         } else {
           options.color = truth(value) ? ColorChoice::always : ColorChoice::never;
         }
         return "";
       }},
      {"context",
       [](const std::string& value, Options& options) -> std::string {
         const auto equals = value.find('=');
         if (equals == std::string::npos || equals == 0) return "'" + value + "' is no key=value";
         options.context.emplace_back(value.substr(0, equals), value.substr(equals + 1));
         return "";
       }},
      // Always so here: accepted, nothing to do.
      {"enable_random_interleaving", [](const std::string&, Options&) { return std::string(); }},
      {"counters_tabular", [](const std::string&, Options&) { return std::string(); }},
  };
  return flags;
}

/// Flags of Google Benchmark that would promise what is not done here, with the way to ask for it.
const std::map<std::string, std::string>& flags_without_meaning() {
  static const std::map<std::string, std::string> flags{
      {"min_time", "samples are chosen for a precision: --set precision=0.5% or --set max_time=2s"},
      {"min_warmup_time", "use --set warmup=100ms"},
      {"time_unit", "files hold seconds and ns, the table picks a unit"},
      {"report_aggregates_only", "files keep every sample, the table shows the aggregate"},
      {"display_aggregates_only", "files keep every sample, the table shows the aggregate"},
      {"perf_counters", "hardware counters of the CPU are not read"},
  };
  return flags;
}

}  // namespace

Diagnostics take_google_flags(std::vector<std::string>& arguments, Options& options) {
  Diagnostics diagnostics;
  std::vector<std::string> rest;
  for (const auto& argument : arguments) {
    if (argument.rfind(flag_prefix, 0) != 0) {
      rest.push_back(argument);
      continue;
    }
    const auto equals = argument.find('=');
    const auto flag = argument.substr(0, equals);
    const auto name = flag.substr(std::string(flag_prefix).size());
    const auto value = equals == std::string::npos ? "" : argument.substr(equals + 1);
    if (const auto known = known_flags().find(name); known != known_flags().end()) {
      const auto problem = known->second(value, options);
      if (!problem.empty()) diagnostics.push_back({flag, {}, problem, ""});
    } else if (const auto other = flags_without_meaning().find(name);
               other != flags_without_meaning().end()) {
      diagnostics.push_back({flag, {}, "has no counterpart here", other->second});
    } else {
      std::vector<std::string> names;
      for (const auto& [key, setter] : known_flags()) names.push_back(key);
      const auto near = text::closest(name, names);
      diagnostics.push_back({flag,
                             {},
                             "is no flag of Google Benchmark that is known here",
                             near.empty() ? "" : "did you mean " + (flag_prefix + near) + "?"});
    }
  }
  arguments = std::move(rest);
  return diagnostics;
}

}  // namespace apod::cli
