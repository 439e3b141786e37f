#include "kernels/backends/cuda/files/code_cache.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

#include "kernels/data/fnv.hpp"

namespace apod::cuda {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view cache_magic = "apodbench kernel 3\n";
// About 10 kB each. A search of a large space keeps one for each configuration.
constexpr std::size_t most_cached = 20000;
constexpr std::uintmax_t most_cached_bytes = std::uintmax_t{1} << 30;
/// Looking through the folder takes a while, so it is done for one key in so many, and for large
/// code.
constexpr std::uint64_t keys_between = 64;
constexpr std::size_t large = std::size_t{16} << 20;

void put(std::string& to, std::string_view part) {
  to += std::to_string(part.size()) + " ";
  to += part;
}

/// Takes parts off the front, as put() wrote them.
class Parts {
 public:
  explicit Parts(std::string_view text) : text_(text) {}
  std::optional<std::string_view> next() {
    const auto blank = text_.find(' ');
    if (blank == std::string_view::npos || blank > 19) return std::nullopt;
    std::size_t size = 0;
    for (const char c : text_.substr(0, blank)) {
      if (c < '0' || c > '9') return std::nullopt;
      size = size * 10 + static_cast<std::size_t>(c - '0');
    }
    text_.remove_prefix(blank + 1);
    if (size > text_.size()) return std::nullopt;
    const auto part = text_.substr(0, size);
    text_.remove_prefix(size);
    return part;
  }

 private:
  std::string_view text_;
};

std::string path_for(const std::string& folder, const std::string& key) {
  return folder + "/" + hex(Fnv1a().add(key).value()) + ".kernel";
}

/// Whether it is this user's, and nobody else's to write.
bool is_private(const std::string& path, mode_t kind) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 && (status.st_mode & S_IFMT) == kind &&
         status.st_uid == ::geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/// If there is too much, keeps the newest: half of what is allowed.
void drop_oldest(const std::string& folder) {
  struct Kept {
    fs::file_time_type time;
    fs::path path;
    std::uintmax_t bytes;
  };
  std::error_code error;
  std::vector<Kept> files;
  std::uintmax_t bytes = 0;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const auto size = entry.file_size(error);
    files.push_back({entry.last_write_time(error), entry.path(), error ? 0 : size});
    bytes += files.back().bytes;
  }
  if (files.size() <= most_cached && bytes <= most_cached_bytes) return;
  std::ranges::sort(files, std::greater(), &Kept::time);
  bytes = 0;
  for (std::size_t i = 0; i < files.size(); ++i) {
    bytes += files[i].bytes;
    if (i >= most_cached / 2 || bytes > most_cached_bytes / 2) fs::remove(files[i].path, error);
  }
}

}  // namespace

std::string cache_key(const Source& source, const Compiler& compiler,
                      const std::vector<std::pair<std::string, std::string>>& files) {
  std::string key;
  put(key, compiler.name);
  put(key, compiler.version);
  for (const char* variable : compiler_variables) {
    const char* value = std::getenv(variable);
    put(key, value != nullptr ? value : "");
  }
  put(key, source.readable ? "confined" : "");
  put(key, source.name);
  put(key, source.architecture);
  put(key, source.appended);
  for (const auto* list : {&source.flags, &source.toolkit}) {
    put(key, std::to_string(list->size()));
    for (const auto& one : *list) put(key, one);
  }
  for (const auto& [name, text] : files) {
    put(key, name);
    put(key, text);
  }
  return key;
}

std::string cache_folder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  std::string base;
  if (cache != nullptr && *cache == '/') {
    base = cache;
  } else if (home != nullptr && *home == '/') {
    base = std::string(home) + "/.cache";
  } else {
    return "";
  }
  std::error_code error;
  fs::create_directories(base, error);
  for (const char* part : {"/apodbench", "/kernels"}) {
    base += part;
    (void)::mkdir(base.c_str(), 0700);
    if (!is_private(base, S_IFDIR)) return "";
  }
  return base;
}

std::optional<Compiled> cached(const std::string& folder, const std::string& key) {
  const auto path = path_for(folder, key);
  if (folder.empty() || !is_private(path, S_IFREG)) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  constexpr std::size_t sum_size = 16;
  if (!file || text.size() < cache_magic.size() + sum_size || !text.starts_with(cache_magic))
    return std::nullopt;
  const auto body = std::string_view(text).substr(0, text.size() - sum_size);
  if (hex(Fnv1a().add(body).value()) != std::string_view(text).substr(body.size()))
    return std::nullopt;
  Parts parts(body.substr(cache_magic.size()));
  if (parts.next() != key) return std::nullopt;
  Compiled compiled;
  const auto image = parts.next();
  const auto log = parts.next();
  const auto seconds = parts.next();
  if (!image || !log || !seconds) return std::nullopt;
  compiled.image.resize(image->size());
  std::memcpy(compiled.image.data(), image->data(), image->size());
  compiled.log = *log;
  compiled.seconds = std::strtod(std::string(*seconds).c_str(), nullptr);
  return compiled;
}

void store(const std::string& folder, const std::string& key, const Compiled& compiled) {
  if (folder.empty()) return;
  std::string text(cache_magic);
  put(text, key);
  put(text, {reinterpret_cast<const char*>(compiled.image.data()), compiled.image.size()});
  put(text, compiled.log);
  put(text, std::to_string(compiled.seconds));
  text += hex(Fnv1a().add(text).value());
  const auto path = path_for(folder, key);
  const auto unfinished = path + "." + std::to_string(::getpid());
  std::error_code error;
  {
    std::ofstream file(unfinished, std::ios::binary);
    file << text;
    file.flush();
    if (!file) {
      fs::remove(unfinished, error);
      return;
    }
  }
  fs::permissions(unfinished, fs::perms::owner_read | fs::perms::owner_write, error);
  fs::rename(unfinished, path, error);
  if (Fnv1a().add(key).value() % keys_between == 0 || text.size() > large) drop_oldest(folder);
}

}  // namespace apod::cuda
