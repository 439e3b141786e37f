#include "benchmarks/files/ceilings_file.hpp"

#include <cmath>
#include <stdexcept>

#include "benchmarks/files/bad_result.hpp"
#include "benchmarks/files/record/fields.hpp"
#include "benchmarks/files/small_file.hpp"

namespace apod::files {
namespace {

constexpr SmallFile ceilings_file{.mark = "apod_ceilings",
                                  .schema = 1,
                                  .most_bytes = 1 << 16,
                                  .absent = "holds no ceilings (bench ceilings makes such a file)",
                                  .again = "measure again"};

}  // namespace

void write_ceilings(std::ostream& out, const Ceilings& ceilings) {
  write_small_file(out, ceilings_file, record::Writer::write(ceilings));
}

Ceilings read_ceilings(const std::string& file) {
  return naming(file, [&] {
    Ceilings ceilings;
    record::Reader::read(read_small_file(file, ceilings_file), ceilings);
    for (const auto& [name, value, unit] : named_ceilings(ceilings)) {
      if (!(value >= 0) || !std::isfinite(value)) {
        throw std::runtime_error(std::string(name) + ": is negative or no number");
      }
    }
    if (measured_only_in(ceilings, {}).empty()) {
      throw std::runtime_error("none of its ceilings was measured: measure again");
    }
    return ceilings;
  });
}

}  // namespace apod::files
