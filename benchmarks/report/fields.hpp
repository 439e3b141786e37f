#pragma once

/// \file
/// The fields of every record, listed once and used in both directions: a Writer turns a record
/// into JSON, a Reader fills a record from JSON. Internal to report/.

#include <concepts>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "benchmarks/model/result.hpp"
#include "benchmarks/report/codec.hpp"

namespace apod::report {

/// Keeps the order of keys: axes are shown in the order in which they were declared.
using Json = nlohmann::ordered_json;

/// The text of `json` on one line. Bytes that are no UTF-8 become U+FFFD; NaN and Infinity, which
/// JSON has no word for, become null.
inline std::string dump(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

template <class T, class Record>
concept Is = std::same_as<std::remove_const_t<T>, Record>;

template <class T>
concept Optional = requires(T t) {
  typename T::value_type;
  t.has_value();
};

template <class T>
concept Map = requires {
  typename T::mapped_type;
};

template <class T>
concept Vector = std::same_as<T, std::vector<typename T::value_type>>;

/// Collects the fields of one record into a JSON object.
class Writer {
 public:
  template <class T>
  void operator()(const char* name, const T& value) {
    json_[name] = write(value);
  }

  template <class T>
  static Json write(const T& value) {
    if constexpr (std::is_arithmetic_v<T> || std::same_as<T, std::string>) {
      return value;
    } else if constexpr (NamedEnum<T>) {
      return std::string(to_string(value));
    } else if constexpr (std::same_as<T, AxisValue>) {
      return std::visit([](const auto& v) { return Json(v); }, value);
    } else if constexpr (std::same_as<T, Params>) {
      Json object = Json::object();
      for (const auto& [name, v] : value.entries()) object[name] = write(v);
      return object;
    } else if constexpr (Optional<T>) {
      return value ? write(*value) : Json();
    } else if constexpr (Map<T>) {
      Json object = Json::object();
      for (const auto& [name, v] : value) object[name] = write(v);
      return object;
    } else if constexpr (Vector<T>) {
      Json array = Json::array();
      for (const auto& v : value) array.push_back(write(v));
      return array;
    } else {
      Writer writer;
      fields(writer, value);
      return std::move(writer.json_);
    }
  }

 private:
  Json json_ = Json::object();
};

/// Fills the fields of one record from a JSON object. Unknown keys are passed over, so that an
/// older program reads a newer file. Throws std::runtime_error with the path to what is wrong:
/// "clock: mean_mhz: not a number".
class Reader {
 public:
  explicit Reader(const Json& json) : json_(json) {
    if (!json.is_object()) throw std::runtime_error("not an object");
  }

  template <class T>
  void operator()(const char* name, T& value) {
    const auto found = json_.find(name);
    if (found == json_.end()) throw std::runtime_error(std::string(name) + ": missing");
    at(name, [&] { read(*found, value); });
  }

  template <class T>
  static void read(const Json& json, T& value) {
    if constexpr (std::same_as<T, bool>) {
      if (!json.is_boolean()) throw std::runtime_error("not true or false");
      value = json.get<bool>();
    } else if constexpr (std::integral<T>) {
      if (!json.is_number_integer()) throw std::runtime_error("not an integer");
      const bool fits = json.is_number_unsigned() ? std::in_range<T>(json.get<std::uint64_t>())
                                                  : std::in_range<T>(json.get<std::int64_t>());
      if (!fits) throw std::runtime_error("integer out of range");
      value = json.get<T>();
    } else if constexpr (std::floating_point<T>) {
      if (!json.is_number() && !json.is_null()) throw std::runtime_error("not a number");
      value = json.is_null() ? std::numeric_limits<T>::quiet_NaN() : json.get<T>();
    } else if constexpr (std::same_as<T, std::string>) {
      if (!json.is_string()) throw std::runtime_error("not a string");
      value = json.get<std::string>();
    } else if constexpr (NamedEnum<T>) {
      std::string word;
      read(json, word);
      const auto parsed = parse<T>(word);
      if (!parsed) throw std::runtime_error("unknown word '" + word + "'");
      value = *parsed;
    } else if constexpr (std::same_as<T, AxisValue>) {
      if (json.is_string()) {
        value = json.get<std::string>();
      } else {
        std::int64_t number = 0;
        read(json, number);
        value = number;
      }
    } else if constexpr (std::same_as<T, Params>) {
      if (!json.is_object()) throw std::runtime_error("not an object");
      value = {};
      for (const auto& [name, v] : json.items()) {
        AxisValue axis;
        at(name, [&] { read(v, axis); });
        value.set(name, std::move(axis));
      }
    } else if constexpr (Optional<T>) {
      value.reset();
      if (!json.is_null()) read(json, value.emplace());
    } else if constexpr (Map<T>) {
      if (!json.is_object()) throw std::runtime_error("not an object");
      value.clear();
      for (const auto& [name, v] : json.items()) at(name, [&] { read(v, value[name]); });
    } else if constexpr (Vector<T>) {
      if (!json.is_array()) throw std::runtime_error("not an array");
      value.clear();
      value.reserve(json.size());
      for (const auto& v : json) {
        at("[" + std::to_string(value.size()) + "]", [&] { read(v, value.emplace_back()); });
      }
    } else {
      Reader reader(json);
      fields(reader, value);
    }
  }

 private:
  template <class Name, class Body>
  static void at(const Name& name, const Body& body) {
    try {
      body();
    } catch (const std::runtime_error& error) {
      throw std::runtime_error(std::string(name) + ": " + error.what());
    }
  }

  const Json& json_;
};

// The lists. The name of a field is the name of the member.

template <class Archive, Is<PhaseTime> T>
void fields(Archive& field, T& t) {
  field("name", t.name);
  field("count", t.count);
  field("total_s", t.total_s);
  field("min_s", t.min_s);
  field("max_s", t.max_s);
}

template <class Archive, Is<ClockRecord> T>
void fields(Archive& field, T& t) {
  field("min_mhz", t.min_mhz);
  field("mean_mhz", t.mean_mhz);
  field("max_mhz", t.max_mhz);
  field("readings", t.readings);
  field("reasons", t.reasons);
}

template <class Archive, Is<Verification> T>
void fields(Archive& field, T& t) {
  field("passed", t.passed);
  field("error", t.error);
  field("tolerance", t.tolerance);
  field("measure", t.measure);
  field("detail", t.detail);
}

template <class Archive, Is<Traffic> T>
void fields(Archive& field, T& t) {
  field("bytes_read", t.bytes_read);
  field("bytes_written", t.bytes_written);
  field("flops_fp32", t.flops_fp32);
  field("flops_fp64", t.flops_fp64);
  field("flops_tensor", t.flops_tensor);
}

template <class Archive, Is<Measurement> T>
void fields(Archive& field, T& t) {
  field("case_index", t.case_index);
  field("case_id", t.case_id);
  field("process", t.process);
  field("failed", t.failed);
  field("stage", t.stage);
  field("samples_s", t.samples_s);
  field("device_samples_s", t.device_samples_s);
  field("throttled", t.throttled);
  field("pilot_samples", t.pilot_samples);
  field("precision_reachable", t.precision_reachable);
  field("launch", t.launch);
  field("launches_per_sample", t.launches_per_sample);
  field("wall_s", t.wall_s);
  field("verification", t.verification);
  field("traffic", t.traffic);
  field("clock", t.clock);
  field("phases", t.phases);
  field("facts", t.facts);
  field("kernel_code", t.kernel_code);
  field("notes", t.notes);
}

template <class Archive, Is<DataSpec> T>
void fields(Archive& field, T& t) {
  field("kind", t.kind);
  field("seed", t.seed);
  field("file", t.file);
}

template <class Archive, Is<MeasureSpec> T>
void fields(Archive& field, T& t) {
  field("precision", t.precision);
  field("max_time_s", t.max_time_s);
  field("warmup_s", t.warmup_s);
  field("timeout_s", t.timeout_s);
  field("processes", t.processes);
  field("min_samples", t.min_samples);
  field("max_samples", t.max_samples);
  field("graph_launches", t.graph_launches);
  field("cache", t.cache);
  field("launch", t.launch);
  field("threshold", t.threshold);
  field("trace", t.trace);
}

/// Expectations are left out: they are judged by the parent, and their outcomes are records.
template <class Archive, Is<ExperimentPlan> T>
void fields(Archive& field, T& t) {
  field("name", t.name);
  field("workload", t.workload);
  field("scope", t.scope);
  field("data", t.data);
  field("measure", t.measure);
  field("swept", t.swept);
}

template <class Archive, Is<Case> T>
void fields(Archive& field, T& t) {
  field("index", t.index);
  field("experiment", t.experiment);
  field("id", t.id);
  field("variant", t.variant);
  field("params", t.params);
  field("backend", t.backend);
  field("baseline", t.baseline);
  field("skip", t.skip);
}

template <class Archive, Is<WorkItem> T>
void fields(Archive& field, T& t) {
  field("info", t.info);
  field("experiment", t.experiment);
  field("process", t.process);
  field("pass", t.pass);
  field("profile_runs", t.profile_runs);
  field("device", t.device);
}

template <class Archive, Is<DeviceFacts> T>
void fields(Archive& field, T& t) {
  field("backend", t.backend);
  field("index", t.index);
  field("name", t.name);
  field("uuid", t.uuid);
  field("driver_version", t.driver_version);
  field("runtime_version", t.runtime_version);
  field("compute_capability", t.compute_capability);
  field("multiprocessors", t.multiprocessors);
  field("max_threads_per_multiprocessor", t.max_threads_per_multiprocessor);
  field("memory_bytes", t.memory_bytes);
  field("memory_free_bytes", t.memory_free_bytes);
  field("l2_bytes", t.l2_bytes);
  field("peak_memory_bytes_per_s", t.peak_memory_bytes_per_s);
  field("peak_fp32_flops", t.peak_fp32_flops);
  field("peak_fp64_flops", t.peak_fp64_flops);
  field("peak_transfer_bytes_per_s", t.peak_transfer_bytes_per_s);
  field("max_sm_clock_mhz", t.max_sm_clock_mhz);
  field("power_limit_w", t.power_limit_w);
  field("ecc", t.ecc);
  field("mig", t.mig);
  field("notes", t.notes);
}

template <class Archive, Is<SourcePlace> T>
void fields(Archive& field, T& t) {
  field("line", t.line);
  field("column", t.column);
}

template <class Archive, Is<ExpectationOutcome> T>
void fields(Archive& field, T& t) {
  field("case_index", t.case_index);
  field("rule", t.rule);
  field("observed", t.observed);
  field("met", t.met);
  field("place", t.place);
}

}  // namespace apod::report
