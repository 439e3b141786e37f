// A workload whose variants fail, each in its own way. Only bench_with_faults has it: the command
// line tests show that one bad case costs no other.

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "kernels/api/chunk.hpp"
#include "kernels/api/registry.hpp"
#include "kernels/backends/host/stream.hpp"

namespace apod::faults {
namespace {

class Numbers : public Problem {
 public:
  explicit Numbers(std::int64_t size) : values_(static_cast<std::size_t>(size), 1.0F) {}
  std::span<const std::byte> input() const override { return std::as_bytes(std::span(values_)); }
  Chunk chunk(std::int64_t index, std::int64_t count) const override {
    return split_map(static_cast<std::int64_t>(values_.size()), index, count);
  }
  std::size_t output_bytes(std::int64_t) const override { return values_.size() * sizeof(float); }
  Verification verify(std::span<const std::byte> output, std::int64_t) const override {
    const bool same = std::memcmp(output.data(), values_.data(), output.size()) == 0;
    return {same, same ? 0.0 : 1.0, 0, "differing bytes", same ? "" : "not what went in"};
  }

 private:
  std::vector<float> values_;
};

class Faults : public Family {
 public:
  std::string_view name() const override { return "faults"; }
  std::string_view summary() const override { return "goes wrong in the way its variant says"; }
  std::vector<AxisSpec> axes() const override {
    return {
        {.name = "size", .help = "elements", .default_value = std::int64_t{64}, .max = 1 << 20}};
  }
  Footprint footprint(const Params& params) const override {
    const auto bytes = static_cast<std::uint64_t>(params.integer("size")) * sizeof(float);
    return {bytes, bytes, 0};
  }
  Traffic traffic(const Params& params) const override {
    return {.bytes_read = static_cast<double>(params.integer("size")) * sizeof(float)};
  }
  std::unique_ptr<Problem> make(const Params& params, const DataSpec&) const override {
    return std::make_unique<Numbers>(params.integer("size"));
  }
};
const FamilyRegistrar<Faults> family;

void copy(const Task& task) {
  host::enqueue(task.stream, [out = task.output, in = task.input, n = task.chunk.output_bytes] {
    std::memcpy(out, in, n);
  });
}

struct Fine : Variant {
  void compute(const Task& task) const override { copy(task); }
};
struct Slow : Variant {
  void compute(const Task& task) const override {
    copy(task);
    host::enqueue(task.stream, [] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); });
  }
};
struct Wrong : Variant {
  void compute(const Task&) const override {}
};
/// Right when it is verified, wrong later: like a counter that is never reset, ...
struct WrongLater : Variant {
  void compute(const Task& task) const override {
    static int runs = 0;
    if (runs++ == 0) return copy(task);
    host::enqueue(task.stream,
                  [out = task.output, n = task.chunk.output_bytes] { std::memset(out, 0, n); });
  }
};
/// ... or like launches that fail silently.
struct SilentLater : Variant {
  void compute(const Task& task) const override {
    static int runs = 0;
    if (runs++ == 0) copy(task);
  }
};
struct Crash : Variant {
  void compute(const Task&) const override { std::raise(SIGSEGV); }
};
struct Abort : Variant {
  void compute(const Task&) const override {
    std::fputs("this is the last that was heard of it\n", stderr);
    std::abort();
  }
};
template <int code>
struct Exit : Variant {
  void compute(const Task&) const override { std::_Exit(code); }
};
[[noreturn]] void stand_still() {
  for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
}
/// Makes a file in the working folder; from then on only a signal can stop it.
struct Hang : Variant {
  void compute(const Task&) const override {
    std::ofstream{"hangs"};
    stand_still();
  }
};
/// Fine in the first process that runs it, which makes a file in the working folder. Every later
/// process waits while there is a file `hold`. So a test can meet a run in its middle, however fast
/// the machine is.
struct Held : Variant {
  void compute(const Task& task) const override {
    static const bool first = !std::filesystem::exists(mark);
    if (first) std::ofstream{mark};
    while (!first && std::filesystem::exists("hold")) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    copy(task);
  }
  static constexpr const char* mark = "was_held";
};
/// Whether this is the first process that asks in this working folder. It makes a file to tell.
bool first_process() {
  static const bool first = [] {
    const int mark = ::open("first_process", O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (mark >= 0) ::close(mark);
    return mark >= 0;
  }();
  return first;
}
[[noreturn]] void abort_with_a_word() {
  std::fputs("a peer is no more\n", stderr);
  std::abort();
}
/// Fine in the first process that runs it, the one that measures; in its peers `go_wrong` is called
/// from the `well`-th run on.
template <auto go_wrong, int well>
struct BadPeer : Variant {
  void compute(const Task& task) const override {
    static std::atomic<int> runs = 0;
    if (!first_process() && runs++ >= well) go_wrong();
    copy(task);
  }
};
struct WrongPeer : Variant {
  void compute(const Task& task) const override {
    if (first_process()) copy(task);
  }
};
struct Throws : Variant {
  void compute(const Task&) const override { throw std::runtime_error("thrown by the variant"); }
};
struct ThrowsOnStream : Variant {
  void compute(const Task& task) const override {
    host::enqueue(task.stream, [] { throw std::runtime_error("thrown on the stream"); });
  }
};
struct Memory : Variant {
  std::size_t scratch_bytes(const Problem&, const Params&, const Chunk&) const override {
    return std::size_t{1} << 60;
  }
  void compute(const Task& task) const override { copy(task); }
};
struct Chatter : Variant {
  void compute(const Task& task) const override {
    std::puts("a kernel that prints must not spoil a result on standard output");
    copy(task);
  }
};
/// Fills the pipe that it prints to with a few runs.
struct Loud : Variant {
  void compute(const Task& task) const override {
    std::puts(std::string(16384, '!').c_str());
    std::fflush(stdout);
    copy(task);
  }
};

const VariantRegistrar<Fine> fine("faults", "fine", BackendKind::host, "nothing");
const OptionalVariantRegistrar<Fine> absent("faults", "absent", BackendKind::host,
                                            "a library that is nowhere",
                                            [] { return "no libabsent.so.1 found"; });
const OptionalVariantRegistrar<void> unbuilt("faults", "unbuilt", BackendKind::host,
                                             "a library without its headers",
                                             [] { return "built without absent.h"; });
const VariantRegistrar<Slow> slow("faults", "slow", BackendKind::host, "takes 20 ms");
const VariantRegistrar<Wrong> wrong("faults", "wrong", BackendKind::host, "writes nothing");
const VariantRegistrar<WrongLater> wrong_later("faults", "wrong_later", BackendKind::host,
                                               "zeros from its second run on");
const VariantRegistrar<SilentLater> silent_later("faults", "silent_later", BackendKind::host,
                                                 "writes nothing from its second run on");
const VariantRegistrar<Crash> crash("faults", "crash", BackendKind::host, "SIGSEGV");
const VariantRegistrar<Abort> aborts("faults", "abort", BackendKind::host, "abort after a word");
const VariantRegistrar<Exit<7>> exits("faults", "exit", BackendKind::host, "exits with 7");
const VariantRegistrar<Exit<0>> exits_well("faults", "exit_well", BackendKind::host,
                                           "exits with 0");
const VariantRegistrar<Hang> hang("faults", "hang", BackendKind::host, "never ends");
const VariantRegistrar<Held> held("faults", "held", BackendKind::host, "waits for a file to go");
const VariantRegistrar<Throws> throws("faults", "throws", BackendKind::host, "throws");
const VariantRegistrar<ThrowsOnStream> stream("faults", "throws_on_stream", BackendKind::host,
                                              "throws on its stream");
const VariantRegistrar<Memory> memory("faults", "memory", BackendKind::host, "wants an exabyte");
const VariantRegistrar<Chatter> chatter("faults", "chatter", BackendKind::host, "prints");
const VariantRegistrar<Loud> loud("faults", "loud", BackendKind::host, "prints a lot");
const VariantRegistrar<BadPeer<abort_with_a_word, 0>> peer_aborts("faults", "peer_aborts",
                                                                  BackendKind::host, "in a peer");
const VariantRegistrar<BadPeer<abort_with_a_word, 9>> peer_aborts_later("faults",
                                                                        "peer_aborts_later",
                                                                        BackendKind::host,
                                                                        "in a peer that runs");
const VariantRegistrar<BadPeer<stand_still, 0>> peer_hangs("faults", "peer_hangs",
                                                           BackendKind::host, "in a peer");
const VariantRegistrar<BadPeer<stand_still, 9>> peer_hangs_later("faults", "peer_hangs_later",
                                                                 BackendKind::host,
                                                                 "in a peer that runs");
/// A typing error in the family's name. Only if a test asks for it, for every run would warn of it.
[[maybe_unused]] const bool is_stray = [] {
  if (std::getenv("APOD_STRAY") == nullptr) return false;
  const VariantRegistrar<Fine> stray("fautls", "stray", BackendKind::host, "in no family");
  return true;
}();
const VariantRegistrar<WrongPeer> peer_wrong("faults", "peer_wrong", BackendKind::host,
                                             "writes nothing in a peer");

}  // namespace
}  // namespace apod::faults
