/// Squared differences of neighbouring arrays against their definition, and wrong ones that must
/// not pass.

#include "tests/kernels/problems.hpp"

namespace apod::test {
namespace {

std::unique_ptr<Problem> squares_of(DataSpec::Kind kind, std::int64_t size, std::int64_t arrays) {
  return make("elementwise", kind, {{"size", size}, {"arrays", arrays}});
}

std::unique_ptr<Problem> problem_from(const std::string& greys, int size, int arrays) {
  const auto count = 1 + std::count(greys.begin(), greys.end(), ' ');
  return make_of_greys("elementwise", {1, count}, greys, {{"size", size}, {"arrays", arrays}});
}

/// The tutorial's expression in fp32.
std::vector<float> right(const Problem& problem, std::size_t size) {
  const auto values = input_of(problem);
  std::vector<float> squares;
  for (std::size_t i = 0; i + size < values.size(); ++i) {
    const float difference = values[i] - values[i + size];
    squares.push_back(difference * difference);
  }
  return squares;
}

TEST(Elementwise, SquaresTheDifferencesOfNeighbours) {
  // Three arrays of two elements: (0, 1), (1, 0.2), (0.2, 0.2).
  const auto problem = problem_from("0 255 255 51 51 51", 2, 3);
  expect_right(*problem, {1, 0.64F, 0.64F, 0});
  expect_wrong(*problem, {1, 0.64F, 0, 0.64F}, "in another order", "pair 1");
}

TEST(Elementwise, WrongResultsFail) {
  constexpr std::size_t size = 101;
  for (const auto kind : {DataSpec::Kind::uniform, DataSpec::Kind::normal}) {
    const auto problem = squares_of(kind, size, 7);
    const auto squares = right(*problem, size);
    expect_right(*problem, squares);
    auto wrong = squares;
    wrong[300] *= 1 + 1e-6F;
    expect_wrong(*problem, wrong, "an element is off by a few units in its last place");
    wrong = squares;
    wrong.back() = nan;
    expect_wrong(*problem, wrong, "an element was not written");
    wrong = squares;
    std::rotate(wrong.begin(), wrong.begin() + 1, wrong.end());
    expect_wrong(*problem, wrong, "shifted by one element");
    wrong = squares;
    std::rotate(wrong.begin(), wrong.begin() + size, wrong.end());
    expect_wrong(*problem, wrong, "shifted by one pair");
    wrong = squares;
    wrong.pop_back();
    expect_wrong(*problem, wrong, "too few");
  }
}

TEST(Elementwise, EqualArraysGiveZerosAndNothingElse) {
  const auto problem = squares_of(DataSpec::Kind::ones, 10, 3);
  std::vector<float> squares(20, 0.0F);
  expect_right(*problem, squares);
  squares[3] = 1e-30F;
  expect_wrong(*problem, squares, "nearly zero");
}

TEST(Elementwise, ScratchIsTheArenas) {
  const auto variant = Registry::instance().variant("elementwise", "host")->make();
  const auto problem = squares_of(DataSpec::Kind::ones, 65, 3);
  auto params = params_of(family("elementwise"), {{"size", std::int64_t{65}}});
  EXPECT_EQ(scratch_of(*variant, *problem, params, problem->chunk(0, 1)), 2U * 128 * 4);
  for (const char* allocator : {"malloc", "pool"}) {
    params.set("allocator", allocator);
    EXPECT_EQ(scratch_of(*variant, *problem, params, problem->chunk(0, 1)), 0U) << allocator;
  }
}

TEST(Elementwise, AllocatorsAreForVariantsWithTemporaries) {
  for (const auto* entry : Registry::instance().variants("elementwise")) {
    if (!entry->make) continue;
    const bool has_some = entry->name == "host" || entry->name == "unfused";
    for (const std::string allocator : {"malloc", "pool", "arena"}) {
      const bool allowed = has_some || allocator == "arena";
      const auto why =
          entry->make()->rejects(params_of(family("elementwise"), {{"allocator", allocator}}));
      EXPECT_EQ(why.has_value(), !allowed) << entry->name << " " << allocator;
    }
  }
}

TEST(Elementwise, AFileMustHoldEveryArray) {
  EXPECT_NO_THROW(problem_from("1 2 3 4 5 6", 3, 2));
  EXPECT_THROW(problem_from("1 2 3 4 5", 3, 2), std::runtime_error);
}

}  // namespace
}  // namespace apod::test
