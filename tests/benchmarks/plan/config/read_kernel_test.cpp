#include <gtest/gtest.h>

#include "tests/benchmarks/plan/config/loaded.hpp"
#include "tests/kernels/api/temporary_folder.hpp"

namespace apod::config {
namespace {

constexpr const char* whole_kernel = R"yaml(schema: 1
experiments:
  - kernel: {file: conv.cu, name: "conv<TILE>", flags: [-use_fast_math]}
    axes: {size: [64, 128], block: [128, 256], TILE: {from: 2, to: 8, step: "*2"}, mode: [a, b]}
    where: ["block * TILE <= 2048", "mode == 'a' or size > 64"]
    grid: "ceil(size * size / (block * TILE))"
    block: block
    shared: "block * 4"
    args:
      - {name: y, type: f32, shape: [size, size], role: out}
      - {name: x, type: f32, shape: [size, size], data: {uniform: {seed: 7}}}
      - {name: n, type: i32, value: size}
    reference: {kernel: conv_ref, file: ref.cu, grid: [size, "size / 8"]}
    tolerance: {absolute: 1e-6, relative: 1e-5}
    traffic: {read: "4 * size^2", write: "4 * size^2", fp32: "2 * 169 * size^2"}
)yaml";

class ReadKernel : public testing::Test {
 protected:
  ReadKernel() {
    folder_.write("conv.cu", "");
    folder_.write("conv_v2.cu", "");
    folder_.write("ref.cu", "");
  }
  LoadOutcome load(const std::string& text, bool trusted = false) const {
    return load_text(text, folder_.path("k.yaml"), test::fake_registry(), {.trusted = trusted});
  }
  /// What is wrong with the text once `from` is replaced, without the file's name.
  std::string wrong(const std::string& from, const std::string& to) const {
    std::string text = whole_kernel;
    const auto at = text.find(from);
    if (at == std::string::npos) return "'" + from + "' is not there";
    text.replace(at, from.size(), to);
    std::string all;
    for (const auto& d : load(text).diagnostics) {
      all += std::to_string(d.place.line) + ":" + std::to_string(d.place.column) + " " + d.message +
             "|" + d.hint + "\n";
    }
    return all;
  }
  TemporaryFolder folder_;
};

TEST_F(ReadKernel, ReadsAllOfIt) {
  const auto outcome = load(whole_kernel);
  EXPECT_EQ(messages(outcome), "");
  ASSERT_TRUE(outcome.config && outcome.config->experiments.size() == 1);
  const auto& experiment = outcome.config->experiments[0];
  EXPECT_EQ(experiment.workload, "kernel");
  EXPECT_EQ(experiment.where.size(), 2u);
  EXPECT_EQ(values_of(experiment, "variant"), "conv.cu");
  EXPECT_EQ(values_of(experiment, "TILE"), "2 4 8");
  ASSERT_TRUE(experiment.kernel);
  const auto& spec = experiment.kernel->spec;
  ASSERT_EQ(spec.launches.size(), 1u);
  EXPECT_EQ(spec.launches[0].kernel, "conv<TILE>");
  EXPECT_EQ(spec.flags, std::vector<std::string>{"-use_fast_math"});
  ASSERT_EQ(spec.args.size(), 3u);
  EXPECT_EQ(spec.args[0].role, file::Role::out);
  EXPECT_EQ(spec.args[1].made.seed, 7u);
  EXPECT_TRUE(spec.args[2].shape.empty());
  EXPECT_EQ(spec.reference.kind, file::ReferenceSpec::Kind::kernel);
  EXPECT_EQ(spec.reference.launch.file, "ref.cu");
  EXPECT_EQ(spec.reference.launch.grid.size(), 2u);
  EXPECT_EQ(spec.reference.launch.block, std::vector<std::string>{"block"});
  EXPECT_EQ(spec.absolute, 1e-6);
  EXPECT_EQ(spec.relative, 1e-5);
  EXPECT_EQ(spec.traffic.size(), 3u);
}

TEST_F(ReadKernel, ReadsAListOfKernels) {
  const auto outcome = load(R"(schema: 1
experiments:
  - kernel:
      - {file: conv.cu, name: first, args: [t, x]}
      - {name: second, grid: 1, args: [y, t], cooperative: true, cluster: 2}
    axes: {size: 1024}
    grid: "size / 256"
    block: [16, 16]
    args:
      - {name: y, type: f16, shape: 2, role: out}
      - {name: x, type: c64, shape: size}
      - {name: t, type: f32, shape: size, role: scratch}
)");
  EXPECT_EQ(messages(outcome), "");
  const auto& launches = outcome.config->experiments.at(0).kernel->spec.launches;
  ASSERT_EQ(launches.size(), 2u);
  EXPECT_EQ(launches[1].file, "conv.cu");
  EXPECT_EQ(launches[1].grid, std::vector<std::string>{"1"});
  EXPECT_EQ(launches[1].block.size(), 2u);
  EXPECT_TRUE(launches[1].cooperative);
  EXPECT_EQ(launches[0].args, (std::vector<std::string>{"t", "x"}));
}

TEST_F(ReadKernel, HasStreamsWhereItSaysHowItIsSplit) {
  const auto outcome = load(R"(schema: 1
experiments:
  - kernel: {file: conv.cu, name: k}
    scope: end_to_end
    axes: {size: 1024, streams: [1, 4], order: uploads_first}
    split: size
    grid: "size / 256"
    block: 256
    args: [{name: y, type: f32, shape: size, role: inout}]
)");
  EXPECT_EQ(messages(outcome), "");
  EXPECT_EQ(outcome.config->experiments.at(0).kernel->spec.split, "size");
  EXPECT_EQ(values_of(outcome.config->experiments.at(0), "streams"), "1 4");
}

TEST_F(ReadKernel, NamesThePlaceOfAMistake) {
  EXPECT_EQ(wrong("block * TILE <= 2048", "block * TIL <= 2048"),
            "5:22 where: unknown axis 'TIL'|did you mean 'TILE'?\n");
  EXPECT_EQ(wrong("block * TILE <= 2048", "block * <= 2048"),
            "5:22 where: '<' is not allowed here|\n");
  EXPECT_EQ(wrong("ceil(size * size", "ceil(size * sise"),
            "6:24 'sise' is not an axis; the axes are size, block, TILE, mode|\n");
  EXPECT_EQ(wrong("[size, size], role", "[size, \"size +\"], role"),
            "10:51 the expression ends, but a value is missing|\n");
  EXPECT_EQ(wrong("value: size", "value: size, role: in").substr(0, 28),
            "12:43 only an array can have");
  EXPECT_EQ(wrong("type: i32", "type: int32").substr(0, 38),
            "12:25 type: unknown value 'int32'|use ");
  EXPECT_EQ(wrong("file: conv.cu", "file: conf.cu").substr(0, 70),
            "3:20 there is no file 'conf.cu' in the experiment file's folder|did yo");
  EXPECT_EQ(wrong("-use_fast_math", "-o/etc").substr(0, 26), "3:57 '-o/etc' is not allow");
  EXPECT_EQ(wrong("absolute: 1e-6", "absolute: -1"),
            "14:27 '-1' is not a tolerance|write it as 1e-6\n");
  EXPECT_EQ(wrong("fp32: ", "fp31: ").substr(0, 40), "15:56 unknown key 'fp31' in 'traffic'|di");
  EXPECT_EQ(wrong("    block: block\n", "").substr(0, 24), "3:13 'block' is missing|");
  EXPECT_NE(
      wrong("axes: {", "axes: {streams: [1, 2], ")
          .find(
              "the file does not say how to divide the kernel's work over streams|add split: AXIS"),
      std::string::npos);
  EXPECT_EQ(wrong("    block: block\n", "    block: block\n    split: sise\n").substr(0, 40),
            "8:12 'sise' is not an axis of integers|\n");
  EXPECT_NE(wrong("data: {uniform", "data: {unifrm").find("unknown value 'unifrm'"),
            std::string::npos);
  EXPECT_NE(wrong("name: n,", "name: y,").find("two arguments have the name 'y'"),
            std::string::npos);
  EXPECT_NE(wrong("reference: {kernel: conv_ref, file: ref.cu, grid: [size, \"size / 8\"]}",
                  "reference: {expression: \"x + z\"}")
                .find("13:34 'z' is not an axis, a scalar or an input"),
            std::string::npos);
  EXPECT_EQ(wrong("reference: {kernel: conv_ref, file: ref.cu, grid: [size, \"size / 8\"]}",
                  "reference: {workload: summ}"),
            "13:27 unknown workload 'summ'|did you mean 'sum'?\n");
  EXPECT_NE(wrong("  - kernel:", "  - workload: sum\n    kernel:").find("can't have both"),
            std::string::npos);
}

TEST_F(ReadKernel, SaysAllMistakesAtOnce) {
  const auto outcome = load(R"yaml(schema: 1
experiments:
  - kernel: {file: conv.cu, name: conv}
    axes: {n: [1024, 2048]}
    grid: ["ceil(n / bs)", "ceil(n / 16"]
    block: [64, 32]
    args:
      - {name: x, type: float, shape: [n, nz]}
      - {name: y, type: double, shape: n, role: out}
    expect: [{erorr: "< 1"}]
    measure: {precision: 1x}
  - kernel: {file: conv.cu, name: conv}
    axes: {n: [1024, 2048]}
    grid: n
    block: 2048
    args: [{name: y, type: f32, shape: n, role: out}]
    baseline: {n: 4096}
  - {workload: nothing_like_it, axes: {size: 1O}}
)yaml");
  std::string all;
  for (const auto& d : outcome.diagnostics) {
    all += std::to_string(d.place.line) + " " + d.message + "|" + d.hint.substr(0, 30) + "\n";
  }
  EXPECT_EQ(all,
            "5 'bs' is not an axis; the axes are n|\n5 the expression ends, but ')' is missing|\n6 "
            "the block has more than 1024 threads, but the limit is 1024|\n8 type: unknown value "
            "'float'|did you mean 'f32'?\n8 'nz' is not an axis; the axes are n|\n9 type: unknown "
            "value 'double'|did you mean 'f64'?\n10 unknown fact 'erorr'|did you mean 'error'?\n11 "
            "precision: '1x' is not a percentage|write it in percent, such as 0\n15 the block has "
            "more than 1024 threads, but the limit is 1024|\n17 the baseline of experiment "
            "'kernel' matches none of its cases: no case has n: 4096|use only values that the axes "
            "\n18 unknown workload 'nothing_like_it'|use one of blur, sum; the othe\n");
}

TEST_F(ReadKernel, AFileHasOneName) {
  std::string text = whole_kernel;
  text.replace(text.find("conv.cu"), 7, ".//conv.cu");
  const auto outcome = load(text);
  ASSERT_TRUE(outcome.config) << messages(outcome);
  EXPECT_EQ(values_of(outcome.config->experiments[0], "variant"), "conv.cu");
  text.replace(text.find(".//conv.cu"), 10, "sub/..//conv.cu");
  const auto roundabout = load(text);
  ASSERT_TRUE(roundabout.config) << messages(roundabout);
  EXPECT_EQ(values_of(roundabout.config->experiments[0], "variant"), "conv.cu");
  text.replace(text.find("sub/..//conv.cu"), 15, folder_.path("conv.cu"));
  EXPECT_NE(messages(load(text)).find("conv.cu' is an absolute path, which may be outside"),
            std::string::npos);
  const auto trusted = load(text, true);
  ASSERT_TRUE(trusted.config) << messages(trusted);
  EXPECT_EQ(values_of(trusted.config->experiments[0], "variant"), "conv.cu");
}

TEST_F(ReadKernel, AVariantsFileHasOneNameToo) {
  const auto with = [&](const std::string& variant) {
    std::string text = whole_kernel;
    const auto axes = text.find("axes: {");
    EXPECT_NE(axes, std::string::npos);
    text.insert(axes + 7, "variant: [conv.cu, \"" + variant + "\"], ");
    return messages(load(text, true));
  };
  EXPECT_NE(
      with(folder_.path("conv.cu")).find("write a path relative to the experiment file's folder"),
      std::string::npos);
  EXPECT_NE(with(".//conv.cu").find("write conv.cu"), std::string::npos);
}

TEST_F(ReadKernel, KeepsAnUntrustedFileInItsFolder) {
  std::string text = whole_kernel;
  text.replace(text.find("ref.cu"), 6, "/etc/ref.cu");
  EXPECT_NE(messages(load(text)).find("outside the experiment file's folder"), std::string::npos);
  EXPECT_NE(messages(load(text, true)).find("there is no file '/etc/ref.cu'"), std::string::npos);
}

TEST_F(ReadKernel, ANameIsNoLineOfTheSource) {
  for (const auto* name : {"\"conv\\n#include \\\"/etc/passwd\\\"\\n\"", "\"conv); asm(\"",
                           "conv/*<TILE>*/", "\"conv<'a'>\""}) {
    EXPECT_NE(wrong("\"conv<TILE>\"", name).find("is not a C++ expression or type"),
              std::string::npos)
        << name;
  }
  EXPECT_NE(wrong("-use_fast_math", "\"-DX=1\\n#include </etc/passwd>\"")
                .find("which a shell would replace"),
            std::string::npos);
}

TEST_F(ReadKernel, RefusesKeysOfKernelsForOtherWorkloads) {
  const auto outcome = load("schema: 1\nexperiments:\n  - {workload: sum, grid: 4}\n");
  EXPECT_NE(messages(outcome).find("unknown key 'grid'"), std::string::npos);
}

}  // namespace
}  // namespace apod::config
