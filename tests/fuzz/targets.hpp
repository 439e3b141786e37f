#pragma once

/// \file
/// What a stranger may give the program. Each target does with `input` what the program would, and
/// checks what comes of it; see the file of its name.

#include <functional>
#include <string>

namespace apod::fuzz {

void try_experiment(const std::string& input);
void try_saved(const std::string& input);
void try_foreign(const std::string& input);
void try_comparison(const std::string& input);
void try_recording(const std::string& input);
void try_record(const std::string& input);
void try_array(const std::string& input);
void try_listing(const std::string& input);
void try_expression(const std::string& input);
void try_flags(const std::string& input);
void try_output(const std::string& input);
void try_parts(const std::string& input);
void try_words(const std::string& input);
void try_launcher(const std::string& input);
void try_log(const std::string& input);

using Target = std::function<void(const std::string& input)>;

/// Ends the process where no target is called so.
Target target_called(const std::string& name);

}  // namespace apod::fuzz
