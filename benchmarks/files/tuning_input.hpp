#pragma once

#include <string>

namespace apod::files {

/// Whether a text is a tuning problem of autotuners: T1 of the TuningSchema
/// (github.com/odgaard/TuningSchema), which Kernel Tuner reads too.
bool is_tuning_input(const std::string& text);

/// The experiment of such a problem, as JSON, which is YAML: its parameters are axes, its
/// conditions `where`, its kernel and arguments a kernel file. A parameter is a macro, so its axis
/// has the parameter's name in capitals. Search, Budget and General are left out: they don't say
/// what is tuned. Throws std::runtime_error, which names what an experiment can't have: another
/// language than CUDA, values that are code, `//`, arguments from files or scripts ...
std::string experiment_of_tuning_input(const std::string& text);

}  // namespace apod::files
