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

#include "kernels/api/address_taken.hpp"
#include "kernels/backends/host/stream.hpp"
#include "kernels/data/data.hpp"
#include "tests/support/function_variant.hpp"

namespace apod::faults {
namespace {

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
    return {bytes, bytes};
  }
  Traffic traffic(const Params& params) const override {
    return {.bytes_read = static_cast<double>(params.integer("size")) * sizeof(float)};
  }
  std::unique_ptr<Problem> make(const Params& params, const DataSpec&) const override {
    return std::make_unique<test::SameValues>(
        make_vector({.kind = DataSpec::Kind::ones}, params.integer("size")));
  }
};
const FamilyRegistrar<Faults> family;

void copy(const Task& task) {
  host::enqueue(task.stream, [out = task.output, in = task.input, n = task.chunk.output_bytes] {
    std::memcpy(out, in, n);
  });
}

struct Fault : test::FunctionRegistrar {
  Fault(const char* name, const char* summary, test::Compute compute)
      : FunctionRegistrar("faults", name, BackendKind::host, summary,
                          test::FunctionVariant(compute)) {}
};

const Fault fine("fine", "nothing", copy);
const Fault slow("slow", "takes 20 ms", [](const Task& task) {
  copy(task);
  host::enqueue(task.stream, [] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); });
});
const Fault wrong("wrong", "writes nothing", [](const Task&) {});
/// Right when it is verified, wrong later: like a counter that is never reset, ...
const Fault wrong_later("wrong_later", "zeros from its second run on", [](const Task& task) {
  static int runs = 0;
  if (runs++ == 0) return copy(task);
  host::enqueue(task.stream,
                [out = task.output, n = task.chunk.output_bytes] { std::memset(out, 0, n); });
});
/// ... or like launches that fail silently.
const Fault silent_later("silent_later", "writes nothing from its second run on",
                         [](const Task& task) {
                           static int runs = 0;
                           if (runs++ == 0) copy(task);
                         });
const Fault crash("crash", "SIGSEGV", [](const Task&) { std::raise(SIGSEGV); });
const Fault aborts("abort", "abort after a word", [](const Task&) {
  std::fputs("this is the last that was heard of it\n", stderr);
  std::abort();
});
const Fault exits("exit", "exits with 7", [](const Task&) { std::_Exit(7); });
const Fault exits_well("exit_well", "exits with 0", [](const Task&) { std::_Exit(0); });
[[noreturn]] void stand_still() {
  for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
}
/// Makes a file in the working folder; from then on only a signal can stop it.
const Fault hang("hang", "never ends", [](const Task&) {
  std::ofstream{"hangs"};
  stand_still();
});
/// Fine in the first process that runs it, which makes a file in the working folder. Every later
/// process waits while there is a file `hold`. So a test can meet a run in its middle, however fast
/// the machine is.
const Fault held("held", "waits for a file to go", [](const Task& task) {
  constexpr const char* mark = "was_held";
  static const bool first = !std::filesystem::exists(mark);
  if (first) std::ofstream{mark};
  while (!first && std::filesystem::exists("hold")) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  copy(task);
});
/// Like a captured launch whose memory has no room in this process; fine in the third.
const Fault no_room("address_taken", "fails in two processes", [](const Task& task) {
  static const bool is_taken = [] {
    std::ofstream{"processes", std::ios::app} << '.';
    return std::filesystem::file_size("processes") < 3;
  }();
  if (is_taken) throw std::runtime_error(std::string("1 MiB at 32 ") + capture::address_taken);
  copy(task);
});
const Fault throws("throws", "throws",
                   [](const Task&) { throw std::runtime_error("thrown by the variant"); });
const Fault throws_on_stream("throws_on_stream", "throws on its stream", [](const Task& task) {
  host::enqueue(task.stream, [] { throw std::runtime_error("thrown on the stream"); });
});
const Fault chatter("chatter", "prints", [](const Task& task) {
  std::puts("a kernel that prints must not spoil a result on standard output");
  copy(task);
});
/// Fills the pipe that it prints to with a few runs.
const Fault loud("loud", "prints a lot", [](const Task& task) {
  std::puts(std::string(16384, '!').c_str());
  std::fflush(stdout);
  copy(task);
});

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
void be_a_bad_peer(const Task& task) {
  static std::atomic<int> runs = 0;
  if (!first_process() && runs++ >= well) go_wrong();
  copy(task);
}
const Fault peer_aborts("peer_aborts", "in a peer", be_a_bad_peer<abort_with_a_word, 0>);
const Fault peer_aborts_later("peer_aborts_later", "in a peer that runs",
                              be_a_bad_peer<abort_with_a_word, 9>);
const Fault peer_hangs("peer_hangs", "in a peer", be_a_bad_peer<stand_still, 0>);
const Fault peer_hangs_later("peer_hangs_later", "in a peer that runs",
                             be_a_bad_peer<stand_still, 9>);
const Fault peer_wrong("peer_wrong", "writes nothing in a peer", [](const Task& task) {
  if (first_process()) copy(task);
});

struct Fine : Variant {
  void compute(const Task& task) const override { copy(task); }
};
struct Memory : Fine {
  std::size_t scratch_bytes(const Problem&, const Params&, const Chunk&) const override {
    return std::size_t{1} << 60;
  }
};
const VariantRegistrar<Memory> memory("faults", "memory", BackendKind::host, "wants an exabyte");
const OptionalVariantRegistrar<Fine> absent("faults", "absent", BackendKind::host,
                                            "a library that is nowhere",
                                            [] { return "no libabsent.so.1 found"; });
const OptionalVariantRegistrar<void> unbuilt("faults", "unbuilt", BackendKind::host,
                                             "a library without its headers",
                                             [] { return "built without absent.h"; });
/// A typing error in the family's name. Only if a test asks for it, for every run would warn of it.
[[maybe_unused]] const bool is_stray = [] {
  if (std::getenv("APOD_STRAY") == nullptr) return false;
  const VariantRegistrar<Fine> stray("fautls", "stray", BackendKind::host, "in no family");
  return true;
}();

}  // namespace
}  // namespace apod::faults
