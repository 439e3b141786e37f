#include "benchmarks/cli/run_on_each.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <utility>

#include "benchmarks/base/os/program.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/cli/frame.hpp"
#include "benchmarks/cli/messages.hpp"
#include "benchmarks/cli/outputs.hpp"
#include "benchmarks/cli/program_files.hpp"
#include "benchmarks/cli/shard_run.hpp"
#include "benchmarks/cli/terminal.hpp"
#include "benchmarks/show/run_result.hpp"

namespace apod::cli {
namespace {

namespace fs = std::filesystem;

/// "r.json" becomes "r.gpu-2.json".
std::string gpu_path(const std::string& path, int gpu) {
  fs::path result = path;
  const auto extension = result.extension();
  return result.replace_extension().string() + ".gpu-" + std::to_string(gpu) + extension.string();
}

/// The run of one GPU, as a user would start it by hand.
struct GpuRun {
  int gpu = 0;
  std::string file;  ///< what it writes
  std::vector<std::string> words;
};

std::vector<GpuRun> runs_of(const Options& options, const RunFiles& files) {
  std::vector<std::string> common(options.command_line.begin() + 1, options.command_line.end());
  text::split_short_flags(common, short_switches);
  for (const char* flag : {"--device", "--shard", "--out", "-o", "--format", "--trace-out",
                           "--benchmark_out", "--benchmark_out_format", "--benchmark_format"}) {
    text::drop_flag(common, flag, true);
  }
  for (const char* flag : {"--spread", "--resume"}) text::drop_flag(common, flag, false);
  common.insert(common.begin(), own_program());
  const auto count = static_cast<int>(options.gpus.size());
  std::vector<GpuRun> runs;
  for (int i = 0; i < count; ++i) {
    const int gpu = options.gpus[static_cast<std::size_t>(i)];
    // A shard of this machine is divided again.
    const Shard shard =
        options.spread ? Shard{(files.shard.index - 1) * count + i + 1, files.shard.count * count}
                       : Shard{};
    const auto own = [&](const std::string& path) {
      return options.spread ? path : gpu_path(path, gpu);
    };
    GpuRun run{gpu, shard_path(own(files.wholes.front()), shard), common};
    run.words.insert(run.words.end(), {"--device", std::to_string(gpu), "--shard", shard.text()});
    // The last shard of a study makes all of them.
    const bool makes_all = options.spread && !files.shard.is_all();
    for (const auto& whole : files.wholes) {
      run.words.insert(run.words.end(), {"--out", own(whole)});
      if (!makes_all) break;
    }
    if (!options.trace_out.empty())
      run.words.insert(run.words.end(), {"--trace-out", own(options.trace_out)});
    runs.push_back(std::move(run));
  }
  return runs;
}

/// Runs all of them at once to their ends, and returns their exit codes. What they say is passed
/// on, with its GPU before it. If one can't be started, the others are asked to stop.
std::vector<int> run_all(const std::vector<GpuRun>& runs) {
  std::vector<int> exit_codes(runs.size(), ExitCode::failure);
  std::atomic<bool> is_lost = false;
  const auto attempt = [&](const GpuRun& run, const auto& work) {
    try {
      work();
    } catch (const std::exception& error) {
      is_lost = true;
      say(fmt::format("the run of GPU {}: {}", run.gpu, error.what()));
    }
  };
  const auto run_one = [&](const GpuRun& run) {
    const auto pass_on = [&run](std::string_view line) {
      std::cerr << fmt::format("GPU {}: {}\n", run.gpu, text::printable(line));
    };
    // In its own group: a Ctrl-C reaches it through us alone, and its running case may take long.
    const auto end =
        os::run_program(run.words, {.on_line = pass_on,
                                    .cancelled = [&] { return stop_asked() || is_lost; },
                                    .patience = std::chrono::hours(24 * 7),
                                    .lines = os::Lines::errors});
    return end.exit_code;
  };
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    attempt(runs[i], [&, i] {
      threads.emplace_back([&, i] { attempt(runs[i], [&] { exit_codes[i] = run_one(runs[i]); }); });
    });
  }
  threads.clear();  // waits for all
  return exit_codes;
}

/// What all of them come to: the first of these that any ended with.
int worst_of(const std::vector<int>& exit_codes) {
  const auto any = [&](int code) {
    return std::ranges::find(exit_codes, code) != exit_codes.end();
  };
  // Without being asked to, one stops where another failed.
  if (stop_asked() || (any(ExitCode::interrupted) && !any(ExitCode::failure)))
    return ExitCode::interrupted;
  for (const int code : {ExitCode::regression, ExitCode::nothing_to_judge, ExitCode::success}) {
    const bool worst = std::ranges::all_of(
        exit_codes, [&](int other) { return other == code || other == ExitCode::success; });
    if (worst && any(code)) return code;
  }
  return ExitCode::failure;
}

/// Whether it measured all that it should, according to its exit code.
bool went_well(int exit_code) {
  return exit_code == ExitCode::success || exit_code == ExitCode::regression ||
         exit_code == ExitCode::nothing_to_judge;
}

/// Writes and prints what they measured together. `all_went_well`: so did every one of them.
int finish(const Options& options, const RunFiles& files, const std::vector<GpuRun>& runs,
           bool all_went_well, int exit_code) {
  std::vector<std::string> parts;
  bool all_are_there = true;
  for (const auto& run : runs) {
    std::error_code error;
    if (fs::is_regular_file(run.file, error)) {
      parts.push_back(run.file);
    } else if (!options.spread) {  // a shard may have no case, and so no file
      all_are_there = false;
      say(fmt::format("the result has no measurement of GPU {}", run.gpu));
    }
  }
  if (parts.empty()) return fail("no GPU measured anything; nothing was written", exit_code);
  auto merged =
      merge_files(parts, options.spread ? files::MergeBy::nothing : files::MergeBy::device);
  auto& result = merged.result;
  result.interrupted = result.interrupted || !all_are_there;
  result.command_line = options.command_line;
  auto rest = options;
  rest.trace_out.clear();  // each has written its own
  const bool written = write_results(files.outputs, rest, result);
  print_result(std::cout, options, result);
  const bool is_console = options.format == show::Format::console;
  if (auto* out = annotations_stream(is_console))
    show::write_annotations(*out, result, options.fail_on);
  if (!written) return ExitCode::failure;
  for (const auto& path : files.outputs)
    (is_console ? std::cout : std::cerr) << "Wrote " << text::printable(path) << '\n';
  if (result.interrupted || !all_went_well) {
    const auto missing = merged.missing > 0
                             ? fmt::format("incomplete: {} cases are missing; ", merged.missing)
                             : std::string(result.interrupted ? "incomplete; " : "");
    return fail(missing + "the file of each GPU is kept; to continue, run the same command again",
                exit_code == ExitCode::interrupted ? exit_code : ExitCode::failure);
  }
  for (const auto& part : parts) {
    std::error_code error;
    fs::remove(part, error);
  }
  return run_exit_code(result, options.fail_on);
}

}  // namespace

void choose_gpus(Options& options, const Registry& registry) {
  const auto& asked = options.devices;
  const bool all = asked.all || (options.spread && asked.indices.empty());
  if (!all && asked.indices.size() < 2) {
    if (!asked.indices.empty()) options.device = asked.indices.front();
    return;
  }
  const std::string flag = options.spread ? "--spread" : "--device";
  std::string why;
  std::vector<DeviceFacts> devices;
  const auto* entry = registry.backend(BackendKind::cuda);
  if (options.backend == BackendChoice::host) {
    why = "--backend host was given";
  } else if (entry == nullptr) {
    why = "this build has no CUDA";
  } else {
    devices = entry->devices(why);
  }
  if (devices.empty()) throw std::runtime_error(flag + ": there is no GPU: " + why);
  const auto count = static_cast<int>(devices.size());
  auto gpus = asked.indices;
  for (int i = 0; all && i < count; ++i) gpus.push_back(i);
  for (const int gpu : gpus) {
    if (gpu >= count) {
      throw std::runtime_error(fmt::format("--device: there is no GPU {}: this machine has {}", gpu,
                                           count == 1 ? "one (index 0)" : std::to_string(count)));
    }
    const auto& one = devices[static_cast<std::size_t>(gpu)];
    const auto& first = devices[static_cast<std::size_t>(gpus.front())];
    if (options.spread && (one.name != first.name || one.memory_bytes != first.memory_bytes)) {
      throw std::runtime_error(
          fmt::format("--spread needs identical GPUs, but GPU {} is '{}' with {} MB and GPU {} is "
                      "'{}' with {} MB: leave out --spread to measure every case on each GPU",
                      gpus.front(), text::printable(first.name), first.memory_bytes >> 20, gpu,
                      text::printable(one.name), one.memory_bytes >> 20));
    }
  }
  options.device = gpus.front();
  if (options.spread && gpus.size() == 1) return;  // an ordinary run
  options.gpus = std::move(gpus);
}

std::string on_each_text(const Options& options) {
  const auto names = text::joined(options.gpus, ", ", [](int gpu) { return std::to_string(gpu); });
  return options.spread ? "the cases are spread over GPUs " + names
                        : "each GPU measures the whole study: GPUs " + names;
}

int run_on_each(const Options& options, const RunFiles& files) {
  const auto runs = runs_of(options, files);
  watch_signals();
  const auto exit_codes = run_all(runs);
  const int worst = worst_of(exit_codes);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const int code = exit_codes[i];
    if (code == ExitCode::interrupted) {
      say(fmt::format("the run of GPU {} was interrupted", runs[i].gpu));
    } else if (!went_well(code)) {
      say(fmt::format("the run of GPU {} ended with exit code {}", runs[i].gpu, code));
    }
  }
  // Of a shard of many the last one merges all.
  if (!files.shard.is_all()) return worst;
  const bool all_went_well = std::ranges::all_of(exit_codes, went_well);
  return finish(options, files, runs, all_went_well, worst);
}

}  // namespace apod::cli
