#include "benchmarks/run/journal.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "benchmarks/report/codec.hpp"

namespace apod::run {
namespace {

constexpr const char* magic = "apod-journal-1";

/// FNV-1a, 64 bit (Fowler, Noll, Vo; draft-eastlake-fnv). Not for secrets: it tells plans apart.
class Hash {
 public:
  void add(const std::string& text) {
    for (const char c : text) {
      value_ = (value_ ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    }
    value_ = (value_ ^ 0xFFU) * 0x100000001b3ULL;  // so that "ab","c" differs from "a","bc"
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325ULL;
};

}  // namespace

std::string fingerprint(const Plan& plan) {
  Hash hash;
  for (const auto& c : plan.cases) {
    hash.add(c.id);
    hash.add(c.skip);
    for (const auto& [name, value] : c.params.entries()) hash.add(name + "=" + to_string(value));
  }
  for (const auto& experiment : plan.experiments) {
    report::WorkItem shared;
    shared.experiment = experiment;
    hash.add(report::encode(shared));
  }
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(hash.value()));
  return text.data();
}

JournalContent read_journal(const std::string& path) {
  std::ifstream file(path);
  if (!file) {
    throw std::runtime_error(path + ": there is no journal to resume: " + std::strerror(errno));
  }
  std::string line;
  std::getline(file, line);
  std::istringstream header(line);
  std::string word;
  JournalContent content;
  if (!(header >> word >> content.fingerprint >> content.order_seed) || word != magic) {
    throw std::runtime_error(path + ": not a journal of this program");
  }
  while (std::getline(file, line)) {
    // A line without its newline was being written when the machine went down.
    if (file.eof()) break;
    if (line.size() < 3 || (line[0] != 'M' && line[0] != 'T')) {
      throw std::runtime_error(path + ": damaged: a line is no entry");
    }
    content.entries.push_back({report::decode_measurement(line.substr(2)), line[0] == 'T'});
  }
  return content;
}

Journal::Journal(std::string path, const std::string& fingerprint, std::uint64_t order_seed,
                 const std::vector<JournalEntry>& resumed)
    : path_(std::move(path)) {
  // Rewritten rather than appended to, so that a torn last line does not stay in the middle.
  const auto fresh = path_ + ".tmp";
  file_ = std::fopen(fresh.c_str(), "we");
  if (file_ == nullptr) {
    throw std::runtime_error(path_ + ": can't write the journal: " + std::strerror(errno));
  }
  write_line(std::string(magic) + " " + fingerprint + " " + std::to_string(order_seed));
  for (const auto& entry : resumed) append(entry);
  if (std::rename(fresh.c_str(), path_.c_str()) != 0) {
    throw std::runtime_error(path_ + ": can't write the journal: " + std::strerror(errno));
  }
}

Journal::~Journal() {
  if (file_ != nullptr) std::fclose(file_);
}

Journal::Journal(Journal&& other) noexcept
    : path_(std::move(other.path_)), file_(std::exchange(other.file_, nullptr)) {}

Journal& Journal::operator=(Journal&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(file_, other.file_);
  return *this;
}

void Journal::append(const JournalEntry& entry) {
  if (file_ == nullptr) return;
  write_line((entry.trace_pass ? "T " : "M ") + report::encode(entry.measurement));
}

void Journal::write_line(const std::string& line) {
  const bool good = std::fwrite(line.data(), 1, line.size(), file_) == line.size() &&
                    std::fputc('\n', file_) != EOF && std::fflush(file_) == 0;
  if (!good) {
    throw std::runtime_error(path_ + ": can't write the journal: " + std::strerror(errno));
  }
}

void Journal::discard() {
  if (file_ == nullptr) return;
  std::fclose(std::exchange(file_, nullptr));
  std::remove(path_.c_str());
}

}  // namespace apod::run
