#include "benchmarks/cli/flags.hpp"

#include <CLI/CLI.hpp>

#include "benchmarks/base/text/closest.hpp"
#include "benchmarks/cli/exit_code.hpp"

namespace apod::cli {
namespace {

constexpr const char* as_for_a_run = "As for a run";

}  // namespace

const Choices<BackendChoice> backend_choices{{"auto", BackendChoice::automatic},
                                             {"host", BackendChoice::host},
                                             {"cuda", BackendChoice::cuda}};

void refuse_word(const std::string& flag, const std::string& text,
                 const std::vector<std::string>& words) {
  std::string all;
  for (const auto& word : words) all += (all.empty() ? "" : ", ") + word;
  const auto near = text::closest(text, words);
  throw UsageError(flag + ": '" + text + "' is none of " + all +
                   text::in_brackets(text::did_you_mean(near)));
}

void refuse_beyond(std::size_t most, const std::vector<std::string>& words) {
  if (words.size() > most) throw UsageError("not expected: " + words[most]);
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

void Flags::files(const std::string& names, std::vector<std::string>& target,
                  const std::string& help) {
  texts(names, "FILE", target, help);
}

void Flags::set(std::vector<std::string>& target) {
  texts("--set", "KEY=VALUE", target,
        "Replace an axis or a measure key: streams=1,8 or precision=1%");
}

void Flags::filter(text::Pattern& target) {
  pattern("--filter", target, "Keep the cases whose name matches");
}

void Flags::metric(files::Metric& target) {
  value("--metric", "NAME", "The number of a row that counts: real_time, cpu_time, a counter ...",
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
        "Index of the GPU, or of several, each of which measures every case",
        [&target](const std::string& text) { target = parse_devices("--device", text); });
}

void Flags::processes(std::optional<int>& target) {
  count("--processes", target, 1, 1000,
        "Fresh processes that measure every case, and no further ones");
}

void Flags::threshold(double& target) {
  share("--threshold", target, "Least change that matters (default 1%)");
}

void Flags::alpha(double& target) {
  number("--alpha", "P", target, 1e-9, 0.4999, "Chance of any false regression (default 0.01)");
}

void Flags::color(ColorChoice& target) {
  choice("--color", target,
         {{"auto", ColorChoice::automatic},
          {"always", ColorChoice::always},
          {"never", ColorChoice::never}},
         "Colour in the tables");
}

void Flags::quiet(bool& target) {
  flag("-q,--quiet", target, "No progress");
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
