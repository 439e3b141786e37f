// A compiler's messages on a file that is not trusted, and a source that includes others. Parts:
// messages, source.

#include <sstream>
#include <stdexcept>

#include "benchmarks/base/text/plain.hpp"
#include "kernels/backends/cuda/files/sources.hpp"
#include "tests/fuzz/harness.hpp"
#include "tests/fuzz/targets.hpp"

void apod::fuzz::try_log(const std::string& input) {
  auto parts = parts_of(input);
  parts.resize(2);
  const auto source = write("k.cu", parts[1]);
  file::KernelSpec spec;
  spec.folder = source.substr(0, source.rfind('/'));
  const auto shown = cuda::own_messages(spec, "k.cu", parts[0]);
  std::istringstream lines(shown);
  bool hidden = false;
  for (std::string line; std::getline(lines, line);) {
    hidden = hidden || line.starts_with("/etc/") || line.starts_with("../");
  }
  expect(!hidden, "a message on a file from outside: " + shown);
  try {
    for (const auto& [name, text] : cuda::read_sources(spec, "k.cu").files) {
      expect(name == "k.cu" || !name.starts_with("/etc"), "it read " + name);
    }
  } catch (const std::runtime_error& error) {
    check_shown(text::printable(error.what()), input);
  }
}
