#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <set>

#include "kernels/api/file/family.hpp"
#include "tests/kernels/api/temporary_folder.hpp"

namespace apod::file {
namespace {

AxisSpec axis(const std::string& name) {
  return {.name = name, .help = "", .default_value = std::int64_t{1}};
}

/// y[i] = 2 x[i] over `size` elements.
KernelSpec doubled() {
  KernelSpec spec;
  spec.axes = {axis("size"), axis("block"), axis("TILE")};
  spec.launches = {{.file = "double.cu",
                    .kernel = "twice<TILE>",
                    .grid = {"ceil(size / (block * TILE))"},
                    .block = {"block"},
                    .shared = "block * 4"}};
  spec.args = {{.name = "y", .role = Role::out, .shape = {"size"}},
               {.name = "x", .shape = {"size"}},
               {.name = "n", .type = ElementType::i32, .value = "size"}};
  spec.reference = {.kind = ReferenceSpec::Kind::formula, .outputs = {{"y", "2 * x"}}};
  spec.absolute = 1e-6;
  return spec;
}

Params point(std::int64_t size, std::int64_t block = 128, std::int64_t tile = 4) {
  Params params;
  params.set("variant", std::string("double.cu"));
  params.set("size", size);
  params.set("block", block);
  params.set("TILE", tile);
  return params;
}

std::string error_of(const KernelSpec& spec, const Params& params) {
  try {
    const auto family = std::make_shared<const KernelFamily>(spec);
    family->shapes().launches(params);
    family->shapes().layout(params);
    family->traffic(params);
  } catch (const SpecError& error) {
    return error.key() + "@" + std::to_string(error.at()) + ": " + error.what();
  }
  return "";
}

TEST(KernelFile, EvaluatesALaunch) {
  const auto family = std::make_shared<const KernelFamily>(doubled());
  const auto launch = family->shapes().launches(point(1000)).front();
  EXPECT_EQ(launch.kernel, "twice<4>");
  EXPECT_EQ(launch.grid, (Launch::Dims{2, 1, 1}));
  EXPECT_EQ(launch.block, (Launch::Dims{128, 1, 1}));
  EXPECT_EQ(launch.shared_bytes, 512u);
  EXPECT_EQ(launch.args, (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_TRUE(launch.defines.empty()) << "TILE is a template argument already";
}

TEST(KernelFile, DefinesAxesInCapitalsThatTheNameDoesNotHold) {
  auto spec = doubled();
  spec.launches[0].kernel = "twice";
  const auto family = std::make_shared<const KernelFamily>(spec);
  EXPECT_EQ(family->shapes().launches(point(1000)).front().defines,
            std::vector<std::string>{"TILE=4"});
  spec.reference = {
      .kind = ReferenceSpec::Kind::kernel,
      .launch = {.file = "double.cu", .kernel = "ref<TILE>", .grid = {"1"}, .block = {"1"}}};
  const auto other = std::make_shared<const KernelFamily>(spec);
  EXPECT_TRUE(other->shapes().launches(point(1000)).front().defines.empty())
      << "a macro would break the template in the same source";
}

TEST(KernelFile, TakesAVariantAsAFileOrAsAKernel) {
  const auto family = std::make_shared<const KernelFamily>(doubled());
  auto params = point(1000);
  params.set("variant", std::string("other.cu"));
  EXPECT_EQ(family->shapes().launches(params).front().file, "other.cu");
  EXPECT_EQ(family->shapes().launches(params).front().kernel, "twice<4>");
  params.set("variant", std::string("thrice<TILE>"));
  EXPECT_EQ(family->shapes().launches(params).front().file, "double.cu");
  EXPECT_EQ(family->shapes().launches(params).front().kernel, "thrice<4>");
  auto two = doubled();
  two.launches.push_back(two.launches.front());
  EXPECT_EQ(error_of(two, params).substr(0, 40), "variant@0: variant 'thrice<TILE>' is no ");
}

TEST(KernelFile, NamesThePartThatIsWrong) {
  EXPECT_EQ(error_of(doubled(), point(1000)), "");
  EXPECT_EQ(error_of(doubled(), point(1000, 2048)),
            "block/0@0: the block is 2048, and must be 1 to 1024");
  EXPECT_EQ(error_of(doubled(), point(1000, 0)), "grid/0@10: division of 1000 by zero");
  EXPECT_EQ(error_of(doubled(), point(0)), "grid/0@0: the grid is 0, and must be 1 to 2147483647");
  auto spec = doubled();
  spec.launches[0].grid = {"size", "size", "sise"};
  EXPECT_EQ(error_of(spec, point(1)), "grid/2@0: 'sise' is no axis; there are size, block, TILE");
  spec = doubled();
  spec.args[1].shape = {"size", "size * 2 ^ 40"};
  EXPECT_EQ(error_of(spec, point(std::int64_t{1} << 30)),
            "args/x/shape/1@5: overflow: 1073741824 * 1099511627776 does not fit 63 bits");
  EXPECT_EQ(error_of(spec, point(1024)),
            "args/x/shape/1@0: a side of 'x' is 1125899906842624, and must be 1 to 70368744177664");
  spec = doubled();
  spec.args[2].value = "size * 2^20";
  EXPECT_EQ(error_of(spec, point(1 << 12)), "args/n/value@0: 4294967296 does not fit i32");
  spec.args[2].value = "size / 3";
  EXPECT_EQ(error_of(spec, point(100)),
            "args/n/value@0: 33.3333333333 is no integer, and 'n' is i32");
  spec = doubled();
  spec.launches[0].block = {"block", "block"};
  EXPECT_EQ(error_of(spec, point(1000)),
            "block/0@0: a block of 16384 threads, and the most is 1024");
  spec = doubled();
  spec.launches[0].cluster = {"3"};
  EXPECT_EQ(error_of(spec, point(1000)),
            "cluster/0@0: the grid's 2 blocks are no multiple of the cluster's 3");
  spec = doubled();
  spec.launches[0].args = {"y", "z"};
  EXPECT_EQ(error_of(spec, point(1000)), "args@0: there is no argument 'z'");
}

TEST(KernelFile, PlacesArraysWithGuards) {
  const auto family = std::make_shared<const KernelFamily>(doubled());
  const auto layout = family->shapes().layout(point(100));
  EXPECT_EQ(layout.input_bytes, 512u);
  EXPECT_EQ(layout.args[0].in_output, 256u);
  EXPECT_EQ(layout.output_bytes, 256u + 512 + 256);
  std::int32_t n = 0;
  std::memcpy(&n, layout.args[2].scalar.data(), 4);
  EXPECT_EQ(n, 100);
  const auto traffic = family->traffic(point(100));
  EXPECT_EQ(traffic.bytes_read, 400);
  EXPECT_EQ(traffic.bytes_written, 400);
}

/// y[r][c] = w[c] x[r][c], in place, of `rows` rows.
KernelSpec scaled_rows() {
  KernelSpec spec;
  spec.axes = {axis("rows"), axis("columns")};
  for (auto& one : spec.axes) one.kind = AxisSpec::Kind::integer;
  spec.launches = {{.file = "k.cu", .kernel = "k", .grid = {"rows"}, .block = {"columns"}}};
  spec.args = {{.name = "w", .type = ElementType::f64, .shape = {"columns"}},
               {.name = "y", .role = Role::inout, .shape = {"rows", "columns"}},
               {.name = "r", .type = ElementType::i32, .value = "rows"},
               {.name = "t", .role = Role::scratch, .shape = {"ceil(rows / 7)"}}};
  spec.reference = {.kind = ReferenceSpec::Kind::formula, .outputs = {{"y", "y * w[i % columns]"}}};
  spec.relative = 1e-6;
  spec.split = "rows";
  return spec;
}

TEST(KernelFile, IsSplitAlongAnAxis) {
  const auto family = std::make_shared<const KernelFamily>(scaled_rows());
  Params params;
  params.set("rows", std::int64_t{300});
  params.set("columns", std::int64_t{5});
  const auto parts = family->shapes().parts(params, 3);
  ASSERT_EQ(parts.size(), 3u);
  for (const auto& part : parts) EXPECT_EQ(part.params.integer("rows"), 100);
  EXPECT_EQ(parts[2].first, (std::vector<std::int64_t>{0, 5 * 200, 0, 0}));
  EXPECT_EQ(parts[2].layout.args[0].count, 5) << "each part has all weights";
  EXPECT_EQ(family->shapes().launches(parts[2].params)[0].grid[0], 100u);
  params.set("rows", std::int64_t{10000});
  EXPECT_EQ(family->shapes().parts(params, 3)[0].params.integer("rows"), 52 * 64);
  params.set("rows", std::int64_t{300});

  const auto problem = family->make(params, {.kind = DataSpec::Kind::uniform});
  std::vector<std::byte> output;
  std::size_t offset = 0;
  for (std::int64_t c = 0; c < 3; ++c) {
    const auto chunk = problem->chunk(c, 3);
    const auto& part = parts[static_cast<std::size_t>(c)];
    EXPECT_EQ(chunk.output_offset, output.size());
    EXPECT_EQ(chunk.input_offset, offset);
    offset += chunk.input_bytes;
    std::vector<std::byte> input(chunk.input_bytes);
    problem->gather(chunk, input.data());
    ASSERT_EQ(chunk.in_place.size(), 1u);
    EXPECT_EQ(chunk.read_only_bytes(), 256u) << "the weights";
    std::vector<std::byte> own(chunk.output_bytes, std::byte{0xFF});
    for (std::int64_t i = 0; i < part.layout.args[1].count; ++i) {
      float y = 0;
      double w = 0;
      std::memcpy(&y, input.data() + part.layout.args[1].in_input + 4 * i, 4);
      std::memcpy(&w, input.data() + part.layout.args[0].in_input + 8 * (i % 5), 8);
      y = static_cast<float>(y * w);
      std::memcpy(own.data() + part.layout.args[1].in_output + 4 * i, &y, 4);
    }
    output.insert(output.end(), own.begin(), own.end());
  }
  ASSERT_EQ(output.size(), problem->output_bytes(3));
  EXPECT_TRUE(problem->verify(output, 3).passed) << problem->verify(output, 3).detail;
  const auto second = problem->chunk(1, 3).output_offset;
  output[second] = std::byte{0};
  EXPECT_EQ(problem->verify(output, 3).detail, "the kernel wrote out of bounds, before 'y'");
}

TEST(KernelFile, SaysWhatCanNotBeSplit) {
  const auto error = [](const auto& change, std::int64_t rows = 300) -> std::string {
    auto spec = scaled_rows();
    change(spec);
    Params params;
    params.set("rows", rows);
    params.set("columns", std::int64_t{5});
    try {
      const auto family = std::make_shared<const KernelFamily>(spec);
      family->shapes().parts(params, 4);
    } catch (const SpecError& refused) {
      return refused.key() + ": " + refused.what();
    }
    return "";
  };
  EXPECT_EQ(error([](auto&) {}), "");
  EXPECT_EQ(error([](auto&) {}, 3), "split: rows 3 can't be split over 4 streams");
  EXPECT_EQ(error([](auto& spec) { spec.split = "row"; }), "split: 'row' is no axis of integers");
  EXPECT_EQ(error([](auto& spec) { spec.launches[0].kernel = "k<rows>"; }),
            "split: 'rows' is a part of the code, which is the same for all streams");
  EXPECT_EQ(error([](auto& spec) {
              spec.args[1].shape = {"columns", "rows"};
            }),
            "args/y/shape/1: 'y' can be split along its first side alone");
  EXPECT_EQ(error([](auto& spec) { spec.args[1].shape = {"columns"}; }),
            "args/y/shape/0: 'y' does not depend on 'rows', so that each stream would write all "
            "of it");
  EXPECT_EQ(error([](auto& spec) { spec.args[1].shape = {"ceil(rows / 7)"}; }),
            "args/y/shape/0: the parts of 'y' have 44 elements together, and it has 43");
}

/// The output that a right kernel would leave.
std::vector<std::byte> answer(const Problem& problem, std::int64_t size, float factor = 2) {
  std::vector<std::byte> output(problem.output_bytes(1), std::byte{0xFF});
  for (std::int64_t i = 0; i < size; ++i) {
    float value = 0;
    std::memcpy(&value, problem.input().data() + 4 * i, 4);
    value *= factor;
    std::memcpy(output.data() + 256 + 4 * i, &value, 4);
  }
  return output;
}

TEST(KernelFile, VerifiesAgainstAFormula) {
  const auto family = std::make_shared<const KernelFamily>(doubled());
  const auto problem = family->make(point(100), {});
  auto output = answer(*problem, 100);
  EXPECT_TRUE(problem->verify(output, 1).passed) << problem->verify(output, 1).detail;
  EXPECT_FALSE(problem->verify(answer(*problem, 100, 2.1F), 1).passed);

  auto unwritten = output;
  std::memset(unwritten.data() + 256 + 4 * 99, 0xFF, 4);
  EXPECT_EQ(problem->verify(unwritten, 1).detail.substr(0, 22), "element 99 of 'y' is -");

  for (const auto& [place, said] :
       {std::pair{std::size_t{255}, "the kernel wrote out of bounds, before 'y'"},
        {std::size_t{256 + 400}, "the kernel wrote out of bounds, behind 'y'"},
        {output.size() - 1, "the kernel wrote out of bounds, behind 'y'"}}) {
    auto beyond = output;
    beyond[place] = std::byte{0};
    EXPECT_EQ(problem->verify(beyond, 1).detail, said);
  }
  output.pop_back();
  EXPECT_FALSE(problem->verify(output, 1).passed);
}

TEST(KernelFile, WantsTheNearestValueWhereNothingElseIsAllowed) {
  auto spec = doubled();
  spec.absolute = 0;
  spec.reference.outputs = {{"y", "x / 3"}};
  const auto family = std::make_shared<const KernelFamily>(spec);
  const auto problem = family->make(point(100), {});
  auto output = answer(*problem, 100, 0);
  for (std::size_t i = 0; i < 100; ++i) {
    float x = 0;
    std::memcpy(&x, problem->input().data() + 4 * i, 4);
    x /= 3;
    std::memcpy(output.data() + 256 + 4 * i, &x, 4);
  }
  EXPECT_TRUE(problem->verify(output, 1).passed) << problem->verify(output, 1).detail;
  output[256] = std::byte(std::to_integer<int>(output[256]) ^ 1);
  EXPECT_FALSE(problem->verify(output, 1).passed) << "one unit in the last place off";
}

TEST(KernelFile, MakesOtherDataForAnotherSeed) {
  const auto family = std::make_shared<const KernelFamily>(doubled());
  const auto content = [&](std::uint64_t seed) {
    const auto problem = family->make(point(100), {.seed = seed});
    return std::vector<std::byte>(problem->input().begin(), problem->input().end());
  };
  EXPECT_EQ(content(1), content(1));
  EXPECT_NE(content(1), content(2));
}

TEST(KernelFile, HasInputsOfEveryType) {
  auto spec = doubled();
  spec.reference = {};
  spec.args.clear();
  for (const auto name : EnumNames<ElementType>::names) {
    spec.args.push_back(
        {.name = "a_" + std::string(name), .type = *parse<ElementType>(name), .shape = {"size"}});
  }
  spec.args.push_back(
      {.name = "squares", .type = ElementType::i64, .shape = {"size"}, .formula = "i * i"});
  const auto family = std::make_shared<const KernelFamily>(spec);
  const auto problem = family->make(point(1000), {.kind = DataSpec::Kind::uniform});
  const auto layout = family->shapes().layout(point(1000));
  for (std::size_t a = 0; a + 1 < spec.args.size(); ++a) {
    const auto type = spec.args[a].type;
    double sum = 0;
    for (std::size_t i = 0; i < 1000; ++i) {
      const auto* at = problem->input().data() + layout.args[a].in_input + i * size_of(type);
      sum += as_double(type, read_element(type, at));
    }
    const double mean = type == ElementType::boolean || !is_whole(type) ? 0.5 : 63.5;
    EXPECT_NEAR(sum / 1000, mean, 0.1 * mean) << spec.args[a].name;
  }
  const auto* last = problem->input().data() + layout.args.back().in_input + 8 * 999;
  EXPECT_EQ(read_element(ElementType::i64, last).whole, 999 * 999);
}

TEST(KernelFile, TakesTheReferenceFromTheDevice) {
  auto spec = doubled();
  spec.reference = {.kind = ReferenceSpec::Kind::kernel,
                    .launch = {.file = "ref.cu", .kernel = "ref", .grid = {"1"}, .block = {"1"}}};
  const auto family = std::make_shared<const KernelFamily>(spec);
  const auto problem = family->make(point(100), {});
  ASSERT_TRUE(problem->wants_output());
  problem->take_output(answer(*problem, 100));
  EXPECT_FALSE(problem->wants_output());
  EXPECT_TRUE(problem->verify(answer(*problem, 100), 1).passed);
  EXPECT_FALSE(problem->verify(answer(*problem, 100, 3), 1).passed);
}

TEST(KernelFile, ComparesIntegersExactly) {
  auto spec = doubled();
  spec.args[0].type = ElementType::u64;
  spec.absolute = 0;
  spec.reference = {.kind = ReferenceSpec::Kind::kernel,
                    .launch = {.file = "ref.cu", .kernel = "ref", .grid = {"1"}, .block = {"1"}}};
  const auto family = std::make_shared<const KernelFamily>(spec);
  const auto problem = family->make(point(100), {});
  const auto with_last = [&](std::uint64_t last) {
    std::vector<std::byte> output(problem->output_bytes(1), std::byte{0xFF});
    for (std::uint64_t i = 0; i < 100; ++i) {
      const std::uint64_t value = i < 99 ? i : last;
      std::memcpy(output.data() + 256 + 8 * i, &value, 8);
    }
    return output;
  };
  const auto large = std::uint64_t{1} << 63;
  problem->take_output(with_last(large));
  EXPECT_TRUE(problem->verify(with_last(large), 1).passed);
  // As doubles the two are the same.
  EXPECT_FALSE(problem->verify(with_last(large + 500), 1).passed);
}

TEST(KernelFile, HoldsTheShapeOfAReferenceAgainstTheOutput) {
  const TemporaryFolder folder;
  folder.write("y.pgm", "P5 10 10 255\n" + std::string(100, '\2'));
  auto spec = doubled();
  spec.reference = {.kind = ReferenceSpec::Kind::array, .outputs = {{"y", folder.path("y.pgm")}}};
  const auto family = std::make_shared<const KernelFamily>(spec);
  EXPECT_EQ(family->rejects(point(100)), std::nullopt);
  EXPECT_EQ(family->rejects(point(101)),
            "reference/y: the reference of 'y' holds 100 values, and the output 101");
}

TEST(KernelFile, KeepsTheWordsOfItsFormula) {
  auto spec = doubled();
  spec.axes.push_back({.name = "mode", .kind = AxisSpec::Kind::choice, .help = ""});
  spec.reference.outputs["y"] =
      "if(mode == 'a word that is too long for a short string', 2, 3) * x";
  const auto family = std::make_shared<const KernelFamily>(spec);
  const auto problem = [&] {
    auto params = point(1000);
    params.set("mode", std::string("a word that is too long for a short string"));
    return family->make(params, {});
  }();
  EXPECT_TRUE(problem->verify(answer(*problem, 1000), 1).passed);
  EXPECT_FALSE(problem->verify(answer(*problem, 1000, 3), 1).passed);
}

TEST(KernelFile, LooksAtPartsOfALargeOutputThatNobodyForesees) {
  constexpr std::int64_t size = std::int64_t{1} << 23;
  const auto family = std::make_shared<const KernelFamily>(doubled());
  const auto problem = family->make(point(size), {});
  auto output = answer(*problem, size);
  const auto seen = [&] {
    int found = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) found += !problem->look(output, 1, seed).passed;
    return found;
  };
  EXPECT_EQ(seen(), 0);
  output[256 + size] = ~output[256 + size];
  EXPECT_FALSE(problem->verify(output, 1).passed);
  const auto one_element = seen();
  EXPECT_GT(one_element, 0) << "each place is looked at some time";
  EXPECT_LT(one_element, 20) << "and few at any time";
  std::fill(output.begin() + 256 + size, output.begin() + 256 + size + size / 64, std::byte{0});
  EXPECT_EQ(seen(), 40) << "work worth leaving out is found each time";
  output = answer(*problem, size);
  output[0] = std::byte{0};
  EXPECT_EQ(seen(), 40) << "guards are looked at whole";
}

TEST(KernelFile, KnowsOnWhichAxesItsDataDepends) {
  using Axes = std::set<std::string>;
  const auto axes_of = [](const auto& change) {
    auto spec = doubled();
    change(spec);
    return std::make_shared<const KernelFamily>(spec)->problem_axes();
  };
  EXPECT_EQ(axes_of([](auto&) {}), Axes{"size"});
  EXPECT_EQ(axes_of([](auto& spec) { spec.args[1].formula = "i % block"; }),
            (Axes{"block", "size"}));
  EXPECT_EQ(axes_of([](auto& spec) { spec.reference.outputs["y"] = "TILE * x"; }),
            (Axes{"TILE", "size"}));
  EXPECT_EQ(axes_of([](auto& spec) { spec.reference = {}; }), (Axes{"TILE", "block", "size"}))
      << "a kernel that is its own reference depends on all that it is made of";
  const auto other = [](const std::string& kernel, const std::string& grid) {
    return [=](auto& spec) {
      spec.reference = {
          .kind = ReferenceSpec::Kind::kernel,
          .launch = {.file = "double.cu", .kernel = kernel, .grid = {grid}, .block = {"1"}}};
    };
  };
  EXPECT_EQ(axes_of(other("ref", "size / block")), (Axes{"TILE", "block", "size"}))
      << "TILE may be a macro of its source";
  EXPECT_EQ(axes_of(other("ref", "1")), (Axes{"TILE", "size"}));
}

TEST(KernelFile, FindsFilesInItsFolderAlone) {
  const TemporaryFolder folder;
  folder.write("k.cu", "x");
  KernelSpec spec;
  spec.folder = folder.path(".");
  EXPECT_TRUE(std::filesystem::equivalent(path_of(spec, "k.cu"), folder.path("k.cu")));
  EXPECT_THROW(path_of(spec, "other.cu"), std::runtime_error);
  EXPECT_THROW(path_of(spec, "../k.cu"), std::runtime_error);
  EXPECT_THROW(path_of(spec, folder.path("k.cu")), std::runtime_error);
  std::filesystem::create_symlink("/etc/hostname", folder.path("link.cu"));
  EXPECT_THROW(path_of(spec, "link.cu"), std::runtime_error);
  spec.outside = true;
  EXPECT_NO_THROW(path_of(spec, folder.path("k.cu")));
}

TEST(KernelFile, RefusesFlagsThatReadOrWriteFiles) {
  for (const auto* good : {"-DN=4", "-use_fast_math", "-std=c++20", "--maxrregcount=32"}) {
    EXPECT_EQ(refused_flag(good), "") << good;
  }
  for (const auto* bad : {"-D", "-I/etc", "-include", "--time=/tmp/x", "-use_fast_mathx", "a.cu"}) {
    EXPECT_NE(refused_flag(bad), "") << bad;
  }
}

}  // namespace
}  // namespace apod::file
