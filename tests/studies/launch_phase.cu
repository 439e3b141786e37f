/// \file
/// Loops of a few lines in which a time depends on what was launched before, and what a time of a
/// few microseconds differs by between streams, memory and contexts. Nothing of the harness is in
/// it. See docs/launch-phase.md.
///
///   launch_phase loops    # LOOP WORK, then medians behind 0 to 7 further launches, us
///   launch_phase counts   # what else is a launch: OPERATION, then medians behind 0 to 7 of them,
///   us launch_phase places   # WORK KIND, then a time in each of some places of that kind, us

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cub/device/device_reduce.cuh>
#include <functional>
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

__global__ void nothing() {}

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

__global__ void add_up(const float* in, std::size_t n, float* out) {
  float sum = 0;
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
       i += stride) {
    sum += in[i];
  }
  if (sum >= 0) out[blockIdx.x] = sum;
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

using Work = std::function<void(const Place&)>;

void sum_by_cub(const Place& p, int n) {
  std::size_t bytes = 1 << 20;
  CHECK(cub::DeviceReduce::Sum(p.scratch, bytes, p.in, p.out, n, p.stream));
}

Work kernels(int count) {
  return [=](const Place& p) {
    for (int i = 0; i < count; ++i) nothing<<<1, 32, 0, p.stream>>>();
  };
}

Work own_sum(std::size_t n) {
  return [=](const Place& p) { add_up<<<264, 256, 0, p.stream>>>(p.in, n, p.out); };
}

const std::vector<std::pair<std::string, Work>> works{
    {"one kernel", kernels(1)},
    {"two kernels", kernels(2)},
    {"three kernels", kernels(3)},
    {"own sum of 2^14", own_sum(1 << 14)},
    {"own sum of 2^18", own_sum(1 << 18)},
    {"own sum of 2^20", own_sum(1 << 20)},
    {"CUB's sum of 2^20", [](const Place& p) { sum_by_cub(p, 1 << 20); }}};

enum class Flush { read, write, none };

/// One sample, us: a flush, a kernel that holds the stream, an event, the work, an event.
double sample(Device& d, const Place& p, const Work& work, Flush flush, int before = 0) {
  for (int i = 0; i < before; ++i) nothing<<<1, 1, 0, p.stream>>>();
  if (flush == Flush::read) {
    sweep<<<264, 512, 0, p.stream>>>(p.swept, 2 * d.l2_bytes / sizeof(uint4));
  } else if (flush == Flush::write) {
    CHECK(cudaMemsetAsync(p.swept, 0, d.l2_bytes, p.stream));
  }
  hold<<<1, 1, 0, p.stream>>>(d.device_released, ++d.holds);
  CHECK(cudaEventRecord(d.start, p.stream));
  work(p);
  CHECK(cudaEventRecord(d.stop, p.stream));
  *d.released = d.holds;
  CHECK(cudaStreamSynchronize(p.stream));
  float milliseconds = 0;
  CHECK(cudaEventElapsedTime(&milliseconds, d.start, d.stop));
  return 1e3 * static_cast<double>(milliseconds);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double locked_median(Device& d, const Place& p, const Work& work, Flush flush) {
  std::vector<double> times;
  for (int i = 0; i < 88; ++i) {
    const double time = sample(d, p, work, flush);
    if (i >= 8) times.push_back(time);
  }
  return median(times);
}

/// Each sample behind so many launches that all phases come alike: nine from one to the next.
double time_of(Device& d, const Place& p, const Work& work, int launches_of_work) {
  std::vector<double> times[phases];
  for (int i = 0; i < 8 + 96; ++i) {
    const double time =
        sample(d, p, work, Flush::read, (2 * phases + 1 - 2 - launches_of_work) % phases);
    if (i >= 8) times[i % phases].push_back(time);
  }
  double sum = 0;
  for (const auto& of_phase : times) sum += median(of_phase);
  return sum / phases;
}

void print(const std::vector<double>& values) {
  for (const double value : values) std::printf(" %.3f", value);
  std::printf("\n");
}

void loops(Device& d) {
  const auto p = d.place();
  for (const auto& [loop, flush] : {std::pair{"reads twice the L2", Flush::read},
                                    {"sets the L2, as NVBench", Flush::write},
                                    {"hot", Flush::none}}) {
    for (const auto& [name, work] : works) {
      std::vector<double> medians;
      for (int j = 0; j < phases; ++j) {
        medians.push_back(locked_median(d, p, work, flush));
        nothing<<<1, 1, 0, p.stream>>>();
      }
      std::printf("%s|%s|", loop, name.c_str());
      print(medians);
    }
  }
}

void counts(Device& d) {
  const auto p = d.place();
  const auto& cub = works.back().second;
  cudaEvent_t event = nullptr;
  CHECK(cudaEventCreate(&event));
  const auto other = d.place();
  float value = 0;
  const std::vector<std::pair<std::string, std::function<void()>>> operations{
      {"nothing", [] {}},
      {"a kernel", [&] { nothing<<<1, 1, 0, p.stream>>>(); }},
      {"a kernel of 132 blocks", [&] { nothing<<<132, 256, 0, p.stream>>>(); }},
      {"a kernel in another stream", [&] { nothing<<<1, 1, 0, other.stream>>>(); }},
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
      {"a sum by CUB", [&] { cub(p); }}};
  locked_median(d, p, cub, Flush::read);
  for (const auto& [name, operation] : operations) {
    std::vector<double> medians;
    for (int j = 0; j < phases; ++j) {
      medians.push_back(locked_median(d, p, cub, Flush::read));
      operation();
      CHECK(cudaDeviceSynchronize());
    }
    std::printf("%s|", name.c_str());
    print(medians);
  }
}

void places() {
  constexpr int tries = 8;
  std::mt19937 random(std::random_device{}());
  for (const auto& [name, work] : works) {
    const int launches = name == "two kernels" || name.front() == 'C' ? 2
                         : name == "three kernels"                    ? 3
                                                                      : 1;
    auto device = Device();
    std::vector<Place> all;
    for (int i = 0; i < tries; ++i) {
      (void)on_device<char>((std::size_t{1} << 20) * (1 + random() % 24));  // apart
      all.push_back(device.place());
    }
    const auto row = [&](const char* kind, auto chosen) {
      std::vector<double> times;
      for (const auto& place : all) {
        Place mixed = all.front();
        chosen(mixed, place);
        times.push_back(time_of(device, mixed, work, launches));
      }
      std::printf("%s|%s|", name.c_str(), kind);
      print(times);
    };
    row("again", [](Place&, const Place&) {});
    row("streams", [](Place& p, const Place& other) { p.stream = other.stream; });
    row("memory", [](Place& p, const Place& other) {
      p.in = other.in;
      p.out = other.out;
      p.scratch = other.scratch;
    });
    row("swept memory", [](Place& p, const Place& other) { p.swept = other.swept; });
    std::vector<double> times;
    for (int i = 0; i < tries; ++i) {
      CHECK(cudaDeviceReset());
      device = Device();
      const auto place = device.place();
      for (int k = 0; k < 20; ++k) sample(device, place, work, Flush::read);
      times.push_back(time_of(device, place, work, launches));
    }
    std::printf("%s|contexts|", name.c_str());
    print(times);
    CHECK(cudaDeviceReset());
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "places") {
    places();
    return 0;
  }
  Device device;
  if (what == "loops") {
    loops(device);
  } else if (what == "counts") {
    counts(device);
  } else {
    std::fprintf(stderr, "launch_phase loops | counts | places\n");
    return 2;
  }
  return 0;
}
