#include "benchmarks/run/journal.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <tuple>
#include <utility>

#include "benchmarks/base/os/input_file.hpp"
#include "benchmarks/base/os/new_file.hpp"
#include "benchmarks/base/os/turns.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/files/bad_result.hpp"
#include "benchmarks/files/earlier_file.hpp"
#include "kernels/data/fnv.hpp"

namespace apod::run {

namespace {

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

/// The keys of "key=value" words that only one of the texts has: "max_time, precision".
std::string different_words(const std::string& a, const std::string& b) {
  std::map<std::string, int> times;
  for (const auto* text : {&a, &b}) {
    std::istringstream words(*text);
    for (std::string word; words >> word;) ++times[word];
  }
  std::set<std::string> keys;
  for (const auto& [word, count] : times) {
    if (count == 1) keys.insert(word.substr(0, word.find('=')));
  }
  return text::joined(keys, ", ");
}

}  // namespace

Fingerprint fingerprint(const Plan& plan) {
  Hash cases;
  Hash data;
  std::map<std::string, Hash> ways;
  for (const auto& c : plan.cases) {
    cases.add(c.id);
    cases.add(c.skip);
    for (const auto& name : c.wanted) cases.add(name);
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

    if (experiment.kernel) {
      std::set<std::string> files;
      for (const auto& launch : experiment.kernel->spec.launches) files.insert(launch.file);
      files.insert(experiment.kernel->spec.reference.launch.file);
      files.insert(experiment.kernel->spec.sources.begin(), experiment.kernel->spec.sources.end());
      for (const auto& c : plan.cases) {
        if (&plan.experiment_of(c) == &experiment && file::names_file(c.variant))
          files.insert(c.variant);
      }
      if (const auto& captured = experiment.kernel->spec.captured) {
        const auto below = captured->folder.empty() ? "" : captured->folder + "/";
        for (const auto* name : {capture::manifest_file, capture::cubin_file, capture::ptx_file,
                                 capture::before_file, capture::changes_file}) {
          files.insert(below + name);
        }
      }
      const auto folder = experiment.kernel->spec.folder;
      for (const auto& file : files)
        data.add(file + " " + state_of((folder.empty() ? "." : folder) + "/" + file));
    }

    for (const auto& [key, value] : record::encode_way(experiment)) {
      if (key != "timeout" && key != "threshold") ways[key].add(value);
    }
  }
  std::string measuring;
  for (const auto& [key, hash] : ways)
    measuring += (measuring.empty() ? "" : " ") + key + "=" + hash.text();
  return {cases.text(), data.text(), measuring};
}

std::string plan_identity(const Plan& plan) {
  const auto all = fingerprint(plan);
  Hash both;
  both.add(all.cases);
  both.add(all.measuring);
  for (const auto& experiment : plan.experiments) both.add(experiment.data.file);
  return both.text();
}

std::string difference(const RunIdentity& journal, const RunIdentity& run) {
  if (journal.build != run.build)
    return "the journal is from build " + journal.build + ", but this is build " + run.build;
  if (journal.device != run.device)
    return "the journal is from " + journal.device + ", but this run would use " + run.device;
  if (journal.plan == run.plan) return "";
  std::string parts;
  const auto keys = different_words(journal.plan.measuring, run.plan.measuring);
  const auto measuring = "the measure settings" + (keys.empty() ? "" : " (" + keys + ")");
  for (const auto& [part, text] : {std::pair{&Fingerprint::cases, std::string("the cases")},
                                   std::pair{&Fingerprint::data, std::string("the data")},
                                   std::pair{&Fingerprint::measuring, measuring}}) {
    if (journal.plan.*part == run.plan.*part) continue;
    parts += (parts.empty() ? "" : " and ") + text;
  }
  return "the journal differs from this run in " + parts +
         "; to continue it, add --resume to its command: " + text::printable(journal.command);
}

namespace {

constexpr const char* magic = "apod-journal-4";
/// How a line begins, by what it is of.
constexpr std::array<std::pair<char, record::Pass>, 4> pass_letters{{{'M', record::Pass::measure},
                                                                     {'T', record::Pass::trace},
                                                                     {'C', record::Pass::counters},
                                                                     {'E', record::Pass::energy}}};

[[noreturn]] void fail(const std::string& path, int error) {
  throw std::runtime_error(path + ": can't write the journal: " + std::strerror(error));
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

std::string entry_line(const JournalEntry& entry) {
  return checked_line(entry.pass, record::encode(entry.measurement));
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
  if (!good) throw std::runtime_error(path + ": is not a journal of bench");
  content.identity = RunIdentity{{parts[2], parts[3], parts[4]}, parts[5], parts[6], parts[7]};
}

/// "M RECORD"; empty when the line is damaged.
std::string_view checked(std::string_view line) {
  constexpr std::size_t digits = 16;
  if (line.size() < digits + 4 || line[digits] != ' ' || line[digits + 2] != ' ') return {};
  const auto text = line.substr(digits + 1);
  return checksum_of(text) == line.substr(0, digits) ? text : std::string_view();
}

/// Nothing when the line is damaged.
std::optional<JournalEntry> parse_entry(std::string_view line) {
  const auto text = checked(line);
  if (text.empty()) return {};
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

/// Writes `text` at `offset` and waits until the disk has it. False, with errno set, where that
/// fails.
bool write_through(const os::Descriptor& file, std::size_t offset, const std::string& text) {
  if (::lseek(file.get(), static_cast<off_t>(offset), SEEK_SET) < 0) return false;
  if (!os::write_all(file.get(), text)) return false;
  // File systems that can't flush say so with EINVAL; a run without that promise beats none.
  return ::fdatasync(file.get()) == 0 || errno == EINVAL;
}

/// More than a process of eight million samples has.
constexpr std::size_t longest_line = std::size_t{256} << 20;

/// Reads a journal's head into `content`, and hands on its further lines. Throws as read_journal.
template <class Take>
void read_lines(const std::string& path, JournalContent& content, Take take) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) {
    const bool absent = status.type() == std::filesystem::file_type::not_found;
    throw std::runtime_error(
        path + ": there is no journal to resume" +
        (absent ? " (leave out --resume, or name the output of the interrupted run)"
                : ": " + error.message()));
  }
  if (!std::filesystem::is_regular_file(status))
    throw std::runtime_error(path + ": is not a regular file, so it can't be a journal");
  const auto file = files::naming(path, [&] { return std::make_unique<os::InputFile>(path); });
  const auto next = [&](std::string& line) {
    return files::naming(path, [&] { return os::next_line(*file, line, longest_line); });
  };
  if (file->peek() == std::istream::traits_type::eof()) return;
  std::string line;
  if (!next(line) || file->eof()) line.clear();  // or its newline was never written
  parse_header(path, line, content);
  // A last line whose newline was never written is damaged too.
  while (next(line)) take(file->eof() ? std::string_view() : line);
}

}  // namespace

std::string checked_line(record::Pass of, const std::string& record) {
  for (const auto& [letter, pass] : pass_letters) {
    if (pass != of) continue;
    const auto text = letter + (" " + record);
    return checksum_of(text) + " " + text + "\n";
  }
  throw std::logic_error("a pass that is not kept");
}

JournalContent read_journal(const std::string& path) {
  JournalContent content;
  read_lines(path, content, [&](std::string_view line) {
    if (auto entry = parse_entry(line)) {
      content.entries.push_back(std::move(*entry));
    } else {
      ++content.lost;
    }
  });
  return content;
}

std::size_t count_entries(const std::string& path) {
  JournalContent head;
  std::size_t count = 0;
  read_lines(path, head, [&](std::string_view line) { count += checked(line).empty() ? 0 : 1; });
  return count;
}

void drop_strangers(JournalContent& content, const Plan& plan) {
  std::set<std::tuple<std::size_t, int, record::Pass>> seen;
  content.lost += std::erase_if(content.entries, [&](const JournalEntry& entry) {
    const auto& m = entry.measurement;
    const bool known = m.case_index < plan.cases.size() && plan.cases[m.case_index].id == m.case_id;
    return !known || !seen.insert({m.case_index, m.process, entry.pass}).second;
  });
}

JournalContent read_journal_of(const std::string& path, const RunIdentity& run) {
  auto content = read_journal(path);
  const auto other = content.identity ? difference(*content.identity, run) : "";
  if (!other.empty()) throw std::runtime_error(path + ": can't be resumed: " + other);
  return content;
}

Journal::Journal(std::string path, const RunIdentity& identity, std::uint64_t order_seed,
                 std::string& kept)
    : path_(std::move(path)) {
  const auto older = os::claim(path_);
  struct stat status {};
  const bool empty = ::fstat(older.get(), &status) == 0 && status.st_size == 0;
  try {
    replace(identity, order_seed, {}, empty ? nullptr : &kept);
  } catch (...) {
    if (empty) ::unlink(path_.c_str());
    throw;
  }
}

Journal::Journal(std::string path, const RunIdentity& identity, std::uint64_t& order_seed,
                 JournalContent& content)
    : path_(std::move(path)) {
  read_journal_of(path_, identity);  // before the claim, which would make what is not there
  const auto older = os::claim(path_);
  content = read_journal_of(path_, identity);
  if (content.identity) order_seed = content.order_seed;
  // Rewritten rather than appended to, so that a damaged line does not stay in the middle.
  replace(identity, order_seed, content.entries, nullptr);
}

void Journal::replace(const RunIdentity& identity, std::uint64_t order_seed,
                      const std::vector<JournalEntry>& entries, std::string* kept) {
  os::NewFile fresh(std::filesystem::path(path_).parent_path());
  if (!fresh.file()) fail(path_, fresh.error());
  // Locked before it takes the older one's place, so that there is no moment without a lock.
  os::lock(fresh.file());
  auto text = header_line(identity, order_seed);
  for (const auto& entry : entries) text += entry_line(entry);
  if (!write_through(fresh.file(), 0, text)) fail(path_, errno);
  if (kept != nullptr) *kept = files::keep_aside(path_);
  if (!fresh.replace(path_)) fail(path_, errno);
  file_ = std::move(fresh.file());
  size_ = text.size();
  written_ = entries.size();
}

void Journal::append(const JournalEntry& entry) {
  if (!file_) return;
  unwritten_.push_back(entry_line(entry));
  retry();
}

void Journal::retry() {
  problem_.clear();
  if (!unwritten_.empty() && !os::is_still_at(path_, file_)) {
    problem_ = path_ + ": the journal was removed";
    written_ = 0;
    return;
  }
  for (; !unwritten_.empty(); unwritten_.pop_front()) {
    const auto& line = unwritten_.front();
    if (!write_through(file_, size_, line)) {
      problem_ = path_ + ": can't write the journal: " + std::strerror(errno);
      // Half a line would count as damage.
      [[maybe_unused]] const int ignored = ::ftruncate(file_.get(), static_cast<off_t>(size_));
      return;
    }
    size_ += line.size();
    ++written_;
  }
}

void Journal::discard() {
  if (!file_) return;
  // While it is locked, so that no other run's journal is meant.
  if (os::is_still_at(path_, file_)) ::unlink(path_.c_str());
  file_ = os::Descriptor();
  unwritten_.clear();
}

}  // namespace apod::run
