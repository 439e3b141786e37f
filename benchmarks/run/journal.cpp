#include "benchmarks/run/journal.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <tuple>
#include <utility>

#include "benchmarks/record/check.hpp"
#include "benchmarks/record/codec.hpp"
#include "benchmarks/results/earlier_file.hpp"
#include "benchmarks/text/plain.hpp"
#include "kernels/api/fnv.hpp"

namespace apod::run {
namespace {

constexpr const char* magic = "apod-journal-4";
/// How a line begins, by what it is of.
constexpr std::array<std::pair<char, record::Pass>, 3> pass_letters{
    {{'M', record::Pass::measure}, {'T', record::Pass::trace}, {'C', record::Pass::counters}}};

/// A hash of texts, and of where one ends and the next begins.
class Hash {
 public:
  void add(std::string_view text) { all_.add(text).add("\xFF"); }
  std::string text() const { return hex(all_.value()); }

 private:
  Fnv1a all_;
};

/// "<size> <time of the last change>" of a data file.
std::string state_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return "absent";
  return std::to_string(status.st_size) + " " + std::to_string(status.st_mtim.tv_sec) + "." +
         std::to_string(status.st_mtim.tv_nsec);
}

[[noreturn]] void fail(const std::string& path) {
  throw std::runtime_error(path + ": can't write the journal: " + std::strerror(errno));
}

/// `text` without what ends a field or a line.
std::string field(std::string text) {
  for (char& c : text) {
    if (c == '\t' || c == '\n' || c == '\r') c = ' ';
  }
  return text;
}

std::string header_line(const RunIdentity& identity, std::uint64_t order_seed) {
  std::string line = magic;
  for (const auto& part :
       {std::to_string(order_seed), identity.plan.cases, identity.plan.data,
        identity.plan.measuring, identity.build, identity.device, identity.command}) {
    line += "\t" + field(part);
  }
  return line + "\n";
}

std::string checksum_of(std::string_view text) {
  return hex(Fnv1a().add(text).value());
}

/// "0123456789abcdef M {...}": the checksum of what follows, the pass, the record.
std::string entry_line(const JournalEntry& entry) {
  for (const auto& [letter, pass] : pass_letters) {
    if (pass != entry.pass) continue;
    const auto text = letter + (" " + record::encode(entry.measurement));
    return checksum_of(text) + " " + text + "\n";
  }
  throw std::logic_error("a pass that is not kept");
}

void parse_header(const std::string& path, const std::string& line, JournalContent& content) {
  std::vector<std::string> parts;
  std::istringstream text(line);
  for (std::string part; std::getline(text, part, '\t');) parts.push_back(part);
  if (parts.size() == 7) parts.emplace_back();  // an empty command
  bool good = parts.size() == 8 && parts[0] == magic;
  if (good) {
    const auto* end = parts[1].data() + parts[1].size();
    const auto [rest, error] = std::from_chars(parts[1].data(), end, content.order_seed);
    good = error == std::errc() && rest == end;
  }
  if (!good) throw std::runtime_error(path + ": not a journal of this program");
  content.identity = {{parts[2], parts[3], parts[4]}, parts[5], parts[6], parts[7]};
}

/// Nothing when the line is damaged.
std::optional<JournalEntry> parse_entry(std::string_view line) {
  constexpr std::size_t digits = 16;
  if (line.size() < digits + 4 || line[digits] != ' ' || line[digits + 2] != ' ') return {};
  const auto text = line.substr(digits + 1);
  if (checksum_of(text) != line.substr(0, digits)) return {};
  for (const auto& [letter, pass] : pass_letters) {
    if (letter != text[0]) continue;
    try {
      auto measurement = record::decode_measurement(text.substr(2));
      record::check(measurement);
      return JournalEntry{std::move(measurement), pass};
    } catch (const std::runtime_error&) {
      return {};
    }
  }
  return {};
}

/// Writes all of `text` and waits until the disk has it.
void write_through(int file, const std::string& text, const std::string& path) {
  for (std::size_t done = 0; done < text.size();) {
    const auto written = ::write(file, text.data() + done, text.size() - done);
    if (written < 0 && errno != EINTR) fail(path);
    if (written > 0) done += static_cast<std::size_t>(written);
  }
  // File systems that can't flush say so with EINVAL; a run without that promise beats none.
  if (::fdatasync(file) != 0 && errno != EINVAL) fail(path);
}

/// A name that goes away with the scope unless it is kept.
class Temporary {
 public:
  explicit Temporary(std::string name) : name_(std::move(name)) {}
  ~Temporary() {
    if (!name_.empty()) ::unlink(name_.c_str());
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  const char* name() const { return name_.c_str(); }
  void keep() { name_.clear(); }

 private:
  std::string name_;
};

/// Makes a rename last through a power cut. Best effort: some file systems refuse.
void flush_folder_of(const std::string& path) {
  const auto folder = std::filesystem::path(path).parent_path();
  const os::Descriptor file(
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (file) ::fsync(file.get());
}

}  // namespace

Fingerprint fingerprint(const Plan& plan) {
  Hash cases;
  Hash data;
  Hash measuring;
  for (const auto& c : plan.cases) {
    cases.add(c.id);
    cases.add(c.skip);
    for (const auto& [name, value] : c.params.entries()) cases.add(name + "=" + to_string(value));
  }
  for (const auto& experiment : plan.experiments) {
    cases.add(experiment.name);
    cases.add(experiment.workload);
    for (const auto& axis : experiment.swept) cases.add(axis);

    record::WorkItem its_data;
    its_data.experiment.data = experiment.data;
    data.add(record::encode(its_data));
    if (experiment.data.kind == DataSpec::Kind::file) data.add(state_of(experiment.data.file));

    record::WorkItem its_way;
    auto& rest = its_way.experiment = experiment;
    rest.name.clear();
    rest.workload.clear();
    rest.swept.clear();
    rest.data = {};
    rest.expectations.clear();
    rest.measure.timeout_s = MeasureSpec{}.timeout_s;
    rest.measure.threshold = 0;
    measuring.add(record::encode(its_way));
  }
  return {cases.text(), data.text(), measuring.text()};
}

JournalContent read_journal(const std::string& path) {
  std::ifstream file(path);
  if (!file) {
    const int error = errno;
    throw std::runtime_error(path + ": there is no journal to resume" +
                             (error == ENOENT ? " (leave out --resume, or name the output of the "
                                                "run that was interrupted)"
                                              : std::string(": ") + std::strerror(error)));
  }
  JournalContent content;
  std::string line;
  if (!std::getline(file, line) || file.eof()) line.clear();  // or its newline was never written
  parse_header(path, line, content);
  // A last line whose newline was never written is damaged too.
  while (std::getline(file, line)) {
    auto entry = file.eof() ? std::nullopt : parse_entry(line);
    if (entry) {
      content.entries.push_back(std::move(*entry));
    } else {
      ++content.lost;
    }
  }
  return content;
}

void drop_strangers(JournalContent& content, const Plan& plan) {
  std::set<std::tuple<std::size_t, int, record::Pass>> seen;
  content.lost += std::erase_if(content.entries, [&](const JournalEntry& entry) {
    const auto& m = entry.measurement;
    const bool known = m.case_index < plan.cases.size() && plan.cases[m.case_index].id == m.case_id;
    return !known || !seen.insert({m.case_index, m.process, entry.pass}).second;
  });
}

std::string difference(const RunIdentity& journal, const RunIdentity& run) {
  if (journal.build != run.build) {
    return "it was made by build " + journal.build + ", this is build " + run.build;
  }
  if (journal.device != run.device) {
    return "it was measured on " + journal.device + ", this run would use " + run.device;
  }
  if (journal.plan == run.plan) return "";
  std::string parts;
  for (const auto& [part, text] :
       {std::pair{&Fingerprint::cases, "its cases"}, std::pair{&Fingerprint::data, "its data"},
        std::pair{&Fingerprint::measuring, "the way it is measured"}}) {
    if (journal.plan.*part == run.plan.*part) continue;
    parts += (parts.empty() ? "" : " and ") + std::string(text);
  }
  return "it differs in " + parts + "; it was made by: " + text::printable(journal.command);
}

Journal::Journal(std::string path, const RunIdentity& identity, std::uint64_t order_seed,
                 std::string& kept)
    : path_(std::move(path)) {
  const auto older = os::claim(path_);
  struct stat status {};
  const bool made_here = ::fstat(older.get(), &status) == 0 && status.st_size == 0;
  Temporary placeholder(made_here ? path_ : "");
  replace(identity, order_seed, {}, made_here ? nullptr : &kept);
  placeholder.keep();
}

Journal::Journal(std::string path, const RunIdentity& identity, JournalContent& content)
    : path_(std::move(path)) {
  content = read_journal(path_);  // before the claim, which would make what is not there
  const auto older = os::claim(path_);
  content = read_journal(path_);
  if (const auto other = difference(content.identity, identity); !other.empty()) {
    throw std::runtime_error(path_ + ": can't be resumed: " + other);
  }
  // Rewritten rather than appended to, so that a damaged line does not stay in the middle.
  replace(identity, content.order_seed, content.entries, nullptr);
}

void Journal::replace(const RunIdentity& identity, std::uint64_t order_seed,
                      const std::vector<JournalEntry>& entries, std::string* kept) {
  Temporary fresh(path_ + "." + std::to_string(::getpid()) + ".tmp");
  // The lock is ours: what has this name is left from a run that was killed.
  ::unlink(fresh.name());
  file_ = os::Descriptor(
      ::open(fresh.name(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
  if (!file_) fail(path_);
  // Locked before it takes the older one's place, so that there is no moment without a lock.
  os::lock(file_);
  auto text = header_line(identity, order_seed);
  for (const auto& entry : entries) text += entry_line(entry);
  write_through(file_.get(), text, path_);
  if (kept != nullptr) *kept = results::keep_aside(path_);
  if (::rename(fresh.name(), path_.c_str()) != 0) fail(path_);
  fresh.keep();
  flush_folder_of(path_);
}

void Journal::append(const JournalEntry& entry) {
  if (!file_) return;
  const auto before = ::lseek(file_.get(), 0, SEEK_CUR);
  try {
    write_through(file_.get(), entry_line(entry), path_);
  } catch (const std::runtime_error&) {
    // Half a line would hide what a later call appends.
    if (::ftruncate(file_.get(), before) == 0) ::lseek(file_.get(), before, SEEK_SET);
    throw;
  }
}

void Journal::discard() {
  if (!file_) return;
  // While it is locked, so that no other run's journal is meant.
  if (os::is_still_at(path_, file_)) ::unlink(path_.c_str());
  file_ = os::Descriptor();
}

}  // namespace apod::run
