#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "benchmarks/results/json_pieces.hpp"
#include "benchmarks/results/side_formats.hpp"
#include "benchmarks/stats/summary.hpp"

namespace apod::results {
namespace {

constexpr double newest_schema = 1;

/// What a comparison does not need, which is most of a file. "apod" is the record of a row, and a
/// part of the context.
const HiddenKeys unread_of_apod{
    {"", {"apod_failed", "apod_skipped", "apod_expectations"}},
    {"apod",
     {"ceilings", "command_line", "device_samples_s", "failed", "notes", "phases", "pilot_samples",
      "precision_reachable", "profile", "stage", "variables", "verification", "wall_s"}},
    {"apod_cases", {"backend", "variant"}},
    {"apod_untimed", {"phases", "profile"}},
    {"benchmarks",
     {"bytes_per_second", "cpu_time", "family_index", "items_per_second", "iterations",
      "per_family_instance_index", "repetition_index", "run_name", "run_type", "threads"}},
    {"clock", {"max_mhz", "min_mhz", "reasons"}},
    {"config", {"description", "path", "text"}},
    {"context", {"caches"}},
    {"findings", {"advice", "gain", "severity"}},
    {"traffic", {"flops_fp32", "flops_fp64", "flops_tensor", "flops_tf32"}},
};

/// Joins the rows of one file with the cases and the experiments that they belong to. The order in
/// which a file has its members does not matter.
class ApodReader {
 public:
  explicit ApodReader(SideBuilder& side) : side_(side) {}

  void take(const std::string& member, std::size_t index, Piece& piece) {
    if (member == "context") context(piece);
    if (member == "benchmarks") row(element(piece, index));
    if (member == "apod_untimed") untimed(element(piece, index));
    if (member == "apod_experiments") experiment(element(piece, index));
    if (member == "apod_cases") case_of(element(piece, index));
  }

  /// Hands on every case of the plan, in its order.
  void finish() {
    if (!has_context_) throw std::runtime_error("context: missing");
    for (auto& [index, one] : cases_) {
      const std::string place = "case " + std::to_string(index) + " (" + one.tally.info.name + ")";
      if (one.status.empty())
        throw std::runtime_error(place + " has rows but is not in apod_cases");
      if (one.baseline && cases_.count(*one.baseline) == 0) {
        throw std::runtime_error(place + " has the baseline " + std::to_string(*one.baseline) +
                                 ", which is no case");
      }
      if (one.status == "skipped" || one.status == "not_run") {
        side_.note(one.status == "skipped" ? "skipped, " + one.reason : "not run",
                   one.tally.info.name);
        continue;
      }
      if (one.status == "failed") one.tally.fail(one.reason);
      if (one.tally.info.times.empty() && one.tally.info.failed.empty()) {
        throw std::runtime_error(place + " was measured, but has no row");
      }
      if (one.repetitions.value_or(one.processes.size()) != one.processes.size()) {
        throw std::runtime_error(place + " has " + std::to_string(one.processes.size()) +
                                 " of its " + std::to_string(*one.repetitions) +
                                 " rows (repetitions)");
      }
      if (!side_.wants(one.tally.info.name)) continue;
      if (one.experiment >= experiments_.size()) {
        throw std::runtime_error(place + " belongs to experiment " +
                                 std::to_string(one.experiment) + ", which is missing");
      }
      const auto& [way, threshold] = experiments_[one.experiment];
      one.tally.info.threshold = threshold;
      one.tally.set_version(one.launch.empty() ? way : way + " launch:" + one.launch);
      side_.add(std::move(one.tally));
    }
  }

 private:
  struct OneCase {
    CaseTally tally;
    std::string status;  ///< empty until its entry in apod_cases is read
    std::string reason;
    std::string launch;  ///< launch mode really used, with the launches of a graph
    std::size_t experiment = 0;
    std::vector<std::size_t> processes;      ///< that have a row, sorted
    std::optional<std::size_t> repetitions;  ///< rows that there are, as each row says
    std::optional<std::size_t> baseline;     ///< index of the case it is compared with
  };

  void context(const Piece& context) {
    has_context_ = true;
    const Piece& own = look_up(context, "apod");
    if (!own.is_object()) throw std::runtime_error("apod: not an object");
    const double schema = number_at(own, "schema");
    if (schema != newest_schema) {
      throw std::runtime_error("apod: schema: " + text_of(look_up(own, "schema")) +
                               ", but this program reads schema 1; read it with the program that "
                               "wrote it, or a newer one");
    }
    if (flag_at(own, "interrupted")) {
      side_.note("the run was interrupted, so the cases after that are missing");
    }
    environment(context, own, look_up(own, "device"));
  }

  void environment(const Piece& context, const Piece& own, const Piece& device) {
    const auto put = [&](const Piece& object, const char* key, const char* name) {
      side_.environment(key, text_of(look_up(object, name)));
    };
    put(context, "date", "date");
    put(context, "host", "host_name");
    put(context, "cpus", "num_cpus");
    put(context, "build_type", "library_build_type");
    put(own, "version", "version");
    put(own, "commit", "commit");
    put(own, "compiler", "compiler");
    put(own, "cuda_compiler", "cuda_compiler");
    put(own, "os", "os");
    put(own, "cpu", "cpu_model");
    put(look_up(own, "config"), "config", "name");
    const Piece& load = look_up(context, "load_avg");
    if (load.is_array() && !load.empty()) side_.environment("load_average", text_of(load[0]));

    put(device, "backend", "backend");
    if (look_up(device, "backend") != "cuda") return;
    put(device, "gpu", "name");
    put(device, "gpu_uuid", "uuid");
    put(device, "driver", "driver_version");
    put(device, "cuda", "runtime_version");
    put(device, "ecc", "ecc");
    put(device, "mig", "mig");
    if (look_up(device, "power_limit_w") != 0) put(device, "power_limit_w", "power_limit_w");
  }

  /// How the cases of an experiment are measured, as a text that is equal where they can be
  /// compared.
  static std::string way_of(const Piece& experiment) {
    const auto put = [](const Piece& object, const char* key, const char* name) {
      const std::string text = text_of(look_up(object, name));
      return text.empty() ? "" : std::string(" ") + key + ":" + text;
    };
    const Piece& data = look_up(experiment, "data");
    return "scope:" + text_at(experiment, "scope") + put(data, "data", "kind") +
           put(data, "seed", "seed") + put(data, "file", "file") +
           put(look_up(experiment, "measure"), "cache", "cache");
  }

  void experiment(const Piece& json) {
    const double threshold = number_or_nan(look_up(json, "measure"), "threshold");
    experiments_.push_back({way_of(json), threshold > 0 && threshold < 1 ? threshold : 0});
  }

  void case_of(const Piece& json) {
    OneCase& one = cases_[count_at(json, "index")];
    if (!one.status.empty()) throw std::runtime_error("index: stands twice");
    name(one, text_at(json, "id"));
    if (!ids_.insert(one.tally.info.name).second) {
      throw std::runtime_error("id: another case has it too");
    }
    one.status = text_at(json, "status");
    if (one.status.empty()) throw std::runtime_error("status: empty");
    one.reason = text_of(look_up(json, "reason"));
    one.experiment = count_at(json, "experiment");
    if (!look_up(json, "baseline").is_null()) one.baseline = count_at(json, "baseline");
    for (const Piece& found : array_at(json, "findings")) finding(one.tally, found);
    const Piece& params = object_at(json, "params");
    one.tally.info.params.reserve(params.size());
    for (const auto& [axis, value] : params.items()) {
      one.tally.info.params.emplace_back(axis, text_of(value));
    }
  }

  /// Files of older programs have the id alone.
  static void finding(CaseTally& tally, const Piece& json) {
    if (json.is_string()) return tally.add_finding(json.get<std::string>(), "");
    const auto subject = text_of(look_up(json, "subject"));
    tally.add_finding(text_at(json, "id"),
                      (subject.empty() ? "" : subject + ": ") + text_of(look_up(json, "evidence")));
  }

  void row(const Piece& json) {
    const Piece& record = look_up(json, "apod");
    OneCase& one = cases_[count_at(record, "case_index")];
    name(one, text_at(json, "name"));
    const std::size_t process = count_at(record, "process");
    const auto place = std::lower_bound(one.processes.begin(), one.processes.end(), process);
    if (place != one.processes.end() && *place == process) {
      throw std::runtime_error("process " + std::to_string(process) + " of " + one.tally.info.name +
                               " has a row already");
    }
    one.processes.insert(place, process);
    repetitions(one, json);
    if (look_up(json, "time_unit") != "ns") throw std::runtime_error("time_unit: not ns");
    one.tally.add_time(seconds_at(json, "real_time", 1e-9), side_.session(),
                       side_.wants_spread() ? spread_of(array_at(record, "samples_s")) : 0);
    launch(one, record);
    facts(one.tally, record);
  }

  /// Where a row was taken out of the file, the others tell.
  static void repetitions(OneCase& one, const Piece& row) {
    if (look_up(row, "repetitions").is_null()) return;
    const std::size_t said = count_at(row, "repetitions");
    if (one.repetitions.value_or(said) != said) {
      throw std::runtime_error("repetitions: " + std::to_string(said) + ", elsewhere " +
                               std::to_string(*one.repetitions));
    }
    one.repetitions = said;
  }

  /// Standard deviation of ln of the samples.
  static double spread_of(const Piece& samples) {
    std::vector<double> logs;
    for (const auto& sample : samples) {
      if (sample.is_number() && sample.get<double>() > 0) {
        logs.push_back(std::log(sample.get<double>()));
      }
    }
    return stats::standard_deviation(logs);
  }

  void launch(OneCase& one, const Piece& record) {
    std::string launch = text_of(look_up(record, "launch"));
    if (launch == "graph") {
      launch += " graph_launches:" + text_of(look_up(record, "launches_per_sample"));
    }
    if (one.launch.empty()) {
      one.launch = std::move(launch);
    } else if (one.launch != launch) {
      one.tally.fail("its processes were launched in two ways: " + one.launch + "; " + launch);
    }
  }

  static void facts(CaseTally& tally, const Piece& record) {
    named_facts(tally, record);
    const Piece& clock = object_at(record, "clock");
    if (number_or_nan(clock, "readings") > 0) {
      tally.add_fact("sm_clock", number_or_nan(clock, "mean_mhz"));
    }
    const Piece& throttled = array_at(record, "throttled");
    const auto samples = static_cast<double>(throttled.size());
    const double slowed =
        samples - static_cast<double>(std::count(throttled.begin(), throttled.end(), 0));
    tally.add_fact("throttled", throttled.empty() ? 0 : slowed / samples);
    const Piece& traffic = object_at(record, "traffic");
    const double bytes =
        number_or_nan(traffic, "bytes_read") + number_or_nan(traffic, "bytes_written");
    if (bytes > 0) tally.add_fact("bytes", bytes);
  }

  /// What measured and traced passes alike say. Files of older programs have no kernel_code.
  static void named_facts(CaseTally& tally, const Piece& record) {
    const Piece& facts = object_at(record, "facts");
    for (const auto& fact : facts.items()) {
      tally.add_fact(fact.key(), number_or_nan(facts, fact.key().c_str()));
    }
    for (const auto& kernel : object_at(record, "kernel_code").items()) {
      tally.add_kernel(kernel.key(), text_of(kernel.value()));
    }
  }

  /// The traced pass: no time, but facts of its own.
  void untimed(const Piece& record) {
    OneCase& one = cases_[count_at(record, "case_index")];
    name(one, text_at(record, "case_id"));
    named_facts(one.tally, record);
  }

  static void name(OneCase& one, const std::string& name) {
    std::string& known = one.tally.info.name;
    if (known.empty()) known = name;
    if (known != name) throw std::runtime_error("called " + name + ", elsewhere " + known);
  }

  SideBuilder& side_;
  bool has_context_ = false;
  std::map<std::size_t, OneCase> cases_;      ///< by index, which is the plan's order
  std::unordered_set<std::string_view> ids_;  ///< names in cases_
  struct Experiment {
    std::string way;       ///< how it measures
    double threshold = 0;  ///< least change that matters; 0: none of its own
  };
  std::vector<Experiment> experiments_;
};

}  // namespace

void read_apod(const std::string& file, SideBuilder& side) {
  ApodReader reader(side);
  HiddenKeys hidden = unread_of_apod;
  if (!side.wants_spread()) hidden["apod"].emplace_back("samples_s");
  read_pieces(file, hidden, [&](const std::string& member, std::size_t index, Piece& piece) {
    reader.take(member, index, piece);
    return true;
  });
  reader.finish();
}

}  // namespace apod::results
