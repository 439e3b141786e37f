#include "benchmarks/judge/compare.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "benchmarks/base/os/in_parallel.hpp"
#include "benchmarks/base/stats/means.hpp"
#include "benchmarks/base/stats/t_tests.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/judge/causes.hpp"
#include "benchmarks/judge/environment_changes.hpp"
#include "benchmarks/judge/file_verdicts.hpp"
#include "benchmarks/judge/judge.hpp"
#include "benchmarks/judge/machines.hpp"
#include "benchmarks/judge/other_processes.hpp"
#include "benchmarks/judge/recordings.hpp"
#include "benchmarks/judge/sessions.hpp"
#include "benchmarks/judge/side_text.hpp"

namespace apod::judge {
namespace {

const SharedText* find(const Labels& labels, const std::string& name) {
  const auto found = std::ranges::find(
      labels, name, [](const auto& label) -> auto& { return label.first.str(); });
  return found == labels.end() ? nullptr : &found->second;
}

/// Why two cases of one name are not the same case; empty when they are.
std::string difference_of_meaning(const SideCase& base, const SideCase& new_case) {
  if (base.version != new_case.version) {
    return "measured differently: " +
           difference_of_ways(base.version.str(), new_case.version.str());
  }
  for (const auto& [name, value] : base.params) {
    const auto* other = find(new_case.params, name);
    // An axis that one side does not know yet can't contradict.
    if (other != nullptr && *other != value)
      return fmt::format("its {} changed: {} -> {}", name.str(), value.str(), other->str());
  }
  return "";
}

std::string failure(const SideCase& base, const SideCase& new_case) {
  const bool new_failed = new_case.times.empty() || !new_case.failed.empty();
  if (base.times.empty() && new_failed) return "failed on both sides: " + base.failed;
  if (base.times.empty()) return "failed in the base: " + base.failed;
  if (new_failed) return "failed on the new side: " + new_case.failed;
  return "";
}

/// The change of a case, or of what all cases share, as a share.
Estimate share_of(const FileVerdict& verdict) {
  if (!verdict.estimate) return {stats::as_share(verdict.change)};
  return stats::as_share(stats::t_interval(*verdict.estimate));
}

/// Cases without a counterpart, by what they measure: one of the same axes on the other side was
/// probably renamed.
class Unmatched {
 public:
  void add(const SideCase& c) {
    if (!c.params.empty()) by_meaning_.emplace(meaning(c), &c);
  }
  /// The name of such a case; empty when there is none.
  std::string like(const SideCase& c) const {
    const auto found = c.params.empty() ? by_meaning_.end() : by_meaning_.find(meaning(c));
    return found == by_meaning_.end() ? "" : found->second->name;
  }

 private:
  static std::string meaning(const SideCase& c) {
    std::string text = c.version;
    for (const auto& [name, value] : c.params)
      text.append("\n").append(name).append("=").append(value);
    return text;
  }
  std::unordered_map<std::string, const SideCase*> by_meaning_;
};

/// The base's cases in their order, then those that are new; one of a pair is null where a side has
/// no such case.
std::vector<CasePair> pairs_of(const Side& base, const Side& new_side) {
  std::unordered_map<std::string_view, std::size_t> index;
  index.reserve(new_side.cases.size());
  for (std::size_t i = 0; i < new_side.cases.size(); ++i) index.emplace(new_side.cases[i].name, i);
  std::vector<CasePair> pairs;
  pairs.reserve(base.cases.size());
  std::vector<bool> is_matched(new_side.cases.size());
  for (const auto& c : base.cases) {
    const auto found = index.find(c.name);
    pairs.emplace_back(&c, found == index.end() ? nullptr : &new_side.cases[found->second]);
    if (found != index.end()) is_matched[found->second] = true;
  }
  for (std::size_t i = 0; i < new_side.cases.size(); ++i) {
    if (!is_matched[i]) pairs.emplace_back(nullptr, &new_side.cases[i]);
  }
  return pairs;
}

class FileComparison {
 public:
  FileComparison(const Side& base, const Side& new_side, const CompareOptions& options)
      : base_(base),
        new_(new_side),
        pairs_(pairs_of(base, new_side)),
        environment_(environment_changes(base, new_side)),
        others_(base, new_side) {
    comparison_.base = base.label;
    comparison_.new_side = new_side.label;
    comparison_.base_environment = properties_of(base.sessions);
    comparison_.new_environment = properties_of(new_side.sessions);
    comparison_.options = options;
    comparison_.of_recordings = are_recordings(base) && are_recordings(new_side);
    comparison_.unlike = why_unlike(base, new_side);
    const auto load = others_.changes(pairs_);
    environment_.insert(environment_.end(), load.begin(), load.end());
    for (const auto& change : environment_) {
      comparison_.environment.push_back(change.text);
      if (change.decisive && barrier_.empty()) barrier_ = change.text;
    }
    for (const auto* side : {&base, &new_side}) {
      const auto others = others_beside(*side);
      if (!others.empty()) {
        comparison_.notes.push_back(fmt::format("the machine was not quiet: during the {}, {}",
                                                side == &base ? "base" : "new side", others));
      }
    }
    note(notes_of_files({&base, &new_side}));
    for (const auto& [before, after] : pairs_) {
      if (after == nullptr) only_base_.add(*before);
      if (before == nullptr) only_new_.add(*after);
    }
    note(phase_notes(pairs_));
    other_kind_ = std::ranges::none_of(base.sessions, [&](const auto& session) {
      return same_machine(session, new_side.sessions.front());
    });
  }

  Comparison run() {
    comparison_.cases.reserve(pairs_.size());
    for (const auto& pair : pairs_) add(pair);
    std::vector<CasePair> judged;
    judged.reserve(judged_.size());
    for (const auto index : judged_) judged.push_back(pairs_[index]);
    const auto machines = other_kind_       ? Machines::other_kind
                          : is_other_host() ? Machines::other_host
                                            : Machines::one;
    const FileVerdicts verdicts(base_, new_, judged, comparison_.options, machines);
    for (std::size_t i = 0; i < judged_.size(); ++i) {
      fill(comparison_.cases[judged_[i]], judged[i], verdicts.all()[i]);
      note_threshold(comparison_.cases[judged_[i]], verdicts.all()[i]);
      const bool suspect = comparison_.cases[judged_[i]].verdict == Verdict::suspect;
      if (suspect) runs_needed_.push_back(verdicts.all()[i].runs_needed);
      const bool waits = verdicts.all()[i].night_decides && verdicts.all()[i].tier != Tier::sure;
      night_decides_ += suspect && waits ? 1 : 0;
    }
    note(verdicts.notes());
    if (verdicts.common()) tell_common(*verdicts.common());
    doubt_disturbed();
    os::in_halves(judged_.size(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) explain(judged_[i]);
    });
    const auto unexplained = [](const auto& c) { return c.causes.empty(); };
    if (std::ranges::any_of(comparison_.cases, is_change, &CaseComparison::verdict) &&
        std::ranges::all_of(comparison_.cases, unexplained))
      comparison_.notes.emplace_back("neither side has facts that could explain a change");
    comparison_.next_step = next_step();
    return std::move(comparison_);
  }

 private:
  void note(const std::vector<std::string>& notes) {
    comparison_.notes.insert(comparison_.notes.end(), notes.begin(), notes.end());
  }

  CaseComparison& add(const std::string& name, Verdict verdict, std::string reason) {
    auto& result = comparison_.cases.emplace_back();
    result.name = name;
    result.verdict = verdict;
    result.reason = std::move(reason);
    return result;
  }

  static double time_of(const Side& side, const SideCase& c) {
    const auto medians = medians_of(side, c);
    return medians.empty() ? 0 : stats::log_mean_interval(medians).value;
  }

  void add(const CasePair& pair) {
    const auto& [base, new_case] = pair;
    const auto failed = [](const char* where, const SideCase& c) {
      return c.failed.empty() ? "" : where + c.failed;
    };
    if (base == nullptr) {
      const auto other = only_base_.like(*new_case);
      add(new_case->name, Verdict::added,
          other.empty() ? failed("failed: ", *new_case)
                        : "'" + other + "' of the base has the same axis values")
          .new_s = time_of(new_, *new_case);
      return;
    }
    if (new_case == nullptr) {
      const auto other = only_new_.like(*base);
      add(base->name, Verdict::missing,
          "the new side does not have this case" +
              (other.empty() ? failed("; failed in the base: ", *base)
                             : "; '" + other + "' has the same axis values"))
          .base_s = time_of(base_, *base);
      return;
    }
    auto reason = barrier_.empty() ? failure(*base, *new_case) : barrier_;
    if (reason.empty()) reason = difference_of_meaning(*base, *new_case);
    auto& result = add(base->name, Verdict::invalid, reason);
    result.threshold = threshold_of(comparison_.options, base->threshold, new_case->threshold);
    result.base_units = base->times.size();
    result.new_units = new_case->times.size();
    if (!reason.empty()) return;
    judged_.push_back(comparison_.cases.size() - 1);
  }

  void fill(CaseComparison& result, const CasePair& pair, const FileVerdict& verdict) const {
    result.base_s = verdict.base_s;
    result.new_s = verdict.new_s;
    result.replicate = verdict.replicate;
    result.base_units = verdict.base_units;
    result.new_units = verdict.new_units;
    result.noise_source = verdict.source;
    result.change = share_of(verdict);
    result.p = result.p_adjusted = result.q = std::numeric_limits<double>::quiet_NaN();
    const bool slower = verdict.is_slower();
    // The report shows the limit that the change was compared with.
    const double least = std::log1p(result.threshold);
    result.detectable = size_as_share(std::max(verdict.bar(), least), slower);
    result.detectable_other = size_as_share(std::max(verdict.other_bar(), least), !slower);
    const bool matters = std::abs(verdict.change) >= least;
    if (verdict.tier != Tier::none && matters) {
      const double of_whole = share_of_whole(pair, verdict);
      if (of_whole < result.threshold) {
        result.verdict = Verdict::small;
        result.reason = fmt::format("{:.2g} % of the {}", 100 * of_whole, whole_of(result.name));
        return;
      }
      const bool sure = verdict.tier == Tier::sure && comparison_.unlike.empty();
      result.verdict = !sure    ? Verdict::suspect
                       : slower ? Verdict::regression
                                : Verdict::improvement;
      result.reason = sure ? verdict.why
                           : fmt::format("the change is {:.1f} times the noise, on a log scale",
                                         std::abs(verdict.beyond) / verdict.noise);
      const double near_end =
          slower ? std::log1p(result.change.low) : -std::log1p(result.change.high);
      if (sure && comparison_.options.strict && !(near_end >= least)) {
        result.verdict = Verdict::suspect;
        result.reason = verdict.estimate ? "part of its interval is below the threshold (--strict)"
                                         : "it has no interval, but --strict needs one";
      }
      return;
    }
    result.verdict = Verdict::within_noise;
    if (!comparison_.options.threshold_given) return;
    // A threshold that was asked for is held: what can't be shown to lie within it is open.
    const bool within = verdict.estimate &&
                        stats::p_equivalent(*verdict.estimate, -least, least) < equivalence_level;
    result.verdict = within ? Verdict::unchanged : Verdict::inconclusive;
  }

  /// What the change of a recording's case is of the whole that it is a part of; 1 where that is
  /// not known, and of what is a whole by itself.
  double share_of_whole(const CasePair& pair, const FileVerdict& verdict) const {
    if (!comparison_.of_recordings || base_.is_counter) return 1;
    const auto whole = std::ranges::find_if(pairs_, [&](const auto& other) {
      return other.first != nullptr && other.first->name == whole_of(pair.first->name);
    });
    if (whole == pairs_.end() || whole->first == pair.first) return 1;
    double time_s = time_of(base_, *whole->first);
    if (whole->second != nullptr) time_s = std::min(time_s, time_of(new_, *whole->second));
    return std::abs(verdict.new_s - verdict.base_s) / time_s;
  }

  /// The least threshold within which an inconclusive case would be shown to lie.
  void note_threshold(const CaseComparison& result, const FileVerdict& verdict) {
    if (result.verdict != Verdict::inconclusive || !verdict.estimate) return;
    const auto& [mean, error, degrees] = *verdict.estimate;
    const double t = stats::t_quantile(1 - equivalence_level, degrees);
    deciding_.push_back(stats::as_share(std::abs(mean) + t * error));
  }

  /// The smallest round threshold that decides most of the inconclusive cases; empty for none.
  std::string larger_threshold() const {
    const auto open = comparison_.count(Verdict::inconclusive);
    for (const double threshold : {0.02, 0.03, 0.05, 0.1, 0.2, 0.5}) {
      const auto decided = static_cast<std::size_t>(
          std::ranges::count_if(deciding_, [&](double least) { return least < threshold; }));
      if (2 * decided <= open) continue;
      return fmt::format(
          "use --threshold {:.0f}%: this would decide {} of the {} inconclusive cases",
          100 * threshold, decided, open);
    }
    return "";
  }

  /// The number of runs a side that makes most of the suspects sure; empty for none.
  std::string more_runs() {
    std::ranges::sort(runs_needed_);
    const auto unknown =
        static_cast<std::size_t>(std::ranges::upper_bound(runs_needed_, 0) - runs_needed_.begin());
    const auto known = std::span(runs_needed_).subspan(unknown);
    if (2 * known.size() <= runs_needed_.size()) return "";
    const auto runs = known[runs_needed_.size() / 2];
    const auto decided =
        static_cast<std::size_t>(std::ranges::upper_bound(known, runs) - known.begin());
    return fmt::format("measure {} runs per side within 6 h to decide {} of {} suspect case{}",
                       runs, decided, runs_needed_.size(), runs_needed_.size() == 1 ? "" : "s");
  }

  void tell_common(const CommonVerdict& of_all) {
    auto& common = comparison_.common.emplace();
    const auto& verdict = of_all.verdict;
    common.change = share_of(verdict);
    if (!verdict.estimate) common.change.low = common.change.high = common.change.value;
    common.cases = of_all.cases;
    common.other_machine = other_kind_ || is_other_host();
    if (!common.other_machine) common.noise = size_as_share(verdict.bar(), verdict.is_slower());
    const auto middle = judged_[of_all.middle];
    common.example = comparison_.cases[middle].name;
    const bool moved = std::abs(verdict.change) > verdict.bar();
    // Hosts of one kind are not this far apart.
    const bool far = !other_kind_ && std::abs(verdict.change) >= far_out;
    if (verdict.tier != Tier::none && (far || !common.other_machine)) {
      common.verdict = verdict.tier == Tier::suspect || common.other_machine ? Verdict::suspect
                       : verdict.change > 0                                  ? Verdict::regression
                                                                             : Verdict::improvement;
    }
    night_decides_for_all_ = verdict.night_decides && common.verdict == Verdict::suspect;
    if (!moved && common.verdict == Verdict::within_noise) return;
    const auto& [base, new_case] = pairs_[middle];
    common.causes = causes_of(*base, *new_case, environment_);
  }

  /// Whether the new side is of other boards or hosts than the base.
  bool is_other_host() const {
    for (const char* key : {"gpu_uuid", "host"}) {
      const auto before = values_of(base_, key);
      const auto after = values_of(new_, key);
      const bool is_on_both = std::ranges::any_of(
          after, [&](const std::string& value) { return before.contains(value); });
      if (!before.empty() && !after.empty() && !is_on_both) return true;
    }
    return false;
  }

  /// What other processes may have made is not the code's, and may have hidden what is.
  void doubt_disturbed() {
    for (const auto index : judged_) {
      auto& result = comparison_.cases[index];
      const auto& [base, new_case] = pairs_[index];
      const auto why = others_.disturbance(*base, *new_case);
      if (why.empty()) continue;
      const bool sure =
          result.verdict == Verdict::regression || result.verdict == Verdict::improvement;
      if (sure) result.verdict = Verdict::suspect;
      if (result.verdict == Verdict::unchanged) result.verdict = Verdict::inconclusive;
      if (result.verdict == Verdict::suspect) {
        result.reason = "other processes may have caused this change: " + why;
      } else {
        result.warnings.push_back("other processes may have hidden a change: " + why);
      }
    }
  }

  /// What would settle what is open.
  std::string next_step() {
    if (!comparison_.unlike.empty())
      return "record the same command on both sides; the command must end with exit code 0";
    if (!comparison_.has_suspect() && comparison_.count(Verdict::inconclusive) == 0) return "";
    std::vector<std::string> steps{larger_threshold(), more_runs()};
    std::string decided = night_decides_for_all_ ? "the change that all cases share" : "";
    if (night_decides_ > 0) {
      const auto suspects = text::counted(runs_needed_.size(), "suspect case");
      decided +=
          fmt::format("{}{} of {}", decided.empty() ? "" : " and ", night_decides_, suspects);
    }
    const auto* const again = "measure on another night: if the result is the same, this decides ";
    if (!decided.empty()) steps.push_back(again + decided);
    steps.push_back(side_by_side());
    std::erase(steps, "");
    return fmt::format("{}", fmt::join(steps, "; or "));
  }

  /// How the programs that wrote the files can be run again; empty where they can't.
  std::string side_by_side() const {
    const auto& format = new_.sessions.front().format;
    const bool of_commands = std::ranges::any_of(
        new_.cases, [](const auto& c) { return c.facts.find("wall_time").has_value(); });
    // Both builds of bench would start the same program.
    if (format == "apod" && of_commands) {
      return "run the old and the new program side by side: bench compare --base-cmd OLD --new-cmd "
             "NEW";
    }
    if (format == "apod") {
      return "measure the suspect cases again, side by side: add --confirm, --base-bin BENCH (the "
             "base's bench) and --config FILE (the experiment) to this command";
    }
    for (const char* reads : {"google", "nvbench", "nccl-tests", "nvbandwidth"}) {
      if (!format.starts_with(reads)) continue;
      return fmt::format(
          "run both programs side by side: bench compare --base-cmd A --new-cmd B --read {}",
          reads);
    }
    return "";
  }

  /// Causes of a change.
  void explain(std::size_t index) {
    auto& result = comparison_.cases[index];
    for (const auto calm : {Verdict::unchanged, Verdict::within_noise, Verdict::small})
      if (result.verdict == calm) return;
    const auto& [base, new_case] = pairs_[index];
    result.causes = causes_of(*base, *new_case, environment_);
  }

  const Side& base_;
  const Side& new_;
  std::vector<CasePair> pairs_;  ///< in the order of the comparison's cases
  Unmatched only_base_;
  Unmatched only_new_;
  std::vector<EnvironmentChange> environment_;
  OtherProcesses others_;
  std::string barrier_;      ///< why nothing can be compared; empty: it can
  bool other_kind_ = false;  ///< the base has no session on the new side's kind of machine
  Comparison comparison_;
  std::vector<std::size_t> judged_;       ///< the cases that can be judged, of the comparison's
  std::vector<double> deciding_;          ///< thresholds that would decide inconclusive cases
  std::vector<std::size_t> runs_needed_;  ///< a side, of each suspect; 0: not known
  std::size_t night_decides_ = 0;         ///< suspects that a second such night makes sure
  bool night_decides_for_all_ = false;    ///< the same of what all cases share
};

std::string note_of(const char* side, const OfMachine& kept) {
  const auto all = kept.others + kept.side.sessions.size();
  return fmt::format(
      "{} of {} files of the {} come from another kind of machine and are left out ({})",
      kept.others, all, side, kept.difference);
}

/// Of either side what ran on the kind of machine of the new side's last file: machines that take
/// turns are series of their own.
Comparison compare_on_one_machine(const Side& base, const Side& new_side,
                                  const CompareOptions& options) {
  const auto& last = last_session(new_side);
  const auto is_of = [&](Hosts hosts) {
    return
        [&last, hosts](const SideSession& session) { return same_machine(session, last, hosts); };
  };
  auto hosts = hosts_of({&base});
  if (std::ranges::none_of(base.sessions, is_of(hosts))) hosts = Hosts::alike;
  if (std::ranges::all_of(base.sessions, is_of(hosts)) &&
      std::ranges::all_of(new_side.sessions, is_of(hosts))) {
    return FileComparison(base, new_side, options).run();
  }
  const auto after = of_machine(new_side, last, hosts);
  const auto before = of_machine(base, last, hosts);
  std::vector<std::string> notes;
  if (after.others > 0) notes.push_back(note_of("new side", after));
  const bool none = before.side.sessions.empty();
  if (!none && before.others > 0) notes.push_back(note_of("base", before));
  auto comparison = FileComparison(none ? base : before.side, after.side, options).run();
  comparison.notes.insert(comparison.notes.begin(), notes.begin(), notes.end());
  return comparison;
}

}  // namespace

Comparison compare_sides(const Side& base, const Side& new_side, const CompareOptions& options) {
  const auto copies = copies_in({&new_side, &base});
  const auto count = [](const std::vector<bool>& out) {
    return static_cast<std::size_t>(std::ranges::count(out, true));
  };
  const auto left_out = count(copies[0]) + count(copies[1]);
  if (left_out == 0) return compare_on_one_machine(base, new_side, options);
  const bool all = count(copies[1]) == base.sessions.size();
  auto comparison = compare_on_one_machine(all ? base : without(base, copies[1]),
                                           without(new_side, copies[0]), options);
  comparison.notes.insert(
      comparison.notes.begin(),
      all ? "both sides have the same dates and measured times: they are the same run"
          : fmt::format("left out: {} with the same date and measured times as another file",
                        text::counted(left_out, "file")));
  return comparison;
}

}  // namespace apod::judge
