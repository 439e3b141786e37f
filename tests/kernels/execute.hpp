#pragma once

/// \file
/// Runs one variant of one problem, chunk by chunk, with nothing but the contract of kernels/api:
/// what a variant does wrong shows here, without the harness around it.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/data/poison.hpp"
#include "tests/kernels/cases.hpp"

namespace apod::test {

/// Runs `variant` on `problem` in chunks, each on a stream and in memory of its own, as the harness
/// does. What a kernel leaves out stays a NaN; what it writes past the end is found.
class Executor {
 public:
  Executor(Backend& backend, const Variant& variant, const Problem& problem, const Params& params,
           std::int64_t chunks)
      : backend_(backend), variant_(variant), problem_(problem), params_(params) {
    for (std::int64_t i = 0; i < chunks; ++i) add_lane(problem.chunk(i, chunks));
    check_chunks();
    backend_.synchronize();
  }
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;
  ~Executor() {
    try {
      backend_.synchronize();
    } catch (const std::exception&) {
      // The test has failed already, with this reason.
    }
  }

  /// Computes `repeats` times without waiting in between, and returns the whole output.
  std::vector<std::byte> run(int repeats = 1) {
    for (auto& lane : lanes_) {
      for (int i = 0; i < repeats; ++i) first_pass(variant_, task(lane));
    }
    if (problem_.partial_bytes() > 0) {
      combine();
      for (auto& lane : lanes_) {
        for (int i = 0; i < repeats; ++i) second_pass(variant_, task(lane));
      }
    }
    return download();
  }

  /// Records the first lane's work as a graph and launches it `launches` times; nothing where the
  /// backend has no graphs. For one chunk.
  std::optional<std::vector<std::byte>> run_graph(int launches) {
    auto& lane = lanes_.front();
    auto work = task(lane);
    work.combined = work.partial;  // one chunk: its partial value is the whole
    const auto graph = backend_.capture(*lane.stream, [&] {
      first_pass(variant_, work);
      second_pass(variant_, work);
    });
    if (!graph) return std::nullopt;
    for (int i = 0; i < launches; ++i) graph->launch(*lane.stream);
    return download();
  }

 private:
  static constexpr std::size_t guard_bytes = 512;
  static constexpr std::uint8_t guard_byte = 0xA5;

  struct Lane {
    Chunk chunk;
    std::unique_ptr<Stream> stream;
    std::unique_ptr<Buffer> input, output, partial, combined, constants, scratch;
  };

  /// `used` bytes of poison with a guard behind them.
  std::unique_ptr<Buffer> guarded(std::size_t used, Stream& stream, bool poisoned = true) {
    auto buffer = backend_.allocate(used + guard_bytes, MemoryKind::device);
    auto* bytes = static_cast<std::byte*>(buffer->data());
    if (poisoned) backend_.fill(bytes, poison_byte, used, stream);
    backend_.fill(bytes + used, guard_byte, guard_bytes, stream);
    return buffer;
  }

  void add_lane(const Chunk& chunk) {
    Lane lane;
    lane.chunk = chunk;
    lane.stream = backend_.create_stream("lane " + std::to_string(chunk.index));
    auto& stream = *lane.stream;
    const auto constants = problem_.constants();
    lane.input = guarded(chunk.input_bytes, stream);
    // To a tool that looks for reads of what nothing has written, poison is written memory.
    const bool poisoned = poisons_memory();
    lane.output = guarded(chunk.output_bytes, stream, poisoned);
    lane.partial = guarded(problem_.partial_bytes(), stream, poisoned);
    lane.combined = guarded(problem_.partial_bytes(), stream);
    lane.constants = guarded(constants.size(), stream);
    const auto scratch = scratch_of(variant_, problem_, params_, chunk);
    lane.scratch = guarded(scratch, stream);
    backend_.fill(lane.scratch->data(), 0, scratch, stream);
    backend_.copy(lane.input->data(), problem_.input().data() + chunk.input_offset,
                  chunk.input_bytes, stream);
    backend_.copy(lane.constants->data(), constants.data(), constants.size(), stream);
    lanes_.push_back(std::move(lane));
  }

  /// The chunks cover the problem once, in order, read what they compute, and stay inside it.
  void check_chunks() const {
    const auto count = static_cast<std::int64_t>(lanes_.size());
    std::size_t output = 0;
    std::int64_t unit = 0;
    for (const auto& [chunk, stream, in, out, part, comb, cons, scr] : lanes_) {
      EXPECT_EQ(chunk.begin, unit);
      EXPECT_LE(chunk.begin, chunk.end);
      EXPECT_LE(chunk.input_begin, chunk.begin);
      EXPECT_GE(chunk.input_end, chunk.end);
      EXPECT_EQ(chunk.output_offset, output);
      EXPECT_LE(chunk.input_offset + chunk.input_bytes, problem_.input().size());
      unit = chunk.end;
      output += chunk.output_bytes;
    }
    EXPECT_EQ(output, problem_.output_bytes(count));
  }

  Task task(Lane& lane) {
    return {.problem = problem_,
            .params = params_,
            .chunk = lane.chunk,
            .input = lane.input->data(),
            .output = lane.output->data(),
            .partial = lane.partial->data(),
            .combined = lane.combined->data(),
            .constants = lane.constants->data(),
            .scratch = lane.scratch->data(),
            .stream = *lane.stream};
  }

  void combine() {
    const auto bytes = problem_.partial_bytes();
    std::vector<std::byte> partials(bytes * lanes_.size());
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      backend_.copy(partials.data() + i * bytes, lanes_[i].partial->data(), bytes,
                    *lanes_[i].stream);
      lanes_[i].stream->synchronize();
    }
    const auto combined = problem_.combine(partials);
    ASSERT_EQ(combined.size(), bytes);
    for (auto& lane : lanes_) {
      backend_.copy(lane.combined->data(), combined.data(), bytes, *lane.stream);
      lane.stream->synchronize();
    }
  }

  std::vector<std::byte> download() {
    std::vector<std::byte> output(problem_.output_bytes(static_cast<std::int64_t>(lanes_.size())));
    for (auto& lane : lanes_) {
      backend_.copy(output.data() + lane.chunk.output_offset, lane.output->data(),
                    lane.chunk.output_bytes, *lane.stream);
      lane.stream->synchronize();
      const auto constants = problem_.constants();
      check(lane, *lane.input,
            problem_.input().subspan(lane.chunk.input_offset, lane.chunk.input_bytes), "input");
      check(lane, *lane.constants, constants, "constants");
      check_guard(lane, *lane.output, "output");
      check_guard(lane, *lane.partial, "partial value");
      check_guard(lane, *lane.combined, "combined value");
      check_guard(lane, *lane.scratch, "scratch");
    }
    return output;
  }

  std::vector<std::byte> contents(Lane& lane, const Buffer& buffer) {
    std::vector<std::byte> bytes(buffer.bytes());
    backend_.copy(bytes.data(), buffer.data(), bytes.size(), *lane.stream);
    lane.stream->synchronize();
    return bytes;
  }

  void check_guard(Lane& lane, const Buffer& buffer, const char* what) {
    const auto bytes = contents(lane, buffer);
    const auto intact = std::all_of(bytes.end() - guard_bytes, bytes.end(),
                                    [](std::byte b) { return b == std::byte{guard_byte}; });
    EXPECT_TRUE(intact) << "chunk " << lane.chunk.index << " wrote past the end of its " << what;
  }

  /// What a variant may only read is as it was uploaded.
  void check(Lane& lane, const Buffer& buffer, std::span<const std::byte> wanted,
             const char* what) {
    const auto bytes = contents(lane, buffer);
    EXPECT_TRUE(std::equal(wanted.begin(), wanted.end(), bytes.begin()))
        << "chunk " << lane.chunk.index << " changed its " << what;
    check_guard(lane, buffer, what);
  }

  Backend& backend_;
  const Variant& variant_;
  const Problem& problem_;
  const Params& params_;
  std::vector<Lane> lanes_;
};

/// What family and variant say beforehand that a case needs is no less than what its chunks take.
inline void expect_footprint(const Family& family, const Variant& variant, const Case& c,
                             const Problem& problem) {
  auto params = c.params;
  params.set("streams", c.chunks);
  const auto footprint = family.footprint(params);
  std::uint64_t input = 0;
  for (std::int64_t i = 0; i < c.chunks; ++i) {
    const auto chunk = problem.chunk(i, c.chunks);
    input += chunk.input_bytes;
    EXPECT_LE(scratch_of(variant, problem, params, chunk), variant.most_scratch_bytes(params))
        << "the variant's scratch is not what it says when a plan is made";
  }
  EXPECT_GE(footprint.input_bytes, input);
  // Partial sums that the host adds up are not counted.
  const auto chunks = family.name() == "reduction" ? 1 : c.chunks;
  EXPECT_GE(footprint.output_bytes, problem.output_bytes(chunks));
}

/// Runs `cases` of `pair` on `backend`, as calls and, with one chunk, as a graph. A variant is
/// called twice in a row: it must leave its scratch as it needs to find it.
inline void run_cases(Backend& backend, const Pair& pair, const std::vector<Case>& cases) {
  const auto& family = *Registry::instance().family(pair.family);
  const auto variant = Registry::instance().variant(pair.family, pair.variant)->make();
  int judged = 0;
  for (const auto& c : cases) {
    SCOPED_TRACE(describe(c));
    ASSERT_EQ(family.rejects(c.params), std::nullopt);
    if (variant->rejects(c.params)) continue;
    const auto problem = make_problem(family, c);
    if (!problem) continue;
    ++judged;
    expect_footprint(family, *variant, c, *problem);
    Executor executor(backend, *variant, *problem, c.params, c.chunks);
    const auto check = problem->verify(executor.run(2), c.chunks);
    EXPECT_TRUE(check.passed) << check.detail;
    EXPECT_LE(check.error, check.tolerance) << check.measure;

    if (c.chunks == 1 && !variant->waits(c.params)) {
      Executor fresh(backend, *variant, *problem, c.params, 1);
      const auto output = fresh.run_graph(2);
      if (output) {
        const auto graph_check = problem->verify(*output, 1);
        EXPECT_TRUE(graph_check.passed) << "as a graph: " << graph_check.detail;
      }
    }
    if (testing::Test::HasFailure()) return;  // one case says enough
  }
  EXPECT_GT(judged, 0);
}

}  // namespace apod::test
