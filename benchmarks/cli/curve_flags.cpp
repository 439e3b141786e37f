#include "benchmarks/cli/curve_flags.hpp"

#include <stdexcept>

#include "benchmarks/files/foreign_result.hpp"
#include "benchmarks/files/read_result.hpp"
#include "benchmarks/plan/filter.hpp"

namespace apod::cli {

void declare_curve(Flags& flags, show::CurveChoice& choice) {
  flags.text("--x", "AXIS", choice.x, "Axis along x (default: of those with numbers, the longest)");
  flags.text("--y", "FACT", choice.y,
             "Fact along y (default: the time, or the rate where the work differs)");
  flags.text("--by", "AXIS", choice.by, "A line for each value of this axis");
  flags.text("--facet", "AXIS", choice.facet, "A panel for each value of this axis");
  enum class Log : std::uint8_t { none, x, y, xy };
  flags.value("--log", "x|y|xy|none", "Logarithmic scales (default: where values differ much)",
              [&choice](const std::string& text) {
                const Choices<Log> choices{
                    {"x", Log::x}, {"y", Log::y}, {"xy", Log::xy}, {"none", Log::none}};
                const Log log = choose("--log", text, choices);
                choice.log_x = log == Log::x || log == Log::xy;
                choice.log_y = log == Log::y || log == Log::xy;
              });
}

Result read_any_result(const std::string& file, files::FileKind kind, const text::Pattern& filter) {
  const bool foreign = kind == files::FileKind::foreign;
  if (kind != files::FileKind::apod && !foreign) {
    throw std::runtime_error("has no cases: bench show prints it");
  }
  Result result = foreign ? files::read_foreign_result(file) : files::read_result(file);
  if (!filter.empty() && !plan::apply_filter(result, filter)) {
    throw std::runtime_error(to_string(plan::no_match(result.plan, filter)));
  }
  return result;
}

}  // namespace apod::cli
