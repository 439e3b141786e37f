#include "benchmarks/stats/variance_components.hpp"

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/fisher_f.hpp>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace apod::stats {
namespace {

/// One level of the model: its mean square, and what a unit of each variance adds to the
/// expectation of that.
struct Level {
  double mean_square = 0;
  double degrees = 0;
  double process_weight = 0;
  double session_weight = 0;
};

/// The table of the analysis of variance.
struct Table {
  Level sample;
  Level process;
  Level session;
};

struct Mean {
  long double sum = 0;
  long double count = 0;
  long double value() const { return sum / count; }
};

long double square(long double x) {
  return x * x;
}

Mean mean_of(const std::vector<double>& samples) {
  Mean result;
  for (const double sample : samples) {
    if (!std::isfinite(sample)) {
      throw std::domain_error("variance_components: a value is not finite");
    }
    result.sum += sample;
    ++result.count;
  }
  return result;
}

/// Degrees can't be negative where a level is empty.
Level level(long double squares, long double degrees, long double process_counts,
            long double session_counts) {
  if (degrees <= 0) return {};
  return {static_cast<double>(squares / degrees), static_cast<double>(degrees),
          static_cast<double>(process_counts / degrees),
          static_cast<double>(session_counts / degrees)};
}

Table analyse(const std::vector<std::vector<std::vector<double>>>& values) {
  std::vector<Mean> sessions;
  Mean all;
  long double processes = 0;
  long double sample_squares = 0;
  long double process_squares = 0;
  long double by_session = 0;  // sum over processes of n_ij^2 / n_i, as in Searle et al.
  long double by_all = 0;      // sum over processes of n_ij^2
  for (const auto& session : values) {
    std::vector<Mean> means;
    Mean total;
    for (const auto& samples : session) {
      const Mean process = mean_of(samples);
      if (process.count == 0) continue;
      for (const double sample : samples) sample_squares += square(sample - process.value());
      means.push_back(process);
      total.sum += process.sum;
      total.count += process.count;
    }
    if (means.empty()) continue;
    for (const Mean& process : means) {
      process_squares += process.count * square(process.value() - total.value());
      by_session += square(process.count) / total.count;
      by_all += square(process.count);
    }
    processes += static_cast<long double>(means.size());
    sessions.push_back(total);
    all.sum += total.sum;
    all.count += total.count;
  }
  if (sessions.empty()) return {};
  long double session_squares = 0;
  long double session_counts = 0;  // sum over sessions of n_i^2
  for (const Mean& session : sessions) {
    session_squares += session.count * square(session.value() - all.value());
    session_counts += square(session.count);
  }
  const auto count = static_cast<long double>(sessions.size());
  return {level(sample_squares, all.count - processes, 0, 0),
          level(process_squares, processes - count, all.count - by_session, 0),
          level(session_squares, count - 1, by_session - by_all / all.count,
                all.count - session_counts / all.count)};
}

double solved(double mean_square, double without, double weight) {
  return weight > 0 ? std::max(0.0, (mean_square - without) / weight) : 0;
}

/// What the sessions' mean square is expected to be if sessions don't differ, with the degrees of
/// freedom of this estimate (Satterthwaite 1946, "An approximate distribution of estimates of
/// variance components"). In a balanced design it is the processes' mean square.
Level without_sessions(const Table& table) {
  if (table.process.degrees == 0) return table.sample;
  const double share = table.session.process_weight / table.process.process_weight;
  const double from_processes = share * table.process.mean_square;
  const double from_samples = (1 - share) * table.sample.mean_square;
  Level result;
  result.mean_square = std::max(0.0, from_processes + from_samples);
  double spread = from_processes * from_processes / table.process.degrees;
  if (table.sample.degrees > 0) spread += from_samples * from_samples / table.sample.degrees;
  result.degrees =
      spread > 0 ? result.mean_square * result.mean_square / spread : table.process.degrees;
  return result;
}

double session_bound(const Table& table) {
  constexpr double tail = 0.1;
  const Level& session = table.session;
  if (session.degrees == 0) return std::numeric_limits<double>::infinity();
  const Level below = without_sessions(table);
  double least_ratio = 0;
  if (below.degrees > 0) {
    const boost::math::fisher_f ratio(session.degrees, below.degrees);
    least_ratio = boost::math::quantile(ratio, tail);
  }
  const double excess = session.mean_square - least_ratio * below.mean_square;
  const double chi_squared = boost::math::quantile(boost::math::chi_squared(session.degrees), tail);
  return std::max(0.0, excess * session.degrees / chi_squared / session.session_weight);
}

}  // namespace

VarianceComponents variance_components(
    const std::vector<std::vector<std::vector<double>>>& values) {
  const Table table = analyse(values);
  VarianceComponents result;
  result.sample = table.sample.mean_square;
  result.process = solved(table.process.mean_square, result.sample, table.process.process_weight);
  result.session = solved(table.session.mean_square,
                          result.sample + table.session.process_weight * result.process,
                          table.session.session_weight);
  result.session_upper = session_bound(table);
  result.session_degrees = table.session.degrees;
  return result;
}

}  // namespace apod::stats
