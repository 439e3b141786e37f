#include <gtest/gtest.h>

#include "benchmarks/plan/config/experiment_reader.hpp"
#include "tests/benchmarks/plan/config/loaded.hpp"
#include "tests/support/texts.hpp"

namespace apod::config {
namespace {

/// An experiment whose workload is this, and what stands below it.
LoadOutcome command(const std::string& workload, const std::string& more = "",
                    std::vector<std::string> set = {}) {
  return load("schema: 1\nexperiments:\n  - workload: {" + workload + "}\n" + more,
              BackendKind::host, std::move(set));
}

TEST(ReadCommand, TakesAllThatOneCanSay) {
  const auto outcome = load(R"(
schema: 1
experiments:
  - name: all
    workload:
      command: [./app, "--n={size}", "{{raw}}"]
      env: {MODE: "{mode}"}
      cwd: sub
      setup: [make, "{scratch}/data"]
      cleanup: [rm, x]
      success: {exit: [0, 3], match: "^ok"}
      output: "{scratch}/out.json"
      read: {json: {time: {path: a/b, unit: ms}, requests: {path: c}}}
    axes: {size: {from: 2, to: 8, step: "*2"}, mode: [fast, 1.5]}
    baseline: {mode: fast}
    expect:
      - {where: {size: "> 2", mode: 1.5}, time: "< 5ms", requests: "> 10"}
    measure: {timeout: 2s}
)");
  ASSERT_EQ(messages(outcome), "");
  const auto& experiment = outcome.config->experiments.at(0);
  const auto& spec = *experiment.command;
  EXPECT_EQ(experiment.workload, "command");
  EXPECT_EQ(spec.words.size(), 3U);
  EXPECT_EQ(spec.env.at("MODE"), "{mode}");
  EXPECT_EQ(spec.cwd, "sub");
  EXPECT_EQ(spec.exit, (std::vector<int>{0, 3}));
  EXPECT_EQ(spec.reads, Reads::json);
  EXPECT_EQ(spec.figures.at(0).unit, "ms");
  EXPECT_EQ(values_of(experiment, "size"), "2 4 8");
  EXPECT_EQ(values_of(experiment, "mode"), "fast 1.5") << "words as they are written";
  EXPECT_EQ(values_of(experiment, "variant"), "app");
  EXPECT_EQ(experiment.measure.timeout_s, 2);
}

TEST(ReadCommand, TheMostProcessesAreEnoughForTheFirst) {
  const std::string said =
      "max_processes (2) is below the minimum of 3 processes per case (write processes: 2 "
      "to run exactly this number)\n";
  EXPECT_EQ(messages(load("schema: 1\nmeasure: {max_processes: 2}\nexperiments:\n"
                          "  - workload: {command: [app]}\n")),
            "test.yaml:2:1: " + said);
  const std::string own = "    measure: {max_processes: 2}\n";
  EXPECT_EQ(messages(command("command: [app]", own)), "test.yaml:4:5: " + said);
  EXPECT_EQ(messages(command("command: [app]", own, {"processes=2"})), "test.yaml:4:5: " + said);
  EXPECT_EQ(messages(command("command: [app]", "", {"max_processes=2"})), "--set: " + said);
  EXPECT_EQ(messages(command("command: [app]", "    measure: {processes: 2}\n")), "");
  EXPECT_EQ(
      messages(command("command: [app]", "    measure: {timeout: 1ms, min_samples: 40000}\n")), "")
      << "nothing of a command waits for samples";
}

TEST(ReadCommand, AnyValueOfAnAxisCanBeSet) {
  const auto outcome = command("command: [app, '{mode}', '{n}']", "    axes: {mode: [a], n: 1}\n",
                               {"mode=b,c", "n=2^4"});
  ASSERT_EQ(messages(outcome), "");
  EXPECT_EQ(values_of(outcome.config->experiments[0], "mode"), "b c");
  EXPECT_EQ(values_of(outcome.config->experiments[0], "n"), "16");
  EXPECT_TRUE(contains(messages(command("command: [app, '{n}']", "    axes: {n: 1}\n", {"n=x"})),
                       "'x' is not a whole number"));
}

TEST(ReadCommand, EachMistakeIsSaid) {
  struct Example {
    std::string workload, says, more;
  };
  for (const auto& [workload, says, more] : std::vector<Example>{
           {"env: {}", "'workload' has no 'command'", ""},
           {"command: app --fast", "'command' must be a list of words (bench uses no shell", ""},
           {"command: []", "'command' names no program", ""},
           {"command: [app], shell: true", "unknown key 'shell'", ""},
           {"command: [app, '{size']", "'{size' has an unmatched brace", ""},
           {"command: [app, '{sze}']",
            "{sze} is not an axis of the experiment (did you mean 'size'?)",
            "    axes: {size: 1}\n"},
           {"command: [app]", "axis 'size' does not occur in the command", "    axes: {size: 1}\n"},
           {"command: [app, '{case}']", "'case' can't be the name of a command's axis",
            "    axes: {case: 1}\n"},
           {"command: [app, '{trace}']",
            "'trace' can't be the name of a command's axis (this word is a key of 'measure': "
            "choose another name)",
            "    axes: {trace: 1}\n"},
           {"command: [app], success: {exit: 256}", "exit: '256' is not an exit code", ""},
           {"command: [app], success: {match: '('}", "'(' is not a valid regular expression", ""},
           {"command: [app], read: excel", "read: unknown value 'excel'", ""},
           {"command: [app], read: regex", "read: regex needs a number", ""},
           {"command: [app], read: {regex: {time: {unit: s}}}", "'time' has no 'match'", ""},
           {"command: [app], read: {regex: {time: {match: 'x', unit: s}}}",
            "'x' has 0 groups in round brackets", ""},
           {"command: [app], read: {regex: {time: {match: '(x)'}}}",
            "time: the number has no unit, which does not fit 'time' (use one of the units ns, us",
            ""},
           {"command: [app], read: {regex: {time: {match: '(x)', unit: GB}}}",
            "time: the number has the unit 'GB', which does not fit 'time'", ""},
           {"command: [app], read: {regex: {speed: {match: '(x)', unit: knots}}}",
            "speed: unknown unit 'knots'", ""},
           {"command: [app], read: {regex: {speedup: {match: '(x)'}}}",
            "'speedup' is a fact that bench computes, so 'read' can't set it", ""},
           {"command: [app], read: {regex: {Speed: {match: '(x)'}}}",
            "'Speed' can't be the name of a fact", ""},
           {"command: [app, \"a\\0b\"]", "test.yaml:3:31: this word contains a NUL byte", ""},
           {"command: [app], env: {\"A\\x00\": b}", "this word contains a NUL byte", ""},
           {"command: [app, '{n}']", "test.yaml:4:16: this word contains a NUL byte",
            "    axes: {n: [\"a\\u0000b\", \"a\"]}\n"},
           {"command: [app]", "a command can't have 'scope'", "    scope: kernel\n"},
           {"command: [app]", "a command can't have 'data'", "    data: ones\n"},
           {"command: [app]", "unknown fact 'requests'", "    expect: [{requests: \"> 1\"}]\n"},
       }) {
    const auto said = messages(command(workload, more));
    EXPECT_TRUE(contains(said, says)) << workload;
    EXPECT_TRUE(contains(said, "test.yaml:")) << workload;
  }
}

TEST(ReadCommand, AWrittenFileIsReadAgain) {
  const std::vector<std::string> words{"./a b", "it's \"{x}\"", "--n=\\1", "", "#: [", "\xC3\xA9"};
  CommandFile file{.name = "google", .folder = "/some {{folder}}", .reads = Reads::google};
  for (const auto& word : words) file.words.push_back(with_plain_braces(word));
  file.axes = {{"variant", {"program"}}};
  const auto outcome = load(file.text());
  ASSERT_EQ(messages(outcome), "");
  const auto& spec = *outcome.config->experiments.at(0).command;
  ASSERT_EQ(spec.words.size(), words.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    EXPECT_EQ(filled_in(spec.words[i], {}, ""), words[i]);
  }
  EXPECT_EQ(filled_in(spec.cwd, {}, ""), "/some {folder}");
  EXPECT_EQ(spec.reads, Reads::google);
  EXPECT_EQ(values_of(outcome.config->experiments[0], "variant"), "program");
}

TEST(ReadCommand, AWrittenFileHasItsAxesItsFigureAndHowItIsMeasured) {
  const CommandFile file{.name = "app",
                         .words = {"./app", "{n}", "{how}"},
                         .reads = Reads::regex,
                         .figures = {{"time", "\"it\": ([0-9.]+)\\s*ms #", "ms"}},
                         .axes = {{"n", {"1e5", "4e5"}}, {"how", {"null", "a, b", "#", "true"}}},
                         .measure = {{"precision", "5%"}, {"processes", "3"}}};
  const auto outcome = load(file.text());
  ASSERT_EQ(messages(outcome), "") << file.text();
  const auto& experiment = outcome.config->experiments.at(0);
  EXPECT_EQ(values_of(experiment, "n"), "100000 400000");
  EXPECT_EQ(values_of(experiment, "how"), "null a, b # true");
  EXPECT_EQ(experiment.command->figures.at(0).where, file.figures[0].where);
  EXPECT_EQ(experiment.command->figures.at(0).unit, "ms");
  EXPECT_EQ(experiment.measure.precision, 0.05);
  EXPECT_EQ(experiment.measure.max_processes, 3);
}

}  // namespace
}  // namespace apod::config
