#include "benchmarks/plan/config/load.hpp"

#include <gtest/gtest.h>

#include "benchmarks/base/experiment.hpp"
#include "tests/benchmarks/plan/config/loaded.hpp"
#include "tests/kernels/api/temporary_folder.hpp"

namespace apod::config {
namespace {

const std::string data_folder = APOD_SOURCE_DIR "/tests/data/config";

TEST(Load, ReadsEveryForm) {
  const auto outcome = load_file(data_folder + "/good.yaml", test::fake_registry(), {});
  ASSERT_TRUE(outcome.config) << messages(outcome);
  const auto& config = *outcome.config;
  EXPECT_EQ(config.name, "good");
  EXPECT_EQ(config.description, "everything");
  EXPECT_EQ(config.path, data_folder + "/good.yaml");
  EXPECT_TRUE(config.text.starts_with("# Every form"));
  ASSERT_EQ(config.experiments.size(), 2u);

  const auto& sum = config.experiments[0];
  EXPECT_EQ(sum.name, "sum");
  EXPECT_EQ(sum.scope, Scope::end_to_end);
  // Variants that are built for the backend stand for the unnamed axis, first.
  ASSERT_EQ(sum.groups.size(), 5u);
  EXPECT_EQ(sum.groups[0].axes[0].name, "variant");
  EXPECT_EQ(values_of(sum, "variant"), "fast slow");
  EXPECT_EQ(values_of(sum, "size"), "1024 4096 16384 65536 262144 1048576");
  EXPECT_EQ(values_of(sum, "streams"), "1 2");
  EXPECT_EQ(values_of(sum, "host_memory"), "pageable");
  ASSERT_EQ(sum.groups[4].axes.size(), 2u);
  EXPECT_EQ(values_of(sum, "accumulator"), "fp32 fp64");
  EXPECT_EQ(values_of(sum, "repeats"), "1 2");
  EXPECT_EQ(find_axis(sum, "streams")->places[1].line, 12);
  EXPECT_EQ(find_axis(sum, "streams")->places[1].column, 20);

  ASSERT_EQ(sum.exclude.size(), 3u);
  EXPECT_EQ(sum.exclude[1].match[0].second.comparator, Comparator::is_one_of);
  EXPECT_EQ(sum.exclude[1].match[0].second.text, "[1, 2]");
  EXPECT_EQ(sum.include.at(0).integer("streams"), 128);
  EXPECT_EQ(sum.baseline.integer("streams"), 1);
  EXPECT_EQ(sum.baseline_place.line, 18);
  ASSERT_EQ(sum.expectations.size(), 2u);
  EXPECT_EQ(sum.expectations[0].fact, "distinct_streams");
  EXPECT_EQ(sum.expectations[0].condition.text, "== streams");
  EXPECT_EQ(sum.expectations[1].fact, "error");
  EXPECT_DOUBLE_EQ(std::get<double>(sum.expectations[1].condition.operands[0]), 1e-5);
  EXPECT_EQ(sum.expectations[1].where.at(0).first, "streams");
  EXPECT_EQ(sum.expectations[1].place.line, 20);
  EXPECT_EQ(sum.data.kind, DataSpec::Kind::uniform);
  EXPECT_EQ(sum.data.seed, 7u);

  // The file's measure, with the experiment's keys over it.
  EXPECT_DOUBLE_EQ(sum.measure.precision, 0.01);
  EXPECT_DOUBLE_EQ(sum.measure.timeout_s, 120);
  EXPECT_EQ(sum.measure.max_samples, 1000);
  EXPECT_EQ(sum.measure.processes, 1);

  const auto& blur = config.experiments[1];
  EXPECT_EQ(blur.scope, Scope::kernel);
  EXPECT_EQ(values_of(blur, "size"), "8x8 200x300 16x16");
  EXPECT_EQ(std::get<std::string>(blur.exclude[0].match[0].second.operands[0]), "8x8");
  EXPECT_EQ(blur.data.kind, DataSpec::Kind::ones);
}

TEST(Load, PutsTheHostBlockInPlaceOnTheHost) {
  const auto outcome =
      load_file(data_folder + "/good.yaml", test::fake_registry(), {BackendKind::host, {}});
  ASSERT_TRUE(outcome.config) << messages(outcome);
  const auto& sum = outcome.config->experiments[0];
  EXPECT_EQ(values_of(sum, "variant"), "host");
  EXPECT_EQ(values_of(sum, "size"), "1000");
  EXPECT_EQ(values_of(sum, "streams"), "1 2");  // only named axes are replaced
  EXPECT_TRUE(sum.expectations.empty());
  EXPECT_EQ(sum.exclude.size(), 3u);
  EXPECT_EQ(sum.measure.max_samples, 1000);
}

TEST(Load, TakesDeclaredVariantsWhereNoneIsBuilt) {
  Registry registry;
  const auto fake = test::fake_registry();
  struct Forward : Family {
    explicit Forward(const Family& f) : family(f) {}
    std::string_view name() const override { return family.name(); }
    std::string_view summary() const override { return family.summary(); }
    std::vector<AxisSpec> axes() const override { return family.axes(); }
    Footprint footprint(const Params& p) const override { return family.footprint(p); }
    Traffic traffic(const Params& p) const override { return family.traffic(p); }
    std::unique_ptr<Problem> make(const Params&, const DataSpec&) const override { return nullptr; }
    const Family& family;
  };
  registry.add(std::make_unique<Forward>(*fake.family("sum")));
  registry.add(VariantEntry{"sum", "later", BackendKind::cuda, "", {}});
  registry.add(VariantEntry{"sum", "host", BackendKind::host, "", {}});
  const auto outcome = load_text("{schema: 1, experiments: [{workload: sum}]}", "x.yaml", registry,
                                 {BackendKind::cuda, {}});
  ASSERT_TRUE(outcome.config) << messages(outcome);
  EXPECT_EQ(values_of(outcome.config->experiments[0], "variant"), "later");
}

TEST(Load, NamesTheFileByItsStem) {
  const auto outcome = load_text("{schema: 1, experiments: [{workload: sum}]}",
                                 "some/my study.yaml", test::fake_registry(), {});
  ASSERT_TRUE(outcome.config) << messages(outcome);
  EXPECT_EQ(outcome.config->name, "my study");
}

TEST(Load, FindsDataBesideTheConfig) {
  const TemporaryFolder folder;
  const auto data = folder.write("x.pgm", "P2 2 1 9 4 5");
  const std::string text = "{schema: 1, experiments: [{workload: sum, data: {file: x.pgm}}]}";
  const auto outcome = load_text(text, folder.path("c.yaml"), test::fake_registry(), {});
  ASSERT_TRUE(outcome.config) << messages(outcome);
  EXPECT_EQ(outcome.config->experiments[0].data.file, data);
}

TEST(Load, KeepsOnlyTheExperimentsThatItReadWhole) {
  const auto read = [](const std::string& rest, BackendKind backend = BackendKind::cuda) {
    const auto outcome = load("{schema: 1, experiments: [{workload: sum" + rest + "}]}", backend);
    const bool kept = outcome.config && !outcome.config->experiments.empty();
    EXPECT_EQ(kept, outcome.diagnostics.empty()) << rest;
    return kept;
  };
  EXPECT_TRUE(read(""));
  for (const char* wrong :
       {", axes: {size: x}", ", axes: 5", ", axis: {size: 1}", ", zip: 5", ", scope: kernal",
        ", exclude: [{sise: 1}]", ", include: [{size: x}]", ", axes: {sise: 1}",
        ", axes: {size: 1, size: 2}", ", axes: {size: []}", ", zip: [{size: [1, 2], repeats: [1]}]",
        ", baseline: {sise: 1}", ", baseline: 5", ", baseline: {size: x}", ", measure: {trace: 5}",
        ", measure: 5", ", measure: {trce: true}", ", expect: [{where: {sise: 1}, error: \"< 1\"}]",
        ", expect: [{error: \"< 1s\"}]", ", expect: [{speedup: \"> 1\"}]", ", data: 5",
        // The host block is right or wrong whatever the machine.
        ", host: {axes: {size: x}}", ", host: {measures: {}}"}) {
    EXPECT_FALSE(read(wrong)) << wrong;
    EXPECT_FALSE(read(wrong, BackendKind::host)) << wrong;
  }
}

TEST(Load, KeepsTheExperimentsBesideABadOne) {
  const auto outcome = load("{schema: 1, experiments: [5, {workload: summ}, {workload: sum}]}");
  ASSERT_TRUE(outcome.config);
  ASSERT_EQ(outcome.config->experiments.size(), 1u);
  EXPECT_EQ(outcome.config->experiments[0].name, "sum");
  EXPECT_EQ(outcome.diagnostics.size(), 2u);
  EXPECT_FALSE(load("[1]").config);
  EXPECT_FALSE(load("{").config);
}

TEST(Load, AMisspeltKeyHidesNoOtherMistake) {
  EXPECT_EQ(messages(load("schema: 1\nexperimnts:\n  - worklod: sum\n    axis: {sise: 1}\n"
                          "    mesure: {min_samples: 0}\n    axes: {size: x}\n")),
            "test.yaml:2:1: unknown key 'experimnts' in the file (did you mean "
            "'experiments'?)\ntest.yaml:3:5: unknown key 'worklod' in the experiment (did you mean "
            "'workload'?)\ntest.yaml:4:5: unknown key 'axis' in the experiment (did you mean "
            "'axes'?)\ntest.yaml:5:5: unknown key 'mesure' in the experiment (did you mean "
            "'measure'?)\ntest.yaml:5:27: min_samples: '0' is out of range (use 1 to "
            "10000000)\ntest.yaml:6:18: size: 'x' is not a whole number (write a whole number, "
            "such as 1000, 1e6, 2^20 or 64Mi)\n");
}

TEST(Load, AKeyInTheWrongPlaceIsToldItsOwn) {
  EXPECT_EQ(
      messages(load("schema: 1\naxes: {size: 1}\nexperiments:\n  - workload: sum\n"
                    "    command: [app]\n    processes: 3\n    file: k.cu\n    schema: 1\n"
                    "    measure: {scope: kernel}\n")),
      "test.yaml:2:1: unknown key 'axes' in the file (move it to the experiment)\n"
      "test.yaml:5:5: unknown key 'command' in the experiment (move it to 'workload')\n"
      "test.yaml:6:5: unknown key 'processes' in the experiment (move it to 'measure')\n"
      "test.yaml:7:5: unknown key 'file' in the experiment (move it to 'kernel')\n"
      "test.yaml:8:5: unknown key 'schema' in the experiment (move it to the top of the file)\n"
      "test.yaml:9:15: unknown key 'scope' in 'measure' (move it to the experiment)\n");
}

TEST(Load, MeasureOfTheFileIsCheckedOnce) {
  EXPECT_EQ(messages(load("schema: 1\nmeasure: {min_samples: 9, max_samples: 5}\nexperiments:\n"
                          "  - {workload: sum}\n  - {workload: blur}\n")),
            "test.yaml:2:1: min_samples (9) is above max_samples (5) (set both: if you set only "
            "one, the other keeps its default)\n");
}

TEST(Load, ANumberOfProcessesHoldsAgainstTheFilesMost) {
  const auto measure = [](const std::string& own) {
    const auto outcome = load(
        "{schema: 1, measure: {max_processes: 6, precision: 2%, max_time: 20ms}, experiments: "
        "[{workload: "
        "sum, measure: {" +
        own + "}}]}");
    EXPECT_EQ(messages(outcome), "") << own;
    return outcome.config->experiments.at(0).measure;
  };
  EXPECT_EQ(measure("processes: 2").processes, 2);
  EXPECT_EQ(measure("processes: 2").max_processes, 2);
  EXPECT_DOUBLE_EQ(measure("processes: 2").precision, 0.02) << "the others stay";
  EXPECT_DOUBLE_EQ(measure("processes: 2").max_time_s, 0.02);
  EXPECT_EQ(measure("processes: 9").max_processes, 9);
  EXPECT_EQ(measure("processes: auto").max_processes, 6);
  EXPECT_EQ(measure("max_processes: 4").max_processes, 4);
  EXPECT_EQ(messages(load("schema: 1\nmeasure: {processes: 2}\nexperiments:\n  - workload: sum\n"
                          "    measure: {max_processes: 5}\n")),
            "test.yaml:5:15: max_processes needs processes: auto, but processes is a number (leave "
            "out max_processes, or write processes: auto)\n");
}

TEST(Load, TwoExperimentsOfOneNameAreRefused) {
  EXPECT_EQ(
      messages(load("schema: 1\nexperiments:\n  - {name: a, workload: sum}\n  - {workload: blur}\n"
                    "  - {name: a, workload: blur}\n  - {workload: blur}\n")),
      "test.yaml:5:5: the experiment at line 3 also has the name 'a' (give each experiment a "
      "different 'name:')\ntest.yaml:6:5: the experiment at line 4 also has the name 'blur' (give "
      "each experiment a different 'name:')\n");
}

TEST(Load, GraphsAreHotByThemselves) {
  const auto outcome =
      load("{schema: 1, experiments: [{workload: sum, measure: {launch: graph}}]}");
  ASSERT_TRUE(outcome.config) << messages(outcome);
  EXPECT_EQ(outcome.config->experiments[0].measure.cache, CacheMode::hot);
}

TEST(Load, SaysWhatIsNoFile) {
  const auto registry = test::fake_registry();
  const auto message = [&](const std::string& path) {
    const auto outcome = load_file(path, registry, {});
    EXPECT_FALSE(outcome.config);
    return messages(outcome);
  };
  EXPECT_EQ(message("/nowhere/x.yaml"), "/nowhere/x.yaml: no such file\n");
  EXPECT_EQ(message(""), "no such file\n");
  EXPECT_EQ(message(data_folder + "/goood.yaml"),
            data_folder + "/goood.yaml: no such file (did you mean 'good.yaml'?)\n");
  const auto bare = [&](const std::string& name) {
    return messages(load_file(name, registry, {.searched = {data_folder, "/nowhere"}}));
  };
  const auto where = ": no such file here or in " + data_folder + " or in /nowhere";
  EXPECT_EQ(bare("nope.yaml"), "nope.yaml" + where + " (bench --list shows the shipped files)\n");
  EXPECT_EQ(bare("goood.yaml"), "goood.yaml" + where + " (did you mean 'good.yaml'?)\n");
  EXPECT_EQ(bare("goood"), "goood" + where + " (did you mean 'good.yaml'?)\n");
  EXPECT_EQ(message(data_folder),
            data_folder + ": is a directory (name a .yaml file in that folder)\n");
  EXPECT_EQ(message("/dev/zero"), "/dev/zero: is not a regular file\n");
  EXPECT_EQ(message("/dev/null"), "/dev/null: is not a regular file\n");
  EXPECT_EQ(messages(load("")),
            "test.yaml: is empty (start with 'schema: 1' and 'experiments:')\n");
  EXPECT_EQ(messages(load(" \n\n")), messages(load("")));
}

TEST(Load, RefusesNestingBeforeItIsParsed) {
  const std::string brackets(10'000'000, '[');
  EXPECT_EQ(messages(load(brackets)),
            "test.yaml: is larger than 256 KiB (name an experiment file)\n");
  const std::string deep = "test.yaml:1:100: this value is nested more than 100 levels deep";
  EXPECT_TRUE(contains(messages(load(brackets.substr(0, 200'000))), deep));
  std::string mixed = "schema: 1\nexperiments:\n";
  for (int i = 0; i < 50'000; ++i) mixed += "{a: [";
  EXPECT_TRUE(contains(messages(load(mixed)), "test.yaml:3:"));
  std::string dashes;
  for (int i = 0; i < 100'000; ++i) dashes += "- ";
  EXPECT_TRUE(contains(messages(load(dashes)), "this value is nested more than 100 levels"));
  std::string indented;
  for (int i = 0; i < 700; ++i) indented += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  EXPECT_TRUE(contains(messages(load(indented)), "this value is nested more than 100 levels"));
}

TEST(Load, BoundsWhatAFewWordsCanAskFor) {
  std::string many = "schema: 1\nexperiments:\n";
  for (int i = 0; i < 100; ++i) {
    many += "  - {workload: sum, name: n" + std::to_string(i) +
            ", axes: {size: {from: 1, to: 150000, step: \"+1\"}}}\n";
  }
  EXPECT_TRUE(contains(messages(load(many)), "the axes have more than 1000000 values in total"));
  std::string rules = "schema: 1\nexperiments:\n  - workload: sum\n    exclude:\n";
  for (int i = 0; i < 2000; ++i) rules += "      - {size: " + std::to_string(i + 1) + "}\n";
  EXPECT_EQ(messages(load(rules)),
            "test.yaml:4:5: 'exclude' has 2000 items, but the limit is 1000\n");
}

}  // namespace
}  // namespace apod::config
