#include "benchmarks/show/export/tuned_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <ostream>

#include "benchmarks/base/estimator.hpp"
#include "benchmarks/base/text/plain.hpp"

namespace apod::exports {
namespace {

/// A word as JSON, which YAML and C++ read too.
std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

std::string scalar(const AxisValue& value) {
  const auto* number = std::get_if<std::int64_t>(&value);
  return number != nullptr ? std::to_string(*number) : quoted(std::get<std::string>(value));
}

/// "BX: 16, BY: 8", or the values alone.
std::string listed(const std::vector<std::string>& axes, const Params& params, bool named) {
  return text::joined(axes, ", ", [&](const std::string& axis) {
    return (named ? axis + ": " : "") + scalar(*params.find(axis));
  });
}

std::string identifier(const std::string& text) {
  std::string name;
  for (const unsigned char c : text) name += std::isalnum(c) != 0 ? static_cast<char>(c) : '_';
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) != 0)
    name.insert(0, "_");
  return name;
}

bool is_number(const Tuning& tuning, const std::string& axis) {
  return std::ranges::all_of(tuning.shapes, [&](const TunedShape& shape) {
    if (shape.rows.empty()) return true;
    const auto* value = shape.rows.front().params.find(axis);
    return value == nullptr || std::holds_alternative<std::int64_t>(*value);
  });
}

/// The command, without the place of the program.
std::string origin(const Tuning& tuning) {
  auto words = tuning.command_line;
  if (!words.empty()) words.front() = "bench";
  return text::printable(text::shell_line(words));
}

std::string words(const Estimate& share) {
  return share.has_interval()
             ? fmt::format("[{:.5g}, {:.5g}, {:.5g}]", share.low, share.value, share.high)
             : fmt::format("{:.5g}", share.value);
}

nlohmann::json json_of(const AxisValue& value) {
  const auto* number = std::get_if<std::int64_t>(&value);
  return number != nullptr ? nlohmann::json(*number) : nlohmann::json(std::get<std::string>(value));
}

/// Of a failed case, in the words of the schema.
std::string invalidity(const std::vector<const Measurement*>& measurements) {
  for (const auto* one : measurements) {
    if (one->failed.empty()) continue;
    if (one->stage == "verify") return "correctness";
    if (one->stage == "timeout" || one->failed.find("timeout") != std::string::npos)
      return "timeout";
    return one->stage == "compile" ? "compile" : "runtime";
  }
  return measurements.empty() ? "constraints" : "correct";
}

}  // namespace

void write_yaml(std::ostream& out, const Tuning& tuning) {
  out << "# " << origin(tuning) << "\n"
      << "# " << tuning.device << ", " << tuning.build << "; intervals are [low, estimate, high]\n"
      << "experiment: " << quoted(tuning.name) << "\nbest:\n";
  for (const auto& shape : tuning.shapes) {
    if (shape.rows.empty()) continue;
    const auto& best = shape.rows.front();
    out << "  - shape: {" << listed(tuning.shaped, best.params, true) << "}\n    axes: {"
        << listed(tuning.tuned, best.params, true) << "}\n    " << shape.objective << ": "
        << fmt::format("{:.6g}", best.value.value) << "\n";
    if (shape.gain) out << "    against_default: " << words(*shape.gain) << "\n";
  }
  if (!tuning.portable) return;
  out << "portable:\n  axes: {" << listed(tuning.tuned, tuning.portable->params, true) << "}\n";
}

void write_header(std::ostream& out, const Tuning& tuning) {
  const auto type_of = [&](const std::string& axis) {
    return is_number(tuning, axis) ? "long long" : "const char*";
  };
  std::size_t rows = 0;
  for (const auto& shape : tuning.shapes) rows += shape.rows.empty() ? 0 : 1;
  out << "#pragma once\n\n// " << origin(tuning) << "\n// " << tuning.device << ", " << tuning.build
      << "\n\n#include <cstddef>\n\nnamespace tuned::" << identifier(tuning.name) << " {\n\n"
      << "struct Choice {\n";
  auto all = tuning.shaped;  // first
  all.insert(all.end(), tuning.tuned.begin(), tuning.tuned.end());
  for (const auto& axis : all) out << "  " << type_of(axis) << " " << identifier(axis) << ";\n";
  out << "};\n\ninline constexpr Choice choices[" << std::max<std::size_t>(rows, 1) << "] = {\n";
  for (const auto& shape : tuning.shapes) {
    if (shape.rows.empty()) continue;
    out << "    {" << listed(all, shape.rows.front().params, false) << "},\n";
  }
  out << "};\n\n";
  if (!tuning.shaped.empty()) {
    out << "constexpr bool same(const char* a, const char* b) {\n"
           "  while (*a != 0 && *a == *b) ++a, ++b;\n  return *a == *b;\n}\n"
           "constexpr double ratio(double a, double b) {\n"
           "  if (a == b) return 1;\n"
           "  if (a <= 0 || b <= 0) return 1e30;\n  return a > b ? a / b : b / a;\n}\n\n";
  }
  out << "/// The choice for the nearest shape that was tuned.\nconstexpr const Choice& choice(";
  for (const auto& axis : tuning.shaped) {
    out << (&axis == &tuning.shaped.front() ? "" : ", ") << type_of(axis) << " "
        << "wanted_" << identifier(axis);
  }
  if (tuning.shaped.empty()) {
    out << ") {\n  return choices[0];\n}\n\n}  // namespace tuned::" << identifier(tuning.name)
        << "\n";
    return;
  }
  out << ") {\n  std::size_t best_row = 0;\n  double least = 1e300;\n"
      << "  for (std::size_t row = 0; row < " << rows << "; ++row) {\n    double apart = 1;\n";
  for (const auto& axis : tuning.shaped) {
    const auto name = identifier(axis);
    if (is_number(tuning, axis)) {
      out << "    apart *= ratio(static_cast<double>(choices[row]." << name
          << "), static_cast<double>(wanted_" << name << "));\n";
    } else {
      out << "    if (!same(choices[row]." << name << ", wanted_" << name << ")) apart *= 1e30;\n";
    }
  }
  out << "    if (apart < least) {\n      least = apart;\n      best_row = row;\n    }\n  }\n"
      << "  return choices[best_row];\n}\n\n}  // namespace tuned::" << identifier(tuning.name)
      << "\n";
}

void write_t4(std::ostream& out, const Tuning& tuning, const Result& result) {
  std::vector<std::vector<const Measurement*>> of_case(result.plan.cases.size());
  for (const auto& one : result.measurements) of_case.at(one.case_index).push_back(&one);
  auto results = nlohmann::json::array();
  for (const auto& c : result.plan.cases) {
    auto configuration = nlohmann::json::object();
    for (const auto* axes : {&tuning.shaped, &tuning.tuned}) {
      for (const auto& axis : *axes) {
        if (const auto* value = c.params.find(axis)) configuration[axis] = json_of(*value);
      }
    }
    const auto& measurements = of_case[c.index];
    const auto why = invalidity(measurements);
    std::vector<double> medians;
    auto runtimes = nlohmann::json::array();
    double framework = 0;
    std::map<std::string, double> facts;
    for (const auto* one : measurements) {
      framework += one->wall_s * 1e3;
      if (!one->failed.empty() || !one->is_timed()) continue;
      medians.push_back(summarize_process(*one).median_s);
      for (const auto sample : one->samples_s) runtimes.push_back(sample * 1e3);
      for (const auto& [name, value] : facts_of(*one)) facts[name] = value;
    }
    auto numbers = nlohmann::json::array();
    if (why == "correct" && !medians.empty()) {
      numbers.push_back(
          {{"name", "time"}, {"value", estimate_time(medians).value * 1e3}, {"unit", "ms"}});
      if (const auto energy = facts.find("energy"); energy != facts.end())
        numbers.push_back({{"name", "energy"}, {"value", energy->second}, {"unit", "J"}});
    }
    results.push_back({{"configuration", configuration},
                       {"objectives", tuning.objectives},
                       {"times",
                        {{"compilation_time", 1e3 * facts["compile_time"]},
                         {"runtimes", runtimes},
                         {"framework", framework},
                         {"search_algorithm", 0},
                         {"validation", 0}}},
                       {"invalidity", why},
                       {"correctness", why == "correct" ? 1 : 0},
                       {"measurements", numbers}});
  }
  const nlohmann::json document{{"schema_version", "1.0.0"},
                                {"metadata", {{"timeunit", "milliseconds"}}},
                                {"results", results}};
  out << document.dump(1, ' ', true, nlohmann::json::error_handler_t::replace) << '\n';
}

}  // namespace apod::exports
