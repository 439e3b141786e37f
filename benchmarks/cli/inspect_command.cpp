#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <optional>
#include <sstream>
#include <utility>

#include "benchmarks/base/os/child.hpp"
#include "benchmarks/base/os/input_file.hpp"
#include "benchmarks/base/os/new_file.hpp"
#include "benchmarks/base/os/program.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/cli/commands.hpp"
#include "benchmarks/cli/exit_code.hpp"
#include "benchmarks/cli/inspect_request.hpp"
#include "benchmarks/cli/messages.hpp"
#include "benchmarks/cli/program_files.hpp"
#include "benchmarks/cli/reports.hpp"
#include "benchmarks/cli/terminal.hpp"
#include "benchmarks/files/bad_result.hpp"
#include "benchmarks/files/recording_file.hpp"
#include "benchmarks/look/nsys_import.hpp"
#include "benchmarks/look/process_files.hpp"
#include "benchmarks/look/trace/window.hpp"
#include "benchmarks/run/inspected_program.hpp"
#include "benchmarks/show/export/kernel_table.hpp"

namespace apod::cli {
namespace {

namespace fs = std::filesystem;

/// Which of several ranges is looked at; empty where there is but one.
std::string range_note(const Trace& trace, const std::string& name) {
  const auto found = trace::look_up_range(trace, name);
  if (name.empty() || found.count < 2) return "";
  return fmt::format(
      "{1} ranges have this name; this is number {0} (to choose another: --range NAME/N)",
      found.index, found.count);
}

/// "; the file holds only the part selected by --range 'step 2'": of what was kept of a larger
/// recording.
std::string held_part(const Recording& recording) {
  std::vector<std::string> chosen;
  for (std::size_t i = 0; i + 1 < recording.part.size(); i += 2) {
    const auto flag = recording.part.begin() + static_cast<std::ptrdiff_t>(i);
    if (*flag != "--step") chosen.insert(chosen.end(), flag, flag + 2);
  }
  return chosen.empty() ? ""
                        : "; the file has only the part selected with " + text::shell_line(chosen);
}

/// A report in nsys's own format, which the nsys of this machine exports.
Recording read_report(const std::string& file) {
  const os::TemporaryFolder folder;
  const auto to = folder.path() + "/report.sqlite";
  const auto end = os::run_program(
      {"nsys", "export", "--type", "sqlite", "--output", to, fs::absolute(file).string()},
      {.cancelled = stop_asked});
  if (end.cancelled) throw std::runtime_error("interrupted");
  if (end.exit_code != 0) {
    throw look::BadRecording(fmt::format("{}: nsys export ended with exit code {}: {}", file,
                                         end.exit_code, text::printable(end.errors)));
  }
  return look::read_nsys(to);
}

class InspectCommand : public Command {
 public:
  HelpText help() const override {
    return {inspect_footer(),
            {"--capture-range", "--delay", "--duration", "--try", "--table", "--range", "--step",
             "--trace-out", "--csv", "--out"}};
  }
  void declare(Flags& flags) override { declare_inspect(flags, request_); }
  void prepare(std::vector<std::string>& arguments) override {
    request_.is_run = take_behind(arguments, request_.program.words);
  }
  void settle() override { settle_inspect(request_); }
  Files files() const override {
    Files files{request_.files, report_outputs(request_.out, show::Formats::all_but_junit)};
    if (request_.csv) files.outputs = outputs_at(request_.out, named_as(".csv", "to match --csv"));
    files.outputs.push_back(
        {"--trace-out", request_.trace_out,
         named_as(".json", "for ui.perfetto.dev (for a table of kernels: --table kernels)")});
    return files;
  }
  int run() override {
    // Columns that there are not are found before a program runs or a large file is read.
    std::ostringstream nowhere;
    exports::write_kernel_table(nowhere, {Trace{}, nullptr, {}}, kernel_table_style(request_));
    if (!request_.is_run) {
      const auto& file = request_.files.front();
      show(files::naming(file, [&] { return recording_of(file); }));
      return ExitCode::success;
    }
    request_.program.library = needed_inspect_library();
    // A Ctrl-C for a program that has just ended must not take its report.
    watch_signals();
    auto recording = record();
    if (!recording) return cannot_be_started_;
    program_code_ = *recording->exit_code;
    show({.recording = std::move(*recording)});
    return program_code_;
  }
  /// The program's, where it failed: whatever else fails, it failed first.
  int ends_with(int code) const override { return program_code_ == 0 ? code : program_code_; }

 private:
  std::optional<Recording> record() {
    try {
      return run::run_inspected(request_.program);
    } catch (const os::CannotStart& error) {
      cannot_be_started_ = error.missing ? ExitCode::command_missing : ExitCode::command_unusable;
      say(error.what());
      return std::nullopt;
    }
  }

  void show(KeptRecording kept) {
    const auto note = range_note(kept.recording.trace, request_.part.range);
    auto part = request_.part;
    part.flags = part_flags(request_);
    const auto held = held_part(kept.recording);
    auto inspection = [&] {
      try {
        return inspection_of(std::move(kept), part);
      } catch (const std::runtime_error& error) {
        throw std::runtime_error(error.what() + held);
      }
    }();
    if (!note.empty()) inspection.notes.push_back(note);
    if (!request_.tries.empty() && inspection.recording.exit_code == 0)
      inspection.tried = try_switches(request_, inspection);
    if (!request_.trace_out.empty()) write_timeline(request_, inspection.recording);
    write_inspection(request_, inspection);
    print_inspection(std::cout, request_, inspection, console_style(request_.color));
  }

  InspectRequest request_;
  int cannot_be_started_ = ExitCode::command_missing;
  int program_code_ = 0;
};

}  // namespace

KeptRecording recording_of(const std::string& file) {
  std::error_code error;
  if (fs::is_directory(file, error)) {
    auto recording = look::read_process_files(file);
    if (recording.programs.empty()) {
      const auto& notes = recording.trace.notes;
      throw look::BadRecording(
          "is a folder without the recording of a process (to inspect a saved recording, name its "
          "file)" +
          (notes.empty() ? "" : ": " + notes.front()));
    }
    recording.producer = "libapodinspect.so";
    return {.recording = std::move(recording)};
  }
  const int first = files::naming(file, [&] {
    os::InputFile in(file);
    return (in >> std::ws).peek();
  });
  if (fs::path(file).extension() == ".nsys-rep" && !os::find_program("nsys").empty())
    return {.recording = read_report(file)};
  constexpr int gzip = 0x1f;
  if (first == gzip)
    throw look::BadRecording(file + ": is compressed: unpack it first (gunzip -k FILE)");
  if (first == '{') {
    return files::is_kineto(file) ? KeptRecording{.recording = files::read_kineto(file)}
                                  : files::read_recording(file);
  }
  return {.recording = look::read_nsys(file)};
}

std::unique_ptr<Command> make_inspect() {
  return std::make_unique<InspectCommand>();
}

}  // namespace apod::cli
