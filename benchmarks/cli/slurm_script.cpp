#include "benchmarks/cli/slurm_script.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "benchmarks/text/plain.hpp"

namespace apod::cli {
namespace {

/// "r" of "out/r.json", with its folder.
std::string stem_of(const std::string& path) {
  return std::filesystem::path(path).replace_extension().string();
}

/// A value of an #SBATCH line, where Slurm knows quotes.
std::string option(const std::string& name, std::string value) {
  return "#SBATCH --" + name + "=\"" + value + "\"\n";
}

}  // namespace

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
  script += option("output", stem_of(job.out) + ".slurm-%a.log");
  if (job.gpus > 0) script += option("gpus-per-node", std::to_string(job.gpus));
  auto words = job.arguments;
  words.insert(words.begin(), job.program);
  if (job.gpus > 1) {
    const auto ranks = std::to_string(job.gpus);
    words.insert(words.begin(), {"srun", "--ntasks=" + ranks, "--gpus-per-task=1"});
  }
  if (job.gpus <= 1) {
    // Not the array's own count: a part of the array may be submitted again.
    script += fmt::format("export APOD_SHARD=$SLURM_ARRAY_TASK_ID/{}\n", job.nodes);
  }
  script +=
      "# Task I of N is shard I/N: bench sees that by itself. Begun again, it goes on where it "
      "stopped.\n";
  return script + "exec " + text::shell_line(words) + "\n";
}

std::string merge_line(const SlurmJob& job) {
  const auto stem = text::shell_line({stem_of(job.out)});
  return text::shell_line({job.program, "merge", job.out}) + " " + stem +
         fmt::format(".*-of-{}.json", shards_of(job));
}

}  // namespace apod::cli
