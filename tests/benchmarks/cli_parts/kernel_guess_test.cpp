#include "benchmarks/cli/kernel_guess.hpp"

#include <gtest/gtest.h>

namespace apod::cli {
namespace {

file::KernelSketch::Parameter parameter(std::optional<ElementType> type, bool is_pointer,
                                        bool is_const, const std::string& text = "") {
  return {.text = text, .is_pointer = is_pointer, .is_const = is_const, .type = type};
}

const std::vector<file::KernelSketch> two_kernels{
    {.name = "saxpy",
     .parameters = {parameter(ElementType::f32, true, false),
                    parameter(ElementType::f32, true, true),
                    parameter(ElementType::f32, false, false),
                    parameter(ElementType::i32, false, false)}},
    {.name = "strange", .parameters = {parameter(std::nullopt, false, false, "Options")}}};

std::string why_not(const KernelWish& wish) {
  try {
    return experiment_for(two_kernels, wish);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

TEST(KernelGuess, FollowsFromTheSignature) {
  EXPECT_EQ(experiment_for(two_kernels, {.file = "k.cu", .kernel = "saxpy"}),
            R"yaml(schema: 1
name: k
experiments:
  - kernel: {file: "k.cu", name: "saxpy"}
    axes: {size: 1048576, block: 256}
    grid: "ceil(size / block)"
    block: block
    args:
      - {name: p0, type: f32, shape: size, role: inout}
      - {name: p1, type: f32, shape: size, role: in}
      - {name: p2, type: f32, value: "1"}
      - {name: p3, type: i32, value: "size"}
)yaml");
}

TEST(KernelGuess, TakesWhatIsWished) {
  const auto made = experiment_for(two_kernels, {.file = "k.cu",
                                                 .kernel = "saxpy",
                                                 .size = 100,
                                                 .block = 64,
                                                 .grid = "2",
                                                 .reference = "p2 * p1",
                                                 .args = {"0=out", "p1=[size, 3]", "2=0.5"}});
  for (const auto* part :
       {"{size: 100, block: 64}", "grid: \"2\"", "p0, type: f32, shape: size, role: out",
        "p1, type: f32, shape: [size, 3], role: in", "value: \"0.5\"", "{p0: \"p2 * p1\"}"}) {
    EXPECT_NE(made.find(part), std::string::npos) << part << "\n" << made;
  }
}

TEST(KernelGuess, HasNoAxisThatNothingNames) {
  const auto axes = [](const KernelWish& wish) {
    const auto made = experiment_for(two_kernels, wish);
    const auto begin = made.find("axes: ");
    return made.substr(begin, made.find('\n', begin) - begin);
  };
  KernelWish fixed{.file = "k.cu",
                   .kernel = "saxpy",
                   .grid = "4",
                   .args = {"0=[16]", "1=[resize]", "2=1", "3=16"}};
  EXPECT_EQ(axes(fixed), "axes: {block: 256}");
  fixed.args[3] = "3=size / 2";
  EXPECT_EQ(axes(fixed), "axes: {size: 1048576, block: 256}");
  fixed.args[3] = "3=16";
  fixed.reference = "size - i";
  EXPECT_EQ(axes(fixed), "axes: {size: 1048576, block: 256}");
  fixed.reference = "16 - i";
  EXPECT_EQ(axes(fixed), "axes: {block: 256}");
  fixed.size = 8;
  EXPECT_EQ(axes(fixed), "axes: {size: 8, block: 256}") << "the plan says that nothing names it";
}

TEST(KernelGuess, SaysWhatItCannotGuess) {
  EXPECT_EQ(why_not({.file = "k.cu"}),
            "k.cu has several kernels; --kernel names one: saxpy, strange");
  EXPECT_EQ(why_not({.file = "k.cu", .kernel = "saxpi"}),
            "there is no kernel 'saxpi' in k.cu; did you mean 'saxpy'?");
  EXPECT_EQ(why_not({.file = "k.cu", .kernel = "strange"}),
            "parameter 0 is Options, which an experiment can't give: write the file by hand");
  for (const auto* bad : {"4=out", "0", "x=1", "0=3", "2=out", "3=[size]", "=1"}) {
    EXPECT_EQ(why_not({.file = "k.cu", .kernel = "saxpy", .args = {bad}}).find("--arg "), 0u)
        << bad;
  }
  EXPECT_NE(why_not({.file = "k.cu", .kernel = "saxpy", .grid = "\""}).find("quotation mark"),
            std::string::npos);
}

}  // namespace
}  // namespace apod::cli
