/// \file
/// What bench says of itself: its manual page, and the schema of its experiment files.

#include <iostream>
#include <map>

#include "benchmarks/cli/commands.hpp"
#include "benchmarks/cli/exit_code.hpp"
#include "benchmarks/cli/option_table.hpp"
#include "benchmarks/plan/config/load.hpp"

namespace apod::cli {
namespace {

/// Text that troff prints as it is (man(7)): no requests, and signs of ASCII that can be copied.
std::string plain(const std::string& text) {
  static const std::map<char, std::string> signs{{'\\', "\\e"},  {'-', "\\-"},   {'\'', "\\(aq"},
                                                 {'^', "\\(ha"}, {'~', "\\(ti"}, {'`', "\\(ga"}};
  std::string out;
  for (const char c : text) {
    if ((out.empty() || out.back() == '\n') && c == '.') out += "\\&";
    const auto sign = signs.find(c);
    out += sign == signs.end() ? std::string(1, c) : sign->second;
  }
  return out;
}

std::string bold(const std::string& text) {
  return "\\fB" + plain(text) + "\\fR";
}

void write_option(std::ostream& out, const OptionEntry& option) {
  out << ".TP\n";
  for (std::size_t i = 0; i < option.names.size(); ++i) {
    out << (i > 0 ? ", " : "")
        << (option.is_word ? "\\fI" + plain(option.names[i]) + "\\fR" : bold(option.names[i]));
  }
  if (!option.type.empty() && !option.is_word) out << " \\fI" << plain(option.type) << "\\fR";
  out << '\n' << plain(option.help) << '\n';
}

void write_options(std::ostream& out, const CommandTable& table) {
  std::string heading;
  for (const auto& option : table.options) {
    if (option.heading != heading) out << ".PP\n" << plain(option.heading) << ":\n";
    heading = option.heading;
    write_option(out, option);
  }
}

/// The examples, which keep their lines, and the exit codes.
void write_footer(std::ostream& out, const CommandTable& table) {
  out << ".PP\n.nf\n" << plain(table.text.footer) << "\n.fi\n";
}

class ManCommand : public Command {
 public:
  HelpText help() const override {
    return {
        R"(Examples:
  bench man | man -l -        read it
  bench man > bench.1

Exit codes: 0 good; 1 usage error.)"};
  }
  int run() override {
    const auto bench = table_of(find_command(""));
    std::cout
        << ".TH BENCH 1 \"\" \"APOD Bench\" \"User Commands\"\n"
        << ".SH NAME\nbench \\- experiments with GPU kernels: is a kernel faster, why, and did a "
           "change break it\n"
        << ".SH SYNOPSIS\n.B bench \\-\\-config\n.I FILE\n[\\fIflags\\fR]\n.br\n"
        << ".B bench\n.I COMMAND\n[\\fIflags\\fR]\n"
        << ".SH DESCRIPTION\n"
        << plain(bench.help) << "\n.SH OPTIONS\n";
    write_options(std::cout, bench);
    write_footer(std::cout, bench);
    std::cout << ".SH COMMANDS\n";
    for (const auto& entry : commands()) {
      const auto table = table_of(entry);
      std::cout << ".SS " << plain(table.name) << '\n' << plain(table.help) << '\n';
      write_options(std::cout, table);
      write_footer(std::cout, table);
    }
    return ExitCode::success;
  }
};

class SchemaCommand : public Command {
 public:
  HelpText help() const override {
    return {
        R"(Example:
  bench schema > experiment.schema.json

With this first line in an experiment file, VS Code's YAML extension completes keys, axes and variants:
  # yaml-language-server: $schema=experiment.schema.json)"};
  }
  int run() override {
    std::cout << config::experiment_schema(Registry::instance());
    return ExitCode::success;
  }
};

}  // namespace

std::unique_ptr<Command> make_man() {
  return std::make_unique<ManCommand>();
}

std::unique_ptr<Command> make_schema() {
  return std::make_unique<SchemaCommand>();
}

}  // namespace apod::cli
