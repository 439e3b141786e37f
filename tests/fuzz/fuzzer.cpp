/// \file
/// libFuzzer's entry. $APOD_FUZZ_TARGET names the target.

#include <cstddef>
#include <cstdlib>
#include <string>

#include "tests/fuzz/targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  static const char* const name = std::getenv("APOD_FUZZ_TARGET");
  static const auto target = apod::fuzz::target_called(name == nullptr ? "" : name);
  target(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
