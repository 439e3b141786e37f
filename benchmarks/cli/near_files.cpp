#include "benchmarks/cli/near_files.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <stdexcept>
#include <utility>

#include "benchmarks/base/os/input_file.hpp"
#include "benchmarks/base/os/trusted.hpp"
#include "benchmarks/base/text/plain.hpp"

namespace apod::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest_source = 1 << 20;

/// Empty if it can't be read, is longer than `most`, or could be of a user who has nothing to do
/// with the kernel file `near` it.
std::string text_of(const fs::path& path, const fs::path& near, std::size_t most = longest_source) {
  if (!os::why_untrusted(path.string(), near.string()).empty()) return "";
  try {
    return os::read_file(path.string(), most);
  } catch (const std::runtime_error&) {
    return "";
  }
}

/// The header that a compiler's message misses; empty if it misses none.
std::string header_of(const std::string& said) {
  for (const std::string behind : {": No such file or directory", "\" (no directories"}) {
    const auto end = said.find(behind);
    if (end == std::string::npos) continue;
    const auto begin = said.find_last_of("\n\" ", end - 1);
    return said.substr(begin + 1, end - begin - 1);
  }
  const std::string open = "cannot open source file \"";
  const auto at = said.find(open);
  if (at == std::string::npos) return "";
  const auto begin = at + open.size();
  return said.substr(begin, said.find('"', begin) - begin);
}

/// The folders near a file, the nearest first. However many headers are looked for, each folder is
/// listed once, and there is an end to the looks.
class NearFolders {
 public:
  explicit NearFolders(fs::path file) : file_(std::move(file)), from_(file_.parent_path()) {}

  /// Those that have the header, all as near to the file as one another.
  MissingHeader with(const std::string& header) {
    MissingHeader found{.name = header};
    for (std::size_t g = 0; g < groups_.size() || list_more(); ++g) {
      for (const auto& folder : groups_[g]) {
        if (++looks_ > most_looks) return found;
        look(folder, found);
      }
      if (!found.folders.empty()) break;
    }
    return found;
  }

  /// The .cu files that hold what is looked for, all as near to the file as one another.
  template <class Holds>
  std::vector<fs::path> sources_with(const Holds& holds) {
    std::vector<fs::path> found;
    std::size_t read = 0;
    // A folder further up may be full of other programs.
    for (std::size_t g = 0; (g < groups_.size() || list_more()) && found.empty() && up_ < 2; ++g) {
      for (const auto& folder : groups_[g]) {
        std::error_code error;
        for (const auto& entry : fs::directory_iterator(folder, error)) {
          const auto& path = entry.path();
          if (path.extension() != ".cu" || path == file_) continue;
          if (++read > most_sources) return found;
          if (holds(path)) found.push_back(path);
        }
      }
    }
    std::ranges::sort(found);
    return found;
  }

 private:
  static constexpr std::size_t most_sources = 400;
  static constexpr int most_up = 4;
  static constexpr int most_deep = 2;
  static constexpr std::size_t most_folders = 2000;
  static constexpr std::size_t most_looks = 20'000;

  static bool is_root_of_project(const fs::path& folder) {
    std::error_code error;
    return fs::exists(folder / ".git", error);
  }
  void look(const fs::path& folder, MissingHeader& found) const {
    std::error_code error;
    if (!fs::is_regular_file(folder / found.name, error)) return;
    const auto why = os::why_untrusted((folder / found.name).string(), file_.string());
    if (why.empty()) {
      found.folders.push_back(folder.string());
    } else if (found.passed_over.empty()) {
      found.passed_over = why;
    }
  }

  /// The next folders; false if there are none. Those of a makefile come ahead of its own.
  bool list_more() {
    if (deep_ > most_deep) {
      // Beyond the project's own folder lie other projects, and in /tmp those of everybody.
      const auto above = from_.parent_path();
      std::error_code error;
      const auto rights = fs::status(above, error).permissions();
      if (up_ == most_up || is_root_of_project(from_) || !from_.has_parent_path() ||
          above == from_.root_path() || (rights & fs::perms::others_write) != fs::perms::none) {
        return false;
      }
      from_ = above;
      ++up_;
      deep_ = 0;
    }
    if (deep_ == 0) {
      list_makefiles();
      level_.clear();
      take(from_, level_);
    } else {
      const auto above = std::exchange(level_, {});
      std::error_code error;
      for (const auto& folder : above) {
        if (walked_.size() >= most_folders) break;
        for (const auto& entry : fs::directory_iterator(folder, error))
          if (entry.is_directory(error) && !entry.is_symlink(error)) take(entry.path(), level_);
      }
    }
    ++deep_;
    groups_.push_back(level_);
    return true;
  }

  /// Each folder that the makefiles of a folder name with -I, by itself.
  void list_makefiles() {
    for (const auto* name : {"Makefile", "makefile", "GNUmakefile", "CMakeLists.txt"}) {
      const auto text = text_of(from_ / name, file_);
      std::size_t end = 0;
      for (auto at = text.find("-I"); at != std::string::npos; at = text.find("-I", end)) {
        const auto begin = text.find_first_not_of(" ", at + 2);
        if (begin == std::string::npos) break;
        end = text.find_first_of(" \t\r\n\\\"')", begin);
        const auto folder = from_ / text.substr(begin, end - begin);
        if (named_.size() < most_folders && named_.insert(folder).second)
          groups_.push_back({folder});
      }
    }
  }

  void take(const fs::path& folder, std::vector<fs::path>& level) {
    if (walked_.size() < most_folders && walked_.insert(folder).second) level.push_back(folder);
  }

  fs::path file_;
  fs::path from_;
  int up_ = 0;
  int deep_ = 0;
  std::vector<fs::path> level_;
  std::vector<std::vector<fs::path>> groups_;
  std::set<fs::path> named_;
  std::set<fs::path> walked_;
  std::size_t looks_ = 0;
};

/// The other sources and headers of its folder, in the order of their names.
std::vector<fs::path> beside(const fs::path& file) {
  constexpr std::size_t most = 100;
  std::error_code error;
  std::vector<fs::path> all;
  for (const auto& entry : fs::directory_iterator(file.parent_path(), error)) {
    const auto& path = entry.path();
    const bool is_code = path.extension() == ".cu" || is_host_code(path.string());
    if (is_code && path.filename() != file.filename()) all.push_back(path);
  }
  const auto is_header = [](const fs::path& path) {
    return text::holds_any(path.extension().string(), {".h", ".cuh"});
  };
  std::ranges::sort(all, {}, [&](const fs::path& path) {
    return std::pair{is_header(path), path};
  });
  if (all.size() > most) all.resize(most);
  return all;
}

/// A header that its path does not lead to, or that is in no folder near the file.
std::string advice_on(const MissingHeader& missing, const fs::path& file) {
  const auto& header = missing.name;
  const auto from = file.parent_path();
  const auto name = fs::path(header).filename();
  const auto& why = missing.passed_over;
  const auto said =
      header +
      (why.empty() ? " is not in a folder near the file" : " is not used, because " + why) +
      ": name its folder with --flag=-IFOLDER";
  if (!why.empty()) return said;
  const auto others =
      name == header ? std::vector<std::string>{} : NearFolders(file).with(name).folders;
  if (!others.empty()) {
    const auto other = (fs::path(others.front()) / name).lexically_relative(from).string();
    return said + "; a file with this name is at " + other;
  }
  return said;
}

/// Of "Unresolved extern function '_Z4hashjj'": "hash"; empty if all functions are there.
std::string missing_function(const std::string& said) {
  const std::string mark = "Unresolved extern function '_Z";
  const auto at = said.find(mark);
  if (at == std::string::npos) return "";
  std::size_t length = 0;
  auto begin = at + mark.size();
  while (begin < said.size() && said[begin] >= '0' && said[begin] <= '9' && length < 200)
    length = length * 10 + static_cast<std::size_t>(said[begin++] - '0');
  return length > 0 && begin + length <= said.size() ? said.substr(begin, length) : "";
}

/// What a source includes as "header.h", each once.
std::vector<std::string> own_includes(const std::string& text) {
  constexpr std::size_t most_headers = 1000;
  const std::string mark = "#include \"";
  std::vector<std::string> all;
  for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1)) {
    const auto begin = at + mark.size();
    const auto name = text.substr(begin, text.find('"', begin) - begin);
    const bool is_new = std::ranges::find(all, name) == all.end();
    if (is_new && all.size() < most_headers) all.push_back(name);
  }
  return all;
}

/// The texts of the program's own headers that a source near the file includes.
std::string headers_of(const fs::path& source, const std::string& text, const fs::path& file) {
  std::string all;
  NearFolders folders(file);
  std::error_code error;
  for (const auto& header : own_includes(text)) {
    if (all.size() >= longest_source) break;
    auto path = source.parent_path() / header;
    if (!fs::is_regular_file(path, error)) {
      const auto found = folders.with(header).folders;
      if (found.size() != 1) continue;
      path = fs::path(found.front()) / header;
    }
    all += text_of(path, file, longest_source - all.size()) + "\n";
  }
  return all;
}

}  // namespace

bool is_host_code(const std::string& file) {
  constexpr std::array<const char*, 7> endings{".cpp", ".cc", ".cxx", ".c", ".hpp", ".h", ".cuh"};
  return std::ranges::any_of(endings, [&](const char* end) { return file.ends_with(end); });
}

std::string missing_flag(const std::string& said, const std::vector<std::string>& flags) {
  const auto lacks = [&](const char* begin) {
    return std::ranges::none_of(
        flags, [&](const auto& flag) { return flag.find(begin) != std::string::npos; });
  };
  for (const auto* flag : {"--expt-relaxed-constexpr", "--extended-lambda"})
    if (said.find(flag) != std::string::npos && lacks(flag + 2)) return flag;
  const bool is_later = text::holds_any(
      said, {"identifier \"concept\" is undefined", "identifier \"requires\" is undefined",
             "has no member \"span\"", "C++20"});
  return is_later && lacks("-std=") ? "-std=c++20" : "";
}

std::string file_of_missing_function(const std::string& said, const std::string& file) {
  const auto name = missing_function(said);
  std::string found;
  for (const auto& path : name.empty() ? std::vector<fs::path>{} : beside(file)) {
    if (path.extension() != ".cu") continue;
    const auto program = source::read_program({{path.string(), text_of(path, file)}});
    const auto* function = program.find_function(name);
    if (function == nullptr || !function->is_defined) continue;  // a macro may mark it
    if (!found.empty()) return "";
    found = path.filename().string();
  }
  return found;
}

std::vector<std::string> files_with(const std::vector<std::string>& functions, bool are_kernels,
                                    const std::string& file) {
  const auto defines = [&](const fs::path& path) {
    const auto text = text_of(path, file);
    if (text.find(are_kernels ? "__global__" : "<<<") == std::string::npos) return false;
    const auto program = source::read_program({{path.string(), text}});
    return std::any_of(functions.begin(), functions.end(), [&](const auto& name) {
      const auto* found = program.find_function(name);
      return found != nullptr && found->is_kernel == are_kernels && found->is_defined;
    });
  };
  std::vector<std::string> all;
  for (const auto& path : NearFolders(file).sources_with(defines))
    all.push_back(path.lexically_relative(fs::path(file).parent_path()).string());
  return all;
}

static MissingHeader header_near(const std::string& header, const std::string& file) {
  if (header.empty()) return {};
  const auto from = fs::path(file).parent_path();
  auto missing = NearFolders(file).with(header);
  for (auto& folder : missing.folders) folder = fs::path(folder).lexically_relative(from).string();
  return missing;
}

MissingHeader missing_header(const std::string& said, const std::string& file) {
  return header_near(header_of(said), file);
}

MissingHeader unread_header(const std::vector<std::pair<std::string, std::string>>& sources,
                            const std::string& file, std::set<std::string>& looked) {
  for (const auto& [name, text] : sources) {
    for (const auto& header : own_includes(text)) {
      const auto is_read = std::ranges::any_of(sources, [&](const auto& one) {
        return fs::path(one.first).filename() == fs::path(header).filename();
      });
      if (is_read || !looked.insert(header).second) continue;
      if (auto found = header_near(header, file); found.folders.size() == 1) return found;
    }
  }
  return {};
}

/// "-DN=4" for an undefined N, and "-std=c++20", as a makefile of the folder or the one above says.
static std::string flags_of_makefiles(const std::string& said, const fs::path& file) {
  const auto folder = file.parent_path();
  std::string all;
  for (const auto& place : {folder, folder.parent_path()}) {
    for (const auto* name :
         {"Makefile", "makefile", "GNUmakefile", "CMakeLists.txt", "common.mk"}) {
      const auto text = text_of(place / name, file);
      for (const std::string mark : {"-D", "-std="}) {
        for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1)) {
          const auto flag =
              text.substr(at, std::min(text.find_first_of(" \t\r\n\\\"')$", at), text.size()) - at);
          const auto macro = flag.substr(2, flag.find('=') - 2);
          const bool is_meant =
              mark == "-D" ? said.find("identifier \"" + macro + "\" is") != std::string::npos
                           : flag.find("++") != std::string::npos;  // not of C
          if (!is_meant || flag == mark || all.find("--flag=" + flag) != std::string::npos)
            continue;
          all += " --flag=" + flag;
        }
      }
    }
    if (!all.empty()) return "\na makefile compiles this file with other flags; try" + all;
  }
  return all;
}

std::string advice(const std::string& said, const std::string& file, const MissingHeader& missing) {
  const fs::path path(file);
  if (!missing.name.empty()) {
    constexpr std::size_t most_named = 6;
    auto folders = missing.folders;
    if (folders.size() < 2) return "\n" + advice_on(missing, path);
    if (folders.size() > most_named) folders.resize(most_named);
    std::string names;
    for (const auto& folder : folders) names += "\n  --flag=-I" + folder;
    return "\nseveral folders near the file contain " + missing.name +
           "; choose one with a flag:" + names;
  }
  if (said.find("separate compilation mode") != std::string::npos) {
    return "\nbench can't measure a kernel that launches kernels, because bench does not link the "
           "CUDA device runtime";
  }
  for (const auto& other : beside(path)) {
    const auto include = "#include \"" + path.filename().string() + "\"";
    if (other.extension() == ".cu" && text_of(other, path).find(include) != std::string::npos) {
      const auto name = other.filename().string();
      return "\n" + name + " includes this file: to measure its kernels, type bench try " + name;
    }
  }
  return flags_of_makefiles(said, path);
}

std::string read_callers(source::Program& program, const std::string& file,
                         std::vector<std::string> named) {
  const auto add = [&](const fs::path& path, const std::string& text) {
    source::add_host_code(program, {path.string(), headers_of(path, text, file) + text});
    const auto further = read_callers(program, file, std::move(named));
    return path.filename().string() + (further.empty() ? "" : " and " + further);
  };
  if (!named.empty()) {
    const fs::path first = named.front();
    named.erase(named.begin());
    return add(first, os::read_file(first.string(), longest_source));
  }
  const auto is_own = [&](const std::string& name) {  // what a caller may call
    const auto* one = program.find_function(name);
    return one != nullptr && one->is_defined && !one->is_device;
  };
  const bool launches =
      std::ranges::any_of(program.launches, [&](const auto& one) { return is_own(one.kernel); });
  if (launches && program.find_function("main") != nullptr) return "";
  // Of one of these: of another program's function of this name there may be more or fewer.
  const auto takes = [&](const std::string& name, const std::vector<source::Tokens>& given) {
    return std::ranges::any_of(program.functions, [&](const auto& one) {
      const auto& all = one.parameters;
      return one.name == name && given.size() <= all.size() &&
             (given.size() == all.size() || !all[given.size()].value.empty());
    });
  };
  // Whether the code knows this program's function of the name, and not another of that name.
  const auto knows = [&](const fs::path& path, const std::string& text, const std::string& name) {
    const auto whole = source::read_program({{path.string(), headers_of(path, text, file) + text}});
    bool declares = text.find("#include \"") != std::string::npos;  // perhaps there
    for (const auto& one : whole.functions) {
      if (one.name != name) continue;
      declares = true;
      const auto* other = program.find_function(name);
      if (one.is_defined && source::text_of(one.body) != source::text_of(other->body)) return false;
    }
    return declares;
  };
  // One with a main, else one that launches what this file does not.
  std::pair<std::string, std::string> found;
  for (const auto& path : beside(file)) {
    const auto text = text_of(path, file);
    const bool may_call = text.find("main") != std::string::npos ||
                          (!launches && text.find("<<") != std::string::npos);
    if (!may_call) continue;
    const auto caller = source::read_program({{path.string(), text}});
    const auto* main = caller.find_function("main");
    const bool has_main = main != nullptr && main->is_defined;
    std::string called;
    for (const auto& one : caller.launches)
      if (!launches && is_own(one.kernel) && takes(one.kernel, one.arguments)) called = one.kernel;
    for (const auto& one : caller.functions) {
      for (std::size_t i = 0; has_main && i + 1 < one.body.size(); ++i) {
        const auto& name = one.body[i].text;
        auto open = i + 1;
        if (one.body[open].is("<")) open = source::behind_angle(one.body, open);
        const bool calls = open < one.body.size() && one.body[open].is("(") && is_own(name);
        if (calls && takes(name, source::in_bracket(one.body, open))) called = name;
      }
    }
    if (called.empty() || !knows(path, text, called)) continue;
    if (has_main || found.first.empty()) found = {path.string(), text};
    if (has_main) break;
  }
  return found.first.empty() ? "" : add(found.first, found.second);  // and what calls the caller
}

source::Macros macros_of(const std::vector<std::string>& flags) {
  source::Macros macros;
  for (const auto& flag : flags) {
    if (!flag.starts_with("-D")) continue;
    auto line = flag.substr(2);
    const auto equals = std::min(line.find('='), line.size());
    line.replace(equals, 1, equals == line.size() ? " 1" : " ");
    source::tokens_of("#define " + line, macros);
  }
  return macros;
}

}  // namespace apod::cli
