#pragma once

/// \file
/// cuFFT's plans for square tiles, loaded at run time. For .cu files only, and only where cufft.h
/// is.

#include <cufft.h>

#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <tuple>

#include "kernels/backends/cuda/library.hpp"

namespace apod::convolution::fft {

inline const cuda::Library& library() {
  static const cuda::Library cufft("cufft", CUFFT_VER_MAJOR);
  return cufft;
}

/// A function of the library, whose types are those of its declaration.
#define APOD_CUFFT(name) ::apod::convolution::fft::library().function<decltype(name)>(#name)

inline void check(cufftResult result, const char* call) {
  if (result == CUFFT_SUCCESS) return;
  const auto code =
      result == CUFFT_ALLOC_FAILED ? BackendError::Code::out_of_memory : BackendError::Code::other;
  throw BackendError(code, std::string(call) + ": cufftResult " + std::to_string(result));
}

/// The two directions of a transform, and its numbers.
template <class Real>
struct Types;
template <>
struct Types<float> {
  using Complex = cufftComplex;
  static constexpr cufftType there = CUFFT_R2C;
  static constexpr cufftType back = CUFFT_C2R;
  static auto* run_there() { return APOD_CUFFT(cufftExecR2C); }
  static auto* run_back() { return APOD_CUFFT(cufftExecC2R); }
};
template <>
struct Types<double> {
  using Complex = cufftDoubleComplex;
  static constexpr cufftType there = CUFFT_D2Z;
  static constexpr cufftType back = CUFFT_Z2D;
  static auto* run_there() { return APOD_CUFFT(cufftExecD2Z); }
  static auto* run_back() { return APOD_CUFFT(cufftExecZ2D); }
};

/// One direction of a transform of `batch` contiguous tiles, in place; rows of real numbers are
/// padded to the length of the complex ones.
struct Plan {
  cufftHandle handle = 0;
  std::size_t work_bytes = 0;  ///< that an execution needs
};

/// The plan, made at its first use and kept: tiles have few sizes, and batches are powers of two.
/// Making one waits for the device, so it must have been asked for before a graph is captured.
/// `type` is one of Types. Throws BackendError.
inline Plan plan(int side, int batch, cufftType type) {
  static std::mutex mutex;
  static std::map<std::tuple<int, int, cufftType>, Plan> plans;
  const std::lock_guard lock(mutex);
  auto& made = plans[{side, batch, type}];
  if (made.handle != 0) return made;
  Plan fresh;
  check(APOD_CUFFT(cufftCreate)(&fresh.handle), "cufftCreate");
  check(APOD_CUFFT(cufftSetAutoAllocation)(fresh.handle, 0), "cufftSetAutoAllocation");
  int sides[2] = {side, side};
  const int pitch = side / 2 + 1;
  int of_reals[2] = {side, 2 * pitch};
  int of_complex[2] = {side, pitch};
  const bool there = type == CUFFT_D2Z || type == CUFFT_R2C;
  int* in = there ? of_reals : of_complex;
  int* out = there ? of_complex : of_reals;
  check(APOD_CUFFT(cufftMakePlanMany)(fresh.handle, 2, sides, in, 1, side * in[1], out, 1,
                                      side * out[1], type, batch, &fresh.work_bytes),
        "cufftMakePlanMany");
  return made = fresh;
}

/// Enqueues a transform of `data`, which holds Real or Complex numbers of Types. `work` has the
/// plan's work_bytes.
template <class Real>
void execute(const Plan& plan, cufftType type, typename Types<Real>::Complex* data, void* work,
             cudaStream_t stream) {
  using Numbers = Types<Real>;
  // A plan knows one stream and one work area at a time; an execution takes both with it.
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  check(APOD_CUFFT(cufftSetStream)(plan.handle, stream), "cufftSetStream");
  check(APOD_CUFFT(cufftSetWorkArea)(plan.handle, work), "cufftSetWorkArea");
  auto* reals = reinterpret_cast<Real*>(data);
  check(type == Numbers::there ? Numbers::run_there()(plan.handle, reals, data)
                               : Numbers::run_back()(plan.handle, data, reals),
        "cufftExec");
}

}  // namespace apod::convolution::fft
