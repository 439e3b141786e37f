#include "benchmarks/run/run_identity.hpp"

#include <sys/stat.h>

#include <map>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/files/record/codec.hpp"
#include "kernels/api/fnv.hpp"

namespace apod::run {
namespace {

/// A hash of texts, and of where one ends and the next begins.
class Hash {
 public:
  void add(std::string_view text) { all_.add(text).add("\xFF"); }
  std::string text() const { return hex(all_.value()); }

 private:
  Fnv1a all_;
};

/// "<size> <time of the last change>" of a data file.
std::string state_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return "absent";
  return std::to_string(status.st_size) + " " + std::to_string(status.st_mtim.tv_sec) + "." +
         std::to_string(status.st_mtim.tv_nsec);
}

/// The keys of "key=value" words that only one of the texts has: "max_time, precision".
std::string different_words(const std::string& a, const std::string& b) {
  std::map<std::string, int> times;
  for (const auto* text : {&a, &b}) {
    std::istringstream words(*text);
    for (std::string word; words >> word;) ++times[word];
  }
  std::set<std::string> keys;
  for (const auto& [word, count] : times) {
    if (count == 1) keys.insert(word.substr(0, word.find('=')));
  }
  std::string all;
  for (const auto& key : keys) all += (all.empty() ? "" : ", ") + key;
  return all;
}

}  // namespace

Fingerprint fingerprint(const Plan& plan) {
  Hash cases;
  Hash data;
  std::map<std::string, Hash> ways;
  for (const auto& c : plan.cases) {
    cases.add(c.id);
    cases.add(c.skip);
    for (const auto& name : c.wanted) cases.add(name);
    for (const auto& [name, value] : c.params.entries()) cases.add(name + "=" + to_string(value));
  }
  for (const auto& experiment : plan.experiments) {
    cases.add(experiment.name);
    cases.add(experiment.workload);
    for (const auto& axis : experiment.swept) cases.add(axis);

    record::WorkItem its_data;
    its_data.experiment.data = experiment.data;
    data.add(record::encode(its_data));
    if (experiment.data.kind == DataSpec::Kind::file) data.add(state_of(experiment.data.file));

    if (experiment.kernel) {
      std::set<std::string> files;
      for (const auto& launch : experiment.kernel->spec.launches) files.insert(launch.file);
      files.insert(experiment.kernel->spec.reference.launch.file);
      for (const auto& c : plan.cases) {
        if (&plan.experiment_of(c) == &experiment && file::names_file(c.variant)) {
          files.insert(c.variant);
        }
      }
      const auto folder = experiment.kernel->spec.folder;
      for (const auto& file : files) {
        data.add(file + " " + state_of((folder.empty() ? "." : folder) + "/" + file));
      }
    }

    for (const auto& [key, value] : record::encode_way(experiment)) {
      if (key != "timeout" && key != "threshold") ways[key].add(value);
    }
  }
  std::string measuring;
  for (const auto& [key, hash] : ways) {
    measuring += (measuring.empty() ? "" : " ") + key + "=" + hash.text();
  }
  return {cases.text(), data.text(), measuring};
}

std::string plan_identity(const Plan& plan) {
  const auto all = fingerprint(plan);
  Hash both;
  both.add(all.cases);
  both.add(all.measuring);
  for (const auto& experiment : plan.experiments) both.add(experiment.data.file);
  return both.text();
}

std::string difference(const RunIdentity& journal, const RunIdentity& run) {
  if (journal.build != run.build) {
    return "it was made by build " + journal.build + ", this is build " + run.build;
  }
  if (journal.device != run.device) {
    return "it was measured on " + journal.device + ", this run would use " + run.device;
  }
  if (journal.plan == run.plan) return "";
  std::string parts;
  const auto keys = different_words(journal.plan.measuring, run.plan.measuring);
  const auto measuring = "the way it is measured" + (keys.empty() ? "" : " (" + keys + ")");
  for (const auto& [part, text] : {std::pair{&Fingerprint::cases, std::string("its cases")},
                                   std::pair{&Fingerprint::data, std::string("its data")},
                                   std::pair{&Fingerprint::measuring, measuring}}) {
    if (journal.plan.*part == run.plan.*part) continue;
    parts += (parts.empty() ? "" : " and ") + text;
  }
  return "it differs in " + parts + "; it was made by: " + text::printable(journal.command);
}

}  // namespace apod::run
