#include <unistd.h>

#include <filesystem>
#include <iostream>

#include "benchmarks/base/os/input_file.hpp"
#include "benchmarks/base/os/new_file.hpp"
#include "benchmarks/cli/commands.hpp"
#include "benchmarks/cli/exit_code.hpp"
#include "benchmarks/cli/kernel_guess.hpp"
#include "benchmarks/cli/messages.hpp"
#include "benchmarks/run/compile_check.hpp"
#include "kernels/files/spec.hpp"

namespace apod::cli {
namespace {

namespace fs = std::filesystem;

/// Sends to standard error what is printed while it lives.
class ToErrors {
 public:
  ToErrors() : out_(std::cout.rdbuf(std::cerr.rdbuf())) {}
  ~ToErrors() {
    std::cout.flush();
    std::cout.rdbuf(out_);
  }
  ToErrors(const ToErrors&) = delete;
  ToErrors& operator=(const ToErrors&) = delete;

 private:
  std::streambuf* out_;
};

/// A kernel file without an experiment: what it takes is read from its code.
class TryCommand : public Command {
 public:
  std::string purpose() const override { return "Times a kernel of a file at once."; }
  std::string footer() const override {
    return R"(Reads from the compiled code what the kernel takes, guesses the rest, prints the experiment and runs it.
The experiment alone goes to standard output: write it to a file (bench try k.cu > k.yaml) and go on from there.

Examples:
  bench try saxpy.cu                               pointers to const are inputs, other arrays are changed in place
  bench try conv.cu --kernel conv --size 2^24 --block 128
  bench try saxpy.cu --arg 0=out --arg 2=0.5 --reference "p2 * p1"

Without --reference it is shown only that the kernel repeats itself.
The file is a program that you trust: it runs. Without a GPU it is compiled.

Exit codes: those of a run.)";
  }
  void declare(Flags& flags) override {
    flags.words("FILE", "FILE", ".cu, .ptx or .cubin", files_);
    flags.text("--kernel", "NAME", wish_.kernel, "Which of several kernels");
    flags.count("--size", wish_.size, 1, 2'000'000'000, "Elements of an array (default 2^20)");
    flags.count("--block", wish_.block, 1, 1024, "Threads in a block (default 256)");
    flags.text("--grid", "EXPRESSION", wish_.grid, "Blocks (default ceil(size / block))");
    flags.texts("--arg", "INDEX=WHAT", wish_.args,
                "in, out, inout or scratch; [SIDE, ...]; or the value of a scalar");
    flags.text("--reference", "EXPRESSION", wish_.reference, "Of the first output, at place i");
    flags.device(options_.device);
    flags.processes(options_.processes);
    flags.quiet(options_.quiet);
  }
  void settle() override {
    if (files_.size() != 1) throw UsageError("takes one file: bench try saxpy.cu");
  }
  Files files() const override { return {{files_.front()}, {}}; }
  int run() override {
    const auto& registry = Registry::instance();
    const auto* backend = registry.backend(BackendKind::cuda);
    if (backend == nullptr || !backend->kernel_files.sketch) {
      return fail("this build has no CUDA: build where nvcc is found", ExitCode::nothing_to_judge);
    }
    const auto& name = files_.front();
    if (!file::names_file(name) || name.ends_with(".fatbin")) {
      return fail(name + ": is no .cu, .ptx or .cubin");
    }
    if (const auto why = os::input_problem(name, "a kernel file"); !why.empty()) {
      return fail(name + ": " + why);
    }
    const fs::path path(name);
    file::KernelSpec spec;
    spec.folder = path.parent_path().string();
    spec.outside = true;
    spec.launches = {{.file = path.filename().string(), .kernel = wish_.kernel}};
    const auto sketches = run::sketch_kernels(spec);
    wish_.file = name;
    std::cout << experiment_for(sketches, wish_) << std::flush;

    const os::TemporaryFolder folder;
    wish_.file = fs::weakly_canonical(path).string();
    options_.config = folder.path() + "/try.yaml";
    write_output(options_.config, std::nullopt,
                 [&](std::ostream& out) { out << experiment_for(sketches, wish_); });
    options_.out = {folder.path() + "/try.json"};
    options_.trust = true;
    std::string why;
    options_.dry_run = backend->devices(why).empty();
    // Standard output is the experiment, whole and alone.
    const ToErrors rest;
    if (::isatty(STDERR_FILENO) == 0) options_.color = ColorChoice::never;
    return run_experiments(options_, registry);
  }

 private:
  std::vector<std::string> files_;
  KernelWish wish_;
  Options options_;
};

}  // namespace

std::unique_ptr<Command> make_try() {
  return std::make_unique<TryCommand>();
}

}  // namespace apod::cli
