#pragma once

/// \file
/// What is guessed about the kernel of a program.

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "benchmarks/cli/kernel_guess.hpp"

namespace apod::cli {

using Parameter = file::KernelSketch::Parameter;
using Sources = std::vector<std::pair<std::string, std::string>>;

inline const Parameter outputs{.text = "float*", .is_pointer = true, .type = ElementType::f32};
inline const Parameter inputs{
    .text = "float const*", .is_pointer = true, .is_const = true, .type = ElementType::f32};
inline const Parameter whole{.text = "int", .type = ElementType::i32};

inline std::string guessed(const Sources& sources, const std::vector<Parameter>& parameters,
                           const KernelWish& wish = {.file = "k.cu"}) {
  try {
    const auto program = source::read_program(sources);
    const auto kernel = choose_kernel(program, wish);
    const file::KernelSketch sketch{.name = kernel.name, .parameters = parameters};
    return experiment_text(kernel, guess(program, kernel, sketch, wish), wish);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}
inline std::string guessed(const std::string& text, const std::vector<Parameter>& parameters) {
  return guessed(Sources{{"k.cu", text}}, parameters);
}

#define EXPECT_HAS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)
#define EXPECT_LACKS(text, part) EXPECT_EQ((text).find(part), std::string::npos) << (text)

}  // namespace apod::cli
