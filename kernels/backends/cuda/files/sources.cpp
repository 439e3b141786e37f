#include "kernels/backends/cuda/files/sources.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "kernels/backends/cuda/files/compiler.hpp"
#include "kernels/files/source/tokens.hpp"

namespace apod::cuda {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_sources = 2000;
constexpr std::size_t most_source_bytes = std::size_t{8} << 20;

bool is_in_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::string read_source(const fs::path& path, std::size_t& bytes) {
  std::error_code error;
  bytes += fs::file_size(path, error);
  if (error) throw std::runtime_error(path.filename().string() + ": " + error.message());
  if (bytes > most_source_bytes) {
    throw std::runtime_error(path.filename().string() +
                             ": with this file, the sources have more than 8 MiB");
  }
  std::ifstream file(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(file), {});
  if (!file) throw std::runtime_error(path.filename().string() + ": can't be read");
  return text;
}

/// The source as a preprocessor takes it apart: other spellings of # replaced, lines joined.
std::string joined_lines(const std::string& text) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 4> spellings{
      {{"?\?/\r\n", ""}, {"?\?/\n", ""}, {"?\?=", "#"}, {"%:", "#"}}};
  std::string joined;
  // GCC takes a backslash for the end of a line where blanks follow it, too.
  const auto splice = [&](std::size_t at) {
    if (text[at] != '\\') return std::size_t{0};
    const auto end = text.find_first_not_of(" \t\v\f\r", at + 1);
    return end != std::string::npos && text[end] == '\n' ? end + 1 - at : 0;
  };
  for (std::size_t i = 0; i < text.size();) {
    if (const auto skipped = splice(i); skipped > 0) {
      i += skipped;
      continue;
    }
    const auto found = std::find_if(spellings.begin(), spellings.end(), [&](const auto& spelling) {
      return text.compare(i, spelling.first.size(), spelling.first) == 0;
    });
    if (found == spellings.end()) {
      joined += text[i++];
    } else {
      joined += found->second;
      i += found->first.size();
    }
  }
  return joined;
}

/// Behind blanks and comments within a line.
std::size_t behind_blanks(const std::string& text, std::size_t i) {
  while (i < text.size()) {
    if (text[i] == ' ' || text[i] == '\t' || text[i] == '\v' || text[i] == '\f') {
      ++i;
    } else if (text.compare(i, 2, "/*") == 0) {
      const auto end = text.find("*/", i + 2);
      i = end == std::string::npos ? text.size() : end + 2;
    } else {
      break;
    }
  }
  return i;
}

/// What a source includes, as written, in comments too: better too much than too little. A macro is
/// an empty name.
std::vector<std::string> includes_of(const std::string& source) {
  const auto text = joined_lines(source);
  std::vector<std::string> all;
  const auto name_at = [&](std::size_t i) -> std::string {
    const bool is_name = i < text.size() && (text[i] == '"' || text[i] == '<');
    const auto end = is_name ? text.find_first_of("\">\n", i + 1) : std::string::npos;
    const bool closed = end != std::string::npos && text[end] != '\n';
    return closed ? text.substr(i + 1, end - i - 1) : "";
  };
  for (auto at = text.find('#'); at != std::string::npos; at = text.find('#', at + 1)) {
    auto i = behind_blanks(text, at + 1);
    const bool includes = text.compare(i, 7, "include") == 0 || text.compare(i, 6, "import") == 0 ||
                          text.compare(i, 5, "embed") == 0;
    if (!includes) continue;
    while (i < text.size() && is_in_name(text[i])) ++i;
    all.push_back(name_at(behind_blanks(text, i)));
  }
  // As does GCC's pragma, which may be in the text of a _Pragma, too.
  constexpr std::string_view dependency = "dependency";
  for (auto at = text.find(dependency); at != std::string::npos;
       at = text.find(dependency, at + 1)) {
    const auto i = text.find_first_not_of(" \t\\", at + dependency.size());
    if (auto name = name_at(i); !name.empty()) {
      while (name.ends_with('\\')) name.pop_back();
      all.push_back(name);
    }
  }
  // What asks whether a file is there, opens it.
  for (const std::string_view asks : {"__has_include", "__has_embed"}) {
    for (auto at = text.find(asks); at != std::string::npos; at = text.find(asks, at + 1)) {
      auto i = at + asks.size();
      while (i < text.size() && is_in_name(text[i])) ++i;  // __has_include_next
      i = behind_blanks(text, i);
      if (i >= text.size() || text[i] != '(') continue;
      all.push_back(name_at(behind_blanks(text, i + 1)));
    }
  }
  return all;
}

using file::is_below;

class SourceReader {
 public:
  SourceReader(const file::KernelSpec& spec, fs::path folder)
      : spec_(spec), root_(spec.folder.empty() ? "." : spec.folder), folder_(std::move(folder)) {
    std::error_code error;
    for (const auto& flag : spec.flags) {
      if (!names_folder(flag)) continue;
      const auto named = fs::weakly_canonical(fs::absolute(root_ / flag.substr(2)), error);
      if (!spec.outside && !is_below(named, root_)) {
        throw std::runtime_error(flag +
                                 " is outside the experiment file's folder (--trust allows this)");
      }
      sources.folders.push_back(named.string());
    }
  }

  void read(const fs::path& path, const std::string& name) {
    if (sources.files.size() >= most_sources)
      throw std::runtime_error("more than " + std::to_string(most_sources) + " files are included");
    sources.files.emplace_back(name, read_source(path, bytes_));
    for (const auto& include : includes_of(sources.files.back().second))
      follow(include, path.parent_path());
  }

  /// Unless a file includes it.
  void read_further(const fs::path& path, const std::string& name) {
    std::error_code error;
    const auto whole = fs::weakly_canonical(path, error);
    if (!seen_.insert(whole.string()).second) return;
    sources.further.emplace_back(fs::absolute(path, error).string(), sources.files.size());
    read(path, name);
  }

  Sources sources;

 private:
  void follow(const std::string& include, const fs::path& from) {
    if (!followed_.emplace(from, include).second) return;
    std::error_code error;
    sources.complete = sources.complete && !include.empty();
    if (include.empty() && !spec_.outside)
      throw std::runtime_error("an #include names a macro instead of a file (--trust allows this)");
    // Where the compiler looks: the working folder too, and ../ leads out of the toolkit.
    bool is_first = true;
    for (const auto& base : bases(from)) {
      const auto path = fs::path(include).is_absolute() ? fs::path(include) : base / include;
      if (!fs::exists(path, error)) continue;
      // A pipe would hold the compiler up.
      if (!fs::is_regular_file(path, error) && !fs::is_directory(path, error))
        throw std::runtime_error("#include \"" + include + "\": is not a regular file");
      const auto whole = fs::weakly_canonical(path, error);
      const bool is_own = is_below(whole, root_);
      const bool is_toolkit = std::any_of(toolkit_.begin(), toolkit_.end(),
                                          [&](const auto& one) { return is_below(whole, one); });
      if (!spec_.outside && !is_own && !is_toolkit) {
        throw std::runtime_error("#include \"" + include +
                                 "\" is outside the experiment file's folder: " + whole.string() +
                                 " (--trust allows this)");
      }
      const bool is_searched =
          base == from || base == folder_ ||
          std::find(sources.folders.begin(), sources.folders.end(), base) != sources.folders.end();
      const bool is_read = std::exchange(is_first, false) && !is_toolkit && is_searched &&
                           fs::is_regular_file(path, error);
      if (is_read && seen_.insert(whole.string()).second) read(path, include);
    }
  }

  std::vector<fs::path> bases(const fs::path& from) const {
    std::error_code error;
    std::vector<fs::path> all{from, folder_};
    all.insert(all.end(), sources.folders.begin(), sources.folders.end());
    if (!spec_.outside) all.push_back(fs::current_path(error));
    if (!spec_.outside) all.insert(all.end(), toolkit_.begin(), toolkit_.end());
    return all;
  }

  const file::KernelSpec& spec_;
  fs::path root_, folder_;
  const std::vector<std::string> toolkit_ = toolkit_includes();
  std::set<std::string> seen_;
  std::set<std::pair<fs::path, std::string>>
      followed_;  ///< a folder, and what a file in it includes
  std::size_t bytes_ = 0;
};

}  // namespace

std::vector<std::string> kernels_in(const std::string& source) {
  std::vector<std::string> names;
  source::Macros macros;
  const auto tokens = source::tokens_of(source, macros);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!tokens[i].is("__global__")) continue;
    // The name is before the first round bracket that is not an attribute's.
    while (++i < tokens.size() && !tokens[i].is(";") && !tokens[i].is("{")) {
      if (!tokens[i].is("(")) continue;
      const auto before = source::Tokens(tokens).subspan(i - 1, 1);
      if (source::has_any(before, {"__launch_bounds__", "__cluster_dims__", "__maxnreg__"})) {
        i = source::behind_bracket(tokens, i) - 1;
        continue;
      }
      const auto& name = before.front().text;
      if (before.front().is_name() && std::ranges::find(names, name) == names.end())
        names.push_back(name);
      break;
    }
  }
  return names;
}

bool names_folder(const std::string& flag) {
  return flag.starts_with("-I") && flag.size() > 2;
}

Sources read_sources(const file::KernelSpec& spec, const std::string& file) {
  const fs::path path = file::path_of(spec, file);
  SourceReader reader(spec, path.parent_path());
  reader.read(path, file);
  for (const auto& other : spec.sources) reader.read_further(file::path_of(spec, other), other);
  return std::move(reader.sources);
}

std::string own_messages(const file::KernelSpec& spec, const std::string& file,
                         const std::string& log) {
  if (spec.outside || log.empty()) return log;
  const auto toolkit = toolkit_includes();
  const auto is_own = [&](const std::string& name) {
    if (name == file || name == "./" + file || name == appended_name) return true;
    const auto folder = fs::path(file::path_of(spec, file)).parent_path();
    const auto path = folder / name;  // or `name`, where it is absolute
    return is_below(path, spec.folder.empty() ? "." : spec.folder) ||
           std::any_of(toolkit.begin(), toolkit.end(),
                       [&](const auto& one) { return is_below(path, one); });
  };
  // "2 errors detected in the compilation of ...", and what it says of no file.
  const auto is_of_compiler = [](const std::string& line) {
    static constexpr std::array<std::string_view, 8> begins{
        "Remark:", "Command-line", "Compilation terminated", "At end of source", "ptxas", "nvvm",
        "NVRTC",   "LLVM"};
    return (line.front() >= '0' && line.front() <= '9') ||
           std::any_of(begins.begin(), begins.end(),
                       [&](std::string_view begin) { return line.starts_with(begin); });
  };
  std::string shown;
  bool shows = true;
  bool hides_any = false;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    // "conv.cu(3): error: ..."; the lines of a message that follow it begin with blanks.
    const auto place = line.find("): ");
    const auto open = place == std::string::npos ? place : line.rfind('(', place);
    const bool begins = open != std::string::npos && open > 0;
    if (!line.empty() && !line.starts_with(' '))
      shows = begins ? is_own(line.substr(0, open)) : is_of_compiler(line);
    hides_any = hides_any || !shows;
    if (shows) shown += line + "\n";
  }
  if (hides_any) shown += "messages about other files are hidden (to see them: --trust)\n";
  while (shown.ends_with('\n')) shown.pop_back();
  return shown;
}

std::vector<std::string> toolkit_includes() {
  std::vector<std::string> roots;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* home = std::getenv(variable);
    if (home != nullptr && *home == '/') roots.emplace_back(home);
  }
  roots.emplace_back("/usr/local/cuda");
  for (const auto& root : roots) {
    std::error_code error;
    // Links followed: another toolkit behind the same name is another place.
    const auto include = fs::weakly_canonical(root + "/include", error).string();
    if (!fs::is_regular_file(include + "/cuda_runtime.h", error)) continue;
    std::vector<std::string> folders{include};
    // Where they lie since CUDA 13.
    if (fs::is_directory(include + "/cccl", error)) folders.push_back(include + "/cccl");
    return folders;
  }
  return {};
}

}  // namespace apod::cuda
