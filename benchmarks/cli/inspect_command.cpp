#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
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
#include "benchmarks/report/finding_text.hpp"
#include "benchmarks/report/pages.hpp"
#include "benchmarks/trace/window.hpp"

namespace apod::cli {
namespace {

exports::KernelTableStyle kernel_style(const InspectRequest& request) {
  using Form = exports::KernelTableForm;
  const auto form = request.csv ? Form::csv : request.width > 0 ? Form::columns : Form::spaces;
  return {form, request.columns, request.width};
}

bool is_page(const std::string& path) {
  return std::filesystem::path(path).extension() == ".html";
}

/// Which ceilings the findings are held against; empty where no device is known.
std::string ceilings_line(const Inspection& inspection) {
  if (inspection.device.name.empty()) return "";
  if (!inspection.ceilings)
    return "none were found for such a device (bench ceilings measures them)";
  const auto& [path, ceilings] = *inspection.ceilings;
  return fmt::format("{}: driver {}, CUDA {}", path, ceilings.driver, ceilings.cuda);
}

std::string unseen_work(const Inspection& inspection) {
  return fmt::format(
      "unknown: {} launches of CUDA graphs left no activity on the device in this recording "
      "(nsys profile --cuda-graph-trace=node records their kernels)",
      inspection.unseen_graphs);
}

void add_head(report::Document& document, const InspectRequest& request,
              const Inspection& inspection) {
  const auto& recording = inspection.recording;
  report::List list;
  const auto line = [&](const std::string& name, const std::string& text) {
    if (!text.empty()) list.items.push_back({name + ": " + text});
  };
  line("from",
       recording.producer + (recording.schema.empty() ? "" : ", schema " + recording.schema));
  line("range", request.part.range);
  line("program", fmt::format("{}", fmt::join(recording.programs, ", ")));
  for (const auto& device : recording.devices) {
    const auto& used = inspection.devices;
    const auto index = static_cast<std::uint32_t>(device.index);
    if (std::find(used.begin(), used.end(), index) == used.end()) continue;
    line(fmt::format("device {}", device.index),
         fmt::format("{}, {} multiprocessors, compute capability {}", device.name,
                     device.multiprocessors, device.compute_capability));
  }
  line("ceilings", ceilings_line(inspection));
  if (inspection.unseen_graphs > 0) {
    line("timeline", unseen_work(inspection));
  } else if (inspection.facts.empty()) {
    line("timeline", "nothing ran on a device");
  } else {
    line("timeline", report::timeline_line(inspection.facts));
  }
  for (const auto& note : inspection.notes) line("note", note);
  for (const auto& note : recording.trace.notes) line("note", note);
  document.add(report::Heading{1, {request.files.front()}});
  const auto& findings = inspection.findings;
  if (is_page(request.out) && !findings.empty()) {
    document.add(report::Paragraph{report::Span{
        findings.front().id + ": " + findings.front().evidence + ".", report::Tone::strong}});
  }
  document.add(std::move(list));
}

void add_findings(report::Document& document, const Inspection& inspection) {
  const auto say = [&](const std::string& text) { document.add(report::Paragraph{text}); };
  if (inspection.unseen_graphs > 0) {
    return say("not judged: what CUDA graphs did on the device is not in this recording");
  }
  if (inspection.recording.trace.activities.empty()) {
    return say("nothing ran on a device, so there is nothing to judge");
  }
  if (inspection.devices.size() > 1) {
    say(fmt::format("of device {}, the busiest of {}", inspection.devices.front(),
                    inspection.devices.size()));
  }
  if (inspection.findings.empty()) say("nothing was found that loses time");
  document.add(report::findings_list(inspection.findings));
}

void add_table(report::Document& document, report::Table table, const char* none) {
  if (table.rows.empty()) document.add(report::Paragraph{none});
  document.add(std::move(table));
}

void add_summary(report::Document& document, const Inspection& inspection) {
  add_table(document, exports::summary_table(inspection.profile),
            "no GPU activities and no API calls were recorded");
}

void write_csv(std::ostream& out, TableChoice table, const Inspection& inspection) {
  switch (table) {
    case TableChoice::summary:
      return report::render_csv(out, exports::summary_table(inspection.profile));
    case TableChoice::nvtx:
      return report::render_csv(out, exports::ranges_table(inspection.profile));
    case TableChoice::findings:
      return report::render_csv(out, report::findings_table(inspection.findings));
    case TableChoice::kernels:
      break;  // has forms of its own
  }
}

void write_table(std::ostream& out, TableChoice table, const InspectRequest& request,
                 const Inspection& inspection, const report::ConsoleStyle& style) {
  if (table == TableChoice::kernels) {
    return exports::write_kernel_table(out, {inspection.recording.trace, &inspection.profile, {}},
                                       kernel_style(request));
  }
  if (request.csv) return write_csv(out, table, inspection);
  report::Document document;
  if (table == TableChoice::summary) add_summary(document, inspection);
  if (table == TableChoice::nvtx) {
    add_table(document, exports::ranges_table(inspection.profile), "no ranges were recorded");
  }
  if (table == TableChoice::findings) add_findings(document, inspection);
  report::render_terminal(out, document, style);
}

void report_extension(const std::string& path) {
  if (!is_page(path)) {
    named_as(".txt", "or .html (.csv with --csv; --trace-out writes .json)")(path);
  }
}

/// All there is to say, and for a page the timeline.
report::Document document_of(const InspectRequest& request, const Inspection& inspection) {
  report::Document document;
  add_head(document, request, inspection);
  report::Page page;
  document.add(report::lanes_figure({{"", &inspection.profile.lanes}}, page));
  // A page begins with the answer; at a terminal it stands where the eye is, at the end.
  const auto findings = [&] {
    document.add(report::Heading{2, {"findings"}});
    add_findings(document, inspection);
  };
  if (is_page(request.out)) findings();
  document.add(report::Heading{2, {"summary"}});
  add_summary(document, inspection);
  if (!inspection.profile.ranges.empty()) {
    document.add(report::Heading{2, {"NVTX ranges"}});
    add_table(document, exports::ranges_table(inspection.profile), "no ranges were recorded");
  }
  if (!is_page(request.out)) findings();
  return document;
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
  if (is_page(request.out)) {
    return report::write_page(
        out, {report::plain_sheet("bench inspect", document_of(request, inspection))});
  }
  report::render_terminal(out, document_of(request, inspection), style);
}

void write_trace(const InspectRequest& request, const inspect::Recording& recording) {
  exports::TrackNames names;
  for (const auto& device : recording.devices) {
    names.devices[static_cast<std::uint32_t>(device.index)] = device.name;
  }
  names.threads = recording.thread_names;
  write_output(request.trace_out, std::nullopt, [&](std::ostream& out) {
    exports::write_perfetto(out, {{"", &recording.trace}}, names);
  });
}

/// Which of several ranges is looked at; empty where there is but one.
std::string range_note(const Trace& trace, const std::string& name) {
  const auto found = trace::look_up_range(trace, name);
  if (name.empty() || found.count < 2) return "";
  return fmt::format("the range is {} of {} with this name; NAME/N, from 0, is another",
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
           request_.csv ? named_as(".csv", "as --csv says") : report_extension});
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
      write_output(request_.out, std::nullopt,
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
