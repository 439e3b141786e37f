#include "benchmarks/os/tool.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

extern char** environ;

namespace apod::os {
namespace {

using Clock = std::chrono::steady_clock;

// A line that never ends must not fill the memory; what is beyond is a line of its own.
constexpr std::size_t longest_line = 1 << 20;

/// One end of a pipe, cut into lines.
class Reader {
 public:
  explicit Reader(std::function<void(std::string_view)> on_line) : on_line_(std::move(on_line)) {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0) {
      throw std::runtime_error(std::string("can't make a pipe: ") + std::strerror(errno));
    }
  }
  ~Reader() {
    ::close(ends_[0]);
    close_write();
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  int read_end() const { return open_ ? ends_[0] : -1; }  // poll ignores -1
  int write_end() const { return ends_[1]; }
  bool open() const { return open_; }
  void close_write() {
    if (ends_[1] >= 0) ::close(ends_[1]);
    ends_[1] = -1;
  }

  void read_some() {
    std::array<char, 65536> buffer{};
    const auto got = ::read(ends_[0], buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) return;
    if (got <= 0) {
      open_ = false;
      if (!line_.empty()) on_line_(line_);
      return;
    }
    std::string_view text(buffer.data(), static_cast<std::size_t>(got));
    for (auto end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
      line_ += text.substr(0, end);
      on_line_(line_);
      line_.clear();
      text.remove_prefix(end + 1);
    }
    line_ += text;
    if (line_.size() > longest_line) {
      on_line_(line_);
      line_.clear();
    }
  }

 private:
  std::function<void(std::string_view)> on_line_;
  std::array<int, 2> ends_{-1, -1};
  std::string line_;
  bool open_ = true;
};

/// A started program, which is killed with what it has started unless it was waited for.
class Child {
 public:
  Child(const std::vector<std::string>& arguments, int output, int errors) {
    std::vector<char*> words;
    for (const auto& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
    words.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
    ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    const int error =
        ::posix_spawnp(&pid_, words.front(), &actions, &attributes, words.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
    if (error != 0) {
      pid_ = -1;
      throw std::runtime_error(arguments.front() + ": can't be started: " + std::strerror(error));
    }
  }
  ~Child() {
    if (pid_ < 0) return;
    kill();
    (void)wait();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void kill() const { ::kill(-pid_, SIGKILL); }
  int wait() {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  pid_t pid_ = -1;
};

}  // namespace

ToolEnd run_tool(const std::vector<std::string>& arguments, std::chrono::milliseconds timeout,
                 const std::function<void(std::string_view)>& on_line) {
  const auto deadline = Clock::now() + timeout;
  ToolEnd end;
  Reader output(on_line);
  Reader errors([&](std::string_view line) {
    if (!line.empty()) end.error = line;
  });
  Child child(arguments, output.write_end(), errors.write_end());
  output.close_write();
  errors.close_write();
  while (output.open() || errors.open()) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) {
      end.timed_out = true;
      child.kill();
      break;
    }
    std::array<pollfd, 2> waiting{{{output.read_end(), POLLIN, 0}, {errors.read_end(), POLLIN, 0}}};
    if (::poll(waiting.data(), waiting.size(), static_cast<int>(left.count())) < 0) continue;
    if (waiting[0].revents != 0) output.read_some();
    if (waiting[1].revents != 0) errors.read_some();
  }
  end.exit_code = child.wait();
  return end;
}

std::string find_toolkit_program(const std::string& name) {
  std::vector<std::string> folders;
  if (const char* path = std::getenv("PATH"); path != nullptr) {
    const std::string_view all = path;
    for (std::size_t begin = 0; begin <= all.size();) {
      const auto end = std::min(all.find(':', begin), all.size());
      if (end > begin) folders.emplace_back(all.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* home = std::getenv(variable); home != nullptr && *home != '\0') {
      folders.push_back(std::string(home) + "/bin");
    }
  }
  folders.emplace_back("/usr/local/cuda/bin");
  for (const auto& folder : folders) {
    const auto path = folder + "/" + name;
    if (::access(path.c_str(), X_OK) == 0) return path;
  }
  return {};
}

}  // namespace apod::os
