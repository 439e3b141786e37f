#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <set>
#include <stdexcept>

#include "benchmarks/base/os/child.hpp"
#include "benchmarks/base/os/input_file.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/cli/commands.hpp"
#include "benchmarks/cli/exit_code.hpp"
#include "benchmarks/cli/kernel_guess.hpp"
#include "benchmarks/cli/messages.hpp"
#include "benchmarks/cli/near_files.hpp"
#include "benchmarks/cli/printed_experiment.hpp"
#include "benchmarks/cli/trust.hpp"
#include "benchmarks/run/compile_check.hpp"
#include "kernels/files/spec.hpp"

namespace apod::cli {
namespace {

namespace fs = std::filesystem;

/// Of a file without source code, which lists all its kernels.
file::KernelSketch sketch_called(const std::vector<file::KernelSketch>& all,
                                 const KernelWish& wish) {
  std::vector<std::string> names;
  for (const auto& sketch : all) {
    if (sketch.name == wish.kernel || (wish.kernel.empty() && all.size() == 1)) return sketch;
    names.push_back(sketch.name);
  }
  const auto known = text::joined(names, ", ");
  if (wish.kernel.empty()) {
    throw std::runtime_error(wish.file +
                             " has several kernels; choose one with --kernel: " + known);
  }
  throw std::runtime_error(
      "there is no kernel '" + wish.kernel + "' in " + wish.file + "; " +
      text::did_you_mean(text::closest(wish.kernel, names), "its kernels are " + known));
}

std::string cuda_not_built() {
  const auto nvcc = os::find_program("nvcc");
  return "this build has no CUDA: " +
         (nvcc.empty() ? "install nvcc, then build the preset cuda"
                       : nvcc + " is installed, so build the preset cuda") +
         " (scripts/run builds it, unless APOD_PRESET=host is set)";
}

/// A kernel file without an experiment: what it takes is read from its code.
class TryCommand : public Command {
 public:
  HelpText help() const override {
    return {
        R"(Compiles the file (host and device code), reads the kernel's parameters and launch from it, guesses the
rest, prints the experiment and runs it. Only the experiment goes to standard output: write it to a file
(bench try k.cu > k.yaml) and edit it.

Examples:
  bench try saxpy.cu                               the kernel that its host code launches most
  bench try conv.cu --kernel "conv<4>" --size 2^24 --block 128
  bench try gemm.cu --flag=-I../include --flag=-DTILE=32
  bench try saxpy.cu --arg y=out --arg a=0.5 --reference "a * x"

Without --reference the check shows only that the kernel gives the same result every time.
bench runs the file's kernel, not its main, so you must trust the file. Without a GPU, bench only compiles it.

Exit codes: the same as for a run; 4 if nothing was measured.)"};
  }
  void declare(Flags& flags) override {
    flags.words("FILE", "FILE",
                "A .cu, .ptx or .cubin file; then, if needed, other .cu files of its program, and "
                "C++ files, which bench reads but does not compile",
                files_);
    flags.text("--kernel", "NAME", wish_.kernel,
               "The kernel, if the file has several; or the instance of a template");
    flags.count("--size", wish_.size, 1, 2'000'000'000,
                "Value of each size, such as n, that the code does not set (default 2^20)");
    flags.count("--block", wish_.block, 1, 1024, "Threads per block");
    flags.text("--grid", "EXPRESSION", wish_.grid, "Number of blocks");
    flags.texts("--arg", "NAME=WHAT", wish_.args,
                "An array's role (in, out, inout, zeroed, scratch) or shape ([ROWS, COLUMNS]); or "
                "the value of a scalar");
    flags.texts("--flag", "FLAG", wish_.flags, "Compiler flag, such as -I../include or -DN=4");
    flags.text("--reference", "EXPRESSION", wish_.reference,
               "The expected value of the first output at index i");
    flags.outputs(options_.out, ".json, .html, .csv ...");
    flags.flag("--dry-run", options_.dry_run, "Compile the kernel; run nothing");
    flags.resume(options_.resume);
    flags.flag("--trust", options_.trust,
               "If bench only compiles: allow the compiler more than 1 GB and 8 s");
    flags.device(options_.device);
    flags.processes(options_.processes);
    flags.quiet(options_.quiet);
  }
  void settle() override {
    options_.command_line = command_line;
    if (files_.empty()) refuse_nothing("try", "a file: bench try saxpy.cu");
    for (std::size_t i = 0; files_.size() > 1 && i < files_.size(); ++i) {
      if (!files_[i].ends_with(".cu") && !is_host_code(files_[i])) {
        throw UsageError(files_[i] +
                         ": with several files, each must be a .cu file or a C++ source or header");
      }
    }
    std::ranges::stable_partition(files_, [](const auto& one) { return !is_host_code(one); });
    for (const auto& flag : wish_.flags) {
      const auto why = file::refused_flag(flag);
      if (!why.empty()) throw UsageError("--flag " + flag + " " + why);
    }
  }
  Files files() const override { return {files_, outputs_at(options_.out)}; }
  int run() override {
    try {
      return try_file();
    } catch (const run::CompileLimit& limit) {
      return fail(limit.what(), options_.bounded ? ExitCode::nothing_to_judge : ExitCode::failure);
    }
  }

 private:
  int try_file() {
    const auto& registry = Registry::instance();
    const auto* backend = registry.backend(BackendKind::cuda);
    if (backend == nullptr || !backend->kernel_files.sketch)
      return fail(cuda_not_built(), ExitCode::nothing_to_judge);
    const auto& name = files_.front();
    if (!file::names_file(name)) return fail(name + ": is not a .cu, .ptx or .cubin file");
    if (name.ends_with(".fatbin")) {
      return fail(
          name +
          ": bench can't list the kernels of a .fatbin: compile to a .cubin (nvcc -cubin) or .ptx, "
          "or name the kernel in an experiment: kernel: {file: " +
          fs::path(name).filename().string() + ", name: _Z4axpyPfi}");
    }
    for (const auto& one : files_) {
      const auto why = os::input_problem(one, "a kernel file");
      if (!why.empty()) return fail(one + ": " + why);
    }
    const fs::path path(name);
    const auto folder_of_file = fs::weakly_canonical(fs::absolute(path)).parent_path();
    const auto first_read = std::ranges::find_if(files_, is_host_code);
    const std::vector<std::string> host_code(first_read, files_.end());
    for (auto one = files_.begin() + 1; one < first_read; ++one) {
      wish_.sources.push_back(
          fs::weakly_canonical(fs::absolute(*one)).lexically_relative(folder_of_file).string());
    }
    std::string why;
    const bool only_compiles = !options_.dry_run && backend->devices(why).empty();
    options_.dry_run = options_.dry_run || only_compiles;
    options_.bounded = options_.dry_run && !trusts(options_);
    file::KernelSpec spec;
    spec.folder = path.parent_path().string();
    spec.outside = true;
    spec.bounded = options_.bounded;
    spec.flags = wish_.flags;
    spec.sources = wish_.sources;
    spec.launches = {{.file = path.filename().string(), .kernel = wish_.kernel}};
    wish_.file = name;
    source::Program program;
    ChosenKernel kernel;
    file::KernelSketch sketch;
    if (name.ends_with(".cu")) {
      const auto whole = folder_of_file / path.filename();
      std::set<std::string> looked;
      while (true) {
        auto sources = backend->kernel_files.sources(spec);
        if (add_folder(unread_header(sources, whole.string(), looked))) {
          spec.flags = wish_.flags;
          continue;
        }
        std::ranges::reverse(sources);
        program = source::read_program(sources, macros_of(wish_.flags));
        check_one_program(sources);
        wish_.callers = read_callers(program, whole.string(), host_code);
        if (take_launcher(program, whole.string())) {
          spec.sources = wish_.sources;
          continue;
        }
        kernel = choose_kernel(program, wish_);
        if (!kernel.code->is_defined) {
          take_source(files_with({kernel.code->name}, true, whole.string()),
                      kernel.code->name + " is only declared in " + wish_.file, "defines it");
          spec.sources = wish_.sources;
          continue;
        }
        spec.launches.front().kernel = kernel.name;
        try {
          sketch = run::sketch_kernels(spec).at(0);
          break;
        } catch (const run::CompileLimit&) {
          throw;  // another way would take as much again
        } catch (const std::runtime_error& error) {
          const auto missing = missing_header(error.what(), whole.string());
          if (add_folder(missing)) {
            spec.flags = wish_.flags;
            continue;
          }
          if (const auto flag = missing_flag(error.what(), wish_.flags); !flag.empty()) {
            wish_.flags.push_back(flag);
            wish_.found.push_back("the code does not compile without " + flag);
            spec.flags = wish_.flags;
            continue;
          }
          const auto further = file_of_missing_function(error.what(), whole.string());
          if (!further.empty() && !is_source(further)) {
            wish_.sources.push_back(further);
            spec.sources = wish_.sources;
            continue;
          }
          // Perhaps it is the host's part alone that does not compile.
          const std::string said = error.what();
          if (missing.folders.size() > 1 || !missing.passed_over.empty())
            throw std::runtime_error(said + advice(said, whole.string(), missing));
          try {
            spec.compiler = file::CompilerChoice::nvrtc;
            sketch = run::sketch_kernels(spec).at(0);
          } catch (const run::CompileLimit&) {
            throw;
          } catch (const std::runtime_error& other) {
            throw std::runtime_error(
                said + advice(said, whole.string(), missing) + about_instance(kernel) +
                "\nNVRTC can't compile the device code alone: " + first_error(other.what()));
          }
          wish_.only_device = first_error(said);
          break;
        }
      }
    } else {
      sketch = sketch_called(run::sketch_kernels(spec), wish_);
      kernel.name = sketch.name;
    }
    const auto guessed = guess_or_tell(program, kernel, sketch);
    // Files and folders are named from where the experiment lies: here, and then anywhere.
    const auto name_all = [&](const auto& named) {
      for (auto& flag : wish_.flags)
        if (flag.starts_with("-I")) flag = "-I" + named(flag.substr(2)).string();
      for (auto& one : wish_.sources) one = named(one).string();
    };
    name_all([&](const fs::path& one) { return (path.parent_path() / one).lexically_normal(); });
    std::cout << experiment_text(kernel, guessed, wish_) << std::flush;
    name_all([](const fs::path& one) { return fs::weakly_canonical(fs::absolute(one)); });
    wish_.file = fs::weakly_canonical(path).string();
    const int code =
        run_printed("try", experiment_text(kernel, guessed, wish_), options_, registry);
    if (code != ExitCode::success || !only_compiles) return code;
    auto again = options_.command_line;
    again.front() = "bench";
    return fail("the kernel compiles; to measure it, run this on a machine with a GPU: " +
                    text::shell_line(again),
                ExitCode::nothing_to_judge);
  }
  /// Throws where two named files have a kernel each, and neither uses the other: then they are two
  /// implementations, and not one program.
  void check_one_program(const std::vector<std::pair<std::string, std::string>>& sources) const {
    if (files_.size() != 2 || is_host_code(files_[1])) return;
    std::map<std::size_t, std::string> kernels;  // by file, as the next two
    std::map<std::size_t, std::set<std::string>> defined, used;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      for (const auto& one : source::read_program({sources[i]}).functions) {
        if (!one.is_defined) continue;
        if (one.is_kernel) kernels.emplace(i, one.name);
        defined[i].insert(one.name);
        for (const auto& word : one.body)
          if (word.is_name()) used[i].insert(std::string(word.text));
      }
    }
    if (kernels.size() != 2) return;
    const auto &first = *kernels.begin(), &second = *kernels.rbegin();
    const auto uses = [&](std::size_t user, std::size_t other) {
      return std::ranges::any_of(defined[other], [&](const auto& name) {
        return used[user].contains(name) && !defined[user].contains(name);
      });
    };
    if (uses(first.first, second.first) || uses(second.first, first.first)) return;
    throw std::runtime_error(fmt::format(
        "{0} and {1} do not use each other, so they are not one program: name one file. To compare "
        "their kernels: type bench try {2} > both.yaml, add variant: [{0}, {1}] to the axes in "
        "both.yaml{3}, and type bench both.yaml --trust",
        files_[0], files_[1], text::shell_line({files_[0]}),
        first.second == second.second ? "" : ", give both kernels the same name"));
  }
  /// A kernel that can't be measured may not be the file's only one.
  KernelGuess guess_or_tell(const source::Program& program, const ChosenKernel& kernel,
                            const file::KernelSketch& sketch) const {
    try {
      return guess(program, kernel, sketch, wish_);
    } catch (const std::runtime_error& error) {
      if (!wish_.kernel.empty() || kernel.others.empty()) throw;
      std::string said = error.what();
      said += "\nother kernels of the file:";
      for (const auto& other : kernel.others) said += "\n  " + other;
      throw std::runtime_error(said);
    }
  }
  /// Of a program without a kernel: the file near that launches them. False if there is none.
  bool take_launcher(const source::Program& program, const std::string& whole) {
    if (!program.kernels().empty()) return false;
    std::vector<std::string> launched;
    for (const auto& one : program.launches) launched.push_back(one.kernel);
    if (const auto files = files_with(launched, true, whole); !files.empty()) {
      take_source(files, wish_.file + " has no kernel",
                  "defines a kernel that the program launches");
      return true;
    }
    std::set<std::string> called;
    for (const auto& one : program.functions) {
      for (const auto& word : one.body)
        if (word.is_name()) called.insert(word.text);
    }
    for (const auto& one : program.functions)
      if (one.is_defined) called.erase(one.name);
    const auto files = files_with({called.begin(), called.end()}, false, whole);
    if (files.empty()) return false;
    take_source(files, wish_.file + " has no kernel", "defines the launch functions that it calls");
    return true;
  }
  /// The one file of these, which defines or launches what the file does not.
  void take_source(const std::vector<std::string>& files, const std::string& lacks,
                   const std::string& does) {
    if (files.size() == 1 && !is_source(files.front())) {
      wish_.sources.push_back(files.front());
      wish_.found.push_back(lacks + "; " + files.front() + " " + does);
      return;
    }
    throw std::runtime_error(lacks + ": also name the file that " + does +
                             text::in_brackets(text::joined(files, ", ")) + ": bench try " +
                             wish_.file + " FILE.cu");
  }
  /// What may not compile if its arguments are a guess.
  static std::string about_instance(const ChosenKernel& kernel) {
    if (kernel.name.find('<') == std::string::npos) return "";
    return "\nthis error is about " + kernel.name +
           ": if the program launches another instance or kernel, name it with --kernel";
  }
  /// The line of a compiler's message that says what is wrong.
  static std::string first_error(const std::string& said) {
    const auto at = said.find("error");
    const auto begin = at == std::string::npos ? 0 : said.rfind('\n', at) + 1;
    return said.substr(begin, said.find('\n', begin) - begin);
  }
  bool is_source(const std::string& file) const {
    return std::ranges::find(wish_.sources, file) != wish_.sources.end();
  }
  /// That of the header; false if there is none, or not one.
  bool add_folder(const MissingHeader& missing) {
    constexpr std::size_t most_flags = 64;
    if (missing.folders.size() != 1 || wish_.flags.size() >= most_flags) return false;
    wish_.flags.push_back("-I" + missing.folders.front());
    wish_.found.push_back(missing.name + " was found in " + missing.folders.front());
    return true;
  }

  std::vector<std::string> files_;
  KernelWish wish_;
  Options options_;
};

}  // namespace

std::unique_ptr<Command> make_try() {
  return std::make_unique<TryCommand>();
}

}  // namespace apod::cli
