#pragma once

/// \file
/// Short ways to make problems and outputs in tests, and to say what is expected of them.

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/api/registry.hpp"
#include "tests/kernels/execute.hpp"

namespace apod::test {

inline const Family& family(std::string_view name) {
  const auto* found = Registry::instance().family(name);
  if (found == nullptr) throw std::runtime_error("no family " + std::string(name));
  return *found;
}

inline std::unique_ptr<Problem> make(std::string_view name, DataSpec::Kind kind,
                                     const Point& point) {
  return family(name).make(params_of(family(name), point), {.kind = kind});
}

/// A problem with the data of a .pgm file: so many rows and columns of greys, 0 to 255, each of
/// which is read as its 255th part.
inline std::unique_ptr<Problem> make_of_greys(std::string_view name, Shape shape,
                                              const std::string& greys, const Point& point) {
  const TemporaryFolder folder;
  const auto file = folder.write("greys.pgm", "P2 " + std::to_string(shape.cols) + " " +
                                                  std::to_string(shape.rows) + " 255\n" + greys);
  return family(name).make(params_of(family(name), point),
                           {.kind = DataSpec::Kind::file, .file = file});
}

inline Traffic traffic(std::string_view name, const Point& point) {
  return family(name).traffic(params_of(family(name), point));
}

/// "reads 4000 B, writes 4 B, 1000 fp32"; operations of which there are none are left out.
inline std::string text_of(const Traffic& work) {
  const auto count = [](double number) { return std::to_string(std::llround(number)); };
  auto text = "reads " + count(work.bytes_read) + " B, writes " + count(work.bytes_written) + " B";
  for (const auto& [flops, type] :
       {std::pair{work.flops_fp32, " fp32"}, std::pair{work.flops_fp64, " fp64"},
        std::pair{work.flops_tensor, " tensor"}, std::pair{work.flops_tf32, " tf32"},
        std::pair{work.flops_bf16, " bf16"}}) {
    if (flops != 0) text += ", " + count(flops) + type;
  }
  return text;
}

/// "25 to 50 of 19 to 56, in 760 + 1480 B, out 1000 + 1000 B": the units that it computes, those
/// that it reads, and where both lie.
inline std::string text_of(const Chunk& chunk) {
  const auto range = [](auto begin, const char* word, auto end) {
    return std::to_string(begin) + word + std::to_string(end);
  };
  return range(chunk.begin, " to ", chunk.end) + " of " +
         range(chunk.input_begin, " to ", chunk.input_end) + ", in " +
         range(chunk.input_offset, " + ", chunk.input_bytes) + " B, out " +
         range(chunk.output_offset, " + ", chunk.output_bytes) + " B";
}

template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

inline std::vector<float> floats_of(std::span<const std::byte> bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}
inline std::vector<float> input_of(const Problem& problem) {
  return floats_of(problem.input());
}

inline void expect_right(const Problem& problem, const std::vector<float>& result) {
  const auto check = problem.verify(bytes_of(result), 1);
  EXPECT_TRUE(check.passed) << check.detail;
}
inline void expect_wrong(const Problem& problem, const std::vector<float>& result,
                         const std::string& why, const std::string& detail = "") {
  const auto check = problem.verify(bytes_of(result), 1);
  EXPECT_FALSE(check.passed) << why;
  EXPECT_FALSE(check.detail.empty()) << why;
  EXPECT_NE(check.detail.find(detail), std::string::npos) << why << ": " << check.detail;
}

inline constexpr float nan = std::numeric_limits<float>::quiet_NaN();

}  // namespace apod::test
