#pragma once

#include <filesystem>
#include <new>
#include <stdexcept>
#include <string>

#include "benchmarks/base/text/plain.hpp"

namespace apod::files {

/// A file that can't be used: what is wrong with it, where, and often what would help. Safe for a
/// terminal.
class BadResult : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Runs `action`; whatever it throws becomes a BadResult that begins with `what`, once: it replaces
/// the file's own name, with which an action may begin.
template <class Action>
auto naming(const std::string& what, const Action& action, const std::string& file) {
  const auto fail = [&](const std::string& why) {
    const auto own = text::printable(file + ": ");
    const auto shown = text::printable(why);
    throw BadResult(text::printable(what + ": ") +
                    (shown.starts_with(own) ? shown.substr(own.size()) : shown));
  };
  try {
    return action();
  } catch (const std::bad_alloc&) {
    fail("the file is too large for this machine's memory");
  } catch (const std::filesystem::filesystem_error& error) {
    fail("can't be read: " + error.code().message());
  } catch (const std::exception& error) {
    fail(error.what());
  }
  throw std::logic_error("not reached");
}
template <class Action>
auto naming(const std::string& file, const Action& action) {
  return naming(file, action, file);
}

}  // namespace apod::files
