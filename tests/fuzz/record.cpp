// What a worker and a journal say: each line is a record of some kind, and all lines are a journal,
// as they are and with the checksums that a stranger would give them.

#include <sstream>
#include <stdexcept>

#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/files/record/codec.hpp"
#include "benchmarks/run/journal.hpp"
#include "tests/fuzz/harness.hpp"
#include "tests/fuzz/targets.hpp"

namespace apod::fuzz {
namespace {

/// What is read and written is the same again.
template <class Decode>
void try_codec(const std::string& line, const Decode& decode) {
  std::string text;
  try {
    text = record::encode(decode(line));
  } catch (const std::runtime_error& error) {
    return check_shown(text::printable(error.what()), line);
  }
  expect(record::encode(decode(text)) == text, "a record changes when it is read: " + text);
}

}  // namespace

void try_record(const std::string& input) {
  std::istringstream lines(input);
  std::string journal = "apod-journal-4\t1\tcases\tdata\tmeasuring\tbuild\tdevice\tcommand\n";
  for (std::string line; std::getline(lines, line);) {
    journal += run::checked_line(record::Pass::measure, line);
    try_codec(line, record::decode_measurement);
    try_codec(line, record::decode_trace);
    try_codec(line, record::decode_work_item);
    try_codec(line, record::decode_device_facts);
  }
  for (const auto& text : {input, journal}) {
    try {
      run::read_journal(write("x.journal", text));
    } catch (const std::runtime_error& error) {
      check_shown(text::printable(error.what()), input);
    }
  }
}

}  // namespace apod::fuzz
