#include "benchmarks/cli/slurm_script.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "benchmarks/base/text/plain.hpp"

namespace apod::cli {
namespace {

/// "r" of "out/r.json", with its folder.
std::string stem_of(const std::string& path) {
  return std::filesystem::path(path).replace_extension().string();
}

/// A value of an #SBATCH line, where Slurm knows quotes.
std::string option(const std::string& name, const std::string& value) {
  const auto why = refused_by_slurm(value);
  if (!why.empty()) throw std::runtime_error(name + ": " + value + ": " + why);
  return "#SBATCH --" + name + "=\"" + value + "\"\n";
}

}  // namespace

std::string refused_by_slurm(const std::string& text) {
  const bool odd = std::ranges::any_of(
      text, [](unsigned char c) { return c < ' ' || c == 0x7f || c == '"' || c == '\\'; });
  return odd || text.starts_with("-") ? "a line of a Slurm script can't have control characters, "
                                        "quotes or backslashes, and can't begin with -"
                                      : "";
}

int shards_of(const SlurmJob& job) {
  return job.nodes * (job.gpus > 1 ? job.gpus : 1);
}

std::string array_script(const SlurmJob& job) {
  std::string script = "#!/usr/bin/env bash\n";
  script += option("job-name", "bench " + job.name);
  script += option("array", fmt::format("1-{}{}", job.nodes,
                                        job.throttle > 0 ? fmt::format("%{}", job.throttle) : ""));
  script += option("nodes", "1");
  script += "#SBATCH --exclusive\n";  // others on the node would be measured too
  script += "#SBATCH --requeue\n#SBATCH --open-mode=append\n";
  script += option("output", log_of(job.out, "%a"));
  if (job.gpus > 0) script += option("gpus-per-node", std::to_string(job.gpus));
  auto words = job.arguments;
  words.insert(words.begin(), job.program);
  if (job.gpus > 1) {
    const auto ranks = std::to_string(job.gpus);
    words.insert(words.begin(), {"srun", "--ntasks=" + ranks, "--gpus-per-task=1"});
  }
  script += "# A restarted shard continues where it stopped.\n";
  if (job.gpus > 1) {
    script += "# Each rank derives its shard from its own task.\n";
  } else {
    // Not the array's own count: a part of the array may be submitted again.
    script += fmt::format("export APOD_SHARD=$SLURM_ARRAY_TASK_ID/{}\n", job.nodes);
  }
  return script + "exec " + text::shell_line(words) + "\n";
}

std::string log_of(const std::string& out, const std::string& part) {
  return stem_of(out) + ".slurm-" + part + ".log";
}

std::string merge_line(const std::string& program, const std::string& whole, int shards) {
  return text::shell_line({program, "merge", whole}) + " " + text::shell_line({stem_of(whole)}) +
         fmt::format(".*-of-{}.json", shards);
}

}  // namespace apod::cli
