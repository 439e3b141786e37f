#include "benchmarks/cli/messages.hpp"

#include <iostream>
#include <sstream>

#include "benchmarks/base/text/plain.hpp"

namespace apod::cli {
namespace {

std::string& speaker() {
  static std::string name = "bench";
  return name;
}

/// What a message quotes may be as long as its file.
std::string shown(const std::string& line) {
  constexpr std::size_t widest = 2000;
  return text::shorten(text::printable(line), widest);
}

}  // namespace

void speak_as(const std::string& program) {
  speaker() = program;
}

void say(const std::string& text) {
  std::istringstream lines(text);
  std::string before = speaker() + ": ";
  std::string all;
  for (std::string line; std::getline(lines, line);) {
    all += before + shown(line) + '\n';
    before = "  | ";
  }
  std::cerr << all;
}

int fail(const std::string& text, int exit_code) {
  say(text);
  return exit_code;
}

void say_problem(const std::string& text) {
  std::cerr << shown(text) + '\n';
}

}  // namespace apod::cli
