#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <optional>

#include "benchmarks/base/os/child.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/base/text/quantities.hpp"
#include "benchmarks/base/text/units.hpp"
#include "benchmarks/cli/capture_files.hpp"
#include "benchmarks/cli/commands.hpp"
#include "benchmarks/cli/exit_code.hpp"
#include "benchmarks/cli/messages.hpp"
#include "benchmarks/cli/program_files.hpp"
#include "benchmarks/cli/terminal.hpp"
#include "benchmarks/run/inspected_program.hpp"
#include "kernels/api/demangle.hpp"

namespace apod::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t usual_bytes = std::uint64_t{2} << 30;

/// "2G", "512MiB", "100MB".
std::uint64_t parse_bytes(const std::string& flag, const std::string& text) {
  const auto parsed =
      text::parse_quantity(text + (text.ends_with('B') ? "" : "iB"), text::Unit::bytes);
  constexpr double most = 1e12;
  if (!parsed.value || !(*parsed.value >= 1 << 20) || *parsed.value > most)
    throw UsageError(flag + ": '" + text + "' is not a size from 1M to 1T, such as 2G or 512MiB");
  return static_cast<std::uint64_t>(*parsed.value);
}

class CaptureCommand : public Command {
 public:
  HelpText help() const override {
    return {
        R"(Examples:
  bench capture -- python3 train.py                        the kernels that can be captured
  bench capture --kernel softmax -- python3 train.py       the first matching launch, into the folder softmax
  bench capture --kernel gemm --launch longest --out g -- ./app
  bench capture --kernel norm --launch each-shape -- ./app one launch for each grid, block and size of shared memory
  bench --config softmax/experiment.yaml --trust           measures it with cold and with hot caches
  bench new --from softmax                                 writes a kernel to replace it

The folder holds machine code and the contents of memory: run it only if you trust its origin.

Exit codes: the program's, if it fails (126 or 127 if it can't be started); 0 good; 1 usage and I/O
errors, or nothing was captured.)"};
  }
  void declare(Flags& flags) override {
    flags.pattern("--kernel", kernel_,
                  "Regular expression that the kernel's name must match; without --kernel, bench "
                  "prints a table of kernels");
    flags.value("--launch", "N|first|longest|each-shape",
                "Which matching launch: the N-th (from 0), the first (default), the longest (the "
                "program runs twice), or one for each shape",
                [this](const std::string& text) { take_launch(text); });
    flags.value("--max-bytes", "SIZE", "Largest amount of memory to save for a launch (default 2G)",
                [this](const std::string& text) { max_bytes_ = parse_bytes("--max-bytes", text); });
    flags.text("--out", "FOLDER", out_, "Folder to write (default: the kernel's name)");
    flags.color(color_);
  }
  void prepare(std::vector<std::string>& arguments) override {
    take_behind(arguments, program_.words);
  }
  void settle() override {
    if (program_.words.empty())
      refuse_nothing("capture", "a program: bench capture -- python3 train.py");
    if (kernel_.empty() && (!launch_.empty() || !out_.empty())) {
      refuse_without(launch_.empty() ? "--out" : "--launch", "--kernel");
    }
    if (launch_.empty()) launch_ = "first";
  }
  int run() override {
    program_.library = needed_inspect_library();
    try {
      return kernel_.empty() ? show_kernels() : capture();
    } catch (const os::CannotStart& error) {
      return fail(error.what(),
                  error.missing ? ExitCode::command_missing : ExitCode::command_unusable);
    }
  }

 private:
  void take_launch(const std::string& text) {
    const bool is_number = !text.empty() && text.size() < 10 &&
                           text.find_first_not_of("0123456789") == std::string::npos;
    if (!is_number) {
      choose("--launch", text,
             Choices<int>{{"first", 0}, {"longest", 0}, {"each-shape", 0}, {"N", 0}});
    }
    if (text == "N") throw UsageError("--launch: write a whole number from 0 instead of N");
    launch_ = is_number ? std::to_string(std::stoul(text)) : text;
  }

  static void say_notes(const Recording& recording) {
    for (const auto& note : recording.trace.notes) say(note);
  }

  int show_kernels() {
    const auto recording = run::run_inspected(program_);
    say_notes(recording);
    auto table = capturable(recording);
    if (table.rows.empty()) return fail("the program launched no kernel", failed(recording));
    const auto name = short_name(table.rows.front().cells.front().text);
    show::Document document;
    document.add(std::move(table));
    const show::Span line{
        .text = "bench capture --kernel " + name + " -- " + text::shell_line(program_.words),
        .code = true};
    document.add(show::Paragraph{.text = {show::Span{"to capture a kernel: "}, line}});
    show::render_terminal(std::cout, document, console_style(color_));
    return recording.exit_code.value_or(0);
  }

  static int failed(const Recording& recording) {
    const int code = recording.exit_code.value_or(0);
    return code == 0 ? ExitCode::failure : code;
  }

  /// Makes the folder, which no other capture can have made.
  void claim_folder() {
    if (out_.empty()) out_ = short_name(kernel_.expression());
    if (::mkdir(out_.c_str(), 0700) != 0) {
      const int error = errno;
      throw std::runtime_error(
          out_ + ": " +
          (error == EEXIST
               ? "exists already, and bench does not replace it: name another folder with --out"
               : std::strerror(error)));
    }
  }

  int capture() {
    claim_folder();
    struct Leave {
      const std::string& folder;
      ~Leave() {
        std::error_code ignored;
        // Without an experiment nothing was captured, and all in it is of this capture.
        if (!fs::exists(fs::path(folder) / "experiment.yaml", ignored))
          fs::remove_all(folder, ignored);
      }
    } const leave{out_};
    return capture_into_folder();
  }

  int capture_into_folder() {
    auto which = launch_;
    std::optional<LongestLaunch> longest;
    if (launch_ == "longest") {
      const auto before = run::run_inspected(program_);
      longest = longest_launch(before, kernel_);
      if (!longest) {
        say_notes(before);
        return fail(why_not_captured(before, kernel_, launch_), failed(before));
      }
      which = std::to_string(longest->number);
    }
    program_.variables = {{"APOD_CAPTURE_FOLDER", fs::absolute(out_).string()},
                          {"APOD_CAPTURE_KERNEL", kernel_.expression()},
                          {"APOD_CAPTURE_LAUNCH", which},
                          {"APOD_CAPTURE_MAX_BYTES", std::to_string(max_bytes_)}};
    const auto recording = run::run_inspected(program_);
    say_notes(recording);
    const auto launches = complete_captures(out_, recording);
    if (launches.empty())
      return fail(why_not_captured(recording, kernel_, which), failed(recording));
    if (longest) {
      const auto why = longest->why_other(launches.begin()->second);
      if (!why.empty()) return fail(why, failed(recording));
    }
    write_experiment(out_, recording, launches, launch_ == "each-shape");
    for (const auto& [number, launch] : launches) print(launch);
    std::cout << "Wrote " << out_ << " ("
              << text::format_bytes(static_cast<double>(bytes_on_disk(out_)))
              << " on disk); to run it: bench --config " << out_ << "/experiment.yaml --trust\n";
    const int code = recording.exit_code.value_or(0);
    if (code != 0) say("the program ended with exit code " + std::to_string(code));
    return code;
  }

  static void print(const capture::CapturedLaunch& launch) {
    std::uint64_t bytes = 0;
    for (const auto& window : launch.windows) bytes += window.bytes;
    std::cout << text::printable(demangled(launch.kernel)) << '\n';
    std::cout << "  launch " << launch.launch << ", grid " << launch.grid[0] << " x "
              << launch.grid[1] << " x " << launch.grid[2] << ", block " << launch.block[0] << " x "
              << launch.block[1] << " x " << launch.block[2] << ", "
              << text::counted(launch.parameters.size(), "parameter") << ", "
              << text::format_bytes(static_cast<double>(bytes)) << " of memory in "
              << text::counted(launch.windows.size(), "piece") << '\n';
    if (launch.time.launches > 0) {
      std::cout << "  in the program " << text::counted(launch.time.launches, "launch", "launches")
                << " of this shape, median " << text::format_time(launch.time.median_s) << '\n';
    }
    for (const auto& note : launch.notes) std::cout << "  note: " << text::printable(note) << '\n';
  }

  text::Pattern kernel_;
  std::string launch_;
  std::uint64_t max_bytes_ = usual_bytes;
  std::string out_;
  ColorChoice color_ = ColorChoice::automatic;
  run::InspectedProgram program_;
};

}  // namespace

std::unique_ptr<Command> make_capture() {
  return std::make_unique<CaptureCommand>();
}

}  // namespace apod::cli
