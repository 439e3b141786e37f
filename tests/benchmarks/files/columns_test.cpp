#include "benchmarks/files/columns.hpp"

#include <gtest/gtest.h>

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

TEST(Columns, WhatIsNoTableIsRefused) {
  const auto refusal = [](const char* text) {
    return error_of([&] { rows_of(record::Json::parse(text)); });
  };
  EXPECT_EQ(refusal("[]"), "neither an array nor a table");
  EXPECT_EQ(refusal(R"({"rows": 2})"), "not a table: it has no rows and columns");
  EXPECT_EQ(refusal(R"({"rows": -1, "columns": {}})"), "not a table: it has no rows and columns");
  EXPECT_EQ(refusal(R"({"rows": 9000000000, "columns": {"a": [1]}})"),
            "rows: no column has 9000000000 values")
      << "a short file makes no long table";
  EXPECT_EQ(refusal(R"({"rows": 3, "columns": {"a": [1, 2]}})"),
            "columns: a: 2 values, but there are 3 rows");
  EXPECT_EQ(refusal(R"({"rows": 3, "columns": {"a": [[1], [0, 0, 1]]}})"),
            "columns: a: row 2: there is no such value");
  EXPECT_EQ(refusal(R"({"rows": 1, "columns": {"a": 1}})"), "columns: a: not an array of values");
}

}  // namespace
}  // namespace apod::files
