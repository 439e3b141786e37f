#include "benchmarks/cli/flags.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>

#include "benchmarks/base/comparison.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/base/text/quantities.hpp"
#include "benchmarks/cli/exit_code.hpp"

namespace apod::cli {

namespace {

[[noreturn]] void refuse_value(const std::string& flag, const std::string& text,
                               const std::string& hint) {
  throw UsageError(flag + ": '" + text + "' " + hint);
}

/// The number that the whole of `text` is; nothing where it is none.
template <class Number>
std::optional<Number> number_of(const std::string& text) {
  Number value{};
  const auto* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end) return std::nullopt;
  return value;
}

}  // namespace

double parse_share(const std::string& flag, const std::string& text) {
  // As in a file: 0.5 may be meant for 0.5 %.
  const auto share = text::parse_share(text).value;
  if (!share || *share <= 0 || *share >= 1)
    refuse_value(flag, text, "is not between 0% and 100% (write a percentage, such as 1%)");
  return *share;
}

double parse_seconds(const std::string& flag, const std::string& text, Zero zero) {
  constexpr double longest = 7 * 86400.0;
  // A flag may say "2m" for two minutes.
  const auto seconds = text::parse_seconds(text.ends_with('m') ? text + "in" : text).value;
  const bool enough = seconds && (*seconds > 0 || (*seconds == 0 && zero == Zero::allowed));
  if (enough && *seconds <= longest) return *seconds;
  if (const auto number = text::leading_number(text);
      number && number->second.empty() && number->first > 0) {
    refuse_value(flag, text, "has no unit (write " + text + "s or " + text + "m)");
  }
  refuse_value(flag, text,
               seconds ? "is not a time above 0 and at most a week (write 90s or 2m)"
                       : "is not a time (write 90s or 2m)");
}

int parse_count(const std::string& flag, const std::string& text, int least, int most) {
  const auto count = text::parse_count(text).value;  // as axes take it
  if (count && *count >= least && *count <= most) return static_cast<int>(*count);
  refuse_value(
      flag, text,
      "is not a whole number from " + std::to_string(least) + " to " + std::to_string(most));
}

DeviceChoice parse_devices(const std::string& flag, const std::string& text) {
  constexpr int most = 1023;
  DeviceChoice choice;
  choice.all = text == "all";
  if (choice.all) return choice;
  for (const auto& word : text::split(text, ',')) {
    const auto index = number_of<int>(word);
    auto& before = choice.indices;
    if (!index || *index < 0 || *index > most)
      refuse_value(flag, text, "is not a GPU index, a list such as 0,2, or all");
    if (std::ranges::find(before, *index) != before.end())
      refuse_value(flag, text, "names GPU " + word + " twice");
    before.push_back(*index);
  }
  return choice;
}

namespace {

constexpr const char* as_for_a_run = "Same as for a run of bench --config";

}  // namespace

const Choices<BackendChoice> backend_choices{{"auto", BackendChoice::automatic},
                                             {"host", BackendChoice::host},
                                             {"cuda", BackendChoice::cuda}};

void refuse_word(const std::string& flag, const std::string& text,
                 const std::vector<std::string>& words) {
  const auto near = text::closest(text, words);
  throw UsageError(flag + ": '" + text + "' is not one of " + text::joined(words, ", ") +
                   text::in_brackets(text::did_you_mean(near)));
}

std::string without(const std::string& flag, const std::string& needed) {
  return flag + " needs " + needed + ": add " + needed + ", or leave out " + flag;
}

void refuse_nothing(const std::string& verb, const std::string& what) {
  throw UsageError("nothing to " + verb + ": name " + what);
}

std::string not_both(const std::string& one, const std::string& other) {
  return one + " and " + other + " can't be combined: use only one";
}

void refuse_without(const std::string& flag, const std::string& needed) {
  throw UsageError(without(flag, needed));
}

void refuse_both(const std::string& one, const std::string& other) {
  throw UsageError(not_both(one, other));
}

void refuse_form(const std::string& flag, const std::string& text, const std::string& form,
                 const std::string& example) {
  refuse_value(flag, text, "is not of the form " + form + " (write " + example + ")");
}

void refuse_beyond(std::size_t most, const std::vector<std::string>& words) {
  if (words.size() > most) throw UsageError("unexpected argument: " + words[most]);
}

std::string Flags::last_of(const std::string& names) {
  const auto comma = names.rfind(',');
  return comma == std::string::npos ? names : names.substr(comma + 1);
}

Flags Flags::group(const std::string& heading) const {
  return Flags(*app_.add_option_group(heading));
}

void Flags::value(const std::string& names, const std::string& type, const std::string& help,
                  const Take& take) {
  app_.add_option_function<std::string>(names, take, help)->type_name(type);
}

void Flags::values(const std::string& names, const std::string& type, const std::string& help,
                   const Take& take) {
  app_.add_option_function<std::vector<std::string>>(
          names,
          [take](const std::vector<std::string>& all) {
            for (const auto& one : all) take(one);
          },
          help)
      ->type_name(type)
      ->take_all()
      ->expected(1)
      ->allow_extra_args(false);
}

void Flags::words(const std::string& name, const std::string& type, const std::string& help,
                  std::vector<std::string>& target) {
  app_.add_option_function<std::vector<std::string>>(
          name, [&target](const std::vector<std::string>& all) { target = all; }, help)
      ->type_name(type);
}

void Flags::flag(const std::string& names, bool& target, const std::string& help) {
  app_.add_flag(names, target, help);
}

void Flags::text(const std::string& names, const std::string& type, std::string& target,
                 const std::string& help) {
  value(names, type, help, [&target](const std::string& text) { target = text; });
}

void Flags::texts(const std::string& names, const std::string& type,
                  std::vector<std::string>& target, const std::string& help) {
  values(names, type, help, [&target](const std::string& text) { target.push_back(text); });
}

void Flags::names(const std::string& flag, std::vector<std::string>& target,
                  const std::string& help) {
  values(flag, "NAME,...", help, [&target](const std::string& list) {
    for (const auto& name : text::split(list, ',')) target.emplace_back(text::trimmed(name));
  });
}

void Flags::pattern(const std::string& names, text::Pattern& target, const std::string& help) {
  value(names, "REGEX", help, [&target, flag = last_of(names)](const std::string& text) {
    try {
      target = text::Pattern(text);
    } catch (const std::invalid_argument& error) {
      throw UsageError(flag + ": " + error.what());
    }
  });
}

void Flags::optional_text(const std::string& names, const std::string& type,
                          std::optional<std::string>& target, const std::string& help) {
  app_.add_option_function<std::string>(
          names, [&target](const std::string& text) { target = text; }, help)
      ->type_name("[" + type + "]")
      ->expected(0, 1);
}

void Flags::file(const std::string& names, std::string& target, const std::string& help) {
  text(names, "FILE", target, help);
}

void Flags::set(std::vector<std::string>& target) {
  texts("--set", "KEY=VALUE", target,
        "Replace an axis or a measure key: streams=1,8 or precision=1%");
}

void Flags::filter(text::Pattern& target, const std::string& further) {
  pattern("--filter", target, "Keep the cases whose id matches" + further);
}

void Flags::outputs(std::vector<std::string>& target, const std::string& formats) {
  texts("-o,--out", "FILE", target, "File to write; repeat the flag for several: " + formats);
}

void Flags::blocks(std::optional<int>& target) {
  count("--blocks", target, 3, most_blocks,
        "Number of blocks that confirm a change; each measures both sides twice (default 12)");
}

void Flags::having(std::string& target) {
  text("--having", "AXIS=A,B", target,
       "Keep the experiments that accept these values for AXIS (and their baselines)");
}

void Flags::random_seed(std::optional<std::uint64_t>& target) {
  value("--seed", "N", "Seed for the random order", [&target](const std::string& text) {
    target = number_of<std::uint64_t>(text);
    if (!target) refuse_value("--seed", text, "is not a whole number from 0 to 2^64 - 1");
  });
}

void Flags::resume(bool& target) {
  flag("--resume", target, "Continue an interrupted run with the same --out");
}

void Flags::trust(bool& target) {
  flag("--trust", target,
       "Trust the file's author: run the commands and kernels that the file names (or set "
       "APOD_TRUST=1)");
}

void Flags::timeout(std::optional<double>& target) {
  seconds("--timeout", target, "Time limit for one case in one process, e.g. 60s");
}

void Flags::metric(files::Metric& target) {
  value("--metric", "NAME", "Quantity to use from each case: real_time, cpu_time, a counter ...",
        [&target](const std::string& text) {
          const bool only_times = target.only_times;
          try {
            target = files::metric_of(text);
          } catch (const std::invalid_argument& error) {
            throw UsageError(std::string("--metric: ") + error.what());
          }
          target.only_times = only_times;
        });
}

void Flags::backend(BackendChoice& target) {
  choice("--backend", target, backend_choices,
         "auto uses the GPU if there is one, otherwise the host");
}

void Flags::device(std::optional<int>& target) {
  count("--device", target, 0, 1023, "Index of the GPU");
}

void Flags::devices(DeviceChoice& target) {
  value("--device", "N|N,N|all",
        "Index of the GPU, or of several GPUs; each GPU measures every case",
        [&target](const std::string& text) { target = parse_devices("--device", text); });
}

void Flags::processes(std::optional<int>& target) {
  count("--processes", target, 1, 1000, "Number of new processes that each measure every case");
}

void Flags::alpha(double& target) {
  value("--alpha", "P", "Probability of a false regression in the whole comparison (default 0.01)",
        [&target](const std::string& text) {
          const auto number = number_of<double>(text);
          if (!number || *number < 1e-9 || *number > 0.4999)
            refuse_value("--alpha", text, "is not a number from 1e-09 to 0.4999");
          target = *number;
        });
}

void Flags::color(ColorChoice& target) {
  choice("--color", target,
         {{"auto", ColorChoice::automatic},
          {"always", ColorChoice::always},
          {"never", ColorChoice::never}},
         "Colour in the tables");
}

void Flags::quiet(bool& target) {
  flag("-q,--quiet", target, "Print no progress");
}

void Flags::for_runs(std::vector<std::string>& arguments) {
  const auto pass_on = [&](const std::string& flag, const std::string& type, const Take& check) {
    values(flag, type, as_for_a_run, [&arguments, flag, check](const std::string& text) {
      check(text);
      arguments.insert(arguments.end(), {flag, text});
    });
  };
  pass_on("--set", "KEY=VALUE", [](const std::string&) {});
  pass_on("--backend", "auto|host|cuda",
          [](const std::string& text) { choose("--backend", text, backend_choices); });
  pass_on("--device", "N", [](const std::string& text) { parse_count("--device", text, 0, 1023); });
  pass_on("--timeout", "TIME", [](const std::string& text) { parse_seconds("--timeout", text); });
  app_.add_flag_callback(
      "--trust", [&arguments] { arguments.emplace_back("--trust"); }, as_for_a_run);
}

void Flags::version(const std::string& text) {
  app_.set_version_flag("--version", text);
}

}  // namespace apod::cli
