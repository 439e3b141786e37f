/// \file
/// A system that fails, for LD_PRELOAD. $APOD_FAIL_IN is a folder; of the calls that change a file
/// in it (open to write, write, flush, link, rename, truncate), counted over this process,
/// $APOD_FAIL_AT and, with $APOD_FAIL_LONG, all later ones fail as on a full disk. Where
/// $APOD_FAIL_COUNT names a file, the number of calls is left there.
/// $APOD_CLOCK_JUMP: the wall clock is so many seconds off in every other reading of it, the first
/// one among them.

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

long number_of(const char* variable) {
  const char* text = std::getenv(variable);
  return text == nullptr ? 0 : std::atol(text);
}

struct Settings {
  const char* folder = std::getenv("APOD_FAIL_IN");
  long fail_at = number_of("APOD_FAIL_AT");
  bool fails_long = std::getenv("APOD_FAIL_LONG") != nullptr;
  long clock_jump_s = number_of("APOD_CLOCK_JUMP");
};

const Settings& settings() {
  static const Settings settings;
  return settings;
}

std::atomic<long> calls{0};

bool is_inside(const char* path) {
  const char* folder = settings().folder;
  return folder != nullptr && path != nullptr &&
         std::strncmp(path, folder, std::strlen(folder)) == 0;
}

bool is_inside(int file) {
  char link[64];
  char target[4096];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t length = ::readlink(link, target, sizeof target - 1);
  if (length <= 0) return false;
  target[length] = '\0';
  return is_inside(target);
}

/// Whether this call, which is counted, is one of those that fail.
bool fails() {
  const long call = ++calls;
  const auto& wanted = settings();
  if (wanted.fail_at == 0) return false;
  const bool now = wanted.fails_long ? call >= wanted.fail_at : call == wanted.fail_at;
  if (now) errno = ENOSPC;
  return now;
}

/// How far off the wall clock is in this reading of it.
time_t jump() {
  static std::atomic<long> readings{0};
  return ++readings % 2 == 1 ? settings().clock_jump_s : 0;
}

template <class Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

const struct Report {
  ~Report() {
    const char* path = std::getenv("APOD_FAIL_COUNT");
    if (path == nullptr || calls == 0) return;
    if (std::FILE* file = std::fopen(path, "w")) {
      std::fprintf(file, "%ld\n", calls.load());
      std::fclose(file);
    }
  }
} report;

constexpr int changes = O_WRONLY | O_RDWR | O_CREAT;

mode_t mode_of(int flags, va_list rest) {
  const bool creates = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
  return creates ? static_cast<mode_t>(va_arg(rest, int)) : 0;
}

}  // namespace

extern "C" {

#define APOD_OPEN(NAME)                                                  \
  int NAME(const char* path, int flags, ...) {                           \
    va_list rest;                                                        \
    va_start(rest, flags);                                               \
    const mode_t mode = mode_of(flags, rest);                            \
    va_end(rest);                                                        \
    if ((flags & changes) != 0 && is_inside(path) && fails()) return -1; \
    static auto* const next = real<int(const char*, int, ...)>(#NAME);   \
    return next(path, flags, mode);                                      \
  }
APOD_OPEN(open)
APOD_OPEN(open64)

FILE* fopen64(const char* path, const char* mode) {
  if (mode[0] != 'r' && is_inside(path) && fails()) return nullptr;
  static auto* const next = real<FILE*(const char*, const char*)>("fopen64");
  return next(path, mode);
}

ssize_t write(int file, const void* data, size_t size) {
  if (is_inside(file) && fails()) return -1;
  static auto* const next = real<ssize_t(int, const void*, size_t)>("write");
  return next(file, data, size);
}

ssize_t writev(int file, const iovec* parts, int count) {
  if (is_inside(file) && fails()) return -1;
  static auto* const next = real<ssize_t(int, const iovec*, int)>("writev");
  return next(file, parts, count);
}

/// Not of a folder: that its name reaches the disk is more than a file system must promise.
int fsync(int file) {
  struct stat status {};
  const bool is_folder = ::fstat(file, &status) == 0 && S_ISDIR(status.st_mode);
  if (!is_folder && is_inside(file) && fails()) return -1;
  static auto* const next = real<int(int)>("fsync");
  return next(file);
}

int fdatasync(int file) {
  if (is_inside(file) && fails()) return -1;
  static auto* const next = real<int(int)>("fdatasync");
  return next(file);
}

int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) {
  if (is_inside(to) && fails()) return -1;
  static auto* const next = real<int(int, const char*, int, const char*, int)>("linkat");
  return next(from_folder, from, to_folder, to, flags);
}

int rename(const char* from, const char* to) {
  if (is_inside(to) && fails()) return -1;
  static auto* const next = real<int(const char*, const char*)>("rename");
  return next(from, to);
}

int link(const char* from, const char* to) {
  if (is_inside(to) && fails()) return -1;
  static auto* const next = real<int(const char*, const char*)>("link");
  return next(from, to);
}

int ftruncate(int file, off_t size) {
  if (is_inside(file) && fails()) return -1;
  static auto* const next = real<int(int, off_t)>("ftruncate");
  return next(file, size);
}

time_t time(time_t* out) {
  static auto* const next = real<time_t(time_t*)>("time");
  const time_t now = next(nullptr) + jump();
  if (out != nullptr) *out = now;
  return now;
}

int clock_gettime(clockid_t clock, timespec* time) {
  static auto* const next = real<int(clockid_t, timespec*)>("clock_gettime");
  const int result = next(clock, time);
  if (clock == CLOCK_REALTIME) time->tv_sec += jump();
  return result;
}
}
