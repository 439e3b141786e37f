#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "kernels/data/data.hpp"
#include "tests/kernels/api/temporary_folder.hpp"

namespace apod {
namespace {

using namespace std::string_literals;

/// `value` in `bytes` bytes, the least significant first.
std::string little_endian(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xff);
  return text;
}

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// A .npy file of any header.
std::string npy(const std::string& header, const std::string& data, char major = 1) {
  return "\x93NUMPY"s + major + '\0' + little_endian(header.size(), major == 1 ? 2 : 4) + header +
         data;
}
std::string header(const std::string& descr, const std::string& shape,
                   const std::string& fortran_order = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + fortran_order + ", 'shape': " + shape +
         ", }          \n";
}
std::string floats(const std::string& shape, const std::vector<float>& values) {
  return npy(header("<f4", shape), bytes_of(values));
}

class ArrayFile : public ::testing::Test {
 protected:
  LoadedArray load(const std::string& content) {
    const auto path = folder_.write("a", content);
    auto array = load_array(path);
    EXPECT_EQ(array_shape(path), array.shape);
    return array;
  }
  /// What loading `content` throws.
  std::string error(const std::string& content) {
    const auto path = folder_.write("a", content);
    const auto text = error_of([&] { load_array(path); });
    EXPECT_EQ(text.find(path + ": "), 0u) << "the file is not named: '" << text << "'";
    // Some mistakes are in the values, which are not read for the shape alone.
    const auto of_shape = error_of([&] { array_shape(path); });
    EXPECT_TRUE(of_shape.empty() || of_shape == text) << of_shape << '\n' << text;
    return text;
  }
  void expect_error(const std::string& content, const std::string& part) {
    const auto text = error(content);
    EXPECT_NE(text.find(part), std::string::npos) << "'" << text << "' lacks '" << part << "'";
  }
  void expect_array(const std::string& content, Shape shape, const Floats& values) {
    const auto array = load(content);
    EXPECT_EQ(array.shape, shape) << content;
    EXPECT_EQ(array.values, values) << content;
  }

  const TemporaryFolder folder_;
};

TEST_F(ArrayFile, NpyOfEveryKind) {
  expect_array(floats("(3,)", {1.5f, -2, 0}), {1, 3}, {1.5f, -2, 0});
  expect_array(npy(header("<f8", "(2, 3)"), bytes_of<double>({1, 2, 3, 4, 5, 0.1})), {2, 3},
               {1, 2, 3, 4, 5, 0.1f});
  // Version 2, and the keys in another order.
  expect_array(npy("{\"shape\":(1,2),\"descr\":\"<f4\",\"fortran_order\":False}",
                   bytes_of<float>({1, 2}), 2),
               {1, 2}, {1, 2});
}

TEST_F(ArrayFile, NpyOfSeveralBlocks) {
  std::vector<double> values;
  for (int i = 0; i < 150'000; ++i) values.push_back(i);
  const auto array = load(npy(header("<f8", "(150000,)"), bytes_of(values)));
  ASSERT_EQ(array.values.size(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(array.values[i], values[i]) << i;
}

TEST_F(ArrayFile, NpyOfAnotherKind) {
  const std::string eight(8, '\0');
  expect_error(npy(header(">f4", "(2,)"), eight), "big-endian");
  expect_error(npy(header("<i4", "(2,)"), eight), "'<i4' values; float32");
  expect_error(npy(header("<f2", "(4,)"), eight), "'<f2' values; float32");
  expect_error(npy(header("<f4", "()"), eight.substr(4)), "scalar");
  expect_error(npy(header("<f4", "(1, 1, 2)"), eight), "3 dimensions");
  expect_error(npy(header("<f4", "(1, 2)", "True"), eight), "Fortran order");
  expect_error(npy(header("<f4", "(0,)"), ""), "empty");
  expect_error(npy(header("<f4", "(0, 9223372036854775807)"), ""), "empty");
  expect_error(npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,), }", eight),
               "records");
  expect_error(npy(header("<f4", "(2,)"), eight, 3), "version 3");
}

TEST_F(ArrayFile, NpyOfAnotherLength) {
  expect_error(floats("(3,)", {1, 2}), "truncated: its shape is 1x3, but it has only 2 values");
  expect_error(floats("(1,)", {1, 2}), "has 4 more bytes than its shape, 1x1, needs");
  expect_error(floats("(2,)", {1, 2}) + "x", "has 1 more byte");
  expect_error(npy(header("<f8", "(1,)"), bytes_of<float>({1})), "truncated");
}

TEST_F(ArrayFile, ShapesAreReadWithoutTheValues) {
  // A sparse file of 16 GiB; its values would not fit the memory of most machines.
  const auto path = folder_.write("a", floats("(4294967296,)", {}));
  std::filesystem::resize_file(path, std::filesystem::file_size(path) + (std::uint64_t{16} << 30));
  EXPECT_EQ(array_shape(path), (Shape{1, std::int64_t{1} << 32}));
  const auto image = folder_.write("b", "P5\n#" + std::string(5000, 'x') + "\n65536 65536\n255\n");
  std::filesystem::resize_file(image, std::filesystem::file_size(image) + (std::uint64_t{4} << 30));
  EXPECT_EQ(array_shape(image), (Shape{65536, 65536}));
  std::filesystem::resize_file(image, std::filesystem::file_size(image) - 1);
  EXPECT_NE(error_of([&] { array_shape(image); }).find("is truncated"), std::string::npos);
}

TEST_F(ArrayFile, ShapesOfHugeHeadersAreRefused) {
  expect_error(npy(header("<f4", "(1,)") + std::string(2 << 20, ' '), bytes_of<float>({1}), 2),
               "has a .npy header of");
}

TEST(TooSmall, CountsValuesOrHoldsBothSides) {
  EXPECT_FALSE(too_small(Shape{3, 4}, std::int64_t{12}));
  EXPECT_EQ(too_small(Shape{3, 4}, std::int64_t{13}), "holds 12 values; the problem needs 13");
  EXPECT_FALSE(too_small(Shape{3, 4}, Shape{3, 4}));
  EXPECT_FALSE(too_small(Shape{3, 4}, Shape{1, 1}));
  EXPECT_EQ(too_small(Shape{3, 4}, Shape{4, 3}),
            "is 3x4 (rows x columns), but the problem needs 4x3");
  EXPECT_TRUE(too_small(Shape{3, 4}, Shape{3, 5}));
}

TEST_F(ArrayFile, NpyValuesThatAreNotFinite) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  expect_error(floats("(3,)", {1, std::numeric_limits<float>::quiet_NaN(), 2}), "value 1 is nan");
  expect_error(floats("(2,)", {1, -infinity}), "value 1 is -inf");
  expect_error(npy(header("<f8", "(1,)"), bytes_of<double>({1e39})), "finite in fp32");
  constexpr float largest = std::numeric_limits<float>::max();
  EXPECT_EQ(load(npy(header("<f8", "(1,)"), bytes_of<double>({largest}))).values.front(), largest);
}

// None of these may allocate what they claim: 2^62 values, or a header of 4 GiB.
TEST_F(ArrayFile, NpyOfHugeClaims) {
  expect_error(floats("(4611686018427387904,)", {1}), "truncated");
  expect_error(floats("(4294967296, 4294967296)", {1}), "truncated");
  expect_error(floats("(9223372036854775807, 9223372036854775807)", {1}), "truncated");
  expect_error(floats("(4611686018427387905, 4)", {1}), "truncated");
  expect_error(floats("(99999999999999999999,)", {1}), "63 bits");
  expect_error("\x93NUMPY\x02\0\xff\xff\xff\xff{"s, "truncated");
  expect_error("\x93NUMPY\x01\0\xff\xff{"s, "truncated");
}

TEST_F(ArrayFile, NpyHeadersThatAreNone) {
  const std::string four(4, '\0');
  for (const char* text :
       {"", "{", "}", "{'descr'}", "{'descr': <f4}", "{'descr': '<f4}", "{'descr': ''}",
        "{'descr': '<f4' 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': 1}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1.0,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1 1)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x"}) {
    expect_error(npy(text, four), "header that can't be read");
  }
  expect_error(npy("{'descr': '<f4', 'shape': (1,)}", four), "without");
  expect_error(npy("{}", four), "without");
  expect_error(npy("{'descr': '<f4', 'size': 1}", four), "unexpected key 'size'");
  expect_error(npy("{'shape': (1,), 'shape': (1,)}", four), "unexpected key 'shape'");
}

TEST_F(ArrayFile, PgmOfEveryKind) {
  for (const auto& content :
       {"P2\n3 2\n4\n0 1 2\n3 4 0\n"s, "P5\n3 2\n4\n\0\1\2\3\4\0"s, "P5 3 2 4 \0\1\2\3\4\0"s,
        "P2 3 2 4 0 1 2 3 4 0"s,
        "P2 # a comment\n#3 3\n3 # columns\n2#rows\n4\n0 1 2 #3 grey\n3 4 0\n#end"s}) {
    expect_array(content, {2, 3}, {0, 0.25f, 0.5f, 0.75f, 1, 0});
  }
}

TEST_F(ArrayFile, PgmOf16BitsIsBigEndian) {
  for (const auto& content : {"P5 2 1 65535\n\x01\x02\xff\xff"s, "P2 2 1 65535 258 65535"s}) {
    expect_array(content, {1, 2}, {258.0f / 65535.0f, 1});
  }
  expect_array("P5 1 1 256 \x01\x00"s, {1, 1}, {1});  // two bytes from 256 on
  expect_array("P5 1 1 255 \xff"s, {1, 1}, {1});
}

// The raster starts after one space; a byte of it may look like one, or like a comment.
TEST_F(ArrayFile, PgmRastersMayHoldAnyByte) {
  expect_array("P5 3 1 255\n\n# "s, {1, 3}, {10.0f / 255.0f, 35.0f / 255.0f, 32.0f / 255.0f});
}

TEST_F(ArrayFile, PgmThatIsWrong) {
  expect_error("P2", "ends before its width");
  expect_error("P2 3", "ends before its height");
  expect_error("P2 3 2 # 4", "ends before its largest grey");
  expect_error("P2 three 2 4", "no number for its width");
  expect_error("P2 -3 2 4", "no number for its width");
  expect_error("P2 3x2 4", "no number for its width");
  expect_error("P2 99999999999999999999 2 4", "no number for its width");
  expect_error("P2 0 2 4 ", "empty: its shape is 2x0");
  expect_error("P2 1 1 0 0", "0 as its largest grey");
  expect_error("P5 1 1 65536 \0\0"s, "65536 as its largest grey");
  expect_error("P5 1 1 255", "no blank or line end after its largest grey");
  expect_error("P2 3 2 4 0 1 2 3 4", "truncated");
  expect_error("P2 3 1 999 100 200", "ends before grey 2");
  expect_error("P2 3 1 4 0 1 x  ", "no number for grey 2");
  expect_error("P2 2 1 4 0 5", "grey value 1 is 5, above the largest grey value of the header, 4");
  expect_error("P2 2 1 4 0 1 2", "more grey values than its shape, 1x2");
  expect_error("P5 3 1 255 \1\2"s, "truncated: its shape is 1x3, but it has at most 2 grey values");
  expect_error("P5 3 1 65535 \1\2\3\4\5"s, "truncated");
  expect_error("P5 1 1 255 \1\2"s, "has 1 more bytes than its shape, 1x1, needs");
  expect_error("P5 1 1 4 \5"s, "grey value 0 is 5");
}

TEST_F(ArrayFile, PgmOfHugeClaims) {
  expect_error("P5 4611686018427387904 4 255 \1"s, "truncated");
  expect_error("P5 9223372036854775807 9223372036854775807 255 \1"s, "truncated");
  expect_error("P2 9223372036854775807 9223372036854775807 255 1"s, "truncated");
}

TEST_F(ArrayFile, OfNoKnownType) {
  for (const auto& content : {""s, "P"s, "\x93"s, "\x93NUMPX\1\0"s, "\x89PNG\r\n"s,
                              "P6 1 1 255 abc"s, "p2 1 1 1 1"s, " P2 1 1 1 1"s}) {
    expect_error(content, "is neither a .npy file nor a .pgm file");
  }
}

TEST_F(ArrayFile, ThatIsNoFile) {
  const auto loading = [](const std::string& path) { return error_of([&] { load_array(path); }); };
  EXPECT_EQ(loading(folder_.path("absent.npy")), folder_.path("absent.npy") + ": no such file");
  EXPECT_EQ(loading(folder_.path()), folder_.path() + ": is not a regular file");
  EXPECT_EQ(loading("/dev/zero"), "/dev/zero: is not a regular file");
  EXPECT_NE(loading(""), "");
  EXPECT_NE(loading(std::string(100'000, 'a')).find("can't be opened"), std::string::npos);
}

TEST_F(ArrayFile, EveryCutIsNoticed) {
  for (const auto& whole :
       {floats("(2, 2)", {1, 2, 3, 4}), "P5 2 2 255 abcd"s, "P2 2 2 9 1 2 3 4"s}) {
    ASSERT_EQ(load(whole).values.size(), 4u);
    for (std::size_t length = 0; length < whole.size(); ++length) {
      EXPECT_NE(error(whole.substr(0, length)), "") << "cut after " << length << " bytes";
    }
  }
}

// Whatever a byte is changed to, the file is read as four values or refused.
TEST_F(ArrayFile, NoByteBreaksTheReader) {
  for (const auto& whole :
       {floats("(2, 2)", {1, 2, 3, 4}), "P5 2 2 255 abcd"s, "P2 2 2 9 1 2 3 4"s}) {
    for (std::size_t i = 0; i < whole.size(); ++i) {
      for (const char byte : {'\0', ' ', '#', '\'', ',', ')', '9', '\xff'}) {
        auto changed = whole;
        changed[i] = byte;
        const auto path = folder_.write("a", changed);
        try {
          const auto array = load_array(path);
          EXPECT_EQ(array.shape.rows * array.shape.cols, std::ssize(array.values));
          EXPECT_LE(array.values.size(), 4u);
        } catch (const std::runtime_error& refused) {
          EXPECT_EQ(std::string(refused.what()).find(path + ": "), 0u);
        }
      }
    }
  }
}

}  // namespace
}  // namespace apod
