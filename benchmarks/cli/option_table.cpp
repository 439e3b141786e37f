#include "benchmarks/cli/option_table.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/cli/commands.hpp"

namespace apod::cli {
namespace {

OptionEntry entry_of(const CLI::Option& option, const std::string& heading) {
  OptionEntry entry;
  for (const auto& name : option.get_snames()) entry.names.push_back("-" + name);
  for (const auto& name : option.get_lnames()) entry.names.push_back("--" + name);
  entry.is_word = option.get_positional();
  if (entry.is_word) entry.names = {option.get_type_name()};
  if (option.get_expected_max() > 0) entry.type = option.get_type_name();
  entry.help = option.get_description();
  entry.heading = heading;
  return entry;
}

const OptionEntry* option_called(const CommandTable& table, const std::string& name) {
  const auto found = std::ranges::find_if(table.options, [&](const OptionEntry& option) {
    return std::ranges::find(option.names, name) != option.names.end();
  });
  return found == table.options.end() ? nullptr : &*found;
}

}  // namespace

std::vector<std::string> OptionEntry::choices() const {
  // Types in capitals are kinds of values.
  if (type.empty() || std::ranges::any_of(type, [](char c) { return c < 'a' && c != '-'; }))
    return {};
  return text::split(type, '|');
}

CommandTable table_of(const CommandEntry& entry) {
  const auto command = entry.make();
  CLI::App app;
  Flags flags(app);
  command->declare(flags);
  CommandTable table;
  table.name = entry.program();
  table.text = command->help();
  table.help = entry.help;
  for (const auto* option : app.get_options({})) table.options.push_back(entry_of(*option, ""));
  for (const auto* group : app.get_subcommands({})) {
    for (const auto* option : group->get_options({})) {
      // Each group has a --help of its own.
      if (option != group->get_help_ptr())
        table.options.push_back(entry_of(*option, group->get_group()));
    }
  }
  return table;
}

std::vector<Candidate> candidates(const std::vector<std::string>& words) {
  std::vector<Candidate> found;
  const std::string last = words.empty() ? "" : words.back();
  const auto offer = [&](const std::string& word, const std::string& help) {
    if (word.starts_with(last)) found.push_back({word, help});
  };
  if (words.size() <= 1 && !last.starts_with("-")) {
    for (const auto& command : commands()) offer(command.name, command.help);
    return found;
  }
  const auto& entry = find_command(words.empty() ? "" : words.front());
  const std::size_t own_words = *entry.name == '\0' ? 0 : 1;
  const auto table = table_of(entry);
  const auto* before =
      words.size() >= 2 + own_words ? option_called(table, words[words.size() - 2]) : nullptr;
  if (before != nullptr && !before->type.empty()) {
    for (const auto& choice : before->choices()) offer(choice, "");
  } else {
    for (const auto& option : table.options) {
      if (last.starts_with("-") && !option.is_word) offer(option.names.back(), option.help);
      if (!last.starts_with("-") && option.is_word) {
        for (const auto& choice : option.choices()) offer(choice, "");
      }
    }
  }
  return found;
}

}  // namespace apod::cli
