#include "benchmarks/plan/config/measure.hpp"

#include <algorithm>

#include "benchmarks/base/facts.hpp"
#include "benchmarks/base/text/plain.hpp"

namespace apod::config {
namespace {

constexpr double day_s = 24 * 3600;
constexpr int most_processes = 1000;

/// Stores the parsed value if it lies within [least, most].
template <class T, class V>
Parsed<bool> store(const std::string& word, const Parsed<V>& parsed, T& target, V least, V most,
                   const std::string& limits) {
  if (!parsed.value) return Parsed<bool>::bad(parsed.message, parsed.hint);
  if (*parsed.value < least || *parsed.value > most)
    return Parsed<bool>::bad(in_quotes(word) + " is out of range", "use " + limits);
  target = static_cast<T>(*parsed.value);
  return Parsed<bool>::good(true);
}

Parsed<bool> store_count(const std::string& word, int& target, std::int64_t most) {
  return store<int, std::int64_t>(word, parse_count(word), target, 1, most,
                                  "1 to " + std::to_string(most));
}

Parsed<bool> store_seconds(const std::string& word, double& target, double least,
                           const std::string& least_word) {
  return store<double, double>(word, text::parse_seconds(word), target, least, day_s,
                               least_word + " to 24h");
}

template <NamedEnum E>
Parsed<bool> store_choice(const std::string& word, E& target) {
  const auto parsed = parse_choice<E>(word);
  if (!parsed.value) return Parsed<bool>::bad(parsed.message, parsed.hint);
  target = *parsed.value;
  return Parsed<bool>::good(true);
}

Parsed<bool> store_flag(const std::string& word, bool& target) {
  if (word != "true" && word != "false")
    return Parsed<bool>::bad(in_quotes(word) + " is neither true nor false", "write true or false");
  target = word == "true";
  return Parsed<bool>::good(true);
}

struct MeasureKey {
  Key key;
  Parsed<bool> (*set)(MeasureSpec&, const std::string&);
};

const std::vector<MeasureKey> measured_keys{
    {{"precision", "wanted half-width of the 95 % interval, as a share of the time; default 1%",
      Form::share},
     [](MeasureSpec& m, const std::string& word) {
       return store<double, double>(word, text::parse_share(word), m.precision, 1e-6, 0.5,
                                    "0.0001% to 50%");
     }},
    {{"max_time", "time limit for the samples of one case in one process; default 5s",
      Form::seconds},
     [](MeasureSpec& m, const std::string& word) {
       return store_seconds(word, m.max_time_s, 1e-3, "1ms");
     }},
    {{"warmup", "minimum time of the warm-up; default 5ms", Form::seconds},
     [](MeasureSpec& m, const std::string& word) {
       return store_seconds(word, m.warmup_s, 0, "0s");
     }},
    {{"timeout", "time limit for one case in one process; default 120s", Form::seconds},
     [](MeasureSpec& m, const std::string& word) {
       return store_seconds(word, m.timeout_s, 1e-3, "1ms");
     }},
    {{"processes", "number of new processes that each measure the case, or auto", Form::word},
     [](MeasureSpec& m, const std::string& word) {
       if (word == "auto") {
         if (m.max_processes == m.processes) m.max_processes = MeasureSpec{}.max_processes;
         m.processes = MeasureSpec{}.processes;
         return Parsed<bool>::good(true);
       }
       auto result = store_count(word, m.processes, most_processes);
       m.max_processes = m.processes;
       if (!result.value) result.hint += ", or auto";
       return result;
     }},
    {{"max_processes", "with processes: auto, the largest number of processes; default 30",
      Form::count},
     [](MeasureSpec& m, const std::string& word) {
       return store_count(word, m.max_processes, most_processes);
     }},
    {{"budget", "start no more processes after a case has taken this time in total; default 10s",
      Form::seconds},
     [](MeasureSpec& m, const std::string& word) {
       return store_seconds(word, m.budget_s, 0, "0s");
     }},
    {{"min_samples", "minimum number of samples; default 20", Form::count},
     [](MeasureSpec& m, const std::string& word) {
       return store_count(word, m.min_samples, 10'000'000);
     }},
    {{"max_samples", "maximum number of samples; default 20000", Form::count},
     [](MeasureSpec& m, const std::string& word) {
       return store_count(word, m.max_samples, 10'000'000);
     }},
    {{"graph_launches", "number of launches in a graph; default 20", Form::count},
     [](MeasureSpec& m, const std::string& word) {
       return store_count(word, m.graph_launches, 100'000);
     }},
    {{"launch", "how the work of a sample is launched", Form::word, words_of<LaunchMode>()},
     [](MeasureSpec& m, const std::string& word) {
       const auto result = store_choice(word, m.launch);
       if (result.value && m.launch == LaunchMode::graph) m.cache = CacheMode::hot;
       return result;
     }},
    {{"cache", "content of the caches at the start of a sample", Form::word, words_of<CacheMode>()},
     [](MeasureSpec& m, const std::string& word) { return store_choice(word, m.cache); }},
    {{"clocks", "GPU clock at which samples are taken", Form::word, words_of<ClockMode>()},
     [](MeasureSpec& m, const std::string& word) { return store_choice(word, m.clocks); }},
    {{"threshold", "smallest change that matters when results are compared", Form::share},
     [](MeasureSpec& m, const std::string& word) {
       return store<double, double>(word, text::parse_share(word), m.threshold, 1e-6, 1,
                                    "0.0001% to 100%");
     }},
    {{"trace", "trace one run after the timed runs", Form::flag},
     [](MeasureSpec& m, const std::string& word) { return store_flag(word, m.trace); }},
    {{"counters", "true for the standard counters, or a list of profiler metrics", Form::words},
     [](MeasureSpec& m, const std::string& word) {
       auto result = store_flag(word, m.counters);
       if (!result.value) result.hint = "write true or false; in a file also a list of metrics";
       return result;
     }},
    {{"energy", "run for some seconds without a pause, to measure the energy of one run",
      Form::flag},
     [](MeasureSpec& m, const std::string& word) { return store_flag(word, m.energy); }},
    {{"exclusive", "measure no other part of the study on this machine at the same time",
      Form::flag},
     [](MeasureSpec& m, const std::string& word) {
       return store_flag(word, m.exclusive.emplace());
     }},
};

/// Whether `processes` is there and a number, or meant for one.
bool has_fixed_processes(const Fields& fields) {
  const auto* field = find(fields, "processes");
  return field != nullptr && !(field->value.IsScalar() && field->value.Scalar() == "auto");
}

/// `counters: [smsp__inst_executed.sum, ...]`.
void read_metrics(const Field& field, const Registry& registry, MeasureSpec& measure,
                  Problems& problems) {
  const auto items = read_list(field, problems);
  if (!items) return;
  if (items->empty()) {
    problems.add(place_of(field), "'counters' is an empty list",
                 "write true for the standard counters, or leave the key out");
  }
  measure.counters = true;
  for (const auto& item : *items) {
    const auto word = read_word(item, place_of(item), "a metric", problems);
    if (!word) continue;
    const auto name = accept(parse_metric(*word, registry), place_of(item), "counters", problems);
    if (!name) continue;
    if (std::ranges::find(measure.metrics, *name) != measure.metrics.end())
      problems.add(place_of(item), "counters: " + in_quotes(*name) + " is listed twice");
    measure.metrics.push_back(*name);
  }
}

}  // namespace

const std::vector<std::string>& measure_keys() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const auto& key : measured_keys) all.push_back(key.key.name);
    return all;
  }();
  return names;
}

const Keys& measure_table() {
  static const Keys table = [] {
    Keys all;
    for (const auto& key : measured_keys) all.push_back(key.key);
    return all;
  }();
  return table;
}

Parsed<bool> set_measure(MeasureSpec& measure, const std::string& key, const std::string& word) {
  for (const auto& known : measured_keys) {
    if (key == known.key.name) return known.set(measure, word);
  }
  return Parsed<bool>::bad("unknown key " + in_quotes(key), suggestion(key, measure_keys()));
}

namespace {

/// A metric that nothing here knows: of its name only the roll-up can be checked.
Parsed<std::string> with_roll_up(const std::string& name) {
  static const std::vector<std::string> all{"sum", "avg", "min", "max", "pct", "ratio", "max_rate"};
  const auto begin = name.find('.') + 1;
  const auto roll_up = name.substr(begin, name.find('.', begin) - begin);
  if (std::ranges::find(all, roll_up) != all.end()) return Parsed<std::string>::good(name);
  return Parsed<std::string>::bad(in_quotes(name) + " has an unknown roll-up " + in_quotes(roll_up),
                                  suggestion(roll_up, all));
}

}  // namespace

Parsed<std::string> parse_metric(const std::string& name, const Registry& registry) {
  const std::string where = "to list the metrics: ncu --query-metrics --query-metrics-mode suffix";
  if (!is_metric(name)) {
    return Parsed<std::string>::bad(in_quotes(name) + " is not a metric with a roll-up",
                                    "write it like smsp__inst_executed.sum; " + where);
  }
  const auto* backend = registry.backend(BackendKind::cuda);
  const bool asks = backend != nullptr && backend->check_metric;
  const auto check = asks ? backend->check_metric(name) : MetricCheck{.unchecked = "no library"};
  if (check.known) return Parsed<std::string>::good(name);
  if (!check.unchecked.empty()) return with_roll_up(name);
  // Of other metrics with the same roll-up.
  auto candidates = check.candidates;
  for (auto& candidate : candidates) {
    if (candidate.find('.') == std::string::npos) candidate += name.substr(name.find('.'));
  }
  const auto meant = text::closest(name, candidates);
  return Parsed<std::string>::bad("no chip has a metric " + in_quotes(name),
                                  text::did_you_mean(meant, where));
}

Fields layered_measure(const Fields& outer, const Fields& inner) {
  // A new list: to move fields about within one would assign to the nodes that they refer to.
  Fields kept;
  for (const auto& field : outer) {
    const bool replaced = field.key == "max_processes" && has_fixed_processes(inner);
    if (!replaced) kept.push_back(field);
  }
  return layered(std::move(kept), inner);
}

std::optional<MeasureSpec> read_measure(Fields fields, const Registry& registry,
                                        Problems& problems) {
  return whole(problems, [&] {
    MeasureSpec measure;
    check_keys(fields, measure_keys(), "'measure'", problems);
    const auto* most = find(fields, "max_processes");
    if (most != nullptr && has_fixed_processes(fields)) {
      problems.add(most->place, "max_processes needs processes: auto, but processes is a number",
                   "leave out max_processes, or write processes: auto");
    }
    for (const auto& key : measure_keys()) {
      const auto* field = find(fields, key);
      if (field != nullptr && key == "counters" && field->value.IsSequence()) {
        read_metrics(*field, registry, measure, problems);
        continue;
      }
      const auto word = field == nullptr ? std::nullopt : read_word(*field, problems);
      if (word) accept(set_measure(measure, key, *word), place_of(*field), key, problems);
    }
    return measure;
  });
}

void check_measure(const MeasureSpec& measure, bool of_command, SourcePlace place,
                   Problems& problems) {
  if (measure.max_processes < measure.processes) {
    problems.add(place,
                 "max_processes (" + std::to_string(measure.max_processes) +
                     ") is below the minimum of " + std::to_string(measure.processes) +
                     " processes per case",
                 "write processes: " + std::to_string(measure.max_processes) +
                     " to run exactly this number");
  }
  if (of_command) return;
  if (measure.min_samples > measure.max_samples) {
    problems.add(place,
                 "min_samples (" + std::to_string(measure.min_samples) +
                     ") is above max_samples (" + std::to_string(measure.max_samples) + ")",
                 "set both: if you set only one, the other keeps its default");
  }
  if (measure.timeout_s < measure.warmup_s + measure.max_time_s) {
    problems.add(place,
                 "timeout is shorter than warmup and max_time together, so it would end every case",
                 "make timeout longer");
  }
  if (measure.launch == LaunchMode::graph && measure.cache != CacheMode::hot) {
    problems.add(
        place,
        "launch: graph can't be measured with cache: " + std::string(to_string(measure.cache)),
        "write cache: hot, because bench can't flush the cache between the launches of a graph");
  }
}

}  // namespace apod::config
