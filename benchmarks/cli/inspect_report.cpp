#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <ostream>
#include <ranges>
#include <sstream>

#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/cli/inspect_request.hpp"
#include "benchmarks/cli/reports.hpp"
#include "benchmarks/files/recording_file.hpp"
#include "benchmarks/show/explanation.hpp"
#include "benchmarks/show/export/kernel_table.hpp"
#include "benchmarks/show/export/perfetto.hpp"
#include "benchmarks/show/step_text.hpp"

namespace apod::cli {
namespace {

constexpr std::size_t longest_name = 48;    ///< of a device
constexpr std::size_t longest_entry = 240;  ///< of the head: three lines

/// How many of each a report shows.
struct Detail {
  std::size_t kernels;
  std::size_t calls;
  std::size_t devices;  ///< rows
  std::size_t named;    ///< devices in the head
  std::size_t notes;
};

/// Which ceilings the findings use; empty if no device is known.
std::string ceilings_line(const Inspection& inspection) {
  if (inspection.device.name.empty()) return "";
  if (!inspection.ceilings) {
    const bool ours = !inspection.device.compute_capability.empty();  // no other vendor's
    return ours ? show::no_ceilings : "";
  }
  const auto& [path, ceilings] = *inspection.ceilings;
  return fmt::format("{} (driver {}, CUDA {})", std::filesystem::path(path).filename().string(),
                     ceilings.driver, ceilings.cuda);
}

std::string unseen_work(const Inspection& inspection) {
  return fmt::format(
      "unknown: the recording has no device activity for {} launches of CUDA graphs (to record "
      "their kernels: nsys profile --cuda-graph-trace=node)",
      inspection.unseen_graphs);
}

std::map<std::string, double> in_short(const std::map<std::string, double>& facts) {
  std::map<std::string, double> some;
  for (const char* name : {"span", "busy", "idle", "traced_streams", "kernels", "copies"}) {
    if (const auto fact = facts.find(name); fact != facts.end()) some.insert(*fact);
  }
  return some;
}

void add_head(show::Document& document, const Inspection& inspection, const Detail& detail) {
  const auto& recording = inspection.recording;
  show::List list;
  const auto line = [&](const std::string& name, const std::string& text) {
    if (text.empty()) return;
    list.items.push_back({name + ": " + text::shorten(text::printable(text), longest_entry)});
  };
  line("from",
       recording.producer + (recording.schema.empty() ? "" : ", schema " + recording.schema));
  line("command", recording.command);
  line("part", text::shell_line(recording.part));
  if (recording.command.empty()) line("program", text::joined(recording.programs, ", "));
  if (recording.exit_code.value_or(0) != 0) line("exit code", std::to_string(*recording.exit_code));
  const auto& used = inspection.devices;
  std::map<std::string, std::vector<int>> kinds;
  for (const auto& device : recording.devices) {
    if (std::ranges::find(used, static_cast<std::uint32_t>(device.index)) == used.end()) continue;
    auto name = text::shorten(text::printable(device.name), longest_name);
    if (device.multiprocessors > 0) {
      name += fmt::format(", {} multiprocessors", device.multiprocessors);
      if (!device.compute_capability.empty())
        name += ", compute capability " + device.compute_capability;
    }
    kinds[name].push_back(device.index);
  }
  for (const auto& [name, devices] : kinds | std::views::take(detail.named))
    line(fmt::format("device{} {}", devices.size() > 1 ? "s" : "", fmt::join(devices, ", ")), name);
  line("ceilings", ceilings_line(inspection));
  if (inspection.unseen_graphs > 0) {
    line("timeline", unseen_work(inspection));
  } else if (inspection.facts.empty()) {
    line("timeline", "nothing ran on a device");
  } else {
    line(used.size() > 1 ? fmt::format("timeline of device {}", used.front()) : "timeline",
         show::timeline_line(in_short(inspection.facts)));
  }
  std::vector<std::string> notes = inspection.notes;
  notes.insert(notes.end(), recording.trace.notes.begin(), recording.trace.notes.end());
  for (std::size_t i = 0; i < notes.size(); ++i) {
    if (i < detail.notes) line("note", notes[i]);
  }
  if (notes.size() > detail.notes)
    line("note", fmt::format("{} more on the page (--out FILE.html)", notes.size() - detail.notes));
  document.add(std::move(list));
}

void add_findings(show::Document& document, const Inspection& inspection) {
  const auto say = [&](const std::string& text) { document.add(show::Paragraph{text}); };
  if (const auto why = inspection.why_no_findings(); !why.empty()) return say(why);
  if (inspection.findings.empty()) say(show::no_cause);
  document.add(show::findings_list(inspection.findings));
}

void add_table(show::Document& document, show::Table table, const char* none) {
  if (table.rows.empty()) document.add(show::Paragraph{none});
  document.add(std::move(table));
}

/// That of kernels has forms of its own.
show::Table table_of(TableChoice table, const Inspection& inspection) {
  return table == TableChoice::summary ? exports::summary_table(inspection.profile)
         : table == TableChoice::nvtx  ? exports::ranges_table(inspection.profile)
                                       : show::findings_table(inspection.findings);
}

void write_table(std::ostream& out, TableChoice table, const InspectRequest& request,
                 const Inspection& inspection, const show::ConsoleStyle& style) {
  if (table == TableChoice::kernels) {
    return exports::write_kernel_table(out, {inspection.recording.trace, &inspection.profile, {}},
                                       kernel_table_style(request));
  }
  if (request.csv) return show::render_csv(out, table_of(table, inspection));
  show::Document document;
  if (table == TableChoice::findings) {
    add_findings(document, inspection);
  } else {
    add_table(document, table_of(table, inspection),
              table == TableChoice::nvtx ? "no ranges were recorded"
                                         : "no GPU activities and no API calls were recorded");
  }
  show::render_terminal(out, document, style);
}

/// Of a command that was run, or of a file.
std::string title_of(const InspectRequest& request, const Inspection& inspection) {
  return request.files.empty() ? inspection.recording.programs.empty()
                                     ? request.program.words.front()
                                     : text::joined(inspection.recording.programs, ", ")
                               : request.files.front();
}

/// Whether it shows a recording as a whole, whatever table was asked for.
bool is_whole(show::Format format) {
  return format != show::Format::csv && format != show::Format::console;
}

void write_csv_file(std::ostream& out, const InspectRequest& request,
                    const Inspection& inspection) {
  auto of_table = request;
  of_table.csv = true;
  write_table(out, of_table.tables.front(), of_table, inspection, {});
}

show::Document document_of(const std::string& title, const Inspection& inspection,
                           const Detail& detail) {
  show::Document document;
  document.add(show::Heading{1, {title}});
  const auto steps = step_report(inspection, title);
  if (steps) {
    document.add(show::answer_list(*steps));
  } else {
    add_findings(document, inspection);
  }
  document.add(show::Heading{2, {"tried"}}, show::tried_list(inspection.tried));
  document.add(show::Heading{2, {"recording"}});
  add_head(document, inspection, detail);
  if (inspection.steps.size() > 1) {
    document.add(show::Heading{2, {"devices"}},
                 show::devices_table(inspection.steps, detail.devices));
  }
  document.add(show::Heading{2, {"collectives"}}, show::collectives_list(inspection.collectives));
  if (steps) {
    document.add(show::Heading{2, {steps->steps.repeats() ? "a steady step" : "the run"}},
                 show::step_table(*steps, detail.kernels));
  }
  if (detail.calls == 0) return document;
  // Of the whole run, the start would hide what a step does.
  const bool repeats = steps && steps->steps.repeats() && !inspection.steady.calls.empty();
  document.add(
      show::Heading{2, {repeats ? "API calls of a steady step" : "API calls of the whole run"}});
  add_table(document,
            repeats ? show::calls_table(inspection.steady, detail.calls,
                                        static_cast<double>(steps->steps.steady.size()))
                    : show::calls_table(inspection.profile, detail.calls),
            "no API calls were recorded");
  return document;
}

std::ptrdiff_t lines_of(const show::Document& document, std::optional<int> width) {
  std::ostringstream text;
  show::render_terminal(text, document, {.width = width});
  const auto lines = text.str();
  return std::ranges::count(lines, '\n');
}

/// The report for terminals and Markdown: the answer comes first. It is the one with most detail
/// that fits 60 lines of this width.
show::Document inspection_document(const std::string& title, const Inspection& inspection,
                                   std::optional<int> width = {}) {
  constexpr std::ptrdiff_t most_lines = 60;
  constexpr Detail least{.kernels = 3, .calls = 0, .devices = 4, .named = 1, .notes = 1};
  for (const Detail& detail :
       {Detail{.kernels = 7, .calls = 4, .devices = 8, .named = 2, .notes = 3},
        Detail{.kernels = 4, .calls = 3, .devices = 8, .named = 2, .notes = 3},
        Detail{.kernels = 7, .calls = 0, .devices = 8, .named = 2, .notes = 3}}) {
    auto document = document_of(title, inspection, detail);
    if (lines_of(document, width) <= most_lines) return document;
  }
  return document_of(title, inspection, least);
}

}  // namespace

exports::KernelTableStyle kernel_table_style(const InspectRequest& request) {
  using Form = exports::KernelTableForm;
  const auto form = request.csv ? Form::csv : request.width > 0 ? Form::columns : Form::spaces;
  return {form, request.columns, request.width};
}

show::Report report_of(const Inspection& inspection, const std::string& title,
                       const std::string& file) {
  show::Report report{.kind = files::FileKind::recording, .frame = page_frame(inspection, file)};
  report.document = [&inspection, title, file](show::Audience audience) {
    return audience == show::Audience::page ? inspection_page(inspection, file)
                                            : inspection_document(title, inspection);
  };
  report.rows = [&inspection] { return exports::summary_table(inspection.profile); };
  report.json = [&inspection](std::ostream& out) { files::write_recording(out, inspection); };
  return report;
}

void print_inspection(std::ostream& out, const InspectRequest& request,
                      const Inspection& inspection, const show::ConsoleStyle& style) {
  for (const auto table : request.tables) {
    if (table != request.tables.front()) out << '\n';
    write_table(out, table, request, inspection, style);
  }
  if (!request.tables.empty()) return;
  show::render_terminal(
      out, inspection_document(title_of(request, inspection), inspection, style.width), style);
}

void write_inspection(const InspectRequest& request, const Inspection& inspection) {
  const auto file = request.files.empty() ? "" : request.files.front();
  const auto report = report_of(inspection, title_of(request, inspection), file);
  for (const auto& path : request.out) {
    // A table that was asked for is all of a .csv or .txt.
    if (request.tables.empty() || is_whole(show::format_of(path))) {
      write_report(os::Destination::named(path), report);
      continue;
    }
    write_output(os::Destination::named(path), std::nullopt, [&](std::ostream& out) {
      const bool is_csv = show::format_of(path) == show::Format::csv;
      is_csv ? write_csv_file(out, request, inspection)
             : print_inspection(out, request, inspection, {});
    });
  }
}

void write_timeline(const InspectRequest& request, const Recording& recording) {
  exports::TrackNames names;
  for (const auto& device : recording.devices)
    names.devices[static_cast<std::uint32_t>(device.index)] = device.name;
  names.threads = recording.thread_names;
  write_output(os::Destination::named(request.trace_out), std::nullopt, [&](std::ostream& out) {
    exports::write_perfetto(out, {{"", &recording.trace}}, names);
  });
}

}  // namespace apod::cli
