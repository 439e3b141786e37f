#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>

namespace apod::os {

/// Checks before anything runs that `path` can be written: its folder exists and is writable, it is
/// no directory, an existing file may be replaced, and the disk has `bytes_needed` free. Throws
/// std::runtime_error saying which of these is false. Leaves no file behind.
void check_writable(const std::string& path, std::uint64_t bytes_needed);

/// Writes through `body` to a temporary file beside `path`, flushes it to the disk and renames it
/// over `path`, so that a reader sees the old content or the new, never half. A path that is no
/// regular file (/dev/stdout, a pipe), or that is a mount of its own, is written directly. A link
/// of another user, and a pipe of one, is refused: it would lead the write elsewhere. Calls
/// `before`, if any, when all is written and nothing replaced yet. Throws std::runtime_error, and
/// removes the temporary file, when anything fails, a full disk included.
void write_atomically(const std::string& path, const std::function<void(std::ostream&)>& body,
                      const std::function<void()>& before = {});

/// The file that write_atomically() makes or replaces at `path`: links followed. Throws as that
/// does.
std::string written_file(const std::string& path);

}  // namespace apod::os
