#pragma once

/// \file
/// Where the rules draw their lines, and why there. Where a source names a principle and no number,
/// the number is ours, and it says so.

#include "benchmarks/base/roofline.hpp"

namespace apod::look {

struct Threshold {
  const char* name;
  double value;
  const char* unit;
  const char* source;
};

namespace threshold {

inline constexpr Threshold matters{"matters", 0.05, "share of the device's time",
                                   "our choice: short cases differ by up to 4 % between processes, "
                                   "so a comparison could not show a smaller share"};
inline constexpr Threshold least_gain{"least_gain", 0.01, "share of the device's time",
                                      "our choice: a cause with a smaller share is only a note, "
                                      "unless the kernel does work that the case does not ask for"};
inline constexpr Threshold kernel_matters{
    "kernel_matters", 0.10, "share of the device's time",
    "CUDA Best Practices Guide, Amdahl's law: a kernel with a small share of the time is not worth "
    "tuning; the value is our choice"};
inline constexpr Threshold no_overlap{
    "no_overlap", 0.01, "share of the device's time",
    "our choice: on an H200, aliased streams and pageable copies did not overlap at all, and four "
    "streams overlapped for half of the span"};
inline constexpr Threshold idle{
    "idle", 0.10, "share of the time",
    "Nsight Systems, rules GPU Gaps and GPU Time Utilization; the value is our choice"};
inline constexpr Threshold idle_seconds{"idle_seconds", 20e-6, "s",
                                        "our choice: a few launches and a wait take this time"};
inline constexpr Threshold around_span{"around_span", 200e-6, "s",
                                       "our choice: a call that launches work returns within "
                                       "this time; a larger difference between two runs is noise"};
inline constexpr Threshold slow_step{
    "slow_step", 1.3, "times the median step",
    "our choice: steps of PyTorch's programs on an H100 took at most 1.27 times their median"};
inline constexpr Threshold mostly_idle{"mostly_idle", 0.50, "share of the time",
                                       "Nsight Systems, rule GPU Time Utilization: under 50 %"};
inline constexpr Threshold launch_interval{
    "launch_interval", 4.5e-6, "s",
    "our choice if no ceiling was measured: the interval of untraced launches on an H200"};
inline constexpr Threshold fp64_share{
    "fp64_share", 0.01, "share of the arithmetic executed",
    "CUDA Best Practices Guide, Arithmetic Instructions: double constants and functions used by "
    "accident; the value is our choice"};
inline constexpr Threshold low_occupancy{
    "low_occupancy", 0.50, "share of the threads that fit",
    "CUDA Best Practices Guide, Occupancy: low occupancy can't hide latency, and above a certain "
    "point more occupancy gains nothing; the value is our choice"};
inline constexpr Threshold short_operation{"short_operation", 10e-6, "s",
                                           "our choice: about twice the launch interval; another "
                                           "grid or more streams can't help a shorter operation"};
inline constexpr Threshold tail_loss{"tail_loss", 0.20, "share of the kernel's time",
                                     "Nsight Compute, rule Tail Effect: the share that a partial "
                                     "last wave may cost; the value is our choice"};
inline constexpr Threshold access_efficiency{
    "access_efficiency", 0.50, "requested bytes / bytes of the sectors touched",
    "CUDA Best Practices Guide, Coalesced Access to Global Memory; Nsight Compute, rule "
    "Uncoalesced Global Accesses; the value is our choice"};
inline constexpr Threshold one_float{
    "one_float", 0.12, "requested bytes / bytes of the sectors touched",
    "one float per sector of 32 bytes gives 1/8; a lower ratio means sectors of asynchronous "
    "copies, whose requested bytes are not counted"};
inline constexpr Threshold needed_bytes{
    "needed_bytes", 1.05, "times the bytes that the case has to move",
    "our choice: the memory-bound cases of best.yaml moved up to 4 % more bytes on an H200"};
inline constexpr Threshold main_stall{"main_stall", 0.30, "share of the resident warps' time",
                                      "Nsight Compute, Warp State Statistics: names the longest "
                                      "wait of the warps; the value is our choice"};
inline constexpr Threshold throttled{"throttled", 0.01, "share of the samples",
                                     "our choice: the limit for causes in bench compare, too"};
inline constexpr Threshold load_seconds{
    "load_seconds", 1e-3, "s",
    "our choice: loading one small kernel takes a few tenths of this time"};
inline constexpr Threshold tensor_multiple{
    "tensor_multiple", 8, "elements",
    "NVIDIA, Matrix Multiplication Background: tensor cores want fp16 shapes in multiples of 8"};
inline constexpr Threshold tensor_multiple_tf32{
    "tensor_multiple_tf32", 4, "elements",
    "NVIDIA, Matrix Multiplication Background: multiples of 16 bytes, which are 4 numbers of TF32"};
inline constexpr Threshold near{
    "near_ceiling", near_ceiling, "share of a ceiling or a peak rate",
    "Nsight Compute, Speed Of Light: below this share, latency is the limit"};
inline constexpr Threshold at_peak{
    "at_peak", 0.80, "share of a ceiling or a peak rate",
    "Nsight Compute, Speed Of Light: above this share, only less work or another unit helps"};
inline constexpr Threshold full_clock{"full_clock", 0.99, "share of the highest SM clock",
                                      "our choice: the limit for causes in bench compare, too"};
inline constexpr Threshold above{"above_ceiling", above_ceiling, "times the ceiling",
                                 "our choice: ceilings repeat within 1 %"};

}  // namespace threshold
}  // namespace apod::look
