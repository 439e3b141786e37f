#include "kernels/backends/cuda/counters/counters.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/backends/cuda/check.hpp"
#include "kernels/backends/cuda/counters/launch_log.hpp"
#include "kernels/backends/cuda/counters/metric_host.hpp"
#include "kernels/backends/cuda/counters/profiler_library.hpp"

namespace apod::cuda {
namespace {

// Every kernel is a range of its own (auto range), so each has its own counts. The work runs anew
// for every pass (user replay). The alternative, running each kernel several times, saves and
// restores all memory in between: that changes what the L2 holds, and needs as much memory again.
constexpr auto kRange = CUPTI_AutoRange;
constexpr auto kReplay = CUPTI_UserReplay;

// The counts of a range take some hundred kilobytes.
constexpr std::size_t kMostLaunches = 500;

/// The profiler, as long as it lives.
class Profiler {
 public:
  explicit Profiler(const ProfilerLibrary& library) : library_(library) {
    auto params = APOD_PARAMS(CUpti_Profiler_Initialize_Params);
    require(*library_.cupti, library_.initialize(&params), "cuptiProfilerInitialize");
  }
  ~Profiler() {
    auto params = APOD_PARAMS(CUpti_Profiler_DeInitialize_Params);
    (void)library_.deinitialize(&params);
  }
  Profiler(const Profiler&) = delete;
  Profiler& operator=(const Profiler&) = delete;

  /// Of the calling thread's device.
  std::string chip() const {
    int device = 0;
    APOD_CUDA(cudaGetDevice(&device));
    auto params = APOD_PARAMS(CUpti_Device_GetChipName_Params);
    params.deviceIndex = static_cast<std::size_t>(device);
    require(*library_.cupti, library_.chip_name(&params), "cuptiDeviceGetChipName");
    return params.pChipName;
  }

  /// What the driver lets this process count.
  std::vector<std::uint8_t> availability(CUcontext context) const {
    auto params = APOD_PARAMS(CUpti_Profiler_GetCounterAvailability_Params);
    params.ctx = context;
    const auto ask = [&] {
      require(*library_.cupti, library_.counter_availability(&params),
              "cuptiProfilerGetCounterAvailability");
    };
    ask();
    std::vector<std::uint8_t> image(params.counterAvailabilityImageSize);
    params.pCounterAvailabilityImage = image.data();
    ask();
    return image;
  }

 private:
  const ProfilerLibrary& library_;
};

/// Counts on one context, as long as it lives.
class RangeProfiler {
 public:
  RangeProfiler(const ProfilerLibrary& library, CUcontext context) : library_(library) {
    auto params = APOD_PARAMS(CUpti_RangeProfiler_Enable_Params);
    params.ctx = context;
    check(library_.enable(&params), "cuptiRangeProfilerEnable");
    object_ = params.pRangeProfilerObject;
  }
  ~RangeProfiler() {
    if (started_) (void)end_pass();
    auto params = APOD_PARAMS(CUpti_RangeProfiler_Disable_Params);
    params.pRangeProfilerObject = object_;
    (void)library_.disable(&params);
  }
  RangeProfiler(const RangeProfiler&) = delete;
  RangeProfiler& operator=(const RangeProfiler&) = delete;

  /// Makes room for `ranges` kernels and loads the schedule.
  void prepare(MetricHost& metrics, std::size_t ranges) {
    auto size = APOD_PARAMS(CUpti_RangeProfiler_GetCounterDataSize_Params);
    size.pRangeProfilerObject = object_;
    size.pMetricNames = metrics.names().data();
    size.numMetrics = metrics.names().size();
    size.maxNumOfRanges = ranges;
    size.maxNumRangeTreeNodes = static_cast<std::uint32_t>(ranges);
    check(library_.data_size(&size), "cuptiRangeProfilerGetCounterDataSize");
    data_.assign(size.counterDataSize, 0);

    auto image = APOD_PARAMS(CUpti_RangeProfiler_CounterDataImage_Initialize_Params);
    image.pRangeProfilerObject = object_;
    image.counterDataSize = data_.size();
    image.pCounterData = data_.data();
    check(library_.data_initialize(&image), "cuptiRangeProfilerCounterDataImageInitialize");

    auto config = APOD_PARAMS(CUpti_RangeProfiler_SetConfig_Params);
    config.pRangeProfilerObject = object_;
    config.configSize = metrics.config().size();
    config.pConfig = metrics.config().data();
    config.counterDataImageSize = data_.size();
    config.pCounterDataImage = data_.data();
    config.range = kRange;
    config.replayMode = kReplay;
    config.maxRangesPerPass = ranges;
    config.numNestingLevels = 1;
    config.minNestingLevel = 1;
    check(library_.set_config(&config), "cuptiRangeProfilerSetConfig");
  }

  /// Counts during `work`; true when no further pass is needed.
  bool pass(const std::function<void()>& work) {
    auto params = APOD_PARAMS(CUpti_RangeProfiler_Start_Params);
    params.pRangeProfilerObject = object_;
    check(library_.start(&params), "cuptiRangeProfilerStart");
    started_ = true;
    work();
    APOD_CUDA(cudaDeviceSynchronize());
    const auto [result, done] = end_pass();
    check(result, "cuptiRangeProfilerStop");
    return done;
  }

  /// Combines the counts of all passes; returns the number of kernels.
  std::size_t decode() {
    auto params = APOD_PARAMS(CUpti_RangeProfiler_DecodeData_Params);
    params.pRangeProfilerObject = object_;
    check(library_.decode(&params), "cuptiRangeProfilerDecodeData");
    auto info = APOD_PARAMS(CUpti_RangeProfiler_GetCounterDataInfo_Params);
    info.pCounterDataImage = data_.data();
    info.counterDataImageSize = data_.size();
    check(library_.data_info(&info), "cuptiRangeProfilerGetCounterDataInfo");
    return info.numTotalRanges + params.numOfRangeDropped;
  }

  const std::vector<std::uint8_t>& data() const { return data_; }

 private:
  void check(CUptiResult result, const char* call) const { require(*library_.cupti, result, call); }

  std::pair<CUptiResult, bool> end_pass() {
    started_ = false;
    auto params = APOD_PARAMS(CUpti_RangeProfiler_Stop_Params);
    params.pRangeProfilerObject = object_;
    const auto result = library_.stop(&params);
    return {result, params.isAllPassSubmitted != 0};
  }

  const ProfilerLibrary& library_;
  CUpti_RangeProfiler_Object* object_ = nullptr;
  std::vector<std::uint8_t> data_;
  bool started_ = false;
};

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

/// Throws CountersUnavailable when nothing can be counted, and what `before` and `work` throw.
Counters count_kernels(const std::vector<std::string>& more, const std::function<void()>& before,
                       const std::function<void()>& settle, const std::function<void()>& work) {
  const auto& library = ProfilerLibrary::instance();
  const auto prepare = [&] {
    before();
    APOD_CUDA(cudaDeviceSynchronize());  // what comes before is not counted
  };
  const auto settled_work = [&] {
    settle();
    APOD_CUDA(cudaDeviceSynchronize());
    work();
  };
  prepare();
  const auto settling = launches_of(*library.cupti, settle).launches.size();
  auto log = launches_of(*library.cupti, work);
  if (log.launches.empty()) throw CountersUnavailable("no kernel was launched");
  if (log.launches.size() > kMostLaunches) {
    throw CountersUnavailable(std::to_string(log.launches.size()) +
                              " kernels were launched, but only " + std::to_string(kMostLaunches) +
                              " can be counted in one run");
  }
  const Profiler profiler(library);
  MetricHost metrics(library, profiler.chip(), profiler.availability(log.context), more);
  RangeProfiler ranges(library, log.context);
  // With room for one more: a pass that launches more than the first would not show otherwise.
  ranges.prepare(metrics, settling + log.launches.size() + 1);
  bool done = false;
  for (std::size_t pass = 0; !done; ++pass) {
    if (pass > metrics.passes()) {
      throw CountersUnavailable("the profiler needs more passes than the " +
                                std::to_string(metrics.passes()) + " that it announced");
    }
    prepare();
    done = ranges.pass(settled_work);
  }
  const auto counted = ranges.decode();
  if (counted != settling + log.launches.size()) {
    throw CountersUnavailable(
        std::to_string(counted) + " kernels were counted, but " +
        std::to_string(settling + log.launches.size()) +
        " were launched: bench does not know which count belongs to which launch");
  }
  Counters counters{std::move(log.launches), {}};
  for (std::size_t i = 0; i < counters.launches.size(); ++i)
    counters.launches[i].values = metrics.values(ranges.data(), settling + i);
  if (!metrics.missing().empty())
    counters.notes.push_back("not counted on this device: " + joined(metrics.missing()));
  return counters;
}

}  // namespace

Counters count(const std::vector<std::string>& metrics, const std::function<void()>& before,
               const std::function<void()>& settle, const std::function<void()>& work) {
  try {
    return count_kernels(metrics, before, settle, work);
  } catch (const CountersUnavailable& unavailable) {
    return {{}, {std::string("nothing counted: ") + unavailable.what()}};
  }
}

MetricCheck check_metric(const std::string& name) {
  MetricCheck check;
  try {
    const auto& library = ProfilerLibrary::instance();
    // One of each generation. Which of them the device is does not matter yet: a file is for all.
    for (const char* chip : {"GH100", "GB100", "GB202", "AD102", "GA100", "TU102"}) {
      try {
        auto names = MetricHost::names_like(library, chip, name);
        check.known = names.empty();
        if (check.known) return check;
        if (check.candidates.empty()) check.candidates = std::move(names);
      } catch (const CountersUnavailable& unavailable) {
        check.unchecked = unavailable.what();  // a chip that this library does not know
      }
    }
    if (!check.candidates.empty()) check.unchecked.clear();
  } catch (const CountersUnavailable& unavailable) {
    check.unchecked = unavailable.what();
  }
  return check;
}

}  // namespace apod::cuda
