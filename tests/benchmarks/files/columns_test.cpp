#include "benchmarks/files/columns.hpp"

#include <gtest/gtest.h>

#include "benchmarks/files/json_pieces.hpp"
#include "tests/kernels/api/temporary_folder.hpp"
#include "tests/support/texts.hpp"

namespace apod::files {
namespace {

std::vector<Row> rows_of(const record::Json& table) {
  std::vector<Row> rows;
  for_each_row(table, [&](Row& row, std::size_t) { rows.push_back(row); });
  return rows;
}

Row row(const char* text) {
  return Row::parse(text);
}

TEST(Columns, HoldEveryValueOfTheRowsInItsOrder) {
  const std::vector<Row> rows{
      row(R"({"a": 1, "in": {"x": 2.5, "y": "one"}, "notes": ["n"], "kernel_code": {"f": "1"}})"),
      row(R"({"a": 2, "in": {"x": 2.5, "z": true, "y": "two"}, "kernel_code": {"g": "2"}})"),
      row(R"({"a": 3, "in": {"x": 2.5, "y": "one"}, "notes": ["n", "m"]})"),
  };
  const auto table = table_of(rows);
  EXPECT_EQ(table.dump(), R"({"rows":3,"columns":{"a":[1,2,3],"in":{"x":[2.5],)"
                          R"("z":[null,true,null],"y":["one","two","one"]},)"
                          R"("notes":[["n"],null,["n","m"]],)"
                          R"("kernel_code":[{"f":"1"},{"g":"2"},null]}})");
  const auto again = rows_of(table);
  ASSERT_EQ(again.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(again[i].dump(), rows[i].dump());
}

TEST(Columns, OfLongTextsThatRepeatHoldEachOnce) {
  const std::string text = "a text that is worth it";
  std::vector<Row> rows;
  for (int i = 0; i < 6; ++i) rows.push_back({{"i", i}, {"of", i % 2 == 0 ? text : "no"}});
  const auto table = table_of(rows);
  EXPECT_EQ(table["columns"]["of"].dump(), R"([["a text that is worth it","no"],[0,1,0,1,0,1]])");
  EXPECT_EQ(rows_of(table), rows);
}

TEST(Columns, OfManyRowsTakeLittleRoomAndHoldTheSame) {
  const TemporaryFolder folder;
  constexpr std::size_t rows = 20'001;
  record::Json columns{
      {"whole", record::Json::array()},
      {"large", record::Json::array()},
      {"real", record::Json::array()},
      {"signed", record::Json::array()},
      {"huge", record::Json::array()},
      {"mixed", record::Json::array()},
      {"of", record::Json::array({record::Json{"x", nullptr, 2.5}, record::Json::array()})}};
  for (std::size_t i = 0; i < rows; ++i) {
    columns["whole"].push_back(i);
    columns["large"].push_back(i == 7 ? std::uint64_t{1} << 32 : i);
    columns["real"].push_back(static_cast<double>(i) + (i == 4 ? 0 : 0.1));
    columns["signed"].push_back(i % 2 == 0 ? record::Json(-static_cast<int>(i))
                                           : record::Json(0.5));
    columns["huge"].push_back(i == 7 ? (std::uint64_t{1} << 53) + 1 : i);
    columns["mixed"].push_back(i % 2 == 0 ? record::Json(i) : record::Json("no"));
    columns["of"][1].push_back(i % 3);
  }
  const record::Json table{{"rows", rows}, {"columns", columns}};
  const auto file =
      folder.write("t.json", record::dump({{"apod_processes", table}, {"other", table}}));
  std::vector<std::vector<Row>> read;
  std::vector<bool> packed;
  read_pieces(file, {}, [&](const std::string&, std::size_t, Piece& piece) {
    const auto& all = piece["columns"];
    for (const char* key : {"whole", "large", "real", "signed", "huge", "mixed"})
      packed.push_back(all[key].is_binary());
    packed.push_back(all["of"][1].is_binary());
    read.push_back(rows_of(piece));
    return true;
  });
  EXPECT_EQ(packed, (std::vector{true, true, true, true, false, false, true,  //
                                 false, false, false, false, false, false, false}));
  const auto plain = rows_of(table);
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0], plain);
  EXPECT_EQ(read[1], plain);
  EXPECT_TRUE(read[0][3]["whole"].is_number_unsigned());
  EXPECT_TRUE(read[0][3]["large"].is_number_unsigned());
  EXPECT_TRUE(read[0][4]["real"].is_number_float());
  EXPECT_TRUE(read[0][4]["signed"].is_number_integer());
  EXPECT_FALSE(read[0][1].contains("of"));
}

TEST(Columns, NumbersKeepNineDigits) {
  const auto table =
      table_of({{{"x", 1.23456789012345e-5}, {"whole", 1980.0}, {"n", 123456789012}}});
  EXPECT_EQ(table["columns"].dump(), R"({"x":[1.23456789e-05],"whole":[1980],"n":[123456789012]})");
}

TEST(Columns, WhatAllRowsOfEachGroupHaveIsTakenOut) {
  std::vector<Row> rows{row(R"({"bytes": 8, "in": {"same": 1, "t": 1.5}})"),
                        row(R"({"bytes": 9, "in": {"same": 1, "t": 1.5}})"),
                        row(R"({"bytes": 8, "in": {"same": 1, "t": 2.5}})")};
  const auto common = take_common(rows, {0, 1, 0}, 3);
  EXPECT_EQ(common[0].dump(), R"({"bytes":8,"in":{"same":1}})");
  EXPECT_EQ(common[1].dump(), R"({"bytes":9,"in":{"same":1}})");
  EXPECT_TRUE(common[2].empty());
  EXPECT_EQ(rows[2].dump(), R"({"in":{"t":2.5}})");
}

struct Held {
  std::map<std::string, double> facts;
};
template <class Archive>
void fields(Archive& field, Held& f) {
  field("facts", f.facts);
}

/// The facts of each row, read into one place after another.
std::vector<std::map<std::string, double>> facts_of(const char* columns, std::size_t rows) {
  const auto parsed = record::Json::parse(columns);  // which the table points into
  const Table table(parsed, rows);
  std::vector<std::map<std::string, double>> all;
  Held place;
  for (std::size_t i = 0; i < rows; ++i) {
    record::RowReader reader(table.columns(), {i, 0});
    fields(reader, place);
    all.push_back(place.facts);
  }
  return all;
}

TEST(Columns, ARowWithoutFactsHasNoneOfTheRowBefore) {
  const auto facts = facts_of(R"({"facts": {"a": [1, null, 3]}})", 3);
  EXPECT_EQ(facts[0].size(), 1u);
  EXPECT_TRUE(facts[1].empty());
  EXPECT_EQ(facts[2].at("a"), 3);
}

TEST(Columns, MayStandInAnyOrder) {
  const auto facts = facts_of(R"({"facts": {"z": [1, 2], "a": [3, null], "m": [4, 5]}})", 2);
  EXPECT_EQ(facts[0], (std::map<std::string, double>{{"a", 3}, {"m", 4}, {"z", 1}}));
  EXPECT_EQ(facts[1], (std::map<std::string, double>{{"m", 5}, {"z", 2}}));
}

TEST(Columns, ANumberThatNoIndexHoldsIsNone) {
  Numbers numbers;
  for (const std::uint64_t number : {0, 1, 2}) numbers.add(number);
  numbers.add(1e30);
  const record::Json cells{{"case_index", numbers.packed()}};
  const Table table(cells, 4);
  EXPECT_EQ(table.count_at({1, 0}, "case_index"), 1u);
  EXPECT_THROW(table.count_at({3, 0}, "case_index"), std::runtime_error);
}

TEST(Columns, WhatIsNoTableIsRefused) {
  const auto refusal = [](const char* text) {
    return error_of([&] { rows_of(record::Json::parse(text)); });
  };
  EXPECT_EQ(refusal("[]"), "must be an array or a table");
  EXPECT_EQ(refusal(R"({"rows": 2})"), "not a table: rows and columns are missing");
  EXPECT_EQ(refusal(R"({"rows": -1, "columns": {}})"), "not a table: rows and columns are missing");
  EXPECT_EQ(refusal(R"({"rows": 9000000000, "columns": {"a": [1]}})"),
            "rows: no column has 9000000000 values")
      << "a short file makes no long table";
  EXPECT_EQ(refusal(R"({"rows": 3, "columns": {"a": [1, 2]}})"),
            "columns: a: 2 values, but there are 3 rows");
  EXPECT_EQ(refusal(R"({"rows": 3, "columns": {"a": [[1], [0, 0, 1]]}})"),
            "columns: a: row 2: the index of a value is out of range");
  EXPECT_EQ(refusal(R"({"rows": 1, "columns": {"a": 1}})"), "columns: a: not an array of values");
}

}  // namespace
}  // namespace apod::files
