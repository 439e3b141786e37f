#include "benchmarks/cli/terminal.hpp"

#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <string>

namespace apod::cli {
namespace {

constexpr std::int64_t one_second_ns = 1'000'000'000;

// 0: none came yet.
std::atomic<std::int64_t> first_signal_ns{0};
static_assert(std::atomic<std::int64_t>::is_always_lock_free, "a signal handler may touch it");

/// Only what a signal handler may do: clock_gettime, atomics, alarm, write, signal, raise. The
/// alarm rings where the first signal has not ended the process at once.
void on_signal(int number) {
  constexpr unsigned alarm_s = 2;
  static constexpr char waits[] =
      "\nbench: waiting for the running case to end (Ctrl-C again ends it now)\n";
  if (number == SIGALRM && ::write(STDERR_FILENO, waits, sizeof waits - 1) != 0) return;
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  const std::int64_t now = time.tv_sec * one_second_ns + time.tv_nsec;
  std::int64_t first = 0;
  if (first_signal_ns.compare_exchange_strong(first, now)) ::alarm(alarm_s);
  if (first == 0 || now - first < one_second_ns) return;
  ::signal(number, SIG_DFL);
  ::raise(number);
}

/// Whether standard output gets colour. By default it does on a terminal that has colours, unless
/// NO_COLOR is set (no-color.org).
bool wants_color(ColorChoice choice) {
  if (choice != ColorChoice::automatic) return choice == ColorChoice::always;
  const char* term = std::getenv("TERM");
  return ::isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr && term != nullptr &&
         std::string(term) != "dumb";
}

}  // namespace

void watch_signals() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  for (const int number : {SIGINT, SIGTERM, SIGALRM}) ::sigaction(number, &action, nullptr);
  struct sigaction old {};
  ::sigaction(SIGHUP, nullptr, &old);
  if (old.sa_handler != SIG_IGN) ::sigaction(SIGHUP, &action, nullptr);  // nohup keeps its promise
}

bool stop_asked() {
  return first_signal_ns.load() != 0;
}

std::optional<int> terminal_width(int descriptor) {
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  if (const char* columns = std::getenv("COLUMNS"); columns != nullptr) {
    if (const int width = std::atoi(columns); width > 0 && width <= 10'000) return width;
  }
  return std::nullopt;
}

std::ostream* annotations_stream(bool text) {
  const char* actions = std::getenv("GITHUB_ACTIONS");
  if (actions == nullptr || std::string(actions) != "true") return nullptr;
  return text ? &std::cout : &std::cerr;
}

show::ConsoleStyle console_style(ColorChoice choice) {
  return {wants_color(choice), terminal_width(STDOUT_FILENO)};
}

}  // namespace apod::cli
