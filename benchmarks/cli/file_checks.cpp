#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "benchmarks/base/os/new_file.hpp"
#include "benchmarks/cli/frame.hpp"
#include "benchmarks/cli/messages.hpp"
#include "benchmarks/files/earlier_file.hpp"

namespace apod::cli {
namespace {

namespace fs = std::filesystem;

/// As much must fit on the disk before anything begins.
constexpr std::uint64_t least_room = 1 << 16;

/// What the file is; nothing where it is no kind that is known.
std::optional<files::FileKind> kind_of(const std::string& path) {
  try {
    return files::recognise(path).kind;
  } catch (const std::runtime_error&) {
    return std::nullopt;
  }
}

/// What the head of a page, figure, JUnit file, run or comparison of bench has, and within how many
/// bytes.
constexpr std::array<std::pair<std::string_view, std::size_t>, 6> marks{{
    {"<a class=\"skip\" href=\"#main\">", 1 << 16},
    {"<svg class=\"figure\" role=\"img\"", 64},
    {"<testsuites name=\"bench", 128},
    {", apod-bench ", 512},
    {"\nbase: ", 512},
    {"\n- base: ", 512},
}};

/// Whether what is at the path may be lost: bench wrote it, or it is the new text. A table has no
/// mark, but a first line that names the same columns.
bool is_replaceable(const os::Destination& to, const std::string& text) {
  constexpr std::size_t most_bytes = 64 << 20;
  const fs::path path = to.path();
  if (fs::file_size(path) > most_bytes) return false;
  std::ostringstream old;
  old << std::ifstream(path, std::ios::binary).rdbuf();
  const std::string there = old.str();
  if (there == text || to.is_derived()) return there == text;
  const auto kind = path.extension();
  const auto titles = text.substr(0, text.find('\n') + 1);
  const bool is_table = titles.size() > 1 && (kind == ".csv" || kind == ".txt" || kind == ".md");
  return (is_table && there.starts_with(titles)) || there.ends_with(own_picture) ||
         std::ranges::any_of(marks, [&](const auto& mark) {
           return there.substr(0, mark.second).find(mark.first) != there.npos;
         });
}

}  // namespace

bool same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  if (fs::exists(a, error) && !fs::is_regular_file(a, error)) return false;
  const auto whole = [](const std::string& path) {
    std::error_code unknown;
    auto resolved = fs::weakly_canonical(fs::absolute(path), unknown);
    // On the way is a folder that can't be searched: the name has to do.
    return unknown ? fs::absolute(path).lexically_normal() : resolved;
  };
  return whole(a) == whole(b);
}

std::function<void(const std::string&)> named_as(const std::string& extension,
                                                 const std::string& why) {
  return [=](const std::string& path) {
    if (fs::path(path).extension() == extension) return;
    throw std::runtime_error(path + ": the name must end in " + extension + " " + why);
  };
}

std::vector<Output> outputs_at(const std::vector<std::string>& paths,
                               const std::function<void(const std::string&)>& check) {
  std::vector<Output> outputs;
  for (const auto& path : paths) outputs.push_back({"--out", path, check});
  return outputs;
}

std::string default_folder() {
  std::error_code error;
  const auto there = fs::symlink_status("results", error);
  if (fs::is_symlink(there))
    say("the folder 'results' is a link, so bench writes nothing into it (name an output file with "
        "--out)");
  return fs::is_directory(there) ? "results/" : "";
}

void make_place_for(const std::string& path) {
  const auto folder = fs::path(path).parent_path();
  if (!folder.empty()) fs::create_directories(folder);
  os::check_writable(os::Destination::derived(path), least_room);
}

void write_output(const os::Destination& to, std::optional<files::FileKind> kind,
                  const std::function<void(std::ostream&)>& body,
                  const std::function<bool(const std::string&)>& holds_more) {
  const auto& path = to.path();
  std::error_code error;
  const bool has_content = fs::is_regular_file(path, error) && fs::file_size(path, error) > 0;
  const auto there = has_content ? kind_of(path) : kind;
  const bool only_its_like = kind && (to.is_derived() || fs::path(path).extension() == ".json");
  // Written as it was compared.
  std::optional<std::string> text;
  if (!kind && has_content) {
    std::ostringstream all;
    body(all);
    text = all.str();
  }
  const bool is_new = text && !is_replaceable(to, *text);
  const char* why = nullptr;
  if (is_new || ((there || only_its_like) && there != kind)) {
    why = " already existed, with other content";
  } else if (has_content && only_its_like && holds_more && holds_more(path)) {
    why = " already existed, with measurements that the new file lacks";
  }
  const auto write = [&](std::ostream& out) { text ? void(out << *text) : body(out); };
  os::write_atomically(to, write, [&] {
    if (why == nullptr) return;
    say(path + why + "; the old file is now " + files::keep_aside(fs::canonical(path).string()));
  });
}

void check_files(const Files& files) {
  auto outputs = files.outputs;
  std::erase_if(outputs, [](const Output& one) { return one.path.empty(); });
  for (auto output = outputs.begin(); output != outputs.end(); ++output) {
    const auto& path = output->path;
    try {
      if (std::any_of(outputs.begin(), output,
                      [&](const Output& other) { return same_file(other.path, path); })) {
        throw std::runtime_error(path + ": is named twice");
      }
      for (const auto& input : files.inputs) {
        if (same_file(path, input)) throw std::runtime_error(path + ": is one of the input files");
      }
      if (output->check_extension) output->check_extension(path);
      os::check_writable(os::Destination::named(path), least_room);
    } catch (const std::exception& error) {
      throw std::runtime_error(output->flag + ": " + error.what());
    }
  }
}

}  // namespace apod::cli
