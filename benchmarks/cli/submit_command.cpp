#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "benchmarks/base/os/program.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/cli/commands.hpp"
#include "benchmarks/cli/exit_code.hpp"
#include "benchmarks/cli/messages.hpp"
#include "benchmarks/cli/options.hpp"
#include "benchmarks/cli/outputs.hpp"
#include "benchmarks/cli/planning.hpp"
#include "benchmarks/cli/program_files.hpp"
#include "benchmarks/cli/shard_run.hpp"
#include "benchmarks/cli/slurm_script.hpp"
#include "benchmarks/cli/terminal.hpp"
#include "benchmarks/cli/trust.hpp"

namespace apod::cli {
namespace {

namespace fs = std::filesystem;

/// What a command of Slurm prints: the number of a job. Throws std::runtime_error with its words.
std::string submit(const std::vector<std::string>& words) {
  std::string said;
  const auto take = [&](std::string_view line) {
    if (said.empty()) said = line;
  };
  os::ProgramEnd end;
  try {
    end = os::run_program(words, {.on_line = take, .cancelled = stop_asked});
  } catch (const std::exception& error) {
    throw std::runtime_error(
        std::string(error.what()) +
        " (check that Slurm's programs are installed here; to print only the script: --print)");
  }
  if (end.cancelled) throw std::runtime_error("interrupted");
  if (end.exit_code != 0) {
    auto errors = end.errors;
    while (errors.ends_with('\n')) errors.pop_back();
    throw std::runtime_error(
        errors +
        "\n(type sinfo to see the cluster's partitions, if this machine reaches a cluster)");
  }
  return said.substr(0, said.find(';'));  // "12;cluster" where there are several
}

class SubmitCommand : public Command {
 public:
  HelpText help() const override {
    return {
        R"(Takes the flags of a run (bench --help-all), and passes everything after -- to sbatch.

Examples:
  bench submit --config sweep.yaml --nodes 8 --out sweep.json
  bench submit --config sweep.yaml --nodes 4 --gpus-per-node 8 --wait -- --partition=gpu --time=2:00:00
  bench submit --config sweep.yaml --nodes 8 --print       prints the script, and submits nothing

Exit codes: 0 submitted, or with --wait merged; 1 usage or I/O error, Slurm refused it, or cases are missing;
            4 the file names code that was not trusted.)",
        {"--config", "--dry-run", "--nodes", "--gpus-per-node", "--array-throttle", "--print",
         "--wait", "--set", "--filter", "--out"}};
  }
  void declare(Flags& flags) override {
    auto where = flags.group("Cluster");
    where.count("--nodes", job_.nodes, 1, 100'000, "Number of nodes; each is a task of the array");
    where.count("--gpus-per-node", job_.gpus, 1, 1024, "GPUs per node; each GPU measures a shard");
    where.count("--array-throttle", job_.throttle, 1, 100'000,
                "Largest number of nodes in use at once");
    where.flag("--print", print_,
               "Print the script and the commands that would submit it; submit nothing");
    where.flag("--wait", wait_, "Wait for the merged result");
    declare_run(flags, run_);
  }
  void prepare(std::vector<std::string>& arguments) override {
    take_behind(arguments, sbatch_);
    job_.arguments = arguments;
    text::split_short_flags(job_.arguments, short_switches);
    for (const char* flag : {"--nodes", "--gpus-per-node", "--array-throttle", "--out", "-o"})
      text::drop_flag(job_.arguments, flag, true);
    for (const char* flag : {"--print", "--wait"}) text::drop_flag(job_.arguments, flag, false);
  }
  void settle() override {
    if (run_.config.empty()) refuse_nothing("submit", "an experiment with --config FILE");
    if (run_.list) refuse_both("submit", "--list");
    if (run_.dry_run) refuse_both("submit", "--dry-run");
    if (run_.shard) refuse_both("submit", "--shard");
    if (run_.devices.several() || run_.spread) {
      throw UsageError(
          "use --gpus-per-node N instead of --device and --spread: each GPU measures one part");
    }
    if (run_.out.size() > 1)
      throw UsageError("--out: name only one file: the shards are merged into it");
  }
  int run() override {
    const Machine any{BackendKind::cuda, true, "", 0, ""};
    std::vector<std::string> problems;
    auto plan = make_plan(run_, Registry::instance(), any, problems);
    const auto outputs = output_paths(run_, plan ? &*plan : nullptr);
    for (const auto& line : output_problems(outputs, run_, plan ? &*plan : nullptr))
      problems.push_back("bench: " + line);
    if (plan && problems.empty()) {
      if (const auto refused = refuse_untrusted(run_, *plan)) return *refused;
    }
    if (plan) {
      job_.name = plan->name;
      check_parts(std::move(*plan), problems);
    }
    if (!problems.empty()) return refuse(problems);
    job_.program = own_program();
    job_.out = outputs.front();
    if (const auto why = refused_log(job_.out); !why.empty())
      return fail("--out: " + job_.out + ": " + why);
    if (fs::path(job_.out).extension() != ".json") {
      return fail(
          "--out: " + job_.out +
          ": shards are merged into a .json file (to write other formats later: bench show)");
    }
    job_.arguments.insert(job_.arguments.end(), {"--quiet", "--out", job_.out});
    const auto script_file = fs::path(job_.out).replace_extension(".sbatch").string();
    for (const auto& [flag, letter] : {std::pair("--chdir", 'D'), std::pair("--array", 'a')}) {
      if (asks(flag, letter))
        return fail(std::string(flag) + " is set by bench submit: leave it out");
    }
    if (print_) {
      std::cout << array_script(job_) << "# bench submit would write this script to " << script_file
                << ", and submit it and the merge job with:\n"
                << "# array=$(" << text::shell_line(array_words(script_file)) << ")\n"
                << "# " << text::shell_line(merge_words("")) << " --dependency=afterany:$array\n";
      return ExitCode::success;
    }
    check_logs();
    watch_signals();
    const auto script = array_script(job_);
    write_output(os::Destination::derived(script_file), std::nullopt,
                 [&](std::ostream& out) { out << script; });
    const auto array = submit(array_words(script_file));
    std::cout << fmt::format("Submitted {} shards as job {} ({})\n", shards_of(job_), array,
                             text::printable(script_file))
              << std::flush;
    return merge_after(array);
  }

 private:
  std::vector<std::string> with_options(std::vector<std::string> words,
                                        const std::vector<std::string>& last) const {
    words.insert(words.end(), sbatch_.begin(), sbatch_.end());
    words.insert(words.end(), last.begin(), last.end());
    return words;
  }

  std::vector<std::string> array_words(const std::string& script_file) const {
    return with_options({"sbatch", "--parsable"}, {script_file});
  }

  /// Whatever becomes of the tasks: what is missing is said then.
  std::vector<std::string> merge_words(const std::string& dependency) const {
    std::vector<std::string> words{"sbatch", "--parsable", "--kill-on-invalid-dep=yes",
                                   "--job-name=bench merge",
                                   "--output=" + log_of(job_.out, "merge")};
    if (wait_) words.emplace_back("--wait");
    if (!dependency.empty()) words.push_back("--dependency=" + dependency);
    return with_options(std::move(words),
                        {"--wrap", merge_line(job_.program, job_.out, shards_of(job_))});
  }

  /// Why a log can't be called after this output; empty where it can.
  static std::string refused_log(const std::string& out) {
    if (out.find('%') == std::string::npos) return refused_by_slurm(out);
    return "the name of a Slurm log can't have a %";
  }

  /// Whether the words after -- contain this flag of sbatch.
  bool asks(const std::string& flag, char letter) const {
    return std::ranges::any_of(sbatch_, [&](const std::string& word) {
      return word == flag || word.starts_with(flag + "=") ||
             (word.size() > 1 && word[0] == '-' && word[1] == letter);
    });
  }

  /// Slurm appends to its logs as this user, and follows links: each must be a file of our own.
  void check_logs() const {
    if (asks("--output", 'o')) return;
    const auto check = [](const std::string& log) {
      struct stat about {};
      if (::lstat(log.c_str(), &about) != 0) return;
      if (!S_ISREG(about.st_mode) || about.st_uid != ::geteuid() || about.st_nlink > 1) {
        throw std::runtime_error(
            log +
            ": Slurm would write its log here, but this file is a link, is not a regular file, or "
            "belongs to another user: remove it, or name another log with -- --output=FILE");
      }
    };
    for (int task = 1; task <= job_.nodes; ++task) check(log_of(job_.out, std::to_string(task)));
    check(log_of(job_.out, "merge"));
  }

  int merge_after(const std::string& array) const {
    const auto words = merge_words("afterany:" + array);
    if (!wait_) {
      const auto merge = submit(words);
      std::cout << fmt::format("Job {} merges the shards into {} (progress: bench status {})\n",
                               merge, text::printable(job_.out), text::shell_line({job_.out}));
      return ExitCode::success;
    }
    const auto end =
        os::run_program(words, {.on_line = [](std::string_view) {}, .cancelled = stop_asked});
    if (end.cancelled) {
      return fail("interrupted; the jobs continue (to stop them: scancel " + array + ")",
                  ExitCode::interrupted);
    }
    if (end.exit_code != 0) {
      return fail(
          fmt::format("the merge job ended with exit code {}: see {} and bench status {}{}{}",
                      end.exit_code, log_of(job_.out, "merge"), text::shell_line({job_.out}),
                      end.errors.empty() ? "" : "\n", end.errors));
    }
    std::cout << "Wrote " << text::printable(job_.out) << '\n';
    return ExitCode::success;
  }

  /// A task without a case would keep a node from others for nothing.
  void check_parts(Plan plan, std::vector<std::string>& problems) const {
    const int asked = shards_of(job_);
    const auto part = take_part(plan, {1, asked}, Registry::instance());
    if (part.empty()) {
      problems.push_back(std::string("bench submit: --config: ") + found_later);
    } else if (asked > part.shards && asked > 1) {
      problems.push_back(
          fmt::format("bench submit: --nodes is too large: it makes {} shards, but the study can "
                      "only be divided into {} (cases that are compared stay together)",
                      asked, text::counted(static_cast<std::size_t>(part.shards), "part")));
    }
  }

  SlurmJob job_;
  Options run_;
  std::vector<std::string> sbatch_;
  bool print_ = false;
  bool wait_ = false;
};

}  // namespace

std::unique_ptr<Command> make_submit() {
  return std::make_unique<SubmitCommand>();
}

}  // namespace apod::cli
