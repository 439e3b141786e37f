#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iostream>
#include <stdexcept>

#include "benchmarks/base/command.hpp"
#include "benchmarks/base/text/pattern.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/base/text/quantities.hpp"
#include "benchmarks/cli/command_arm.hpp"
#include "benchmarks/cli/commands.hpp"
#include "benchmarks/cli/exit_code.hpp"
#include "benchmarks/cli/printed_experiment.hpp"
#include "benchmarks/plan/config/load.hpp"
#include "benchmarks/plan/config/measure.hpp"

namespace apod::cli {
namespace {

namespace fs = std::filesystem;

/// The name of an experiment of this program: what of its name may be in ids.
std::string experiment_name(const std::string& program) {
  constexpr std::size_t longest = 64;
  std::string name = fs::path(program).stem().string().substr(0, longest);
  for (auto& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_' && c != '-') c = '_';
  }
  return name.empty() ? std::string(command_workload) : name;
}

bool is_time(const std::string& unit) {
  const auto known = text::unit_called(unit);
  return known && known->unit == Unit::seconds;
}

/// The unit behind the first group: "ms" of "took ([0-9.]+) ms"; empty: there is none.
std::string unit_behind(const std::string& expression) {
  static const text::Pattern after_group(R"(^[^)]*\)(?: |\\s|[*+?])*([A-Za-z]+))");
  const auto found = after_group.find(expression);
  return found && is_time(found->groups[0]) ? found->groups[0] : "";
}

/// Any program, timed without a file.
class TimeCommand : public Command {
 public:
  HelpText help() const override {
    return {
        R"(Prints the experiment and runs it, in fresh processes until the interval is narrow. Only the experiment goes to
standard output: write it to a file (bench time ./app > app.yaml) and edit it.

Examples:
  bench time ./app                                 the time from the start of the process to its end
  bench time './app {n}' --set n=1e5,4e5           a case for each value
  bench time './app {n}' --set n=1e5 --regex 'took ([0-9.]+) ms'
                                                   the time that the program prints
  bench time -- ./app --verbose                    all words after -- belong to the program
  bench time "sh -c 'zcat x.gz | ./app'"           bench uses no shell: to use one, name it

From a Google Benchmark program, bench reads the time of each benchmark.

Exit codes: the same as for a run.)"};
  }
  void declare(Flags& flags) override {
    flags.words("COMMAND", "COMMAND",
                "The program and its arguments: one quoted word, or words after --; {n} becomes "
                "the value of --set n=...",
                words_);
    flags.texts("--set", "NAME=A,B", set_,
                "Values for {NAME} in the command, or a measure key: precision=1%");
    flags.text("--regex", "REGEX", regex_,
               "Read the time from the output with this expression: 'took ([0-9.]+) ms'");
    flags.text("--unit", "UNIT", unit_,
               "Unit of the number that --regex reads, if the output has no unit");
    declare_read(flags, reads_);
    flags.outputs(options_.out, ".json, .html, .csv ...");
    flags.flag("--dry-run", options_.dry_run, "Show the plan; run nothing");
    flags.resume(options_.resume);
    flags.device(options_.device);
    flags.processes(options_.processes);
    flags.timeout(options_.timeout_s);
    flags.quiet(options_.quiet);
  }
  void prepare(std::vector<std::string>& arguments) override {
    options_.command_line = command_line;
    take_behind(arguments, behind_);
  }
  void settle() override {
    file_.words = command();
    file_.name = experiment_name(file_.words.front());
    read_names();
    read_regex();
  }
  Files files() const override { return {{}, outputs_at(options_.out)}; }
  int run() override {
    // A program whose name has a value in it is known by its cases alone.
    const bool is_known = file_.words.front().find('{') == std::string::npos;
    if (is_known) check_command(file_.words);
    if (is_known && regex_.empty()) file_.reads = reads_of({file_.words}, reads_);
    if (!is_known && reads_) file_.reads = *reads_;
    file_.words = shortened(std::move(file_.words), file_.reads);
    std::cout << file_.text();
    file_.folder = config::with_plain_braces(fs::current_path().string());
    return run_printed(file_.name, file_.text(), options_, Registry::instance());
  }

 private:
  std::vector<std::string> command() const {
    if (!behind_.empty()) {
      if (!words_.empty()) throw UsageError("unexpected argument before --: " + words_.front());
      return behind_;
    }
    if (words_.empty()) refuse_nothing("time", "a command: bench time './app {n}' --set n=1,2");
    if (words_.size() > 1) {
      throw UsageError("needs one command: quote it: bench time '" + words_[0] + " " + words_[1] +
                       "', or write -- before it (to compare two programs: bench A B)");
    }
    std::error_code error;
    if (fs::exists(words_.front(), error)) return {config::with_plain_braces(words_.front())};
    return command_words(words_.front());
  }

  /// Reads --set: an axis for a name in the command, or a key of `measure`.
  void read_names() {
    std::vector<std::string> names;
    for (const auto& word : file_.words) {
      const auto in_word = apod::names_in(word);
      if (!in_word) {
        throw UsageError(text::in_quotes(word) +
                         " has an unmatched brace (write {n} for the value of --set n=..., and {{ "
                         "or }} for a brace itself)");
      }
      names.insert(names.end(), in_word->begin(), in_word->end());
    }
    const auto& keys = config::measure_keys();
    for (const auto& one : set_) {
      const auto equals = one.find('=');
      if (equals == std::string::npos || equals == 0 || equals + 1 == one.size())
        refuse_form("--set", one, "NAME=VALUE", "n=1e5,4e5");
      const auto name = one.substr(0, equals);
      const auto value = one.substr(equals + 1);
      if (std::ranges::find(keys, name) != keys.end()) {
        MeasureSpec any;
        const auto read = config::set_measure(any, name, value);
        if (!read.value)
          throw UsageError("--set " + one + ": " + read.message + text::in_brackets(read.hint));
        file_.measure.emplace_back(name, value);
      } else if (std::ranges::find(names, name) == names.end()) {
        throw UsageError("--set " + name + ": the command has no {" + name +
                         "}: write it where the value goes");
      } else {
        file_.axes.emplace_back(name, text::split(value, ','));
      }
    }
    for (const auto& name : names) {
      const auto has_values = [&](const auto& axis) { return axis.first == name; };
      if (name == scratch_name || std::ranges::any_of(file_.axes, has_values)) continue;
      throw UsageError("{" + name + "} has no value: add --set " + name +
                       "=1,2 (for a brace itself, write {{ or }})");
    }
  }

  void read_regex() {
    if (regex_.empty()) {
      if (!unit_.empty()) refuse_without("--unit", "--regex");
      return;
    }
    if (reads_) refuse_both("--regex", "--read");
    std::size_t groups = 0;
    try {
      groups = text::Pattern(regex_).groups();
    } catch (const std::invalid_argument& error) {
      throw UsageError(std::string("--regex: ") + error.what());
    }
    auto unit = unit_.empty() ? unit_behind(regex_) : unit_;
    if (unit.empty() && groups == 2) unit = "s";  // the second group has the program's own
    if (groups < 1 || groups > 2 || unit.empty()) {
      throw UsageError("--regex: '" + regex_ +
                       "' must have one group around the number, and then its unit of time: 'took "
                       "([0-9.]+) ms' (or add --unit ms)");
    }
    if (!is_time(unit))
      throw UsageError("--unit: '" + unit + "' is not one of ns, us, ms, s, min, h");
    file_.reads = Reads::regex;
    file_.figures = {{.name = "time", .where = regex_, .unit = unit}};
  }

  std::vector<std::string> words_;
  std::vector<std::string> behind_;  ///< --
  std::vector<std::string> set_;
  std::string regex_;
  std::string unit_;
  std::optional<Reads> reads_;
  config::CommandFile file_;
  Options options_;
};

}  // namespace

std::unique_ptr<Command> make_time() {
  return std::make_unique<TimeCommand>();
}

}  // namespace apod::cli
