#include "benchmarks/run/journal.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "tests/kernels/api/temporary_folder.hpp"
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
  /// A finished run of these processes.
  void write(int processes) const {
    auto journal = started(path_, 5);
    for (int i = 0; i < processes; ++i) journal.append(entry(i));
  }
  std::string text() const { return content_of(path_); }
  void set_text(const std::string& text) const { std::ofstream(path_, std::ios::binary) << text; }
  /// Goes on with the journal; its seed is `seed` then.
  Journal resumed(JournalContent& content, std::uint64_t& seed) const {
    return Journal(path_, mark, seed, content);
  }
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  static std::size_t open_files() {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator()));
  }

  const TemporaryFolder temporary_;
  const fs::path folder_ = temporary_.path();
  const std::string path_ = temporary_.path("run.journal");
};

/// A disk that takes no file of more than `bytes`.
class SmallDisk {
 public:
  explicit SmallDisk(std::uintmax_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &old_);
    const struct rlimit small { bytes, old_.rlim_max };
    ::setrlimit(RLIMIT_FSIZE, &small);
  }
  ~SmallDisk() {
    ::setrlimit(RLIMIT_FSIZE, &old_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  struct rlimit old_ {};
  void (*handler_)(int);
};

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
  ASSERT_TRUE(content.identity);
  EXPECT_EQ(difference(*content.identity, mark), "");
  EXPECT_EQ(content.identity->command, mark.command);
  EXPECT_EQ(content.order_seed, 5U);
  ASSERT_EQ(content.entries.size(), 3U);
  EXPECT_EQ(content.entries[0].measurement.samples_s, entry(0).measurement.samples_s);
  EXPECT_EQ(content.entries[0].pass, record::Pass::measure);
  EXPECT_EQ(content.entries[1].measurement.process, 1);
  EXPECT_EQ(content.entries[1].pass, record::Pass::trace);
  EXPECT_EQ(content.entries[2].pass, record::Pass::counters);
}

TEST_F(JournalTest, DiscardRemovesItsOwnFileAlone) {
  auto journal = started(path_, 5, {entry(0)});
  journal.discard();
  EXPECT_EQ(files(), 0U);
  journal.append(entry(1));
  EXPECT_EQ(files(), 0U);

  auto first = started(path_, 5, {entry(0)});  // the lock is gone too
  fs::rename(path_, path_ + ".old");
  const auto second = started(path_, 6);
  first.discard();
  EXPECT_EQ(read_journal(path_).order_seed, 6U);

  Journal nothing;
  nothing.append(entry(0));
  nothing.discard();
  EXPECT_EQ(files(), 2U);
}

TEST_F(JournalTest, TornLastLineIsDropped) {
  write(3);
  // Without its newline a line counts as torn, even where all else is there.
  for (const std::uintmax_t lost : {1, 20}) {
    fs::resize_file(path_, fs::file_size(path_) - lost);
    EXPECT_EQ(read_journal(path_).entries.size(), 2U) << lost;
    EXPECT_EQ(read_journal(path_).lost, 1U) << lost;
    EXPECT_EQ(count_entries(path_), 2U) << lost;
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
  for (std::size_t at = third; at < end; at += 7) {
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
  EXPECT_EQ(count_entries(path_), 3U) << "they are whole, and nobody decodes them to count them";
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
  std::uint64_t seed = 9;
  {
    JournalContent content;
    auto journal = resumed(content, seed);
    EXPECT_EQ(content.entries.size(), 2U);
    EXPECT_EQ(journal.written(), 2U);
    journal.append(entry(7));
  }
  EXPECT_EQ(seed, 5U);
  const auto entries = read_journal(path_).entries;
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_EQ(entries[2].measurement.process, 7);
}

TEST_F(JournalTest, AnEmptyOneIsOfARunThatHadMeasuredNothing) {
  set_text("");
  EXPECT_TRUE(read_journal(path_).entries.empty());
  std::uint64_t seed = 9;
  {
    JournalContent content;
    auto journal = resumed(content, seed);
    EXPECT_EQ(content.lost, 0U);
    journal.append(entry(0));
  }
  const auto content = read_journal(path_);
  EXPECT_EQ(content.order_seed, 9U) << "that of the run that goes on";
  EXPECT_EQ(content.entries.size(), 1U);
}

TEST_F(JournalTest, SomethingElseIsRefused) {
  for (const char* other :
       {"hello\nworld\n", "apod-journal-4\n", "apod-journal-4\t5\tcases\tdata\tway\tbuild\n",
        "apod-journal-4\tseed\tcases\tdata\tway\tbuild\tdevice\tcommand\n",
        "apod-journal-4\t5 6\tcases\tdata\tway\tbuild\tdevice\tcommand\n",
        "apod-journal-3\t5\tcases\tdata\tway\tbuild\tdevice\tcommand\n",
        "apod-journal-4\t5\tcases\tdata\tway\tbuild\tdevice\tcommand"}) {
    set_text(other);
    EXPECT_TRUE(contains(error_of([&] { read_journal(path_); }), "not a journal")) << other;
  }
  EXPECT_TRUE(contains(error_of([&] { read_journal(path_ + ".absent"); }), "no journal to resume"));
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  for (const auto& other : {folder_, folder_ / "pipe"}) {
    EXPECT_TRUE(contains(error_of([&] { read_journal(other.string()); }), "not a regular file"));
    EXPECT_NE(error_of([&] { started(other.string(), 5); }), "") << other;
  }
}

TEST_F(JournalTest, SecondRunIsRefusedAndHarmsNothing) {
  auto first = started(path_, 5, {entry(0)});
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(contains(error_of([&] { started(path_, 6); }), "in use by another run"));
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

TEST_F(JournalTest, FailureLeavesTheOlderJournalAndNothingElse) {
  write(2);
  const auto before = text();
  const auto open_before = open_files();
  {
    const SmallDisk disk(16);
    for (const auto& path : {path_, path_ + ".new"}) {
      EXPECT_TRUE(contains(error_of([&] { started(path, 5); }), "can't write the journal"));
    }
  }
  EXPECT_EQ(text(), before);
  EXPECT_EQ(files(), 1U);
  EXPECT_EQ(open_files(), open_before);
  EXPECT_NO_THROW(started(path_, 5)) << "its lock is gone too";
}

TEST_F(JournalTest, WhatAFullDiskDoesNotTakeIsTriedAgain) {
  auto journal = started(path_, 5, {entry(0)});
  {
    const SmallDisk disk(fs::file_size(path_) + 10);
    journal.append(entry(1));
    journal.append(entry(2));
    EXPECT_EQ(journal.unwritten(), 2U);
    EXPECT_EQ(journal.written(), 1U);
    EXPECT_TRUE(contains(journal.problem(), "can't write the journal: File too large"));
    EXPECT_EQ(read_journal(path_).entries.size(), 1U);
    EXPECT_EQ(read_journal(path_).lost, 0U) << "no half line";
  }
  journal.append(entry(3));
  EXPECT_EQ(journal.unwritten(), 0U);
  EXPECT_EQ(journal.problem(), "");
  const auto entries = read_journal(path_).entries;
  ASSERT_EQ(entries.size(), 4U);
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(entries[static_cast<std::size_t>(i)].measurement.process, i);
}

TEST_F(JournalTest, LinksAreNotFollowed) {
  const auto target = (folder_ / "precious").string();
  std::ofstream(target) << "precious";
  fs::create_symlink(target, path_);
  EXPECT_THROW(started(path_, 5), std::runtime_error);
  EXPECT_EQ(fs::file_size(target), 8U);
  EXPECT_EQ(files(), 2U);
  const auto absent = (folder_ / "absent" / "a.journal").string();
  EXPECT_TRUE(contains(error_of([&] { started(absent, 5); }), "No such file"));
}

TEST_F(JournalTest, ACommandOfOddCharactersStaysOneField) {
  auto odd = mark;
  odd.command = "bench\t--filter\na|b";
  std::string kept;
  { const Journal journal(path_, odd, 5, kept); }
  EXPECT_EQ(read_journal(path_).identity->command, "bench --filter a|b");
  odd.command = "";
  { const Journal journal(path_, odd, 5, kept); }
  EXPECT_EQ(read_journal(path_).identity->device, odd.device);
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
  std::uint64_t seed = 0;
  EXPECT_TRUE(
      contains(error_of([&] { Journal(path_, other, seed, content); }), "can't be resumed"));
  EXPECT_EQ(text(), before);
  EXPECT_TRUE(
      contains(error_of([&] { Journal(path_ + ".absent", mark, seed, content); }), "no journal"));
  EXPECT_EQ(files(), 1U) << "asking for one that is not there makes none";
}

}  // namespace
}  // namespace apod::run
