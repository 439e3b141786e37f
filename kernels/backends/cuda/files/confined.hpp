#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace apod::cuda {

/// A thread that may only read below some folders, and only write below others, whatever names lead
/// there: a preprocessor finds more ways out of a folder than a check of its source can foresee.
/// The system does it (Landlock, Linux 5.13 or later).
class Confinement {
 public:
  /// Folders and files that are not there are left out. What is writable can be read too.
  Confinement(const std::vector<std::string>& readable, const std::vector<std::string>& writable);
  ~Confinement();
  Confinement(const Confinement&) = delete;
  Confinement& operator=(const Confinement&) = delete;

  /// Whether the system has it.
  static bool is_possible();

  /// Confines the calling thread and all that it starts from now on, for good. Allowed between
  /// fork() and exec(). False if that fails.
  bool enter() const;

 private:
  int rules_ = -1;
};

/// One that reads these folders and those of the system's and the toolkit's programs and headers,
/// and writes to `scratch` alone. Null if everything may be read, or if the system has no
/// confinement.
std::unique_ptr<Confinement> confinement_to(const std::optional<std::vector<std::string>>& readable,
                                            const std::string& scratch = "");

}  // namespace apod::cuda
