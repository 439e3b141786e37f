/// Squared differences of neighbouring arrays against their definition, and wrong ones that must
/// not pass.

#include "tests/kernels/api/temporary_folder.hpp"
#include "tests/kernels/problems.hpp"

namespace apod::test {
namespace {

std::unique_ptr<Problem> squares_of(DataSpec::Kind kind, std::int64_t size, std::int64_t arrays) {
  return make("elementwise", kind, {{"size", size}, {"arrays", arrays}});
}

/// The arrays of a .pgm file with these values of 0 to 255, which are read as values / 255.
std::unique_ptr<Problem> problem_from(const std::string& pixels, std::int64_t size,
                                      std::int64_t arrays) {
  const TemporaryFolder folder;
  const auto path = folder.write(
      "arrays.pgm", "P2 " + std::to_string(size * arrays) + " 1 255\n" + pixels + "\n");
  auto params = default_params(family("elementwise"));
  params.set("size", size);
  params.set("arrays", arrays);
  return family("elementwise").make(params, {.kind = DataSpec::Kind::file, .file = path});
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

std::optional<std::string> reason(std::vector<std::pair<std::string, AxisValue>> values) {
  auto params = default_params(family("elementwise"));
  for (auto& [axis, value] : values) params.set(axis, value);
  return family("elementwise").rejects(params);
}

TEST(Elementwise, SquaresTheDifferencesOfNeighbours) {
  // Three arrays of two elements: (0, 1), (1, 0.2), (0.2, 0.2).
  const auto problem = problem_from("0 255 255 51 51 51", 2, 3);
  const auto check = problem->verify(bytes_of<float>({1, 0.64F, 0.64F, 0}), 1);
  EXPECT_TRUE(check.passed) << check.detail;
  const auto other = problem->verify(bytes_of<float>({1, 0.64F, 0, 0.64F}), 1);
  EXPECT_FALSE(other.passed);
  EXPECT_NE(other.detail.find("pair 1"), std::string::npos) << other.detail;
}

TEST(Elementwise, WrongResultsFail) {
  constexpr std::size_t size = 101;
  for (const auto kind : {DataSpec::Kind::uniform, DataSpec::Kind::normal}) {
    const auto problem = squares_of(kind, size, 7);
    const auto squares = right(*problem, size);
    ASSERT_TRUE(problem->verify(bytes_of(squares), 1).passed);
    const auto fails = [&](std::vector<float> wrong, const char* why) {
      const auto check = problem->verify(bytes_of(wrong), 1);
      EXPECT_FALSE(check.passed) << why;
      EXPECT_FALSE(check.detail.empty()) << why;
    };
    auto wrong = squares;
    wrong[300] *= 1 + 1e-6F;
    fails(wrong, "an element is off by a few units in its last place");
    wrong = squares;
    wrong.back() = nan;
    fails(wrong, "an element was not written");
    wrong = squares;
    std::rotate(wrong.begin(), wrong.begin() + 1, wrong.end());
    fails(wrong, "shifted by one element");
    wrong = squares;
    std::rotate(wrong.begin(), wrong.begin() + size, wrong.end());
    fails(wrong, "shifted by one pair");
    wrong = squares;
    wrong.pop_back();
    fails(wrong, "too few");
  }
}

TEST(Elementwise, EqualArraysGiveZerosAndNothingElse) {
  const auto problem = squares_of(DataSpec::Kind::ones, 10, 3);
  std::vector<float> squares(20, 0.0F);
  EXPECT_TRUE(problem->verify(bytes_of(squares), 1).passed);
  squares[3] = 1e-30F;
  EXPECT_FALSE(problem->verify(bytes_of(squares), 1).passed);
}

TEST(Elementwise, ChunksShareAnArray) {
  const auto problem = squares_of(DataSpec::Kind::ones, 10, 8);  // 7 pairs
  const auto middle = problem->chunk(1, 3);
  EXPECT_EQ(middle.begin, 2);
  EXPECT_EQ(middle.end, 4);
  EXPECT_EQ(middle.input_begin, 2);
  EXPECT_EQ(middle.input_end, 5);
  EXPECT_EQ(middle.input_offset, 2U * 40);
  EXPECT_EQ(middle.input_bytes, 3U * 40);
  EXPECT_EQ(middle.output_offset, 2U * 40);
  EXPECT_EQ(middle.output_bytes, 2U * 40);
  const auto whole = problem->chunk(0, 1);
  EXPECT_EQ(whole.input_bytes, problem->input().size());
  EXPECT_EQ(whole.output_bytes, problem->output_bytes(1));
}

TEST(Elementwise, ChunksBeyondThePairsAreEmpty) {
  const auto problem = squares_of(DataSpec::Kind::ones, 10, 3);
  int used = 0;
  for (std::int64_t i = 0; i < 8; ++i) {
    const auto chunk = problem->chunk(i, 8);
    if (chunk.begin < chunk.end) {
      ++used;
      EXPECT_EQ(chunk.input_bytes, 80U);
    } else {
      EXPECT_EQ(chunk.input_bytes, 0U) << "an empty chunk reads nothing";
      EXPECT_EQ(chunk.output_bytes, 0U);
    }
  }
  EXPECT_EQ(used, 2);
}

TEST(Elementwise, TrafficIsEachArrayReadOnceAndEachSquareWrittenOnce) {
  const auto work =
      traffic("elementwise", {{"size", std::int64_t{10}}, {"arrays", std::int64_t{5}}});
  EXPECT_EQ(work.bytes_read, 5 * 10 * 4);
  EXPECT_EQ(work.bytes_written, 4 * 10 * 4);
  EXPECT_EQ(work.flops_fp32, 4 * 10 * 2);
  EXPECT_EQ(work.flops_fp64, 0);
}

TEST(Elementwise, FootprintCountsSharedArraysAndTemporaries) {
  auto params = default_params(family("elementwise"));
  params.set("size", std::int64_t{65});  // a temporary takes whole multiples of 64
  params.set("arrays", std::int64_t{5});
  const auto whole = family("elementwise").footprint(params);
  EXPECT_EQ(whole.input_bytes, 5U * 65 * 4);
  EXPECT_EQ(whole.output_bytes, 4U * 65 * 4);
  EXPECT_EQ(whole.scratch_bytes, 2U * 128 * 4);
  params.set("streams", std::int64_t{3});
  EXPECT_EQ(family("elementwise").footprint(params).input_bytes, 7U * 65 * 4);
  EXPECT_EQ(family("elementwise").footprint(params).scratch_bytes, 3U * 2 * 128 * 4);
  params.set("streams", std::int64_t{100});  // no more than there are pairs
  EXPECT_EQ(family("elementwise").footprint(params).input_bytes, 8U * 65 * 4);
}

TEST(Elementwise, ScratchIsTheArenas) {
  const auto variant = Registry::instance().variant("elementwise", "host")->make();
  const auto problem = squares_of(DataSpec::Kind::ones, 65, 3);
  auto params = default_params(family("elementwise"));
  EXPECT_EQ(variant->scratch_bytes(*problem, params, problem->chunk(0, 1)), 2U * 128 * 4);
  EXPECT_EQ(variant->scratch_bytes(*problem, params, problem->chunk(0, 8)), 0U) << "empty";
  for (const char* allocator : {"malloc", "pool"}) {
    params.set("allocator", std::string(allocator));
    EXPECT_EQ(variant->scratch_bytes(*problem, params, problem->chunk(0, 1)), 0U) << allocator;
  }
}

TEST(Elementwise, RejectsWhatMakesNoPair) {
  EXPECT_EQ(reason({}), std::nullopt);
  EXPECT_EQ(reason({{"size", std::int64_t{1}}, {"arrays", std::int64_t{2}}}), std::nullopt);
  const auto single = reason({{"arrays", std::int64_t{1}}});
  ASSERT_TRUE(single.has_value());
  EXPECT_NE(single->find("arrays 1 "), std::string::npos) << *single;
  EXPECT_TRUE(reason({{"arrays", std::int64_t{0}}}).has_value());
  EXPECT_TRUE(reason({{"size", std::int64_t{0}}}).has_value());
  EXPECT_THROW(squares_of(DataSpec::Kind::ones, 4, 1), std::runtime_error);
}

TEST(Elementwise, AllocatorsAreForVariantsWithTemporaries) {
  for (const auto* entry : Registry::instance().variants("elementwise")) {
    const bool has_some = entry->name == "host" || entry->name == "unfused";
    for (const char* allocator : {"malloc", "pool", "arena"}) {
      const bool allowed = has_some || allocator == std::string("arena");
      const auto why = reason({{"variant", entry->name}, {"allocator", std::string(allocator)}});
      EXPECT_EQ(why.has_value(), !allowed) << entry->name << " " << allocator;
      EXPECT_TRUE(allowed || why->find(entry->name) != std::string::npos) << *why;
    }
  }
}

TEST(Elementwise, AFileMustHoldEveryArray) {
  EXPECT_NO_THROW(problem_from("1 2 3 4 5 6", 3, 2));
  const TemporaryFolder folder;
  auto params = default_params(family("elementwise"));
  params.set("size", std::int64_t{3});
  params.set("arrays", std::int64_t{2});
  const DataSpec few{.kind = DataSpec::Kind::file,
                     .file = folder.write("few.pgm", "P2 5 1 255\n1 2 3 4 5\n")};
  EXPECT_THROW(family("elementwise").make(params, few), std::runtime_error);
}

}  // namespace
}  // namespace apod::test
