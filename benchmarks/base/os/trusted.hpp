#pragma once

/// \file
/// Which users could have put a file where it is. A file that was found rather than named is
/// trusted only if only this user and the administrator could.

#include <sys/stat.h>

#include <string>

namespace apod::os {

/// Why the file at `path` is not trusted unless the user names it: "others can write to /data", or
/// "/data/x.json belongs to another user". Empty if it is trusted: the file, every folder on the
/// way and every link belong to this user or to root, and no other user can write there. A sticky
/// folder such as /tmp may be on the way to another folder, but not hold the file or a link. A
/// group with this user as its only member does not count as another user. Not empty if there is no
/// such file. The owner of `near`, a file that the user named and that led to this one, is trusted
/// too.
std::string why_untrusted(const std::string& path, const std::string& near = "");

/// Whether a file, or the link of this name, belongs to neither this user nor root.
bool is_of_another(const std::string& path);

/// The first link on the way to `path` that another user could have placed to redirect a write;
/// empty if there is none. A link in the middle may also belong to the owner of its folder. Parts
/// of the path that need not exist are not checked.
std::string foreign_link(const std::string& path);

}  // namespace apod::os
