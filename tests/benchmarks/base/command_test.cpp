#include "benchmarks/base/command.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace apod {
namespace {

using Names = std::vector<std::string>;

TEST(Command, TextsNameAxes) {
  EXPECT_EQ(names_in("--n={size} {{x}} {mode}"), (Names{"size", "mode"}));
  EXPECT_EQ(names_in("plain"), Names{});
  for (const char* bad : {"{", "}", "a{b", "{}", "x}y"}) {
    EXPECT_EQ(names_in(bad), std::nullopt) << bad;
  }
}

TEST(Command, TextsAreFilledInWithValuesAndTheFolder) {
  Params params;
  params.set("size", std::int64_t{64});
  params.set("mode", std::string("{size}"));
  EXPECT_EQ(filled_in("--n={size}", params, "/s"), "--n=64");
  EXPECT_EQ(filled_in("{{size}} {mode} {scratch}/f", params, "/s"), "{size} {size} /s/f")
      << "a value is not filled in again";
  EXPECT_THROW(filled_in("{other}", params, "/s"), std::runtime_error);
  EXPECT_THROW(filled_in("{", params, "/s"), std::runtime_error);
}

}  // namespace
}  // namespace apod
