#include "benchmarks/cli/messages.hpp"

#include <iostream>
#include <sstream>
#include <utility>

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

void print(std::string before, const std::string& text) {
  std::istringstream lines(text);
  std::string all;
  for (std::string line; std::getline(lines, line);)
    all += std::exchange(before, "  | ") + shown(line) + '\n';
  std::cerr << all;
}

}  // namespace

void speak_as(const std::string& program) {
  speaker() = program;
}

void say(const std::string& text) {
  print(speaker() + ": ", text);
}

int fail(const std::string& text, int exit_code) {
  say(text);
  return exit_code;
}

void say_problem(const std::string& text) {
  print("", text);
}

}  // namespace apod::cli
