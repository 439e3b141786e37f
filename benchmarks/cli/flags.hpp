#pragma once

/// \file
/// The flags of a command: how each kind of value is read, and the flags that several commands
/// share. A value that can't be read is a UsageError that names its flag.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/base/text/pattern.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/files/metric.hpp"

namespace CLI {
class App;
}

namespace apod::cli {

/// Whether 0 is allowed.
enum class Zero : std::uint8_t { refused, allowed };

/// "1%", "0.5 %" or 0.01: a share below 1. Throws UsageError naming `flag`, as all of these do.
double parse_share(const std::string& flag, const std::string& text);

/// "90s", "200ms", "2m" (minutes, as "2min") or "1h", in seconds; at most a week.
double parse_seconds(const std::string& flag, const std::string& text, Zero zero = Zero::refused);

/// A whole number from `least` to `most`: 1000000, 1e6, 2^20.
int parse_count(const std::string& flag, const std::string& text, int least, int most);

/// Which GPUs a run uses.
struct DeviceChoice {
  bool all = false;
  std::vector<int> indices;  ///< in the given order; none: the first

  /// Whether each GPU gets a run of its own.
  bool several() const { return all || indices.size() > 1; }
  /// The only one; nothing if none was named.
  std::optional<int> one() const {
    return indices.size() == 1 ? std::optional(indices.front()) : std::nullopt;
  }
};
/// "all", "2" or "0,2".
DeviceChoice parse_devices(const std::string& flag, const std::string& text);

enum class BackendChoice : std::uint8_t { automatic, host, cuda };
enum class ColorChoice : std::uint8_t { automatic, always, never };

template <class Value>
using Choices = std::vector<std::pair<std::string, Value>>;

template <class Target>
struct Chosen {
  using type = Target;
};
template <class Value>
struct Chosen<std::optional<Value>> {
  using type = Value;
};
template <class Target>
using ChoicesOf = Choices<typename Chosen<Target>::type>;

/// Throws UsageError: `text` is none of `words`; the hint names a similar one.
[[noreturn]] void refuse_word(const std::string& flag, const std::string& text,
                              const std::vector<std::string>& words);

/// The value called `text`.
template <class Value>
Value choose(const std::string& flag, const std::string& text, const Choices<Value>& choices) {
  std::vector<std::string> words;
  for (const auto& [word, value] : choices) {
    if (word == text) return value;
    words.push_back(word);
  }
  refuse_word(flag, text, words);
}

extern const Choices<BackendChoice> backend_choices;

/// Says that `flag` means nothing without `needed`.
std::string without(const std::string& flag, const std::string& needed);
/// Says that the two exclude each other.
std::string not_both(const std::string& one, const std::string& other);

/// Throw UsageError with such a message.
[[noreturn]] void refuse_without(const std::string& flag, const std::string& needed);
[[noreturn]] void refuse_both(const std::string& one, const std::string& other);

/// Throws UsageError: "nothing to merge", and `what` to name.
[[noreturn]] void refuse_nothing(const std::string& verb, const std::string& what);

/// Throws UsageError: `text` does not look like `form`; `example` does.
[[noreturn]] void refuse_form(const std::string& flag, const std::string& text,
                              const std::string& form, const std::string& example);

/// Throws UsageError if there are more words than `most`.
void refuse_beyond(std::size_t most, const std::vector<std::string>& words);

/// Declares flags. No word and no value is empty: the frame refuses one that is, as an unset
/// variable of a shell and not a wish to go without. `names` are as in "-o,--out"; of several the
/// last one is used in messages. The targets must live until the command line is read.
class Flags {
 public:
  explicit Flags(CLI::App& app) : app_(app) {}

  /// The same under its own heading in the help.
  Flags group(const std::string& heading) const;

  using Take = std::function<void(const std::string&)>;
  /// A flag with a value, given at most once; `take` reads it.
  void value(const std::string& names, const std::string& type, const std::string& help,
             const Take& take);
  /// A flag with a value, given as often as liked.
  void values(const std::string& names, const std::string& type, const std::string& help,
              const Take& take);
  /// Words without a flag.
  void words(const std::string& name, const std::string& type, const std::string& help,
             std::vector<std::string>& target);

  void flag(const std::string& names, bool& target, const std::string& help);
  void text(const std::string& names, const std::string& type, std::string& target,
            const std::string& help);
  void texts(const std::string& names, const std::string& type, std::vector<std::string>& target,
             const std::string& help);
  /// Names in lists separated by commas; an empty one is kept, to be refused.
  void names(const std::string& flag, std::vector<std::string>& target, const std::string& help);
  /// A regular expression, else a UsageError.
  void pattern(const std::string& names, text::Pattern& target, const std::string& help);
  /// A flag with an optional value: an empty text without a value, nothing without the flag.
  void optional_text(const std::string& names, const std::string& type,
                     std::optional<std::string>& target, const std::string& help);
  void file(const std::string& names, std::string& target, const std::string& help);

  // Targets may be std::optional.
  template <class Target>
  void count(const std::string& names, Target& target, int least, int most,
             const std::string& help) {
    value(names, "N", help, [=, &target, flag = last_of(names)](const std::string& text) {
      target = parse_count(flag, text, least, most);
    });
  }
  template <class Target>
  void share(const std::string& names, Target& target, const std::string& help) {
    value(names, "SHARE", help, [&target, flag = last_of(names)](const std::string& text) {
      target = parse_share(flag, text);
    });
  }
  template <class Target>
  void seconds(const std::string& names, Target& target, const std::string& help,
               Zero zero = Zero::refused) {
    value(names, "TIME", help, [=, &target, flag = last_of(names)](const std::string& text) {
      target = parse_seconds(flag, text, zero);
    });
  }
  template <class Target>
  void choice(const std::string& names, Target& target, const ChoicesOf<Target>& choices,
              const std::string& help) {
    const auto type = text::joined(choices, "|", [](const auto& one) { return one.first; });
    value(names, type, help, [&target, choices, flag = last_of(names)](const std::string& text) {
      target = choose(flag, text, choices);
    });
  }

  // What several commands have.
  void set(std::vector<std::string>& target);
  void filter(text::Pattern& target, const std::string& further = "");
  /// -o, --out, which may be repeated; `formats` are those that it knows.
  void outputs(std::vector<std::string>& target, const std::string& formats);
  void blocks(std::optional<int>& target);
  void having(std::string& target);
  void random_seed(std::optional<std::uint64_t>& target);
  void resume(bool& target);
  void trust(bool& target);
  void timeout(std::optional<double>& target);
  /// --metric, of files.
  void metric(files::Metric& target);
  void backend(BackendChoice& target);
  void device(std::optional<int>& target);
  /// --device of a run: one, or several.
  void devices(DeviceChoice& target);
  void processes(std::optional<int>& target);
  void alpha(double& target);
  void color(ColorChoice& target);
  void quiet(bool& target);
  /// --set, --backend, --device, --timeout and --trust, checked and kept as they were given, for
  /// the runs that the command starts.
  void for_runs(std::vector<std::string>& arguments);

  /// --version prints this and ends.
  void version(const std::string& text);

 private:
  static std::string last_of(const std::string& names);

  CLI::App& app_;
};

}  // namespace apod::cli
