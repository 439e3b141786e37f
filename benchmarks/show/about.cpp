#include "benchmarks/show/about.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "benchmarks/base/run_properties.hpp"
#include "benchmarks/base/text/plain.hpp"

namespace apod::show {
namespace {

/// Enough of a commit's name to find it by.
constexpr std::size_t commit_digits = 8;
constexpr std::size_t day_digits = 10;
/// Of several values of one property these are said, and the others counted.
constexpr std::size_t most_values = 3;

/// "A, B, C and 4 more", each value cut after `digits`; empty where there is none.
std::string values_text(const Properties& known, const std::string& key,
                        std::size_t digits = std::string::npos) {
  const auto found = known.find(key);
  if (found == known.end()) return "";
  std::vector<std::string> values;
  for (const auto& value : found->second) {
    const auto text = value.substr(0, digits);
    if (values.empty() || values.back() != text) values.push_back(text);
  }
  if (key == "date") return text::joined(values, " to ");
  const auto more = values.size() - std::min(values.size(), most_values);
  values.resize(values.size() - more);
  return fmt::format("{}{}", fmt::join(values, ", "),
                     more > 0 ? fmt::format(" and {} more", more) : "");
}

/// Of the first of these properties that is known.
std::string first_of(const Properties& known, std::initializer_list<const char*> keys) {
  for (const auto* key : keys) {
    if (auto text = values_text(known, key); !text.empty()) return text;
  }
  return "";
}

}  // namespace

std::string beside(const std::vector<std::string>& parts) {
  std::string line;
  for (const auto& part : parts) {
    if (!part.empty()) line += (line.empty() ? "" : " · ") + part;
  }
  return line;
}

std::string about(const Properties& known) {
  const auto driver = values_text(known, "driver");
  const auto commit = values_text(known, "commit", commit_digits);
  return beside({first_of(known, {"gpu", "cpu", "host"}), driver.empty() ? "" : "driver " + driver,
                 commit.empty() ? values_text(known, "version") : commit,
                 values_text(known, "date", day_digits)});
}

std::string about(const Environment& environment) {
  Properties known;
  for (const auto& [name, text] : properties_of(Result{.environment = environment}))
    known[name] = {text};
  return about(known);
}

std::string about(const Ceilings& ceilings) {
  Environment environment{.date = ceilings.date, .commit = ceilings.commit};
  environment.device.backend = BackendKind::cuda;
  environment.device.name = ceilings.gpu;
  environment.device.driver_version = ceilings.driver;
  return beside({about(environment), ceilings.file});
}

std::string described(const Properties& known) {
  return values_text(known, "description");
}

Table sides_table(const Properties& base, const Properties& new_side) {
  Table table{.columns = {{.name = "property", .align = Align::left, .key = true},
                          {.name = "base", .align = Align::left},
                          {.name = "new", .align = Align::left}}};
  std::set<std::string> keys;
  for (const auto* side : {&base, &new_side}) {
    for (const auto& entry : *side) keys.insert(entry.first);
  }
  for (const auto& key : keys) {
    std::string name = key;
    std::replace(name.begin(), name.end(), '_', ' ');
    table.rows.push_back({{{name}, {values_text(base, key)}, {values_text(new_side, key)}}});
  }
  return table;
}

Entries device_entries(const DeviceFacts& device, const Ceilings* ceilings) {
  Entries entries;
  const auto rate = [](double value, const char* unit) {
    return value > 0 ? text::format_rate(value, unit) : "";
  };
  entries.add("device", device.name);
  entries.add("driver", device.driver_version);
  entries.add("CUDA", device.runtime_version);
  entries.add("memory", device.memory_bytes > 0
                            ? text::format_bytes(static_cast<double>(device.memory_bytes))
                            : "");
  entries.add("peak memory rate", rate(device.peak_memory_bytes_per_s, "B/s"));
  entries.add("peak transfer rate, one way", rate(device.peak_transfer_bytes_per_s, "B/s"));
  entries.add("peak fp32 rate", rate(device.peak_fp32_flops, "FLOP/s"));
  entries.add("peak fp64 rate", rate(device.peak_fp64_flops, "FLOP/s"));
  if (ceilings == nullptr) return entries;
  for (const auto& [name, value, unit] : named_ceilings(*ceilings)) {
    if (!(value > 0)) continue;
    entries.items.push_back(
        {fmt::format("measured: {}", name),
         *unit == '\0' ? text::format_time(value) : text::format_rate(value, unit)});
  }
  return entries;
}

}  // namespace apod::show
