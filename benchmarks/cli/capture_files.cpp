#include "benchmarks/cli/capture_files.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>

#include "benchmarks/base/os/new_file.hpp"
#include "benchmarks/base/stats/means.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/base/text/units.hpp"
#include "benchmarks/files/captured_folder.hpp"
#include "benchmarks/files/record/codec.hpp"
#include "kernels/api/demangle.hpp"

namespace apod::cli {
namespace {

namespace fs = std::filesystem;
using capture::CapturedLaunch;

bool is_kernel(const Activity& activity) {
  return activity.kind == Activity::Kind::kernel;
}

double seconds_of(const Activity& activity) {
  return static_cast<double>(activity.end_ns - activity.start_ns) * 1e-9;
}

bool is_launch_of(const Activity& activity, const std::string& name, const CapturedLaunch& launch) {
  return is_kernel(activity) && activity.name == name && activity.grid == launch.grid &&
         activity.block == launch.block && activity.dynamic_shared_bytes == launch.shared_bytes;
}

void fill_time(const Recording& recording, CapturedLaunch& launch) {
  const auto name = demangled(launch.kernel);
  std::vector<double> times;
  for (const auto& activity : recording.trace.activities) {
    if (is_launch_of(activity, name, launch)) times.push_back(seconds_of(activity));
  }
  if (times.empty()) return;
  const auto [least, most] = std::ranges::minmax_element(times);
  launch.time = {times.size(), stats::median(times), *least, *most};
}

std::string dims(const std::array<std::uint32_t, 3>& sides) {
  return fmt::format("{}x{}x{}", sides[0], sides[1], sides[2]);
}

std::string in_yaml(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text::printable(text)) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

/// Cold and hot: the launch in the program found some of its memory in the caches.
std::string experiments_of(const CapturedLaunch& launch, const std::string& name,
                           const std::string& folder) {
  return fmt::format(
      "  # {0}\n"
      "  # grid {1}, block {2}, {3} launches in the program, {4} each\n"
      "  - name: {5}\n"
      "    kernel: {{capture: {6}}}\n"
      "    axes: {{variant: [captured]}}\n"
      "  - name: {5}_hot\n"
      "    kernel: {{capture: {6}}}\n"
      "    axes: {{variant: [captured]}}\n"
      "    measure: {{cache: hot}}\n",
      text::shorten(text::printable(demangled(launch.kernel)), 160), dims(launch.grid),
      dims(launch.block), launch.time.launches, text::format_time(launch.time.median_s), name,
      folder);
}

/// One row a shape: the grid, the block, and the scalars that the kernel was given.
std::string shapes_csv(const std::map<std::uint64_t, CapturedLaunch>& launches) {
  std::string text = "capture,grid_x,grid_y,grid_z,block_x,block_y,block_z,shared";
  // Four bytes are a whole number in most kernels; eight may be a pointer.
  const auto& first = launches.begin()->second;
  std::vector<std::size_t> scalars;
  for (std::size_t p = 0; p < first.parameters.size(); ++p) {
    const bool in_all = std::ranges::all_of(launches, [&](const auto& one) {
      const auto& launch = one.second;
      return launch.kernel == launches.begin()->second.kernel && p < launch.parameters.size() &&
             launch.parameters[p].bytes == 4;
    });
    if (!in_all) continue;
    scalars.push_back(p);
    text += ",p" + std::to_string(p);
  }
  text += ",launches,time_us\n";
  for (const auto& [number, launch] : launches) {
    text += std::to_string(number);
    for (const auto& sides : {launch.grid, launch.block}) {
      for (const auto side : sides) text += "," + std::to_string(side);
    }
    text += "," + std::to_string(launch.shared_bytes);
    for (const auto p : scalars) {
      std::int32_t value = 0;
      const auto bytes = capture::bytes_of(launch.parameters[p]);
      std::memcpy(&value, bytes.data(), sizeof value);
      text += "," + std::to_string(value);
    }
    text += fmt::format(",{},{:.3f}\n", launch.time.launches, 1e6 * launch.time.median_s);
  }
  return text;
}

void write_text(const fs::path& path, const std::string& text) {
  os::write_atomically(os::Destination::derived(path.string()),
                       [&](std::ostream& out) { out << text; });
}

}  // namespace

std::string short_name(const std::string& demangled) {
  // What is between brackets is left out, with the brackets; "(anonymous namespace)" too.
  std::string plain;
  int depth = 0;
  for (const char c : demangled) {
    if (c == '(' || c == '<' || c == '[' || c == '{') ++depth;
    if (depth == 0) plain += c;
    if ((c == ')' || c == '>' || c == ']' || c == '}') && depth > 0) --depth;
  }
  const auto space = plain.find_last_of(" :");
  auto last =
      space == std::string::npos || space + 1 == plain.size() ? plain : plain.substr(space + 1);
  std::erase_if(
      last, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_'; });
  if (last.size() > 48) last.resize(48);
  return last.empty() ? "kernel" : last;
}

show::Table capturable(const Recording& recording) {
  struct Group {
    std::vector<double> times;
    double total = 0;
    std::set<std::tuple<std::array<std::uint32_t, 3>, std::array<std::uint32_t, 3>, std::uint32_t>>
        shapes;
  };
  std::map<std::string, Group> groups;
  for (const auto& activity : recording.trace.activities) {
    if (!is_kernel(activity)) continue;
    auto& group = groups[activity.name];
    group.times.push_back(seconds_of(activity));
    group.total += group.times.back();
    group.shapes.insert({activity.grid, activity.block, activity.dynamic_shared_bytes});
  }
  std::vector<const std::pair<const std::string, Group>*> order;
  for (const auto& group : groups) order.push_back(&group);
  std::ranges::sort(order,
                    [](const auto* a, const auto* b) { return a->second.total > b->second.total; });
  show::Table table;
  table.columns = {{.name = "kernel", .align = show::Align::left, .key = true},
                   {.name = "launches"},
                   {.name = "shapes"},
                   {.name = "time"},
                   {.name = "median"}};
  for (const auto* group : order) {
    const auto& [name, of] = *group;
    table.rows.push_back({.cells = {{.text = name},
                                    {.text = std::to_string(of.times.size())},
                                    {.text = std::to_string(of.shapes.size())},
                                    {.text = text::format_time(of.total)},
                                    {.text = text::format_time(stats::median(of.times))}}});
  }
  return table;
}

std::optional<LongestLaunch> longest_launch(const Recording& recording,
                                            const text::Pattern& kernel) {
  // The kernels of a CUDA graph have the call in common, and the library does not count them.
  std::map<std::uint32_t, int> of_call;
  for (const auto& activity : recording.trace.activities) ++of_call[activity.correlation];
  std::vector<const Activity*> matching;
  for (const auto& activity : recording.trace.activities) {
    if (is_kernel(activity) && kernel.is_in(activity.name) && of_call[activity.correlation] == 1)
      matching.push_back(&activity);
  }
  if (matching.empty()) return std::nullopt;
  // Correlations grow with the calls, and the library counts calls.
  std::ranges::stable_sort(matching, {}, &Activity::correlation);
  const auto longest = std::ranges::max_element(matching, [](const auto* a, const auto* b) {
    return a->end_ns - a->start_ns < b->end_ns - b->start_ns;
  });
  return LongestLaunch{static_cast<std::uint64_t>(longest - matching.begin()), **longest};
}

std::string LongestLaunch::why_other(const CapturedLaunch& captured) const {
  const auto name = demangled(captured.kernel);
  if (is_launch_of(activity, name, captured)) return "";
  return fmt::format(
      "launch {} was the longest in the first run ({}, grid {}, block {}), but in the second run "
      "this launch was {}, grid {}, block {}: choose a launch with --launch N, or use --launch "
      "each-shape",
      number, short_name(activity.name), dims(activity.grid), dims(activity.block),
      short_name(name), dims(captured.grid), dims(captured.block));
}

std::string why_not_captured(const Recording& recording, const text::Pattern& kernel,
                             const std::string& launch) {
  std::set<std::string> names;
  std::uint64_t matching = 0;
  for (const auto& activity : recording.trace.activities) {
    if (!is_kernel(activity)) continue;
    names.insert(activity.name);
    matching += kernel.is_in(activity.name) ? 1 : 0;
  }
  if (names.empty()) return "the program launched no kernel";
  if (matching > 0) {
    const auto times = text::counted(matching, "launch", "launches");
    const auto& notes = recording.trace.notes;
    if (std::ranges::any_of(notes,
                            [](const auto& note) { return note.starts_with("not captured"); })) {
      return "none of " + times + " of matching kernels was captured";
    }
    return "first" != launch && launch.find_first_not_of("0123456789") == std::string::npos
               ? "there is no launch " + launch + " (from 0): the program made only " + times +
                     " of matching kernels"
               : "the program made " + times +
                     " of matching kernels, but all were launched by CUDA graphs or by other "
                     "kernels: bench can't capture such launches";
  }
  std::vector<std::string> shorts;
  for (const auto& name : names) shorts.push_back(short_name(name));
  auto near = text::closest_part(kernel, {names.begin(), names.end()});
  if (near.empty()) near = text::closest(kernel.expression(), shorts);
  std::string some;
  std::set<std::string> listed;
  for (const auto& name : shorts) {
    if (listed.size() < 8 && listed.insert(name).second) some += (some.empty() ? "" : ", ") + name;
  }
  return "no kernel matches '" + kernel.expression() + "'; " +
         text::did_you_mean(near, "the program's kernels are " + some);
}

std::map<std::uint64_t, CapturedLaunch> complete_captures(const std::string& folder,
                                                          const Recording& recording) {
  std::map<std::uint64_t, CapturedLaunch> launches;
  // Others were given up: their numbers are missing.
  for (const auto& entry : fs::directory_iterator(folder)) {
    const auto name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    auto launch = files::read_captured_folder(entry.path().string());
    launch.program = recording.command;
    launch.date = recording.date;
    for (const auto& device : recording.devices) launch.driver = device.driver_version;
    fill_time(recording, launch);
    write_text(entry.path() / capture::manifest_file, record::encode(launch));
    launches.emplace(std::stoull(name), std::move(launch));
  }
  return launches;
}

void write_experiment(const std::string& folder, const Recording& recording,
                      const std::map<std::uint64_t, CapturedLaunch>& launches, bool each_shape) {
  std::string yaml = "schema: 1\ndescription: " +
                     in_yaml(text::shorten("captured from " + recording.command, 200)) +
                     "\nexperiments:\n";
  for (const auto& [index, launch] : launches) {
    const auto number = std::to_string(index);
    const auto name = short_name(demangled(launch.kernel));
    yaml += each_shape ? experiments_of(launch, name + "_" + number, number)
                       : experiments_of(launch, name, ".");
    if (each_shape) continue;
    const auto from = fs::path(folder) / number;
    for (const auto& entry : fs::directory_iterator(from))
      fs::rename(entry.path(), fs::path(folder) / entry.path().filename());
    fs::remove(from);
  }
  if (each_shape) write_text(fs::path(folder) / "shapes.csv", shapes_csv(launches));
  write_text(fs::path(folder) / "experiment.yaml", yaml);
}

std::uint64_t bytes_on_disk(const std::string& folder) {
  std::uint64_t bytes = 0;
  std::error_code error;
  for (const auto& entry : fs::recursive_directory_iterator(folder, error)) {
    struct stat status {};
    if (::stat(entry.path().c_str(), &status) == 0 && S_ISREG(status.st_mode))
      bytes += static_cast<std::uint64_t>(status.st_blocks) * 512;
  }
  return bytes;
}

}  // namespace apod::cli
