#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "kernels/files/spec.hpp"

namespace apod::file {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_in_name(char c) {
  return is_letter(c) || (c >= '0' && c <= '9');
}

/// Calls visit(word, is_name) for the parts of a text: names and what is between them.
template <class Visit>
void each_part(std::string_view text, const Visit& visit) {
  for (std::size_t i = 0; i < text.size();) {
    const auto begin = i;
    const bool name = is_letter(text[i]);
    if (is_in_name(text[i])) {
      while (i < text.size() && is_in_name(text[i])) ++i;
    } else {
      ++i;
    }
    visit(text.substr(begin, i - begin), name);
  }
}

}  // namespace

bool names_file(std::string_view variant) {
  return std::ranges::any_of(extensions, [&](std::string_view extension) {
    return variant.size() > extension.size() && variant.ends_with(extension);
  });
}

std::string why_not_end_to_end(const KernelSpec& spec) {
  if (spec.captured) return "the memory of a captured launch is already on the device";
  for (const auto& arg : spec.args) {
    const bool is_variable = !arg.variable.empty() && !arg.shape.empty();
    if (is_variable)
      return "'" + arg.name + "' is copied to " + arg.variable + " before the measurement";
    if (arg.texture) return "the texture of '" + arg.name + "' is filled before the measurement";
  }
  return "";
}

bool is_identifier(std::string_view text) {
  return !text.empty() && is_letter(text.front()) && std::ranges::all_of(text, is_in_name);
}

std::string refused_code(std::string_view text) {
  constexpr std::string_view operators = " ,.:<>()[]+-*/%&|^~!=?";
  int depth = 0;
  const bool known = std::ranges::all_of(text, [&](char c) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    return depth >= 0 && (is_in_name(c) || operators.find(c) != std::string_view::npos);
  });
  const bool comments =
      text.find("//") != std::string_view::npos || text.find("/*") != std::string_view::npos;
  if (known && depth == 0 && !comments) return "";
  return "is not a C++ expression or type: use names, numbers, operators and pairs of round "
         "brackets";
}

std::set<std::string> template_names(std::string_view kernel) {
  std::set<std::string> names;
  const auto open = kernel.find('<');
  if (open == std::string_view::npos) return names;
  each_part(kernel.substr(open), [&](std::string_view word, bool is_name) {
    if (is_name) names.emplace(word);
  });
  return names;
}

bool is_macro(std::string_view axis) {
  return std::ranges::all_of(axis, [](char c) { return !(c >= 'a' && c <= 'z'); }) &&
         std::ranges::any_of(axis, [](char c) { return c >= 'A' && c <= 'Z'; });
}

std::string with_values(std::string_view kernel, const Params& params) {
  const auto open = std::min(kernel.find('<'), kernel.size());
  std::string filled(kernel.substr(0, open));
  each_part(kernel.substr(open), [&](std::string_view word, bool is_name) {
    const auto* value = is_name ? params.find(word) : nullptr;
    filled += value != nullptr ? apod::to_string(*value) : std::string(word);
  });
  return filled;
}

bool is_below(const std::string& path, const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code error;
  const auto inner =
      fs::weakly_canonical(path, error).lexically_relative(fs::weakly_canonical(folder, error));
  return !inner.empty() && *inner.begin() != "..";
}

bool is_within(const std::string& folder, const std::string& file) {
  const std::filesystem::path whole(folder.empty() ? "." : folder);
  return !std::filesystem::path(file).is_absolute() &&
         is_below((whole / file).string(), whole.string());
}

std::string path_of(const KernelSpec& spec, const std::string& file) {
  namespace fs = std::filesystem;
  const fs::path folder(spec.folder.empty() ? "." : spec.folder);
  const auto path = folder / file;
  std::error_code error;
  if (!spec.outside && !is_within(spec.folder, file)) {
    const bool whole = fs::path(file).is_absolute();
    throw std::runtime_error("'" + file + (whole ? "' is an absolute path, which may be" : "' is") +
                             " outside the experiment file's folder (--trust allows this)");
  }
  if (!fs::is_regular_file(path, error))
    throw std::runtime_error("there is no file '" + file + "' in the experiment file's folder");
  return fs::weakly_canonical(path, error).string();
}

bool runs_in_shell(std::string_view flag) {
  return std::ranges::any_of(flag, [](unsigned char c) {
    return c == '$' || c == '`' || c == '\\' || c < ' ' || c == 0x7f;
  });
}

std::string refused_flag(std::string_view flag) {
  static const std::string known =
      " -D -U -I --define-macro= --undefine-macro= -use_fast_math --use_fast_math -std= --std="
      " -fmad= --fmad= -ftz= --ftz= -prec-div= --prec-div= -prec-sqrt= --prec-sqrt="
      " -maxrregcount= --maxrregcount= -lineinfo --generate-line-info"
      " -extra-device-vectorization --extra-device-vectorization -restrict --restrict"
      " -default-device -device-int128 -expt-relaxed-constexpr --expt-relaxed-constexpr"
      " -extended-lambda --extended-lambda -expt-extended-lambda --expt-extended-lambda ";
  if (runs_in_shell(flag)) return "contains $, ` or \\, which a shell would replace";
  // "-D" of "-DN=4", "-std=" of "-std=c++20"
  const bool is_letter = flag.starts_with("-D") || flag.starts_with("-U") || flag.starts_with("-I");
  const auto equals = std::min(flag.find('='), flag.size());
  const auto name = flag.substr(0, is_letter ? 2 : equals + 1);
  const bool is_whole = !is_letter && equals == flag.size();
  const bool is_word = !name.empty() && name.find(' ') == std::string_view::npos;
  const bool is_known = is_word && known.find(" " + std::string(name) + " ") != std::string::npos;
  if (is_known && (is_whole || flag.size() > name.size())) return "";
  return "is not allowed as a compiler flag; allowed are -DNAME=VALUE, -IFOLDER, -std=c++20, "
         "-use_fast_math, -fmad=false, -maxrregcount=N, -lineinfo and similar flags";
}

}  // namespace apod::file
