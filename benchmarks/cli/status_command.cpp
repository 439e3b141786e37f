#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>

#include "benchmarks/cli/commands.hpp"
#include "benchmarks/cli/messages.hpp"
#include "benchmarks/cli/shard_choice.hpp"
#include "benchmarks/cli/usage_error.hpp"
#include "benchmarks/report/document.hpp"
#include "benchmarks/results/read_result.hpp"
#include "benchmarks/text/plain.hpp"
#include "benchmarks/text/units.hpp"

namespace apod::cli {
namespace {

namespace fs = std::filesystem;

/// What is there of one shard.
struct ShardState {
  bool has_result = false;
  bool has_journal = false;
};

/// The shards of a result by their count, from the names beside it.
std::map<int, std::map<int, ShardState>> find_shards(const fs::path& whole) {
  std::map<int, std::map<int, ShardState>> all;
  const auto folder = whole.parent_path().empty() ? fs::path(".") : whole.parent_path();
  const auto stem = whole.stem().string() + ".";
  for (const auto& entry : fs::directory_iterator(folder)) {
    auto name = entry.path().filename().string();
    const bool journal = name.ends_with(".journal");
    if (journal) name.resize(name.size() - std::string(".journal").size());
    const auto extension = whole.extension().string();
    if (!name.starts_with(stem) || !name.ends_with(extension)) continue;
    auto middle = name.substr(stem.size(), name.size() - stem.size() - extension.size());
    const auto of = middle.find("-of-");
    if (of == std::string::npos) continue;
    try {
      const auto shard = parse_shard(name, middle.substr(0, of) + "/" + middle.substr(of + 4));
      auto& state = all[shard.count][shard.index];
      (journal ? state.has_journal : state.has_result) = true;
    } catch (const UsageError&) {
      continue;  // a file of another kind
    }
  }
  return all;
}

std::string journal_text(const std::string& journal) {
  std::ifstream file(journal);
  std::size_t lines = 0;
  for (std::string line; std::getline(file, line);) ++lines;
  std::error_code error;
  const auto age = fs::file_time_type::clock::now() - fs::last_write_time(journal, error);
  const double seconds = std::max(0.0, std::chrono::duration<double>(age).count());
  return fmt::format("{} measurements so far, the last {} ago", lines > 0 ? lines - 1 : 0,
                     text::format_time(seconds));
}

/// A line of the table, and whether the shard is whole.
bool add_row(report::Table& table, const std::string& name, const std::string& path,
             const ShardState& state, int& with_cases) {
  std::string what = "not begun";
  std::string detail;
  bool whole = false;
  auto tone = report::Tone::warning;
  if (state.has_journal) {
    what = state.has_result ? "interrupted" : "begun";
    detail = journal_text(path + ".journal");
  } else if (state.has_result) {
    try {
      const auto result = results::read_result(path);
      if (result.part.shards > 0) with_cases = result.part.shards;
      whole = !result.interrupted;
      what = whole ? "measured" : "interrupted";
      detail =
          fmt::format("{} cases on {}", result.plan.cases.size(), result.environment.host_name);
      if (whole) tone = report::Tone::good;
    } catch (const std::exception& error) {
      what = "damaged";
      tone = report::Tone::bad;
      detail = error.what();
    }
  }
  table.rows.push_back({{{name}, {what, tone}, {detail}}});
  return whole;
}

class StatusCommand : public Command {
 public:
  std::string purpose() const override { return "Tells how far the shards of a study are."; }
  std::string footer() const override {
    return R"(Example:
  bench status r.json      what is there of r.1-of-8.json, r.2-of-8.json ...

Exit codes: 0 every shard is measured; 1 usage or I/O error; 4 not yet.)";
  }
  void declare(Flags& flags) override {
    flags.words("files", "FILE", "The file that the shards are merged into", files_);
    flags.color(color_);
  }
  void settle() override {
    if (files_.empty()) throw UsageError("name the file that the shards are merged into");
    refuse_beyond(1, files_);
  }
  int run() override {
    const auto& whole = files_.front();
    const auto all = find_shards(whole);
    if (all.empty())
      return fail(whole + ": there is no shard of it, such as " + shard_path(whole, {1, 2}));
    bool good = true;
    for (const auto& [count, shards] : all) {
      report::Table table;
      table.columns = {{.name = "shard", .align = report::Align::left, .key = true},
                       {.name = "state", .align = report::Align::left},
                       {.name = "what is there", .align = report::Align::left}};
      int measured = 0;
      int with_cases = count;
      for (const auto& [index, state] : shards) {
        measured += add_row(table, fmt::format("{}/{}", index, count),
                            shard_path(whole, {index, count}), state, with_cases);
      }
      good = good && measured == with_cases;
      report::Document document;
      document.add(
          report::Heading{1, {fmt::format("{} of {} shards are measured", measured, with_cases)}});
      document.add(table);
      if (const auto absent = with_cases - static_cast<int>(shards.size()); absent > 0) {
        document.add(report::Paragraph{{fmt::format("{} not begun", absent).c_str()}});
      }
      report::render_terminal(std::cout, document, console_style(color_));
    }
    return good ? ExitCode::success : ExitCode::nothing_to_judge;
  }

 private:
  std::vector<std::string> files_;
  ColorChoice color_ = ColorChoice::automatic;
};

}  // namespace

std::unique_ptr<Command> make_status() {
  return std::make_unique<StatusCommand>();
}

}  // namespace apod::cli
