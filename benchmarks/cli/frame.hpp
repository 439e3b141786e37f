#pragma once

/// \file
/// The frame that every command of bench runs in. It reads the command line, looks at the files
/// before anything is done with them, runs the command, and turns what goes wrong into one message
/// and an exit code.

#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/base/os/new_file.hpp"
#include "benchmarks/cli/flags.hpp"
#include "benchmarks/files/file_kind.hpp"

namespace apod::cli {

/// A file that a command writes, and the flag that names it.
struct Output {
  std::string flag;
  std::string path;  ///< empty: it was not named
  /// Throws if the path's extension is unknown to the command; empty: every extension is allowed.
  std::function<void(const std::string& path)> check_extension;
};

/// Such a check: throws std::runtime_error, "name it .json WHY", for every other extension.
std::function<void(const std::string&)> named_as(const std::string& extension,
                                                 const std::string& why);

/// --out of these paths, with such a check.
std::vector<Output> outputs_at(const std::vector<std::string>& paths,
                               const std::function<void(const std::string&)>& check = {});

/// The files that a command reads and writes.
struct Files {
  std::vector<std::string> inputs;
  std::vector<Output> outputs;
};

/// Throws std::runtime_error if an output is named twice, is one of the input files under any name,
/// has an unknown extension, or can't be written.
void check_files(const Files& files);

/// What ends a PDF or PNG of bench, so that it is known again; readers ignore it.
inline constexpr std::string_view own_picture = "\n% apod-bench\n";

/// Writes an output through `body`, atomically. `kind` is its kind, if it is a known one. An
/// existing file that bench did not write, or of another known kind, is kept as PATH.old, with a
/// message; a .json file of a known kind replaces only a file of the same kind for which
/// `holds_more` is false. At a name that the user did not give, every other content is kept.
/// Throws std::runtime_error.
void write_output(const os::Destination& to, std::optional<files::FileKind> kind,
                  const std::function<void(std::ostream&)>& body,
                  const std::function<bool(const std::string& path)>& holds_more = {});

/// Makes the folder of an output with a default name, and throws std::runtime_error if the file
/// could not be written.
void make_place_for(const std::string& path);

/// Where a file of a default name goes: "results/" if the working folder has such a folder of its
/// own, and not a link, which could lead anywhere; else empty.
std::string default_folder();

/// The same file under any name. Devices and pipes may be named as often as liked.
bool same_file(const std::string& a, const std::string& b);

/// The help of a command, without its flags and the line that the list of commands has.
struct HelpText {
  std::string footer;  ///< what follows the flags: examples and exit codes
  /// Where all flags would fill more than a screen: those that --help shows, and --help-all shows
  /// the rest. Empty: all of them.
  std::vector<std::string> usual = {};
  /// What --help prints where there are none; empty: what --help-all prints.
  std::string screen = {};
};

/// A command. The frame calls these functions in this order.
class Command {
 public:
  virtual ~Command() = default;
  virtual HelpText help() const = 0;
  virtual void declare(Flags& /*flags*/) {}
  /// Takes from `arguments`, which follow the command's name, everything that is not our flag.
  virtual void prepare(std::vector<std::string>& /*arguments*/) {}
  /// Called once all flags are read, to combine them. Throws UsageError.
  virtual void settle() {}
  virtual Files files() const { return {}; }
  /// What the program ends with in place of `code`, which the frame or run() chose.
  virtual int ends_with(int code) const { return code; }
  /// Does the work; returns the exit code. What it throws becomes a message and ExitCode::failure.
  virtual int run() = 0;

  /// As it was typed; the frame sets it before prepare().
  std::vector<std::string> command_line;
};

/// Moves what follows "--" in `arguments` into `behind`, for another program. False without a "--".
bool take_behind(std::vector<std::string>& arguments, std::vector<std::string>& behind);

/// An entry of the list of commands.
struct CommandEntry {
  const char* name;   ///< empty: bench itself
  const char* group;  ///< what it is for: "measure"
  const char* help;   ///< one sentence: the first line of its help
  std::unique_ptr<Command> (*make)();

  std::string program() const { return *name == '\0' ? "bench" : std::string("bench ") + name; }
};

/// Runs it as described above; returns the exit code. `line`: the program and all that follows, of
/// which the first `own_words` name program and command. Messages begin with the command's name
/// where the user `named` it. A reader of standard output that leaves, as `head` does, changes
/// nothing: files are written, and the exit code is the same.
int run_in_frame(const CommandEntry& entry, const std::vector<std::string>& line, int own_words,
                 bool named);

}  // namespace apod::cli
