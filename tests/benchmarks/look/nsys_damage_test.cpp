// Files that are no export, damaged or hostile: one clear sentence each, and never a crash.

#include <gtest/gtest.h>
#include <unistd.h>

#include "benchmarks/look/nsys_import.hpp"
#include "tests/benchmarks/look/export_file.hpp"
#include "tests/kernels/api/temporary_folder.hpp"

namespace apod::look {
namespace {

class NsysDamage : public ::testing::Test {
 protected:
  std::string refusal(const std::string& file) const {
    const auto what = error_of<BadRecording>([&] { read_nsys(file); });
    EXPECT_EQ(what.substr(0, file.size() + 2), file + ": ") << "the file is named first";
    return what.substr(std::min(what.size(), file.size() + 2));
  }
  /// An export with `kernels` kernels.
  std::string sample(int kernels) const {
    const auto file = folder_.path("sample.sqlite");
    ExportFile export_file(file);
    export_file.base().string(1, "k").run(ExportFile::kernels).run("BEGIN");
    for (int i = 0; i < kernels; ++i) {
      export_file.run("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (" + std::to_string(i * 10) +
                      ", " + std::to_string(i * 10 + 5) +
                      ", 0,1,7,1,0, 1,1, 1,1,1, 1,1,1, 0,0,0,0)");
    }
    export_file.run("COMMIT");
    return file;
  }
  const TemporaryFolder folder_;
};

TEST_F(NsysDamage, WhatIsNoFileOrNoSqlite) {
  EXPECT_EQ(refusal(folder_.path("nowhere")), "there is no such file");
  EXPECT_EQ(refusal(folder_.path("")), "is a folder, not an export of nsys");
  EXPECT_EQ(refusal("/dev/null"), "is not a regular file");
  EXPECT_EQ(refusal(folder_.write("empty", "")), "is empty");
  EXPECT_EQ(refusal(folder_.write("text", "hello")),
            "is not a recording: bench inspect reads its own .json files, traces of PyTorch's "
            "profiler, and "
            "exports of nsys export --type sqlite");
}

TEST_F(NsysDamage, AReportOfNsysIsToldHowToBeExported) {
  const auto report = folder_.write("app.nsys-rep", "\x01\x02 something");
  EXPECT_EQ(refusal(report),
            "is an nsys report; export it first: nsys export --type sqlite " + report);
}

TEST_F(NsysDamage, AFileWithoutPermission) {
  const auto file = sample(1);
  std::filesystem::permissions(file, std::filesystem::perms::none);
  if (::geteuid() == 0) GTEST_SKIP() << "root reads everything";
  EXPECT_EQ(refusal(file), "can't be read (permission denied?)");
}

TEST_F(NsysDamage, OtherDatabases) {
  const auto other = folder_.path("other.sqlite");
  ExportFile(other).run("CREATE TABLE accounts (name)");
  EXPECT_TRUE(contains(refusal(other), "not an export of Nsight Systems"));
  const auto nvprof = folder_.path("nvprof.sqlite");
  ExportFile(nvprof).run("CREATE TABLE StringTable (_id_, value)");
  EXPECT_TRUE(contains(refusal(nvprof), "an nvprof profile"));
}

TEST_F(NsysDamage, AnUnknownSchema) {
  for (const std::string schema : {"4.0.0", "2.9", "new", "99999999999999"}) {
    const auto file = folder_.path("schema" + schema);
    ExportFile(file).base(schema);
    EXPECT_EQ(refusal(file), "its schema is '" + schema +
                                 "', but bench reads only 3.x; export the report with "
                                 "another version of nsys");
  }
}

TEST_F(NsysDamage, ACutFileIsNamedAsThat) {
  const auto whole = content_of(sample(2000));
  ASSERT_GT(whole.size(), 40000u);
  for (const double share : {0.1, 0.5, 0.9}) {
    const auto cut = folder_.write(
        "cut.sqlite",
        whole.substr(0, static_cast<std::size_t>(share * static_cast<double>(whole.size()))));
    EXPECT_EQ(refusal(cut), "is damaged or cut off; export the report again") << share;
  }
  EXPECT_NE(refusal(folder_.write("cut.sqlite", whole.substr(0, 50))), "");
}

TEST_F(NsysDamage, AFileBeingWrittenIsWaitedForAndThenNamed) {
  const auto file = sample(1);
  ExportFile writer(file);
  writer.run("BEGIN EXCLUSIVE");
  EXPECT_EQ(refusal(file),
            "another program is still writing this file; wait until the export is finished");
}

TEST_F(NsysDamage, AFileWithAWriteAheadLogIsReadWithoutLeavingOthersBesideIt) {
  const auto file = sample(3);
  {
    ExportFile writer(file);
    writer.run("PRAGMA journal_mode = WAL; CREATE TABLE more (x)");
    EXPECT_EQ(refusal(file),
              "its newest data is still in " + file + "-wal; wait until the export is finished");
  }
  EXPECT_FALSE(read_nsys(file).trace.activities.empty());
  for (const char* other : {"-wal", "-shm"}) EXPECT_FALSE(std::filesystem::exists(file + other));
}

TEST_F(NsysDamage, AnyNameIsAName) {
  const auto whole = content_of(sample(3));
  for (const char* name : {"a b%20c.sqlite", "x?mode=rw", "x#y&z=\xC3\xA9", "\xFF"}) {
    EXPECT_FALSE(read_nsys(folder_.write(name, whole)).trace.activities.empty()) << name;
  }
}

TEST_F(NsysDamage, NothingIsWritten) {
  const auto file = sample(3);
  const auto before = content_of(file);
  read_nsys(file);
  EXPECT_EQ(content_of(file), before);
}

TEST_F(NsysDamage, ValuesThatCantBe) {
  const auto file = folder_.path("e.sqlite");
  ExportFile(file)
      .base()
      .run(ExportFile::kernels)
      .run(
          "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES "
          // Ends before it starts, no start, times that no clock shows.
          "(10, 5, 0,1,7,1,0, 1,1, 1,1,1, 1,1,1, 0,0,0,0),"
          "(NULL, 5, 0,1,7,1,0, 1,1, 1,1,1, 1,1,1, 0,0,0,0),"
          "('12abc', 5, 0,1,7,1,0, 1,1, 1,1,1, 1,1,1, 0,0,0,0),"
          "(1, '9', 0,1,7,1,0, 1,1, 1,1,1, 1,1,1, 0,0,0,0),"
          "(-9223372036854775808, 9223372036854775807, 0,1,7,1,0, 1,1, 1,1,1, 1,1,1, 0,0,0,0),"
          // Texts, blobs, negative and huge numbers where numbers are asked for.
          "(10, 20, 'x', 1e300, -1, x'00ff', 'y', 'z', NULL, -1, 99999999999, 'a', 1,1,1, -5, "
          "1e99, NULL, '')");
  const auto trace = read_nsys(file).trace;
  ASSERT_EQ(trace.activities.size(), 1u);
  EXPECT_EQ(trace.activities[0].name, "unnamed kernel");
  EXPECT_EQ(trace.activities[0].grid, (std::array<std::uint32_t, 3>{0, 0, 0}));
  ASSERT_EQ(trace.notes.size(), 2u);
  EXPECT_EQ(trace.notes[0], "5 rows were left out: their times are invalid");
  EXPECT_EQ(trace.notes[1], "1 of the kernels and calls have no name in the export");
}

TEST_F(NsysDamage, AViewInPlaceOfATableIsNotRun) {
  const auto file = folder_.path("e.sqlite");
  ExportFile(file).base().run(
      "CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS WITH RECURSIVE n(start) AS (SELECT 1 UNION ALL "
      "SELECT start FROM n) SELECT start, start AS end FROM n");
  const auto trace = read_nsys(file).trace;
  EXPECT_TRUE(trace.activities.empty());
  ASSERT_EQ(trace.notes.size(), 1u);
  EXPECT_EQ(trace.notes[0],
            "not read, because these are not plain tables: CUPTI_ACTIVITY_KIND_KERNEL");
}

// Its rows are those of a view that never ends. Two blanks are what only a forged schema has.
TEST_F(NsysDamage, AVirtualTableIsNoTableHoweverItIsWritten) {
  const auto file = folder_.path("e.sqlite");
  ExportFile(file).base().run(
      "CREATE VIEW v AS WITH RECURSIVE n(rowid, start) AS (SELECT 1, 1 UNION ALL "
      "SELECT rowid, start FROM n) SELECT rowid, start FROM n WHERE start < 0;"
      "CREATE VIRTUAL TABLE CUPTI_ACTIVITY_KIND_KERNEL USING fts5(start, content='v');"
      "PRAGMA writable_schema = 1;"
      "UPDATE sqlite_master SET sql = replace(sql, 'CREATE VIRTUAL', 'CREATE  VIRTUAL')");
  EXPECT_TRUE(read_nsys(file).trace.activities.empty());
}

}  // namespace
}  // namespace apod::look
