#include "benchmarks/base/run_properties.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>
#include <type_traits>

#include "benchmarks/base/result.hpp"

namespace apod {
namespace {

/// A file of another program need not say what its backend was, or whether ECC was on.
bool is_own(const Result& run) {
  return run.environment.producer.empty();
}

bool on_gpu(const Result& run) {
  return run.environment.device.backend == BackendKind::cuda;
}

template <auto member>
std::string text_of(const Result& run) {
  return run.environment.*member;
}

template <auto member>
void take_text(Result& run, const std::string& text) {
  run.environment.*member = text;
}

/// The host has a name and a version of its driver in its own way.
template <auto member>
std::string of_gpu(const Result& run) {
  return is_own(run) && !on_gpu(run) ? "" : run.environment.device.*member;
}

template <auto member>
void take_of_gpu(Result& run, const std::string& text) {
  run.environment.device.*member = text;
}

template <auto member>
std::string switch_of_gpu(const Result& run) {
  if (!is_own(run) || !on_gpu(run)) return "";
  return run.environment.device.*member ? "on" : "off";
}

/// In its shortest digits, with a point, as JSON has a number that need not be whole.
std::string digits_of(double number) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.begin(), digits.end(), number).ptr;
  std::string text(digits.begin(), end);
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

std::string cpus_text(const Result& run) {
  const int count = run.environment.cpu_count;
  return count > 0 ? std::to_string(count) : "";
}

/// Of a foreign result; bench's own results name the processor.
std::string mhz_text(const Result& run) {
  const double mhz = run.environment.cpu_mhz;
  return mhz > 0 && !is_own(run) ? digits_of(mhz) : "";
}

template <auto member>
void take_number(Result& run, const std::string& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool fits = error == std::errc() && number >= 0 && number < 1e9;
  if (!fits) return;
  auto& value = run.environment.*member;
  value = static_cast<std::remove_reference_t<decltype(value)>>(number);
}

std::string backend_text(const Result& run) {
  if (!is_own(run) && !on_gpu(run)) return "";
  return std::string(to_string(run.environment.device.backend));
}

std::string power_limit_text(const Result& run) {
  const double limit_w = run.environment.device.power_limit_w;
  return on_gpu(run) && limit_w != 0 ? digits_of(limit_w) : "";
}

void take_gpu(Result& run, const std::string& text) {
  run.environment.device.backend = BackendKind::cuda;
  run.environment.device.name = text;
}

std::string load_text(const Result& run) {
  const auto& load = run.environment.load_average;
  return load.empty() ? "" : digits_of(load.front());
}

/// "L1 Data 32 KiB, L2 1024 KiB".
std::string caches_text(const Result& run) {
  std::string text;
  for (const auto& cache : run.environment.caches) {
    const auto kind = cache.type == "Unified" ? "" : " " + cache.type;
    text += (text.empty() ? "L" : ", L") + std::to_string(cache.level) + kind + " " +
            std::to_string(cache.bytes / 1024) + " KiB";
  }
  return text;
}

std::string machines_text(const Result& run) {
  const auto count = run.part.machines.size();
  return count > 1 ? std::to_string(count) : "";
}

std::string config_text(const Result& run) {
  return is_own(run) ? run.plan.name : "";
}

std::string description_text(const Result& run) {
  return run.plan.description;
}

void take_description(Result& run, const std::string& text) {
  run.plan.description = text;
}

constexpr auto decisive = Differs::decisive;
constexpr auto told = Differs::told;
constexpr auto unsaid = Differs::always;

/// Of another program's file: how many ranks took part.
std::string ranks_text(const Result& run) {
  const auto found = run.environment.variables.find("ranks");
  return is_own(run) || found == run.environment.variables.end() ? "" : found->second;
}

const std::array<RunProperty, 25> table{{
    {"backend", decisive, true, true, backend_text},
    {"gpu", decisive, true, true, of_gpu<&DeviceFacts::name>, take_gpu},
    {"mig", decisive, true, true, switch_of_gpu<&DeviceFacts::mig>},
    {"ecc", decisive, true, true, switch_of_gpu<&DeviceFacts::ecc>},
    {"power_limit_w", decisive, true, true, power_limit_text},
    {"driver", decisive, true, true, of_gpu<&DeviceFacts::driver_version>,
     take_of_gpu<&DeviceFacts::driver_version>},
    {"cuda", decisive, true, true, of_gpu<&DeviceFacts::runtime_version>,
     take_of_gpu<&DeviceFacts::runtime_version>},
    {"cpu", decisive, true, true, text_of<&Environment::cpu_model>,
     take_text<&Environment::cpu_model>},
    {"build_type", decisive, true, true, text_of<&Environment::build_type>,
     take_text<&Environment::build_type>},
    {"ranks", decisive, true, true, ranks_text},
    {"cpus", told, true, true, cpus_text, take_number<&Environment::cpu_count>},
    {"caches", told, true, true, caches_text},
    {"machines", told, true, true, machines_text},
    {"host", told, false, true, text_of<&Environment::host_name>,
     take_text<&Environment::host_name>},
    {"gpu_uuid", told, false, true, of_gpu<&DeviceFacts::uuid>, take_of_gpu<&DeviceFacts::uuid>},
    {"os", told, false, true, text_of<&Environment::os>, take_text<&Environment::os>},
    {"compiler", told, true, true, text_of<&Environment::compiler>,
     take_text<&Environment::compiler>},
    {"cuda_compiler", told, true, true, text_of<&Environment::cuda_compiler>,
     take_text<&Environment::cuda_compiler>},
    {"version", told, false, true, text_of<&Environment::bench_version>,
     take_text<&Environment::bench_version>},
    {"commit", told, true, true, text_of<&Environment::commit>, take_text<&Environment::commit>},
    {"config", told, false, true, config_text},
    {"description", unsaid, false, true, description_text, take_description},
    {"date", unsaid, false, true, text_of<&Environment::date>, take_text<&Environment::date>},
    {"cpu_mhz", unsaid, false, false, mhz_text, take_number<&Environment::cpu_mhz>},
    {"load_average", unsaid, false, false, load_text},
}};

}  // namespace

std::span<const RunProperty> run_properties() {
  return table;
}

const RunProperty* find_property(std::string_view name) {
  const auto found = std::ranges::find(table, name, &RunProperty::name);
  return found == table.end() ? nullptr : &*found;
}

bool is_decisive(std::string_view name) {
  const auto* known = find_property(name);
  return known != nullptr && known->differs == Differs::decisive;
}

std::span<const std::string_view> program_properties() {
  static constexpr std::array<std::string_view, 5> names{"build_type", "compiler", "cuda_compiler",
                                                         "version", "commit"};
  return names;
}

std::map<std::string, std::string> properties_of(const Result& run) {
  std::map<std::string, std::string> texts;
  if (!is_own(run)) texts = run.environment.variables;
  for (const auto& known : table) {
    auto text = known.text(run);
    if (!text.empty()) texts[std::string(known.name)] = std::move(text);
  }
  return texts;
}

void take_property(Result& run, const std::string& name, const std::string& text) {
  if (text.empty()) return;
  const auto* known = find_property(name);
  if (known != nullptr && known->take != nullptr) {
    known->take(run, text);
  } else {
    run.environment.variables[name] = text;
  }
}

}  // namespace apod
