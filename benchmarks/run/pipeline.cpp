#include "benchmarks/run/pipeline.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <set>
#include <system_error>
#include <utility>

#include "kernels/api/backend.hpp"
#include "kernels/api/collector.hpp"
#include "kernels/data/bytes.hpp"
#include "kernels/data/poison.hpp"

namespace apod::run {

LaunchThreads::LaunchThreads(std::size_t count, const std::function<void()>& enter)
    : errors_(count) {
  threads_.reserve(count);
  try {
    for (std::size_t i = 0; i < count; ++i) threads_.emplace_back([this, i] { serve(i); });
    run([&](std::size_t number) {
      trace::name_thread("launcher " + std::to_string(number));
      enter();
    });
  } catch (const std::system_error& error) {
    end();
    throw BackendError(
        BackendError::Code::other,
        std::string("threads: the host can't start another thread: ") + error.what());
  } catch (...) {
    end();
    throw;
  }
}

LaunchThreads::~LaunchThreads() {
  end();
}

void LaunchThreads::end() {
  work_ = nullptr;
  ++round_;
  round_.notify_all();
  for (auto& thread : threads_) thread.join();
}

void LaunchThreads::serve(std::size_t number) {
  for (int round = 0;; ++round) {
    round_.wait(round);
    if (work_ == nullptr) return;
    try {
      (*work_)(number);
    } catch (...) {
      errors_[number] = std::current_exception();
    }
    if (--working_ == 0) working_.notify_one();
  }
}

void LaunchThreads::run(const std::function<void(std::size_t)>& work) {
  work_ = &work;
  working_ = static_cast<int>(threads_.size());
  ++round_;
  round_.notify_all();
  for (int left = working_; left > 0; left = working_) working_.wait(left);
  std::exception_ptr first;
  for (auto& error : errors_) {
    const auto thrown = std::exchange(error, nullptr);
    if (!first) first = thrown;
  }
  if (first) std::rethrow_exception(first);
}

namespace {

std::byte* bytes_of(Buffer& buffer) {
  return static_cast<std::byte*>(buffer.data());
}

std::vector<const Buffer*> buffers_of(const ChunkStream& lane) {
  return {lane.input.get(),    lane.output.get(),    lane.partial.get(),
          lane.combined.get(), lane.constants.get(), lane.scratch.get()};
}

std::vector<std::shared_ptr<Stream>> make_streams(Backend& backend, std::int64_t count,
                                                  StreamPool pool) {
  std::vector<std::shared_ptr<Stream>> streams;
  for (std::int64_t i = 0; i < count; ++i) {
    // `aliased` is a common bug, kept so that it can be shown and caught: one stream, handed out
    // `count` times.
    const bool reuse = pool == StreamPool::aliased && !streams.empty();
    streams.push_back(reuse ? streams.front()
                            : backend.create_stream("stream " + std::to_string(i)));
  }
  return streams;
}

}  // namespace

Pipeline::Pipeline(Backend& backend, const Problem& problem, const Variant& variant,
                   const Params& params, Scope scope, trace::PhaseTimers& timers)
    : backend_(backend),
      problem_(problem),
      variant_(variant),
      params_(params),
      scope_(scope),
      timers_(timers),
      order_(params.choice_or("order", EnqueueOrder::by_chunk)),
      two_pass_(problem.partial_bytes() > 0) {
  try {
    prepare();
  } catch (...) {
    wait();
    throw;
  }
}

void Pipeline::prepare() {
  const auto count = scope_ == Scope::end_to_end ? params_.integer_or("streams", 1) : 1;
  const auto pool = params_.choice_or("stream_pool", StreamPool::distinct);
  const auto memory = params_.choice_or("host_memory", MemoryKind::pinned);
  const auto constants = problem_.constants();
  const auto streams = make_streams(backend_, count, pool);

  for (std::int64_t i = 0; i < count; ++i)
    lanes_.push_back(make_lane(streams[static_cast<std::size_t>(i)], problem_.chunk(i, count)));
  began_ = backend_.create_event();

  if (scope_ == Scope::kernel) return upload(lanes_.front(), problem_);
  std::size_t input_bytes = 0;
  for (const auto& lane : lanes_)
    input_bytes = std::max(input_bytes, lane.chunk.input_offset + lane.chunk.input_bytes);
  host_input_ = backend_.allocate(input_bytes, memory);
  load(problem_);
  host_constants_ = backend_.allocate(constants.size(), memory);
  if (!constants.empty()) std::memcpy(host_constants_->data(), constants.data(), constants.size());
  host_output_ = backend_.allocate(problem_.output_bytes(count), memory);
  // Touched once, so that no sample pays for the first use of a page.
  std::memset(host_output_->data(), 0, host_output_->bytes());
  const auto partials = problem_.partial_bytes() * static_cast<std::size_t>(count);
  host_partials_ = backend_.allocate(partials, memory);
  host_combined_ = backend_.allocate(problem_.partial_bytes(), memory);

  if (params_.choice_or("chunk_launch", ChunkLaunch::kernels) == ChunkLaunch::graph) {
    for (auto& lane : lanes_) record(lane);
  }
  const auto threads = static_cast<std::size_t>(params_.integer_or("threads", 1));
  if (threads == 1) return;
  thread_timers_.resize(threads);
  threads_ = std::make_unique<LaunchThreads>(threads, [&] { backend_.enter_thread(); });
}

ChunkStream Pipeline::make_lane(std::shared_ptr<Stream> stream, const Chunk& chunk) {
  ChunkStream lane;
  lane.stream = std::move(stream);
  lane.chunk = chunk;
  const auto allocate = [&](std::size_t bytes) {
    return backend_.allocate(bytes, MemoryKind::device);
  };
  lane.input = allocate(chunk.input_bytes);
  lane.output = allocate(chunk.output_bytes);
  lane.partial = allocate(problem_.partial_bytes());
  lane.combined = allocate(problem_.partial_bytes());
  lane.constants = allocate(problem_.constants().size());
  lane.scratch = allocate(scratch_of(variant_, problem_, params_, chunk));
  backend_.fill(lane.scratch->data(), 0, lane.scratch->bytes(), *lane.stream);
  lane.done = backend_.create_event();
  return lane;
}

void Pipeline::upload(ChunkStream& lane, const Problem& problem) {
  const auto constants = problem.constants();
  backend_.upload(lane.input->data(), problem.input().data() + lane.chunk.input_offset,
                  lane.chunk.input_bytes, *lane.stream);
  backend_.upload(lane.constants->data(), constants.data(), constants.size(), *lane.stream);
}

void Pipeline::add_places() {
  constexpr std::size_t most = 4, most_bytes = std::size_t{16} << 20;  // of each
  std::size_t bytes = 0;
  for (const auto* buffer : buffers_of(lanes_.front())) bytes += buffer->bytes();
  if (scope_ != Scope::kernel || bytes > most_bytes) return;
  try {
    while (lanes_.size() < most) {
      auto lane = make_lane(lanes_.front().stream, lanes_.front().chunk);
      upload(lane, problem_);
      lanes_.push_back(std::move(lane));
    }
  } catch (const BackendError& error) {
    if (error.code() != BackendError::Code::out_of_memory) throw;
  }
}

void Pipeline::next_place() {
  place_ = (place_ + 1) % lanes_.size();
  used_places_ = std::max(used_places_, place_ + 1);
}

void Pipeline::each_used_place(const std::function<void()>& work) {
  for (place_ = 0; place_ < used_places_; ++place_) work();
  place_ = 0;
}

Pipeline::~Pipeline() {
  wait();
  for (const auto& timers : thread_timers_) timers_.add(timers);
}

void Pipeline::wait() noexcept {
  // After an exception a stream may still use the buffers.
  try {
    backend_.synchronize();
  } catch (const std::exception&) {
    // The device is lost; the exception in flight says so.
  }
}

Task Pipeline::task(ChunkStream& lane) {
  return {.problem = problem_,
          .params = params_,
          .chunk = lane.chunk,
          .input = lane.input->data(),
          .output = lane.output->data(),
          .partial = lane.partial->data(),
          // In kernel scope there is one chunk, and its partial value is the final one.
          .combined = scope_ == Scope::kernel ? lane.partial->data() : lane.combined->data(),
          .constants = lane.constants->data(),
          .scratch = lane.scratch->data(),
          .stream = *lane.stream};
}

void Pipeline::record(ChunkStream& lane) {
  lane.graph = backend_.capture(*lane.stream, [&] { apod::first_pass(variant_, task(lane)); });
  if (lane.graph) return;
  throw BackendError(BackendError::Code::unsupported,
                     "chunk_launch: graph can't be used: this backend has no graphs");
}

void Pipeline::forget_graphs() {
  for (auto& lane : lanes_) lane.graph.reset();
}

void Pipeline::compute(ChunkStream& lane) {
  lane.graph ? lane.graph->launch(*lane.stream) : apod::first_pass(variant_, task(lane));
}

void Pipeline::restore() {
  if (scope_ == Scope::kernel) return variant_.restore(task(lanes_[place_]));
  for (auto& lane : lanes_) variant_.restore(task(lane));
}

void Pipeline::load(const Problem& other) {
  if (host_input_) {
    for (const auto& lane : lanes_)
      other.gather(lane.chunk, bytes_of(*host_input_) + lane.chunk.input_offset);
    return;
  }
  for (auto& lane : lanes_) upload(lane, other);
}

bool Pipeline::holds_input(const Problem& problem) {
  Array<std::byte> gathered;
  for (auto& lane : lanes_) {
    const auto bytes = host_input_ ? lane.chunk.read_only_bytes() : lane.chunk.input_bytes;
    downloaded_.resize(bytes);
    backend_.download(downloaded_.data(), lane.input->data(), bytes, *lane.stream);
    auto wanted = problem.input();
    if (chunks() > 1) {
      gathered.resize(lane.chunk.input_bytes);
      problem.gather(lane.chunk, gathered.data());
      wanted = gathered;
    }
    if (!same_bytes(downloaded_, wanted.first(bytes))) return false;
  }
  return true;
}

void Pipeline::enqueue() {
  const auto work = task(lanes_[place_]);
  apod::first_pass(variant_, work);
  apod::second_pass(variant_, work);
}

void Pipeline::each_lane(Pass pass) {
  if (!threads_) {
    for (auto& lane : lanes_) (this->*pass)(lane, timers_);
    return;
  }
  threads_->run([&](std::size_t thread) {
    for (auto i = thread; i < lanes_.size(); i += threads_->count())
      (this->*pass)(lanes_[i], thread_timers_[thread]);
  });
}

void Pipeline::upload(ChunkStream& lane, trace::PhaseTimers& timers) {
  trace::Phase phase(timers, "transfer", trace::Color::transfer,
                     static_cast<std::uint64_t>(lane.chunk.index));
  const auto* from = bytes_of(*host_input_) + lane.chunk.input_offset;
  backend_.copy(lane.input->data(), from, lane.chunk.read_only_bytes(), *lane.stream);
  for (const auto& part : lane.chunk.in_place) {
    backend_.copy(bytes_of(*lane.output) + part.in_output, from + part.in_input, part.bytes,
                  *lane.stream);
  }
  backend_.copy(lane.constants->data(), host_constants_->data(), host_constants_->bytes(),
                *lane.stream);
}

void Pipeline::first_pass(ChunkStream& lane, trace::PhaseTimers& timers) {
  const auto index = static_cast<std::uint64_t>(lane.chunk.index);
  if (order_ == EnqueueOrder::by_chunk) upload(lane, timers);
  {
    trace::Phase phase(timers, "compute", trace::Color::compute, index);
    compute(lane);
  }
  trace::Phase phase(timers, "transfer", trace::Color::transfer, index);
  if (two_pass_) {
    backend_.copy(bytes_of(*host_partials_) + problem_.partial_bytes() * index,
                  lane.partial->data(), problem_.partial_bytes(), *lane.stream);
  } else {
    backend_.copy(bytes_of(*host_output_) + lane.chunk.output_offset, lane.output->data(),
                  lane.chunk.output_bytes, *lane.stream);
  }
}

void Pipeline::combine() {
  for (auto& lane : lanes_) lane.stream->synchronize();
  const auto value = problem_.combine({bytes_of(*host_partials_), host_partials_->bytes()});
  std::memcpy(host_combined_->data(), value.data(), value.size());
}

void Pipeline::second_pass(ChunkStream& lane, trace::PhaseTimers& timers) {
  const auto index = static_cast<std::uint64_t>(lane.chunk.index);
  {
    trace::Phase phase(timers, "transfer", trace::Color::transfer, index);
    backend_.copy(lane.combined->data(), host_combined_->data(), host_combined_->bytes(),
                  *lane.stream);
  }
  {
    trace::Phase phase(timers, "compute", trace::Color::compute, index);
    apod::second_pass(variant_, task(lane));
  }
  trace::Phase phase(timers, "transfer", trace::Color::transfer, index);
  backend_.copy(bytes_of(*host_output_) + lane.chunk.output_offset, lane.output->data(),
                lane.chunk.output_bytes, *lane.stream);
}

double Pipeline::transfer_and_compute() {
  began_->record(stream());
  if (order_ == EnqueueOrder::uploads_first) each_lane(&Pipeline::upload);
  each_lane(&Pipeline::first_pass);
  if (two_pass_) {
    combine();
    each_lane(&Pipeline::second_pass);
  }
  for (auto& lane : lanes_) lane.done->record(*lane.stream);
  for (auto& lane : lanes_) lane.stream->synchronize();
  double longest = 0;
  for (auto& lane : lanes_)
    longest = std::max(longest, backend_.seconds_between(*began_, *lane.done));
  return longest;
}

void Pipeline::poison() {
  if (!poisons_memory()) return;
  for (auto& lane : lanes_) {
    backend_.fill(lane.output->data(), poison_byte, lane.chunk.output_bytes, *lane.stream);
    backend_.fill(lane.partial->data(), poison_byte, problem_.partial_bytes(), *lane.stream);
    lane.stream->synchronize();
  }
  if (host_output_)
    fill_bytes({bytes_of(*host_output_), host_output_->bytes()}, std::byte{poison_byte});
}

std::span<const std::byte> Pipeline::download() {
  const auto bytes = problem_.output_bytes(chunks());
  if (host_output_) return {static_cast<const std::byte*>(host_output_->data()), bytes};
  downloaded_.resize(bytes);
  auto& lane = lanes_[place_];
  if (const auto* collector = dynamic_cast<const Collector*>(&variant_))
    collector->collect(task(lane));
  backend_.download(downloaded_.data() + lane.chunk.output_offset, lane.output->data(),
                    lane.chunk.output_bytes, *lane.stream);
  return downloaded_;
}

std::map<std::string, double> Pipeline::facts() const {
  std::set<std::uintptr_t> handles;
  double on_device = 0;
  double uploaded = 0;
  double downloaded = 0;
  for (const auto& lane : lanes_) {
    handles.insert(lane.stream->handle());
    for (const auto* buffer : buffers_of(lane)) on_device += static_cast<double>(buffer->bytes());
    if (scope_ != Scope::end_to_end) continue;
    uploaded += static_cast<double>(lane.chunk.input_bytes + problem_.constants().size() +
                                    problem_.partial_bytes());
    downloaded += static_cast<double>(lane.chunk.output_bytes + problem_.partial_bytes());
  }
  std::map<std::string, double> facts{{"distinct_streams", static_cast<double>(handles.size())}};
  if (backend_.kind() == BackendKind::cuda) facts["device_bytes"] = on_device;
  if (scope_ == Scope::end_to_end) {
    facts["upload_bytes"] = uploaded;
    facts["download_bytes"] = downloaded;
    facts["transfer_bytes"] = uploaded + downloaded;
    // The second pass needs the results of the first for all chunks.
    if (two_pass_) facts["transfers_in_turn"] = 1;
  }
  return facts;
}

}  // namespace apod::run
