#include "benchmarks/files/read_result.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "benchmarks/files/apod_reader.hpp"

namespace apod::files {
namespace {

/// What can be derived is not looked at.
const HiddenKeys unread{{"", {"apod_skipped"}}};

class WholeResult final : public Events {
 public:
  Result take() { return std::move(result_); }

 private:
  void context(Result&& run) override { result_ = std::move(run); }

  void experiment(Experiment&& experiment) override {
    experiments_.push_back(std::move(experiment));
  }

  void measured(Place place, Measurement&& measurement, const RowWords&) override {
    measurements_[static_cast<std::size_t>(place)].push_back(std::move(measurement));
  }

  void listed(CaseEntry&& entry) override { cases_.push_back(std::move(entry)); }

  void expected(ExpectationOutcome&& outcome) override {
    expectations_.push_back(std::move(outcome));
  }

  void note(const std::string&, const std::string&) override {}

  void finish() override {
    std::sort(cases_.begin(), cases_.end(),
              [](const CaseEntry& a, const CaseEntry& b) { return a.info.index < b.info.index; });
    for (CaseEntry& entry : cases_) {
      if (entry.status == CaseStatus::skipped) entry.info.skip = std::move(entry.reason);
      result_.plan.cases.push_back(std::move(entry.info));
      result_.findings.push_back(std::move(entry.findings));
    }
    result_.plan.experiments = std::move(experiments_);
    result_.expectations = std::move(expectations_);
    for (auto& of_place : measurements_)
      std::move(of_place.begin(), of_place.end(), std::back_inserter(result_.measurements));
  }

  Result result_;
  std::vector<Experiment> experiments_;
  std::vector<CaseEntry> cases_;
  std::array<std::vector<Measurement>, 3> measurements_;  ///< by place
  std::vector<ExpectationOutcome> expectations_;
};

}  // namespace

Result read_result(const std::string& file) {
  WholeResult everything;
  ApodReader(everything).read(file, unread);
  return everything.take();
}

Result read_context(const std::string& file) {
  std::optional<Result> run;
  read_pieces(file, unread, [&](const std::string& member, std::size_t, const Piece& piece) {
    if (member == "context") run = run_of(piece);
    return !run;
  });
  if (!run) throw std::runtime_error("context: missing");
  return std::move(*run);
}

}  // namespace apod::files
