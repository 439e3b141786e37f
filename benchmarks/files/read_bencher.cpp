#include "benchmarks/files/foreign_rows.hpp"
#include "benchmarks/files/formats.hpp"

namespace apod::files {

void read_bencher(const std::string& file, Events& events) {
  ForeignRows rows(events, file, "Bencher", Reads::json);
  read_pieces(file, {}, [&](const std::string& name, std::size_t, const Piece& measures) {
    rows.row(name, [&] {
      ForeignRow row{.name = name};
      row.times_s = {seconds_at(look_up(measures, "latency"), "value", 1e-9)};
      for (const auto& [measure, value] : measures.items()) {
        if (measure != "latency") row.numbers.push_back({measure, number_at(value, "value")});
      }
      return std::optional(std::move(row));
    });
    return true;
  });
  rows.finish();
}

}  // namespace apod::files
