/// \file
/// Loops of a few lines in which a time depends on what was launched before, and what a time of a
/// few microseconds differs by between streams, memory and contexts. Nothing of the harness is in
/// it. See docs/launch-phase.md.
///
///   launch_phase loops    # LOOP WORK, then medians behind 0 to 7 further launches, us
///   launch_phase counts   # what else is a launch: OPERATION, then medians behind 0 to 7, us
///   launch_phase places   # WORK KIND, then a time in each of some places of that kind, us
///   launch_phase births   # what a new context and a new process take, ms

#include <thrust/execution_policy.h>
#include <thrust/reduce.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cub/device/device_reduce.cuh>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace {

#define CHECK(call)                                                                     \
  do {                                                                                  \
    if (const cudaError_t error = (call); error != cudaSuccess) {                       \
      std::fprintf(stderr, "launch_phase: %s: %s\n", #call, cudaGetErrorString(error)); \
      std::exit(1);                                                                     \
    }                                                                                   \
  } while (false)

constexpr std::size_t most = std::size_t{1} << 22;
constexpr int phases = 8;

/// Each `place` is a copy of the same code at another address.
template <int place>
__global__ void nothing_at() {}
constexpr auto nothing = nothing_at<0>;

/// Waits for the host.
__global__ void hold(const volatile unsigned* released, unsigned number) {
  while (*released < number) {
  }
}

/// Reads `count` zeros past the L1.
__global__ void sweep(uint4* data, std::size_t count) {
  unsigned any = 0;
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride) {
    any |= __ldcg(data + i).x;
  }
  if (any != 0) data->x = any;
}

template <int place>
__global__ void add_up(const float* in, std::size_t n, float* out) {
  float sum = 0;
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
       i += stride) {
    sum += in[i];
  }
  if (sum >= 0) out[blockIdx.x] = sum;
}

__global__ void copy(const float* in, float* out, std::size_t n) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
       i += stride) {
    out[i] = in[i];
  }
}

/// Cycles and nanoseconds of some 20 us.
__global__ void count_cycles(long long* cycles, unsigned long long* ns) {
  unsigned long long begin = 0, now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  const long long first = clock64();
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - begin < 20000);
  *cycles = clock64() - first;
  *ns = now - begin;
}

template <class T>
T* on_device(std::size_t count) {
  T* data = nullptr;
  CHECK(cudaMalloc(&data, count * sizeof(T)));
  CHECK(cudaMemset(data, 0, count * sizeof(T)));
  return data;
}

/// A stream, and memory. None is given back before the next context: what is given back is handed
/// out again.
struct Place {
  cudaStream_t stream = nullptr;
  float *in = nullptr, *out = nullptr;
  void* scratch = nullptr;
  uint4* swept = nullptr;
};

struct Device {
  std::size_t l2_bytes = 0;
  volatile unsigned* released = nullptr;
  unsigned* device_released = nullptr;
  unsigned holds = 0;
  cudaEvent_t start = nullptr, stop = nullptr;

  Device() {
    int device = 0, bytes = 0;
    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, device));
    l2_bytes = static_cast<std::size_t>(bytes);
    void *host = nullptr, *mapped = nullptr;
    CHECK(cudaHostAlloc(&host, sizeof(unsigned), cudaHostAllocMapped));
    CHECK(cudaHostGetDevicePointer(&mapped, host, 0));
    released = static_cast<volatile unsigned*>(host);
    *released = 0;
    device_released = static_cast<unsigned*>(mapped);
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
  }
  void add_stream(Place& place) const {
    CHECK(cudaStreamCreateWithFlags(&place.stream, cudaStreamNonBlocking));
  }
  void add_memory(Place& place) const {
    place.in = on_device<float>(most);
    place.out = on_device<float>(most);
    place.scratch = on_device<char>(1 << 20);
  }
  void add_swept(Place& place) const {
    place.swept = on_device<uint4>(2 * l2_bytes / sizeof(uint4));
  }
  Place place() const {
    Place made;
    add_stream(made);
    add_memory(made);
    add_swept(made);
    return made;
  }
};

struct Work {
  std::string name;
  std::function<void(const Place&)> enqueue;
  int launches = 1;
  bool waits = false;  ///< for the device, so that it can't be held
};

void sum_by_cub(const Place& p, int n) {
  std::size_t bytes = 1 << 20;
  CHECK(cub::DeviceReduce::Sum(p.scratch, bytes, p.in, p.out, n, p.stream));
}

void sum_by_thrust(const Place& p, int n) {
  volatile float sum = thrust::reduce(thrust::cuda::par.on(p.stream), p.in, p.in + n);
  (void)sum;
}

template <int place = 0>
Work kernels(std::string name, int count) {
  return {std::move(name),
          [=](const Place& p) {
            for (int i = 0; i < count; ++i) nothing_at<place><<<1, 32, 0, p.stream>>>();
          },
          count};
}

template <int place = 0>
Work own_sum(std::string name, std::size_t n) {
  return {std::move(name),
          [=](const Place& p) { add_up<place><<<264, 256, 0, p.stream>>>(p.in, n, p.out); }};
}

/// The same work as one graph, recorded when it is first launched. It does not count as a launch.
Work graph_of(const Work& work) {
  auto graph = std::make_shared<cudaGraphExec_t>(nullptr);
  return {"a graph of " + work.name,
          [=](const Place& p) {
            if (*graph == nullptr) {
              cudaGraph_t recorded = nullptr;
              CHECK(cudaStreamBeginCapture(p.stream, cudaStreamCaptureModeThreadLocal));
              work.enqueue(p);
              CHECK(cudaStreamEndCapture(p.stream, &recorded));
              CHECK(cudaGraphInstantiate(graph.get(), recorded, 0));
            }
            CHECK(cudaGraphLaunch(*graph, p.stream));
          },
          0};
}

const Work cub_sum{"CUB's sum of 2^20", [](const Place& p) { sum_by_cub(p, 1 << 20); }, 2};

/// Those of `places`; a copy of all kernels at the address of each `place`, but not of CUB's.
template <int place = 0>
std::vector<Work> works() {
  return {kernels<place>("one kernel", 1),
          kernels<place>("two kernels", 2),
          kernels<place>("three kernels", 3),
          own_sum<place>("own sum of 2^14", 1 << 14),
          own_sum<place>("own sum of 2^18", 1 << 18),
          own_sum<place>("own sum of 2^20", 1 << 20),
          cub_sum};
}

std::vector<Work> works_of_loops() {
  auto all = works();
  all.push_back(graph_of(kernels("two kernels", 2)));
  all.push_back(graph_of(kernels("three kernels", 3)));
  all.push_back(graph_of(cub_sum));
  all.push_back({"a grid-stride copy of 2^20",
                 [](const Place& p) { copy<<<264, 256, 0, p.stream>>>(p.in, p.out, 1 << 20); }});
  all.push_back(
      {"Thrust's sum of 2^20", [](const Place& p) { sum_by_thrust(p, 1 << 20); }, 2, true});
  return all;
}

enum class Flush { read, write, none };

/// One sample, us: a flush, a kernel that holds the stream, an event, the work, an event.
double sample(Device& d, const Place& p, const Work& work, Flush flush, int before = 0) {
  for (int i = 0; i < before; ++i) nothing<<<1, 1, 0, p.stream>>>();
  if (flush == Flush::read) {
    sweep<<<264, 512, 0, p.stream>>>(p.swept, 2 * d.l2_bytes / sizeof(uint4));
  } else if (flush == Flush::write) {
    CHECK(cudaMemsetAsync(p.swept, 0, d.l2_bytes, p.stream));
  }
  if (!work.waits) hold<<<1, 1, 0, p.stream>>>(d.device_released, ++d.holds);
  CHECK(cudaEventRecord(d.start, p.stream));
  work.enqueue(p);
  CHECK(cudaEventRecord(d.stop, p.stream));
  *d.released = d.holds;
  CHECK(cudaStreamSynchronize(p.stream));
  float milliseconds = 0;
  CHECK(cudaEventElapsedTime(&milliseconds, d.start, d.stop));
  return 1e3 * static_cast<double>(milliseconds);
}

/// Launches of a sample without empty ones.
int launches_of(const Work& work, Flush flush) {
  return (flush == Flush::none ? 0 : 1) + (work.waits ? 0 : 1) + work.launches;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double median_of_session(Device& d, const Place& p, const Work& work, Flush flush, int before) {
  std::vector<double> times;
  for (int i = 0; i < 88; ++i) {
    const double time = sample(d, p, work, flush, before);
    if (i >= 8) times.push_back(time);
  }
  return median(times);
}

/// In a loop of eight launches a sample: all samples are in one phase.
double locked_median(Device& d, const Place& p, const Work& work, Flush flush) {
  return median_of_session(d, p, work, flush, phases - launches_of(work, flush));
}

/// Each sample behind so many launches that all phases come alike: nine from one to the next.
double time_of(Device& d, const Place& p, const Work& work) {
  std::vector<double> times[phases];
  for (int i = 0; i < 8 + 96; ++i) {
    const double time =
        sample(d, p, work, Flush::read, (phases + 1 - launches_of(work, Flush::read)) % phases);
    if (i >= 8) times[i % phases].push_back(time);
  }
  double sum = 0;
  for (const auto& of_phase : times) sum += median(of_phase);
  return sum / phases;
}

double clock_mhz(const Place& p) {
  long long* cycles = nullptr;
  CHECK(cudaMallocManaged(&cycles, 2 * sizeof(long long)));
  count_cycles<<<1, 1, 0, p.stream>>>(cycles, reinterpret_cast<unsigned long long*>(cycles + 1));
  CHECK(cudaStreamSynchronize(p.stream));
  const double mhz = 1e3 * static_cast<double>(cycles[0]) / static_cast<double>(cycles[1]);
  CHECK(cudaFree(cycles));
  return mhz;
}

void print(const std::vector<double>& values) {
  for (const double value : values) std::printf(" %.3f", value);
  std::printf("\n");
}

void loops(Device& d) {
  const auto p = d.place();
  const auto row = [&](const char* loop, const Work& work, Flush flush, bool locked) {
    // Loaded now: loading a kernel for its first launch would wait for a held stream.
    work.enqueue(p);
    CHECK(cudaStreamSynchronize(p.stream));
    std::vector<double> medians;
    for (int j = 0; j < phases; ++j) {
      medians.push_back(locked ? locked_median(d, p, work, flush)
                               : median_of_session(d, p, work, flush, 0));
      nothing<<<1, 1, 0, p.stream>>>();
    }
    std::printf("%s|%s|%d|", loop, work.name.c_str(), locked ? phases : launches_of(work, flush));
    print(medians);
  };
  for (const auto& work : works_of_loops()) {
    row("reads twice the L2", work, Flush::read, true);
    row("sets the L2", work, Flush::write, true);
    row("hot", work, Flush::none, true);
    row("reads twice the L2, nothing added", work, Flush::read, false);
    row("sets the L2, nothing added", work, Flush::write, false);
    row("hot, nothing added", work, Flush::none, false);
  }
}

/// A kernel with an attribute, 1 = on.
void launch(const Place& p, cudaLaunchAttributeID id) {
  cudaLaunchAttribute attribute{};
  attribute.id = id;
  if (id == cudaLaunchAttributeCooperative) {
    attribute.val.cooperative = 1;
  } else {
    attribute.val.programmaticStreamSerializationAllowed = 1;
  }
  cudaLaunchConfig_t config{};
  config.gridDim = 1;
  config.blockDim = 1;
  config.stream = p.stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  CHECK(cudaLaunchKernelEx(&config, nothing));
}

void counts(Device& d) {
  const auto p = d.place();
  const auto graph = graph_of(kernels("two kernels", 2));
  cudaEvent_t event = nullptr;
  CHECK(cudaEventCreate(&event));
  const auto other = d.place();
  float value = 0;
  const std::vector<std::pair<std::string, std::function<void()>>> operations{
      {"nothing", [] {}},
      {"a kernel", [&] { nothing<<<1, 1, 0, p.stream>>>(); }},
      {"a kernel of 132 blocks", [&] { nothing<<<132, 256, 0, p.stream>>>(); }},
      {"a kernel in another stream", [&] { nothing<<<1, 1, 0, other.stream>>>(); }},
      {"a cooperative kernel", [&] { launch(p, cudaLaunchAttributeCooperative); }},
      {"a kernel that may begin early",
       [&] { launch(p, cudaLaunchAttributeProgrammaticStreamSerialization); }},
      {"a memset of 1 kB", [&] { CHECK(cudaMemsetAsync(p.out, 0, 1024, p.stream)); }},
      {"a memset of the L2's size",
       [&] { CHECK(cudaMemsetAsync(p.swept, 0, d.l2_bytes, p.stream)); }},
      {"a copy on the device",
       [&] { CHECK(cudaMemcpyAsync(p.out, p.in, 4096, cudaMemcpyDeviceToDevice, p.stream)); }},
      {"a copy to the device",
       [&] {
         CHECK(cudaMemcpyAsync(p.out, &value, sizeof value, cudaMemcpyHostToDevice, p.stream));
       }},
      {"an event", [&] { CHECK(cudaEventRecord(event, p.stream)); }},
      {"a sum by CUB", [&] { cub_sum.enqueue(p); }},
      {"a graph of two kernels", [&] { graph.enqueue(p); }}};
  locked_median(d, p, cub_sum, Flush::read);
  for (const auto& [name, operation] : operations) {
    std::vector<double> medians;
    for (int j = 0; j < phases; ++j) {
      medians.push_back(locked_median(d, p, cub_sum, Flush::read));
      operation();
      CHECK(cudaDeviceSynchronize());
    }
    std::printf("%s|", name.c_str());
    print(medians);
  }
}

/// The work at the same place in the list, with its kernels at each of eight addresses.
std::vector<Work> at_addresses(std::size_t index) {
  return {works<0>()[index], works<1>()[index], works<2>()[index], works<3>()[index],
          works<4>()[index], works<5>()[index], works<6>()[index], works<7>()[index]};
}

void places() {
  constexpr int tries = 8;
  std::mt19937 random(std::random_device{}());
  const auto all_works = works();
  for (std::size_t index = 0; index < all_works.size(); ++index) {
    const auto& work = all_works[index];
    auto device = Device();
    std::vector<Place> all;
    for (int i = 0; i < tries; ++i) {
      (void)on_device<char>((std::size_t{1} << 20) * (1 + random() % 24));  // apart
      all.push_back(device.place());
    }
    const auto row = [&](const char* kind, const std::function<double(int)>& time) {
      std::vector<double> times;
      for (int i = 0; i < tries; ++i) times.push_back(time(i));
      std::printf("%s|%s|", work.name.c_str(), kind);
      print(times);
    };
    const auto mixed = [&](const auto& chosen) {
      return [&, chosen](int i) {
        Place place = all.front();
        chosen(place, all[static_cast<std::size_t>(i)]);
        return time_of(device, place, work);
      };
    };
    row("again", mixed([](Place&, const Place&) {}));
    row("streams", mixed([](Place& p, const Place& other) { p.stream = other.stream; }));
    row("memory", mixed([](Place& p, const Place& other) {
          p.in = other.in;
          p.out = other.out;
          p.scratch = other.scratch;
        }));
    row("swept memory", mixed([](Place& p, const Place& other) { p.swept = other.swept; }));
    if (work.name != cub_sum.name) {
      const auto copies = at_addresses(index);
      row("code",
          [&](int i) { return time_of(device, all.front(), copies[static_cast<std::size_t>(i)]); });
    }
    row("order", [&](int) {  // behind other work, as a case behind other cases
      const auto& other = all_works[random() % all_works.size()];
      for (int k = 0; k < 300; ++k) sample(device, all.front(), other, Flush::read);
      return time_of(device, all.front(), work);
    });
    std::vector<double> times, clocks;
    for (int i = 0; i < tries; ++i) {
      CHECK(cudaDeviceReset());
      device = Device();
      const auto place = device.place();
      for (int k = 0; k < 20; ++k) sample(device, place, work, Flush::read);
      times.push_back(time_of(device, place, work));
      clocks.push_back(clock_mhz(place));
    }
    std::printf("%s|contexts|", work.name.c_str());
    print(times);
    std::printf("%s|clocks|", work.name.c_str());
    print(clocks);
    CHECK(cudaDeviceReset());
  }
}

double ms_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
      .count();
}

/// A context from nothing to its first sample, in this process and in new ones.
void be_born() {
  Device device;
  const auto place = device.place();
  const auto work = kernels("one kernel", 1);
  work.enqueue(place);
  CHECK(cudaStreamSynchronize(place.stream));
  sample(device, place, work, Flush::read);
}

void births(const std::string& self) {
  be_born();
  std::vector<double> contexts, processes;
  for (int i = 0; i < 8; ++i) {
    contexts.push_back(ms_of([] {
      CHECK(cudaDeviceReset());
      be_born();
    }));
    processes.push_back(ms_of([&] {
      if (std::system(("'" + self + "' born").c_str()) != 0) std::exit(1);
    }));
  }
  std::printf("a context in the same process|");
  print(contexts);
  std::printf("a process|");
  print(processes);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "loops") {
    Device device;
    loops(device);
  } else if (what == "counts") {
    Device device;
    counts(device);
  } else if (what == "places") {
    places();
  } else if (what == "births") {
    births(argv[0]);
  } else if (what == "born") {
    be_born();
  } else {
    std::fprintf(stderr, "launch_phase loops | counts | places | births\n");
    return 2;
  }
  return 0;
}
