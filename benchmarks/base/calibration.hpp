#pragma once

/// \file
/// How much repeated measurements of one build differ on one machine.

#include <map>
#include <string>
#include <vector>

namespace apod {

/// Standard deviations of ln time, so 0.01 is 1 %.
struct CalibratedCase {
  std::string name;
  std::string version;      ///< identifies what was measured, beyond the name: SideCase::version
  double time_s = 0;        ///< geometric mean, seconds
  double sample = 0;        ///< of one sample within its process
  double process = 0;       ///< of one process's median within its session
  double session = 0;       ///< between sessions; 0 also if the processes explain all of it
  double session_mean = 0;  ///< of the mean over one session's processes: includes the two above
  /// Smallest change, a share, that two files of one session each can show, with the calibration's
  /// number of processes and of cases.
  double floor = 0;
};

struct Calibration {
  std::string date;    ///< of the first session, ISO 8601
  std::string config;  ///< name of the experiment
  std::string commit;  ///< of the build
  int sessions = 0;
  int processes = 0;                               ///< a session
  double alpha = 0;                                ///< that the floors are for, family-wise
  std::map<std::string, std::string> environment;  ///< the decisive properties
  std::vector<CalibratedCase> cases;
  double threshold = 0.01;         ///< the change that the floors are compared with
  std::vector<std::string> notes;  ///< on the whole calibration
  int days = 0;                    ///< of the sessions; 0: not recorded
  int boards = 0;                  ///< GPUs, or hosts without one; 0: not recorded
};

}  // namespace apod
