// What cuobjdump writes of a program.

#include <sstream>

#include "benchmarks/look/program_code.hpp"
#include "benchmarks/look/sass.hpp"
#include "tests/fuzz/harness.hpp"
#include "tests/fuzz/targets.hpp"

void apod::fuzz::try_listing(const std::string& input) {
  look::ProgramCode code;
  look::Listing listing;
  std::istringstream lines(input);
  for (std::string line; std::getline(lines, line);) listing.add_line(line);
  code.kernels = listing.kernels();
  for (const char* capability : {"7.5", "9.0", ""}) {
    for (const auto& [name, mix] : mixes_of(code, architecture_for(code, capability))) {
      expect(mix.global_loads + mix.global_stores <= mix.all,
             "more loads and stores than instructions: " + name);
    }
  }
}
