#include "benchmarks/cli/frame.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <utility>

#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/cli/commands.hpp"
#include "benchmarks/cli/exit_code.hpp"
#include "benchmarks/cli/messages.hpp"
#include "benchmarks/cli/option_table.hpp"
#include "benchmarks/cli/options.hpp"

namespace apod::cli {
namespace {

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
  std::string message = "unexpected argument:";
  for (const auto& word : words) message += " " + word;
  if (is_bench_itself && words.front() == "--") {
    return message +
           " (bench time -- COMMAND times a program; bench inspect -- COMMAND says why it is slow; "
           "bench ./old ./new compares two programs)";
  }
  for (const auto& word : words) {
    const auto in_word = text::shell_words(word);
    if (is_bench_itself && in_word && in_word->size() > 1 &&
        *find_command(in_word->front()).name != '\0') {
      const std::vector<std::string> rest(in_word->begin() + 1, in_word->end());
      const auto behind = text::shell_line(rest);
      return message + " (write bench " + in_word->front() + " " +
             (in_word->front() == "time" ? text::shell_line({behind}) : behind) + ")";
    }
    if (app.get_option_no_throw("--config") != nullptr &&
        (word.ends_with(".yaml") || word.ends_with(".yml")))
      return message + text::in_brackets(text::did_you_mean("--config " + word));
    std::error_code unknown;
    if (is_bench_itself && std::filesystem::is_regular_file(word, unknown) &&
        ::access(word.c_str(), X_OK) == 0) {
      return message + " (bench time " + word + " times a program; bench ./old ./new compares two)";
    }
    if (is_bench_itself && std::filesystem::is_directory(word, unknown))
      return message + " (a folder: bench compare and bench history read folders)";
    if (is_bench_itself && std::filesystem::exists(word, unknown))
      return message + " (name an experiment .yaml, a kernel .cu, a result .json or two programs)";
    if (is_bench_itself && word.find('/') != std::string::npos && !word.starts_with('-'))
      return message + " (there is no such file)";
    const auto* files = app.get_option_no_throw("files");
    if (word == "--out" && files != nullptr && files->get_type_name().starts_with("OUT"))
      return message + " (the first file that you name is the output)";
    const bool is_flag = word.starts_with("--");
    if (!is_flag && !is_bench_itself) continue;
    const auto name = word.substr(0, word.find('='));
    auto near = is_flag ? text::closest(name, flags_of(app)) : closest_command(name);
    if (near.empty() && !is_flag)
      return message + " (neither a command nor a file; bench --help lists the commands)";
    if (near.empty() && is_bench_itself) {
      const auto key = text::closest(name.substr(2), names_to_set());
      if (!key.empty()) near = "--set " + key + "=VALUE";
    }
    return message + text::in_brackets(text::did_you_mean(near));
  }
  return message;
}

[[noreturn]] void refuse_empty(const CLI::Option* flag) {
  throw UsageError((flag == nullptr ? "" : flag->get_name() + ": ") + empty_value);
}

/// The flag whose value is yet to come behind this word, or nullptr. Throws UsageError where the
/// word itself gives a flag an empty value, or one that it doesn't take.
const CLI::Option* left_open(const CLI::App& app, const std::string& word) {
  const auto takes_value = [](const CLI::Option& flag) { return flag.get_expected_max() > 0; };
  if (word.starts_with("--")) {
    const auto equals = word.find('=');
    const auto* flag = app.get_option_no_throw(word.substr(0, equals));
    if (flag == nullptr) return nullptr;
    if (equals == std::string::npos) return takes_value(*flag) ? flag : nullptr;
    if (!takes_value(*flag)) throw UsageError(flag->get_name() + ": takes no value");
    if (equals + 1 == word.size()) refuse_empty(flag);
    return nullptr;
  }
  // -qo FILE, -qoFILE: switches, and then one with a value.
  for (std::size_t i = 1; word.starts_with('-') && i < word.size(); ++i) {
    const auto* flag = app.get_option_no_throw({'-', word[i]});
    if (flag == nullptr) return nullptr;
    if (takes_value(*flag)) return i + 1 == word.size() ? flag : nullptr;
  }
  return nullptr;
}

/// Throws UsageError for an empty word or value, and for the value of a switch. CLI11 must not see
/// them: it takes an empty word for the name of a group of flags, and the word behind "--out=" for
/// its value.
void check_values(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::Option* open = nullptr;
  bool has_flags = true;
  for (const auto& word : words) {
    if (word.empty()) refuse_empty(open);
    // A value may look like a flag, unless it may be left out.
    const bool is_value =
        open != nullptr && (open->get_expected_min() > 0 || !word.starts_with('-'));
    open = nullptr;
    has_flags = has_flags && (is_value || word != "--");
    if (has_flags && !is_value) open = left_open(app, word);
  }
  if (open != nullptr && open->get_expected_min() > 0) {
    const auto name = open->get_name();
    throw UsageError(name + ": needs a value (" + name + " " + open->get_type_name() + ")");
  }
}

constexpr std::size_t help_width = 100;
constexpr std::size_t flag_width = 34;

/// Lines of help that no terminal breaks within a word.
class HelpLines : public CLI::Formatter {
 public:
  HelpLines() { column_width(flag_width); }
  std::string make_option_desc(const CLI::Option* option) const override {
    return fmt::format(
        "{}", fmt::join(text::wrap(option->get_description(), help_width - flag_width), "\n"));
  }
};

/// A command with its usual flags, in a screen.
std::string screen_of(const CommandEntry& entry, const std::vector<std::string>& usual) {
  const auto table = table_of(entry);
  const auto examples = table.text.footer.substr(table.text.footer.find("Examples:"));
  std::string screen =
      std::string(entry.help) + "\n\n" + examples.substr(0, examples.find("\n\n")) + "\n\nFlags:\n";
  for (const auto& option : table.options) {
    if (std::ranges::find(usual, option.names.back()) == usual.end()) continue;
    std::string before = fmt::format("  {}{}{}", fmt::join(option.names, ","),
                                     option.type.empty() ? "" : " ", option.type);
    if (before.size() >= flag_width) screen += std::exchange(before, "") + "\n";
    for (const auto& part : text::wrap(option.help, help_width - flag_width))
      screen += text::pad_right(std::exchange(before, ""), flag_width) + part + "\n";
  }
  return screen + "\n" + table.name + " --help-all shows every flag and the exit codes.\n";
}

/// Reads the command line. An exit code where there is nothing more to do.
std::optional<int> parse(CLI::App& app, Command& command, const CommandEntry& entry,
                         const std::vector<std::string>& line, int own_words) {
  const auto program = entry.program();
  const auto refuse = [&](const std::string& message) {
    say(message);
    say_problem(program + " --help shows the flags.");
    return ExitCode::failure;
  };
  try {
    std::vector<std::string> arguments(line.begin() + own_words, line.end());
    if (arguments.size() == 1 && (arguments[0] == "--help" || arguments[0] == "-h")) {
      const auto help = command.help();
      const auto screen = help.usual.empty() ? help.screen : screen_of(entry, help.usual);
      if (!screen.empty()) {
        std::cout << screen;
        return ExitCode::success;
      }
    }
    if (arguments.size() == 1 && arguments[0] == "--help-all") arguments[0] = "--help";
    command.command_line = line;
    command.prepare(arguments);
    check_values(app, arguments);
    // CLI11 takes a vector from its back.
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
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

/// Whether standard output has no reader any more.
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

bool take_behind(std::vector<std::string>& arguments, std::vector<std::string>& behind) {
  const auto dashes = std::ranges::find(arguments, "--");
  if (dashes == arguments.end()) return false;
  behind.assign(dashes + 1, arguments.end());
  arguments.erase(dashes, arguments.end());
  return true;
}

int run_in_frame(const CommandEntry& entry, const std::vector<std::string>& line, int own_words,
                 bool named) {
  speak_as(named ? entry.program() : "bench");
  // A reader that left, or a worker that died, is an error of a write and not the end.
  ::signal(SIGPIPE, SIG_IGN);
  const auto command = entry.make();
  const auto help = command->help();
  CLI::App app(entry.help, entry.program());
  app.footer(help.footer);
  app.formatter(std::make_shared<HelpLines>());
  Flags flags(app);
  command->declare(flags);
  int code = ExitCode::failure;
  try {
    const auto done = parse(app, *command, entry, line, own_words);
    if (!done) check_files(command->files());
    code = done ? *done : command->run();
  } catch (const std::filesystem::filesystem_error& error) {
    say(error.path1().string() + ": " + error.code().message());
  } catch (const std::exception& error) {
    say(error.what());
  }
  if (!all_was_printed()) code = fail("standard output could not be written");
  return command->ends_with(code);
}

}  // namespace apod::cli
