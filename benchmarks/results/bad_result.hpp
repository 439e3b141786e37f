#pragma once

#include <filesystem>
#include <new>
#include <stdexcept>
#include <string>

#include "benchmarks/text/plain.hpp"

namespace apod::results {

/// A file that can't be used: what is wrong with it, where, and often what would help. Fit for a
/// terminal.
class BadResult : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Runs `action`; whatever it throws becomes a BadResult that begins with `what`.
template <class Action>
auto naming(const std::string& what, const Action& action) {
  const auto fail = [&](const std::string& why) {
    throw BadResult(text::printable(what + ": " + why));
  };
  try {
    return action();
  } catch (const std::bad_alloc&) {
    fail("too large for the memory there is");
  } catch (const std::filesystem::filesystem_error& error) {
    fail("can't be read: " + error.code().message());
  } catch (const std::exception& error) {
    fail(error.what());
  }
  throw std::logic_error("not reached");
}

}  // namespace apod::results
