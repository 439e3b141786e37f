#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <iostream>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/base/text/units.hpp"
#include "benchmarks/cli/commands.hpp"
#include "benchmarks/cli/exit_code.hpp"
#include "benchmarks/cli/messages.hpp"
#include "benchmarks/cli/shard_run.hpp"
#include "benchmarks/cli/slurm_script.hpp"
#include "benchmarks/cli/terminal.hpp"
#include "benchmarks/files/merge_results.hpp"
#include "benchmarks/files/read_result.hpp"
#include "benchmarks/run/journal.hpp"
#include "benchmarks/show/document.hpp"

namespace apod::cli {
namespace {

namespace fs = std::filesystem;

/// The numbers of a result's shards by their count, from the names beside it. Throws
/// std::filesystem::filesystem_error.
std::map<int, std::set<int>> find_shards(const fs::path& whole) {
  std::map<int, std::set<int>> all;
  const auto folder = whole.parent_path().empty() ? fs::path(".") : whole.parent_path();
  const auto stem = whole.stem().string() + ".";
  for (const auto& entry : fs::directory_iterator(folder)) {
    auto name = entry.path().filename().string();
    const std::string journal = ".journal";
    if (name.ends_with(journal)) name.resize(name.size() - journal.size());
    const auto extension = whole.extension().string();
    if (!name.starts_with(stem) || !name.ends_with(extension)) continue;
    auto middle = name.substr(stem.size(), name.size() - stem.size() - extension.size());
    const auto of = middle.find("-of-");
    if (of == std::string::npos) continue;
    try {
      const auto shard = parse_shard(name, middle.substr(0, of) + "/" + middle.substr(of + 4));
      all[shard.count].insert(shard.index);
    } catch (const UsageError&) {
      continue;  // a file of another kind
    }
  }
  return all;
}

/// Throws std::runtime_error where it is no journal.
std::string journal_text(const std::string& journal) {
  const auto entries = run::count_entries(journal);
  std::error_code error;
  const auto age = fs::file_time_type::clock::now() - fs::last_write_time(journal, error);
  const double seconds = std::max(0.0, std::chrono::duration<double>(age).count());
  return fmt::format("{} so far, the last {} ago", text::counted(entries, "measurement"),
                     text::format_time(seconds));
}

/// What the shards of one count hold together.
class Shards {
 public:
  explicit Shards(int count) : with_cases_(count) {}

  void look_at(const Shard& shard, const std::string& path) {
    Row row;
    try {
      row = at_step(path, [&](ShardStep step) { return row_of(step, shard, path); });
    } catch (const std::exception& error) {
      row = {"unusable", "", show::Tone::bad};
      problems_.push_back(shard.text() + ": " + error.what());
    }
    ++seen_;
    table_.rows.push_back({{{shard.text()}, {row.state, row.tone}, {row.detail}}});
  }
  bool all_measured() const { return measured_ == with_cases_; }
  std::uint64_t content() const { return content_; }
  show::Document document() const {
    show::Document document;
    document.add(
        show::Heading{1, {fmt::format("{} of {} shards are measured", measured_, with_cases_)}});
    document.add(table_);
    for (const auto& problem : problems_) document.add(show::Paragraph{{problem}});
    if (const int absent = with_cases_ - seen_; absent > 0)
      document.add(show::Paragraph{fmt::format("shards that have not begun: {}", absent)});
    return document;
  }

 private:
  struct Row {
    std::string state;
    std::string detail;
    show::Tone tone = show::Tone::warning;
  };

  /// Throws std::runtime_error where what is there is no part of the study.
  Row row_of(ShardStep step, const Shard& shard, const std::string& path) {
    const auto journal = path + ".journal";
    switch (step) {
      case ShardStep::not_begun:
        return {"not begun", ""};
      case ShardStep::running:
        return {"running", journal_text(journal)};
      case ShardStep::interrupted:
        return {"interrupted", journal_text(journal)};
      case ShardStep::no_file:
        throw std::runtime_error("not a regular file");
      case ShardStep::written:
        break;
    }
    auto result = files::read_result(path);
    if (result.part.shard != shard.text())
      throw std::runtime_error(path + ": has the result of shard " + result.part.shard +
                               ", not of shard " + shard.text());
    const auto content = files::checksum_of(result);
    const auto cases = result.plan.cases.size();
    const auto detail = text::counted(cases, "case") + " on " + result.environment.host_name;
    const int with_cases = result.part.shards;
    const bool interrupted = result.interrupted;
    result.measurements.clear();  // the other fields show whether it fits
    merger_.add(std::move(result), path);
    with_cases_ = with_cases;
    if (interrupted) return {"interrupted", detail};
    ++measured_;
    content_ += content;
    return {"measured", detail, show::Tone::good};
  }

  show::Table table_{.columns = {{.name = "shard", .align = show::Align::left, .key = true},
                                 {.name = "state", .align = show::Align::left},
                                 {.name = "progress", .align = show::Align::left}}};
  std::vector<std::string> problems_;
  files::Merger merger_;
  int seen_ = 0;
  int measured_ = 0;
  int with_cases_;  ///< the shards that have a case, once that is known
  std::uint64_t content_ = 0;
};

/// Whether the file holds what the shards do.
bool is_merged(const std::string& whole, std::uint64_t content) {
  std::error_code error;
  if (!fs::is_regular_file(whole, error)) return false;
  try {
    return files::checksum_of(files::read_result(whole)) == content;
  } catch (const std::exception&) {
    return false;
  }
}

class StatusCommand : public Command {
 public:
  HelpText help() const override {
    return {
        R"(Example:
  bench status r.json      the state of r.1-of-8.json, r.2-of-8.json ...

Exit codes: 0 all shards are measured and merged; 1 usage or I/O error; 4 some are not.)"};
  }
  void declare(Flags& flags) override {
    flags.words("files", "FILE", "Name of the file with the merged result of the shards", files_);
    flags.color(color_);
  }
  void settle() override {
    if (files_.empty()) refuse_nothing("show", "the file of the merged result");
    refuse_beyond(1, files_);
  }
  int run() override {
    const auto& whole = files_.front();
    const auto all = find_shards(whole);
    if (all.empty())
      return fail(
          whole + ": no shard has begun: there is no file such as " + shard_path(whole, {1, 2}),
          ExitCode::nothing_to_judge);
    bool good = true;
    for (const auto& [count, indices] : all) {
      Shards shards(count);
      for (const int index : indices) {
        const Shard shard{index, count};
        shards.look_at(shard, shard_path(whole, shard));
      }
      auto document = shards.document();
      const bool merged = shards.all_measured() && is_merged(whole, shards.content());
      if (merged) {
        document.add(show::Paragraph{{whole + " contains the results of all shards"}});
      } else if (shards.all_measured()) {
        document.add(show::Paragraph{{"to merge: " + merge_line("bench", whole, count)}});
      }
      good = good && merged;
      show::render_terminal(std::cout, document, console_style(color_));
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
