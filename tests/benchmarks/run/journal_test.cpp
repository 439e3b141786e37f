#include "benchmarks/run/journal.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/support/scripted_backend.hpp"

namespace apod::run {
namespace {

namespace fs = std::filesystem;

const RunIdentity mark{{"0123456789abcdef", "0000000000000001", "0000000000000002"},
                       "1a2b3c",
                       "GPU-1",
                       "bench --config a.yaml"};

JournalEntry entry(int process) {
  JournalEntry entry;
  entry.measurement.case_id = "echo/echo";
  entry.measurement.process = process;
  entry.measurement.samples_s = {0.1 + process, 1.0 / 3};
  return entry;
}

/// A journal that was started anew and holds `entries`.
Journal started(const std::string& path, std::uint64_t seed,
                const std::vector<JournalEntry>& entries = {}) {
  std::string kept;
  Journal journal(path, mark, seed, kept);
  for (const auto& one : entries) journal.append(one);
  return journal;
}

class JournalTest : public ::testing::Test {
 protected:
  JournalTest() {
    std::string pattern = (fs::temp_directory_path() / "apod_journal.XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    path_ = (folder_ / "run.journal").string();
  }
  ~JournalTest() override { fs::remove_all(folder_); }

  /// A finished run of these processes.
  void write(int processes) const {
    auto journal = started(path_, 5);
    for (int i = 0; i < processes; ++i) journal.append(entry(i));
  }
  std::string text() const {
    std::ifstream file(path_, std::ios::binary);
    std::ostringstream all;
    all << file.rdbuf();
    return all.str();
  }
  void set_text(const std::string& text) const { std::ofstream(path_, std::ios::binary) << text; }
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  static std::size_t open_files() {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator()));
  }

  fs::path folder_;
  std::string path_;
};

/// What `action` throws; empty when it throws nothing.
template <class Action>
std::string thrown_by(Action action) {
  try {
    action();
    return "";
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

TEST_F(JournalTest, GivesBackWhatWasAppended) {
  auto traced = entry(1);
  traced.pass = record::Pass::trace;
  auto counted = entry(1);
  counted.pass = record::Pass::counters;
  {
    auto journal = started(path_, 5, {entry(0)});
    journal.append(traced);
    journal.append(counted);
    EXPECT_EQ(read_journal(path_).entries.size(), 3U) << "each entry is in the file at once";
    EXPECT_EQ(files(), 1U) << "no temporary file stays";
  }
  const auto content = read_journal(path_);
  EXPECT_EQ(content.identity.plan, mark.plan);
  EXPECT_EQ(content.identity.build, mark.build);
  EXPECT_EQ(content.identity.device, mark.device);
  EXPECT_EQ(content.identity.command, mark.command);
  EXPECT_EQ(content.order_seed, 5U);
  ASSERT_EQ(content.entries.size(), 3U);
  EXPECT_EQ(content.entries[0].measurement.samples_s, entry(0).measurement.samples_s);
  EXPECT_EQ(content.entries[0].pass, record::Pass::measure);
  EXPECT_EQ(content.entries[1].measurement.process, 1);
  EXPECT_EQ(content.entries[1].pass, record::Pass::trace);
  EXPECT_EQ(content.entries[2].pass, record::Pass::counters);
}

TEST_F(JournalTest, DiscardRemovesIt) {
  auto journal = started(path_, 5, {entry(0)});
  journal.discard();
  EXPECT_EQ(files(), 0U);
  journal.append(entry(1));
  EXPECT_EQ(files(), 0U);
  EXPECT_NO_THROW(started(path_, 5)) << "its lock is gone too";
}

TEST_F(JournalTest, NoJournalKeepsNothing) {
  Journal journal;
  journal.append(entry(0));
  journal.discard();
  EXPECT_EQ(files(), 0U);
}

TEST_F(JournalTest, TornLastLineIsDropped) {
  write(3);
  // Without its newline a line counts as torn, even where all else is there.
  for (const std::uintmax_t lost : {1, 20}) {
    fs::resize_file(path_, fs::file_size(path_) - lost);
    EXPECT_EQ(read_journal(path_).entries.size(), 2U) << lost;
    EXPECT_EQ(read_journal(path_).lost, 1U) << lost;
  }
}

TEST_F(JournalTest, OnlyTheDamagedLineIsLost) {
  write(4);
  const auto whole = text();
  std::size_t third = 0;
  for (int i = 0; i < 3; ++i) third = whole.find('\n', third) + 1;
  const auto expect_lost = [&](std::size_t lost, const std::string& what) {
    const auto content = read_journal(path_);
    EXPECT_EQ(content.lost, lost) << what;
    ASSERT_EQ(content.entries.size(), 3U) << what;
    EXPECT_EQ(content.entries[1].measurement.process, 1) << what;
    EXPECT_EQ(content.entries[2].measurement.process, 3) << what;
  };
  for (const auto& damage : {std::string("X"), std::string(40, '\0'), std::string("\n")}) {
    set_text(whole.substr(0, third) + damage + whole.substr(third + damage.size()));
    expect_lost(damage == "\n" ? 2 : 1, damage);
  }
  // A line that is still a measurement, whatever bit is flipped.
  const auto end = whole.find('\n', third);
  for (std::size_t at = third; at < end; ++at) {
    auto flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ 1);
    if (flipped[at] == '\n') continue;
    set_text(flipped);
    expect_lost(1, "byte " + std::to_string(at - third));
  }
  set_text(whole);
  EXPECT_EQ(read_journal(path_).entries.size(), 4U);
  EXPECT_EQ(read_journal(path_).lost, 0U);
}

TEST_F(JournalTest, WhatCannotBeMeasuredIsLost) {
  auto negative = entry(1);
  negative.measurement.samples_s = {0.1, -0.1};
  auto absurd = entry(-1);
  started(path_, 5, {entry(0), negative, absurd});
  const auto content = read_journal(path_);
  EXPECT_EQ(content.entries.size(), 1U);
  EXPECT_EQ(content.lost, 2U);
}

TEST_F(JournalTest, WhatIsOfNoCaseOrThereTwiceIsDropped) {
  Plan plan;
  plan.cases.resize(2);
  plan.cases[0].id = "echo/echo";
  plan.cases[1].id = "echo/other";
  auto moved = entry(1);
  moved.measurement.case_index = 1;
  auto beyond = entry(2);
  beyond.measurement.case_index = 9999;
  auto traced = entry(0);
  traced.pass = record::Pass::trace;
  JournalContent content;
  content.entries = {entry(0), moved, entry(0), beyond, traced};
  drop_strangers(content, plan);
  EXPECT_EQ(content.lost, 3U);
  ASSERT_EQ(content.entries.size(), 2U);
  EXPECT_EQ(content.entries[1].pass, record::Pass::trace);
}

TEST_F(JournalTest, ResumingDropsTheDamage) {
  write(3);
  fs::resize_file(path_, fs::file_size(path_) - 20);
  {
    JournalContent content;
    Journal journal(path_, mark, content);
    EXPECT_EQ(content.entries.size(), 2U);
    journal.append(entry(7));
  }
  const auto entries = read_journal(path_).entries;
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_EQ(entries[2].measurement.process, 7);
}

TEST_F(JournalTest, SomethingElseIsRefused) {
  for (const char* other :
       {"", "hello\nworld\n", "apod-journal-4\n", "apod-journal-4\t5\tcases\tdata\tway\tbuild\n",
        "apod-journal-4\tseed\tcases\tdata\tway\tbuild\tdevice\tcommand\n",
        "apod-journal-4\t5 6\tcases\tdata\tway\tbuild\tdevice\tcommand\n",
        "apod-journal-3\t5\tcases\tdata\tway\tbuild\tdevice\tcommand\n",
        "apod-journal-4\t5\tcases\tdata\tway\tbuild\tdevice\tcommand"}) {
    set_text(other);
    EXPECT_NE(thrown_by([&] { read_journal(path_); }).find("not a journal"), std::string::npos)
        << other;
  }
  EXPECT_NE(thrown_by([&] { read_journal(path_ + ".absent"); }).find("no journal to resume"),
            std::string::npos);
  EXPECT_THROW(read_journal(folder_.string()), std::runtime_error);
}

TEST_F(JournalTest, SecondRunIsRefusedAndHarmsNothing) {
  auto first = started(path_, 5, {entry(0)});
  for (int i = 0; i < 2; ++i) {
    EXPECT_NE(thrown_by([&] { started(path_, 6); }).find("in use by another run"),
              std::string::npos);
  }
  EXPECT_EQ(files(), 1U);
  first.append(entry(1));
  EXPECT_EQ(read_journal(path_).order_seed, 5U);
  EXPECT_EQ(read_journal(path_).entries.size(), 2U);

  Journal moved;
  moved = std::move(first);
  EXPECT_THROW(started(path_, 6), std::runtime_error) << "the lock moves along";
  moved = Journal();
  EXPECT_NO_THROW(started(path_, 6));
}

TEST_F(JournalTest, DiscardSparesAnothersJournal) {
  auto first = started(path_, 5, {entry(0)});
  fs::rename(path_, path_ + ".old");
  const auto second = started(path_, 6);
  first.discard();
  EXPECT_EQ(read_journal(path_).order_seed, 6U);
}

TEST_F(JournalTest, FailureLeavesTheOlderJournalAndNothingElse) {
  write(2);
  const auto before = text();
  const auto open_before = open_files();
  // A disk that is full after a few bytes.
  struct rlimit old {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const struct rlimit small { 16, old.rlim_max };
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto replaced = thrown_by([&] { started(path_, 5, {entry(0)}); });
  const auto created = thrown_by([&] { started(path_ + ".new", 5, {entry(0)}); });
  ::setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, handler);
  EXPECT_NE(replaced.find("can't write the journal"), std::string::npos);
  EXPECT_NE(created.find("can't write the journal"), std::string::npos);
  EXPECT_EQ(text(), before);
  EXPECT_EQ(files(), 1U);
  EXPECT_EQ(open_files(), open_before);
  EXPECT_NO_THROW(started(path_, 5)) << "its lock is gone too";
}

TEST_F(JournalTest, FailedAppendLeavesNoHalfLine) {
  auto journal = started(path_, 5, {entry(0)});
  struct rlimit old {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const struct rlimit small { fs::file_size(path_) + 10, old.rlim_max };
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  EXPECT_THROW(journal.append(entry(1)), std::runtime_error);
  ::setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, handler);
  journal.append(entry(2));
  const auto entries = read_journal(path_).entries;
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[1].measurement.process, 2);
}

TEST_F(JournalTest, LinksAreNotFollowed) {
  const auto target = (folder_ / "precious").string();
  std::ofstream(target) << "precious";
  fs::create_symlink(target, path_);
  EXPECT_THROW(started(path_, 5), std::runtime_error);
  fs::remove(path_);
  // What waits under the temporary file's name is replaced, not written through.
  fs::create_symlink(target, path_ + "." + std::to_string(::getpid()) + ".tmp");
  EXPECT_NO_THROW(started(path_, 5));
  EXPECT_EQ(fs::file_size(target), 8U);
  EXPECT_EQ(files(), 2U);
}

TEST_F(JournalTest, FolderThatIsNotThereIsAnError) {
  EXPECT_NE(thrown_by([&] {
              started((folder_ / "absent" / "a.journal").string(), 5);
            }).find("No such file"),
            std::string::npos);
}

TEST(Fingerprint, TellsPlansApart) {
  const auto plan = test::echo_plan({"echo"}, {});
  const auto its_own = fingerprint(plan);
  EXPECT_EQ(its_own, fingerprint(test::echo_plan({"echo"}, {})));
  for (const auto& part : {its_own.cases, its_own.data, its_own.measuring}) {
    EXPECT_EQ(part.size(), 16U);
  }
  auto expected = its_own;
  const auto of_waiting = fingerprint(test::echo_plan({"waiting"}, {}));
  EXPECT_NE(of_waiting.cases, its_own.cases);
  expected.cases = of_waiting.cases;
  EXPECT_EQ(of_waiting, expected) << "nothing but the cases";
  auto other = plan;
  other.cases[0].params.set("size", std::int64_t{17});
  EXPECT_NE(fingerprint(other).cases, its_own.cases);

  other = plan;
  other.experiments[0].measure.precision = 0.02;
  expected = its_own;
  expected.measuring = fingerprint(other).measuring;
  EXPECT_NE(fingerprint(other), its_own);
  EXPECT_EQ(fingerprint(other), expected) << "nothing but the way they are measured";
  other = plan;
  other.experiments[0].scope = Scope::end_to_end;
  EXPECT_NE(fingerprint(other).measuring, its_own.measuring);

  other = plan;
  other.experiments[0].data.seed = 43;
  expected = its_own;
  expected.data = fingerprint(other).data;
  EXPECT_NE(fingerprint(other), its_own);
  EXPECT_EQ(fingerprint(other), expected) << "nothing but the data";
}

TEST(RunIdentityTest, SaysWhatDiffers) {
  EXPECT_EQ(difference(mark, mark), "");
  auto other = mark;
  other.command = "bench --config a.yaml --resume";
  EXPECT_EQ(difference(mark, other), "") << "how it was asked for changes no sample";
  other.build = "4d5e6f";
  EXPECT_EQ(difference(mark, other), "it was made by build 1a2b3c, this is build 4d5e6f");
  other = mark;
  other.device = "host";
  EXPECT_EQ(difference(mark, other), "it was measured on GPU-1, this run would use host");
  other = mark;
  const std::string whose = "; it was made by: bench --config a.yaml";
  other.plan.measuring = "3";
  EXPECT_EQ(difference(mark, other), "it differs in the way it is measured" + whose);
  other.plan.data = "3";
  EXPECT_EQ(difference(mark, other), "it differs in its data and the way it is measured" + whose);
  other = mark;
  other.plan.cases = "3";
  EXPECT_EQ(difference(mark, other), "it differs in its cases" + whose);
}

TEST_F(JournalTest, ACommandOfOddCharactersStaysOneField) {
  auto odd = mark;
  odd.command = "bench\t--filter\na|b";
  std::string kept;
  { const Journal journal(path_, odd, 5, kept); }
  EXPECT_EQ(read_journal(path_).identity.command, "bench --filter a|b");
  odd.command = "";
  { const Journal journal(path_, odd, 5, kept); }
  EXPECT_EQ(read_journal(path_).identity.device, odd.device);
}

TEST_F(JournalTest, AnUnfinishedOneIsKeptUnderANumber) {
  std::string kept;
  for (const char* name : {"", ".old", ".old2", ".old3"}) {
    kept.clear();
    { const Journal journal(path_, mark, 5, kept); }
    EXPECT_EQ(kept, *name == '\0' ? "" : path_ + name);
  }
  EXPECT_EQ(files(), 4U);
}

TEST_F(JournalTest, ResumingAnotherRunIsRefusedAndHarmsNothing) {
  write(2);
  const auto before = text();
  auto other = mark;
  other.build = "4d5e6f";
  JournalContent content;
  EXPECT_NE(thrown_by([&] { Journal(path_, other, content); }).find("can't be resumed"),
            std::string::npos);
  EXPECT_EQ(text(), before);
  EXPECT_NE(thrown_by([&] { Journal(path_ + ".absent", mark, content); }).find("no journal"),
            std::string::npos);
  EXPECT_EQ(files(), 1U) << "asking for one that is not there makes none";
}

TEST(Fingerprint, LeavesOutWhatChangesNoSample) {
  const auto plan = test::echo_plan({"echo"}, {});
  auto other = plan;
  other.experiments[0].measure.timeout_s *= 2;
  EXPECT_EQ(fingerprint(plan), fingerprint(other));
  Expectation rule;
  rule.fact = "distinct_streams";
  rule.condition = {Comparator::eq, {4.0}, "== 4"};
  other.experiments[0].expectations = {rule};
  EXPECT_EQ(fingerprint(plan), fingerprint(other));
}

TEST_F(JournalTest, FingerprintFollowsTheDataFile) {
  const auto file = (folder_ / "data.npy").string();
  auto plan = test::echo_plan({"echo"}, {});
  plan.experiments[0].data.file = file;
  const auto unused = fingerprint(plan);
  std::ofstream(file) << "abc";
  EXPECT_EQ(fingerprint(plan), unused) << "generated data needs no file";

  plan.experiments[0].data.kind = DataSpec::Kind::file;
  const auto first = fingerprint(plan);
  EXPECT_EQ(fingerprint(plan), first);
  const auto written = fs::last_write_time(file);
  std::ofstream(file) << "abcd";
  fs::last_write_time(file, written);
  const auto longer = fingerprint(plan);
  EXPECT_NE(longer, first);
  fs::last_write_time(file, written + std::chrono::seconds(1));
  EXPECT_NE(fingerprint(plan), longer);
  fs::remove(file);
  EXPECT_NE(fingerprint(plan), longer);
}

}  // namespace
}  // namespace apod::run
