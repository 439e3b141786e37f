#pragma once

#include <gtest/gtest.h>

#include "benchmarks/look/trace/step_parts.hpp"
#include "tests/benchmarks/look/trace/program.hpp"

namespace apod::trace {

/// A training: a pause without a call, a copy, kernels, and a wait for them.
struct Training : Program {
  std::int64_t pause = 4 * ms;
  bool named = true;

  void step(int number, std::int64_t first_use = 0) {
    think(pause);
    const auto body = [&] {
      copy(3 * ms, 20'000'000, MemoryKind::pageable);
      if (first_use > 0) call("cuLibraryLoadData", first_use);
      for (int i = 0; i < 5; ++i) launch("big", 2 * ms);
      wait();
      for (int i = 0; i < 20; ++i) {
        think(15 * us);
        launch("small", 2 * us);
      }
      wait();
    };
    named ? range("step " + std::to_string(number), body) : body();
  }
  Steps steps(const std::string& wanted = "") const {
    return steps_of(done(), 0, {{1, "python3"}}, wanted);
  }
};

inline void expect_whole(const Steps& steps) {
  for (const auto& step : steps.steady) {
    EXPECT_NEAR(step.parts.total_s(), static_cast<double>(step.end_ns - step.start_ns) * 1e-9, 1e-9)
        << step.name;
  }
}

}  // namespace apod::trace
