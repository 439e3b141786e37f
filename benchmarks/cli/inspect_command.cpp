#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <sstream>
#include <utility>

#include "benchmarks/cli/commands.hpp"
#include "benchmarks/cli/exit_code.hpp"
#include "benchmarks/cli/inspect_options.hpp"
#include "benchmarks/cli/terminal.hpp"
#include "benchmarks/export/kernel_table.hpp"
#include "benchmarks/export/perfetto.hpp"
#include "benchmarks/export/profile_tables.hpp"
#include "benchmarks/os/atomic_file.hpp"
#include "benchmarks/report/findings_text.hpp"
#include "benchmarks/report/table.hpp"
#include "benchmarks/text/plain.hpp"
#include "benchmarks/trace/window.hpp"

namespace apod::cli {
namespace {

exports::KernelTableStyle kernel_style(const InspectRequest& request) {
  using Form = exports::KernelTableForm;
  const auto form = request.csv ? Form::csv : request.width > 0 ? Form::columns : Form::spaces;
  return {form, request.columns, request.width};
}

/// Which ceilings the findings are held against; empty where no device is known.
std::string ceilings_line(const Inspection& inspection) {
  if (inspection.device.name.empty()) return "";
  if (!inspection.ceilings)
    return "none of such a device were found (bench ceilings measures them)";
  const auto& [path, ceilings] = *inspection.ceilings;
  return fmt::format("{}: driver {}, CUDA {}", path, ceilings.driver, ceilings.cuda);
}

std::string unseen_work(const Inspection& inspection) {
  return fmt::format(
      "unknown: {} launches of CUDA graphs left nothing on the device in this recording "
      "(nsys profile --cuda-graph-trace=node records their kernels)",
      inspection.unseen_graphs);
}

void write_head(std::ostream& out, const InspectRequest& request, const Inspection& inspection,
                const report::ConsoleStyle& style) {
  const auto& recording = inspection.recording;
  constexpr std::size_t label = 10;
  const auto room = static_cast<std::size_t>(std::max(style.width, 40)) - label;
  const auto lines = [&](std::string name, const std::vector<std::string>& texts) {
    for (const auto& text : texts)
      out << fmt::format("{:<{}}{}\n", std::exchange(name, ""), label, text);
  };
  const auto line = [&](const std::string& name, const std::string& text) {
    if (!text.empty()) lines(name, text::wrap(text::printable(text), room));
  };
  out << report::paint(text::printable(request.files.front()), report::Tone::strong, style) << '\n';
  line("from",
       recording.producer + (recording.schema.empty() ? "" : ", schema " + recording.schema));
  line("range", request.part.range);
  line("program", fmt::format("{}", fmt::join(recording.programs, ", ")));
  for (const auto& device : recording.devices) {
    const auto& used = inspection.devices;
    const auto index = static_cast<std::uint32_t>(device.index);
    if (std::find(used.begin(), used.end(), index) == used.end()) continue;
    line("device", fmt::format("{}: {}, {} multiprocessors, compute capability {}", device.index,
                               device.name, device.multiprocessors, device.compute_capability));
  }
  line("ceilings", ceilings_line(inspection));
  if (inspection.unseen_graphs > 0) {
    line("timeline", unseen_work(inspection));
  } else {
    if (inspection.facts.empty()) line("timeline", "nothing ran on a device");
    lines("timeline", report::timeline_lines(inspection.facts, room));
  }
  for (const auto& note : inspection.notes) line("note", note);
  for (const auto& note : recording.trace.notes) line("note", note);
}

void write_kernels(std::ostream& out, const InspectRequest& request, const Inspection& inspection) {
  exports::write_kernel_table(out, {inspection.recording.trace, &inspection.profile, {}},
                              kernel_style(request));
}

void write_findings(std::ostream& out, const Inspection& inspection,
                    const report::ConsoleStyle& style) {
  if (inspection.unseen_graphs > 0) {
    out << "  not judged: what CUDA graphs did on the device is not in this recording\n";
    return;
  }
  if (inspection.recording.trace.activities.empty()) {
    out << "  nothing ran on a device, so there is nothing to judge\n";
    return;
  }
  if (inspection.devices.size() > 1) {
    out << fmt::format("  of device {}, the busiest of {}\n", inspection.devices.front(),
                       inspection.devices.size());
  }
  report::write_findings(out, inspection.findings, style);
}

void write_table(std::ostream& out, TableChoice table, const InspectRequest& request,
                 const Inspection& inspection, const report::ConsoleStyle& style) {
  switch (table) {
    case TableChoice::summary:
      return request.csv ? exports::write_summary_csv(out, inspection.profile)
                         : exports::write_summary(out, inspection.profile, style);
    case TableChoice::nvtx:
      return request.csv ? exports::write_ranges_csv(out, inspection.profile)
                         : exports::write_ranges(out, inspection.profile, style);
    case TableChoice::kernels:
      return write_kernels(out, request, inspection);
    case TableChoice::findings:
      return request.csv ? report::write_findings_csv(out, inspection.findings)
                         : write_findings(out, inspection, style);
  }
}

void write_all(std::ostream& out, const InspectRequest& request, const Inspection& inspection,
               const report::ConsoleStyle& style) {
  if (!request.tables.empty()) {
    for (const auto table : request.tables) {
      if (table != request.tables.front()) out << '\n';
      write_table(out, table, request, inspection, style);
    }
    return;
  }
  const auto heading = [&](const char* text) {
    out << '\n' << report::paint(text, report::Tone::strong, style) << '\n';
  };
  write_head(out, request, inspection, style);
  heading("summary");
  exports::write_summary(out, inspection.profile, style);
  if (!inspection.profile.ranges.empty()) {
    heading("NVTX ranges");
    exports::write_ranges(out, inspection.profile, style);
  }
  heading("findings");
  write_findings(out, inspection, style);
}

void write_trace(const InspectRequest& request, const inspect::Recording& recording) {
  exports::TrackNames names;
  for (const auto& device : recording.devices) {
    names.devices[static_cast<std::uint32_t>(device.index)] = device.name;
  }
  names.threads = recording.thread_names;
  os::write_atomically(request.trace_out, [&](std::ostream& out) {
    exports::write_perfetto(out, {{"", &recording.trace}}, names);
  });
}

/// Which of several ranges is looked at; empty where there is but one.
std::string range_note(const Trace& trace, const std::string& name) {
  const auto found = trace::look_up_range(trace, name);
  if (name.empty() || found.count < 2) return "";
  return fmt::format("the range is {} of {} that are called so; NAME/N, from 0, is another",
                     found.index + 1, found.count);
}

class InspectCommand : public Command {
 public:
  std::string purpose() const override {
    return "What another program did on a GPU, from a report of Nsight Systems.";
  }
  std::string footer() const override { return inspect_footer(); }
  void declare(Flags& flags) override { declare_inspect(flags, request_); }
  void settle() override { settle_inspect(request_); }
  Files files() const override {
    Files files{request_.files, {}};
    if (!request_.out.empty()) {
      files.outputs.push_back(
          {"--out", request_.out,
           request_.csv ? named_as(".csv", "as --csv says")
                        : named_as(".txt", "(.csv with --csv; --trace-out writes .json)")});
    }
    if (!request_.trace_out.empty()) {
      files.outputs.push_back(
          {"--trace-out", request_.trace_out,
           named_as(".json", "for ui.perfetto.dev (--table kernels is a table of kernels)")});
    }
    return files;
  }
  int run() override {
    // Columns that there are not are found before a large file is read.
    std::ostringstream nowhere;
    exports::write_kernel_table(nowhere, {Trace{}, nullptr, {}}, kernel_style(request_));
    auto recording = inspect::read_nsys(request_.files.front());
    const auto note = range_note(recording.trace, request_.part.range);
    auto inspection = inspection_of(std::move(recording), request_.part);
    if (!note.empty()) inspection.notes.push_back(note);
    if (!request_.trace_out.empty()) write_trace(request_, inspection.recording);
    if (request_.out.empty()) {
      write_all(std::cout, request_, inspection, console_style(request_.color));
    } else {
      os::write_atomically(request_.out,
                           [&](std::ostream& out) { write_all(out, request_, inspection, {}); });
    }
    return ExitCode::success;
  }

 private:
  InspectRequest request_;
};

}  // namespace

std::unique_ptr<Command> make_inspect() {
  return std::make_unique<InspectCommand>();
}

}  // namespace apod::cli
