#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>

namespace apod::os {

/// Checks before anything runs that `path` can be written: its folder exists and is writable, it is
/// not a directory, an existing file may be replaced, and the disk has `bytes_needed` free. Throws
/// std::runtime_error saying which of these is false. Leaves no file behind.
void check_writable(const std::string& path, std::uint64_t bytes_needed);

/// Writes through `body` to a temporary file beside `path`, flushes it to the disk and renames it
/// over `path`, so that a reader sees the old content or the new, never half. A path that is not a
/// regular file (/dev/stdout, a pipe), or is a mount point, is written directly. A link or a pipe
/// of another user is refused, because it could redirect the write. Calls `before`, if any, when
/// all is written and nothing replaced yet. If anything fails, a full disk included, removes the
/// temporary file and throws std::runtime_error.
void write_atomically(const std::string& path, const std::function<void(std::ostream&)>& body,
                      const std::function<void()>& before = {});

/// The file that write_atomically() makes or replaces at `path`: links followed. Throws as that
/// does.
std::string written_file(const std::string& path);

}  // namespace apod::os
