#pragma once

/// \file
/// Who could have put a file where it is. A file that was found, and not named, is believed only
/// where only this user and the administrator could.

#include <sys/stat.h>

#include <string>

namespace apod::os {

/// Why what is at `path` is not to be believed unless the user names it: "others can write to
/// /data", or "/data/x.json belongs to another user". Empty where it is trusted: it, every folder
/// on the way and every link belong to this user or to root, and no other user can write there. A
/// sticky folder such as /tmp may be on the way. The group that is this user's alone is not
/// somebody else. Not empty where there is no such file.
std::string why_untrusted(const std::string& path);

/// Whether it is: why_untrusted() is empty.
bool is_trusted(const std::string& path);

/// Whether an open file belongs to this user or to root, and no other user can write to it.
bool is_ours_alone(const struct stat& file);

/// The first link on the way to `path` that another user could have laid there to lead a write
/// elsewhere; empty where there is none. A link in the middle may also belong to the owner of its
/// folder. What need not exist is not looked at.
std::string foreign_link(const std::string& path);

}  // namespace apod::os
