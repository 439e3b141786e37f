#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

#include "kernels/files/kernel_family.hpp"
#include "tests/kernels/api/kernel_spec.hpp"
#include "tests/kernels/api/temporary_folder.hpp"

namespace apod::file {
namespace {

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
  EXPECT_EQ(error_of(two, params).substr(0, 40), "variant@0: variant 'thrice<TILE>' is not");
}

TEST(KernelFile, NamesThePartThatIsWrong) {
  EXPECT_EQ(error_of(doubled(), point(1000)), "");
  EXPECT_EQ(error_of(doubled(), point(1000, 2048)),
            "block/0@0: the block is 2048, but must be 1 to 1024");
  EXPECT_EQ(error_of(doubled(), point(1000, 0)), "grid/0@10: division of 1000 by zero");
  EXPECT_EQ(error_of(doubled(), point(0)), "grid/0@0: the grid is 0, but must be 1 to 2147483647");
  auto spec = doubled();
  spec.launches[0].grid = {"size", "size", "sise"};
  EXPECT_EQ(error_of(spec, point(1)),
            "grid/2@0: 'sise' is not an axis; the axes are size, block, TILE");
  spec = doubled();
  spec.args[1].shape = {"size", "size * 2 ^ 40"};
  EXPECT_EQ(error_of(spec, point(std::int64_t{1} << 30)),
            "args/x/shape/1@5: overflow: 1073741824 * 1099511627776 needs more than 63 bits");
  EXPECT_EQ(
      error_of(spec, point(1024)),
      "args/x/shape/1@0: a dimension of 'x' is 1125899906842624, but must be 1 to 70368744177664");
  spec = doubled();
  spec.args[2].value = "size * 2^20";
  EXPECT_EQ(error_of(spec, point(1 << 12)), "args/n/value@0: 4294967296 does not fit i32");
  spec.args[2].value = "size / 3";
  EXPECT_EQ(error_of(spec, point(100)),
            "args/n/value@0: 33.3333333333 is not an integer, but 'n' is i32");
  spec = doubled();
  spec.launches[0].block = {"block", "block"};
  EXPECT_EQ(error_of(spec, point(1000)),
            "block/0@0: a block of 16384 threads, but the limit is 1024");
  spec = doubled();
  spec.launches[0].cluster = {"3"};
  EXPECT_EQ(error_of(spec, point(1000)),
            "cluster/0@0: the grid's 2 blocks are not a multiple of the cluster's 3");
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
  EXPECT_EQ(error([](auto& spec) { spec.split = "row"; }),
            "split: 'row' is not an axis of integers");
  EXPECT_EQ(error([](auto& spec) { spec.launches[0].kernel = "k<rows>"; }),
            "split: 'rows' is a constant of the code, but all streams use the same code");
  EXPECT_EQ(error([](auto& spec) {
              spec.args[1].shape = {"columns", "rows"};
            }),
            "args/y/shape/1: 'y' can only be split along its first dimension");
  EXPECT_EQ(
      error([](auto& spec) { spec.args[1].shape = {"columns"}; }),
      "args/y/shape/0: 'y' does not depend on 'rows', so each stream would write the whole array");
  EXPECT_EQ(error([](auto& spec) { spec.args[1].shape = {"ceil(rows / 7)"}; }),
            "args/y/shape/0: the parts of 'y' have 44 elements together, but the array has 43");
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

TEST(KernelFile, TakesNothingForCodeThatIsMoreThanAnExpression) {
  for (const auto* good :
       {"conv", "ns::conv<4, float, (8 > 4)>", "128", "unsigned long", "-1", "x[2] % 3"}) {
    EXPECT_EQ(refused_code(good), "") << good;
  }
  for (const auto* bad : {"a\n#include \"/etc/passwd\"", "a;", "{}", "a)", ")(", "(", "a\\",
                          "\"a\"", "'a'", "#a", "a//", "a/*b*/", "a\r", "\t"}) {
    EXPECT_NE(refused_code(bad), "") << bad;
  }
  for (const auto* good : {"a", "_", "A1_b"}) EXPECT_TRUE(is_identifier(good)) << good;
  for (const auto* bad : {"", "1a", "a b", "a\n", "a-b", "\u00e4"})
    EXPECT_FALSE(is_identifier(bad)) << bad;
}

TEST(KernelFile, AWordOfAnAxisIsNoLineOfTheSource) {
  const std::string line = "1>\n#include \"/etc/passwd\"\n<";
  for (const auto* axis : {"TILE", "variant"}) {
    auto params = point(1000);
    params.set(axis, line);
    EXPECT_NE(error_of(doubled(), params).find("is not a C++ expression or type"),
              std::string::npos)
        << axis;
    auto spec = doubled();
    spec.launches[0].kernel = "twice";  // TILE is a macro now
    EXPECT_NE(error_of(spec, params).find("is not a C++ expression or type"), std::string::npos)
        << axis;
  }
}

TEST(KernelFile, RefusesAScalarThatItsTypeDoesNotHold) {
  for (const auto& [type, value, good] : {std::tuple{ElementType::f16, "65504", true},
                                          {ElementType::f16, "70000", false},
                                          {ElementType::f16, "70000.0", false},
                                          {ElementType::f32, "exp(1000)", false},
                                          {ElementType::bf16, "exp(85)", true},
                                          {ElementType::f32, "1e39", false},
                                          {ElementType::f64, "sqrt(-1)", false},
                                          {ElementType::c64, "2.5", true}}) {
    auto spec = doubled();
    spec.args[2].type = type;
    spec.args[2].value = value;
    EXPECT_EQ(error_of(spec, point(1000)).empty(), good) << value;
  }
}

TEST(KernelFile, RefusesFlagsThatReadOrWriteFiles) {
  for (const auto* good :
       {"-DN=4", "-use_fast_math", "-std=c++20", "--maxrregcount=32", "-Iinclude"}) {
    EXPECT_EQ(refused_flag(good), "") << good;
  }
  for (const auto* bad :
       {"-D", "-I", "-include", "-Xcompiler=-fplugin=x", "--time=/tmp/x", "-use_fast_mathx", "a.cu",
        "-DX=$(touch x)", "-DX=`touch x`", "-UX\\", "-Ia\nb"}) {
    EXPECT_NE(refused_flag(bad), "") << bad;
  }
}

TEST(KernelLoops, LaunchForEachValue) {
  auto spec = doubled();
  spec.launches[0].loops = {{.name = "k", .begin = "2", .end = "8", .by = "*", .step = "2"},
                            {.name = "j", .begin = "k / 2", .end = "1", .by = "/", .step = "2"}};
  spec.args[2].value = "10 * k + j";
  const Shapes shapes(spec);
  const auto launches = shapes.launches(point(1000));
  std::vector<std::int64_t> given;
  for (const auto& one : launches) {
    given.push_back(read_element(ElementType::i32, one.scalars.at(2).data()).whole);
  }
  EXPECT_EQ(given, (std::vector<std::int64_t>{21, 42, 41, 84, 82, 81}));
  spec.launches[0].loops = {{.name = "k", .begin = "0", .end = "100000"}};
  spec.args[2].value = "k";
  EXPECT_THROW(Shapes(spec).launches(point(1000)), SpecError);
}

}  // namespace
}  // namespace apod::file
