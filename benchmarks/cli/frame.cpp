#include "benchmarks/cli/frame.hpp"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <optional>

#include "benchmarks/cli/commands.hpp"
#include "benchmarks/cli/messages.hpp"
#include "benchmarks/cli/usage_error.hpp"
#include "benchmarks/text/closest.hpp"

namespace apod::cli {
namespace {

std::string program_of(const CommandEntry& entry) {
  return *entry.name == '\0' ? "bench" : std::string("bench ") + entry.name;
}

std::vector<std::string> flags_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const auto* option : app.get_options({})) names.push_back(option->get_name());
  for (const auto* group : app.get_subcommands({})) {
    for (const auto* option : group->get_options({})) names.push_back(option->get_name());
  }
  return names;
}

/// The words that are neither a flag nor a command, with what the first may have meant.
std::string explain_extras(const CLI::App& app, bool is_bench_itself) {
  const auto words = app.remaining();
  std::string message = "not expected:";
  for (const auto& word : words) message += " " + word;
  std::vector<std::string> names;
  for (const auto& command : commands()) names.emplace_back(command.name);
  for (const auto& word : words) {
    if (is_bench_itself && (word.ends_with(".yaml") || word.ends_with(".yml"))) {
      return message + " (did you mean --config " + word + "?)";
    }
    const bool is_flag = word.starts_with("--");
    if (!is_flag && !is_bench_itself) continue;
    const auto near =
        text::closest(word.substr(0, word.find('=')), is_flag ? flags_of(app) : names);
    if (!near.empty()) message += " (did you mean " + near + "?)";
    if (is_flag || !near.empty()) break;
  }
  return message;
}

/// "--out=" with nothing behind it as "--out" and an empty word: CLI11 would take the next word for
/// the value. Not behind "--", where words are no flags.
std::vector<std::string> with_empty_values(const std::vector<std::string>& words) {
  std::vector<std::string> all;
  bool has_flags = true;
  for (const auto& word : words) {
    has_flags = has_flags && word != "--";
    const bool is_empty = has_flags && word.starts_with("--") && word.find('=') + 1 == word.size();
    all.push_back(is_empty ? word.substr(0, word.size() - 1) : word);
    if (is_empty) all.emplace_back();
  }
  return all;
}

/// Reads the command line. An exit code where there is nothing more to do.
std::optional<int> parse(CLI::App& app, Command& command, const std::string& program,
                         const std::vector<std::string>& line, int own_words) {
  const auto refuse = [&](const std::string& message) {
    say(message);
    say_problem(program + " --help shows the flags.");
    return ExitCode::failure;
  };
  try {
    std::vector<std::string> arguments(line.begin() + own_words, line.end());
    command.prepare(line, arguments);
    const auto words = with_empty_values(arguments);
    // CLI11 takes a vector from its back.
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
    command.settle();
    return std::nullopt;
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ExtrasError&) {
    return refuse(explain_extras(app, program == "bench"));
  } catch (const CLI::ParseError& error) {
    return refuse(error.what());
  } catch (const UsageError& error) {
    return refuse(error.what());
  }
}

/// Whether nobody reads standard output any more.
bool reader_left() {
  pollfd standard_output{STDOUT_FILENO, POLLOUT, 0};
  return ::poll(&standard_output, 1, 0) == 1 &&
         (standard_output.revents & (POLLERR | POLLHUP)) != 0;
}

/// False where something that was printed is lost: on a full disk, say.
bool all_was_printed() {
  const bool printed = std::cout.flush() && std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  return printed || reader_left();
}

}  // namespace

int run_in_frame(const CommandEntry& entry, const std::vector<std::string>& line, int own_words) {
  const auto program = program_of(entry);
  speak_as(program);
  // A reader that left, or a worker that died, is an error of a write and not the end.
  ::signal(SIGPIPE, SIG_IGN);
  const auto command = entry.make();
  CLI::App app(command->purpose(), program);
  app.footer(command->footer());
  app.get_formatter()->column_width(34);
  Flags flags(app);
  command->declare(flags);
  int code = ExitCode::failure;
  try {
    const auto done = parse(app, *command, program, line, own_words);
    if (!done) check_files(command->files());
    code = done ? *done : command->run();
  } catch (const std::filesystem::filesystem_error& error) {
    say(error.path1().string() + ": " + error.code().message());
  } catch (const std::exception& error) {
    say(error.what());
  }
  return all_was_printed() ? code : fail("standard output could not be written");
}

}  // namespace apod::cli
