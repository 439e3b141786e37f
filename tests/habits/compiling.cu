// The habit of compiling a kernel each time, as programs do at their start whose machine code is of
// another device.

#include <chrono>
#include <string>

#include "tests/habits/carry.hpp"

namespace apod::habits {
namespace {

/// A kernel of many multiply-adds with a = 1 and b = 0. The driver keeps what it has compiled, so
/// no two texts are the same.
std::string program() {
  constexpr int depth = 256;
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  std::string text = "// " + std::to_string(now) + R"(
.version 7.0
.target sm_75
.address_size 64
.visible .entry carry_compiled(.param .u64 in, .param .u64 out, .param .u64 n,
                               .param .f32 a, .param .f32 b)
{
  .reg .pred %outside;
  .reg .b32 %thread, %block, %threads;
  .reg .b64 %i, %n, %in, %out;
  .reg .f32 %x, %a, %b;
  mov.u32 %thread, %tid.x;
  mov.u32 %block, %ctaid.x;
  mov.u32 %threads, %ntid.x;
  mad.lo.u32 %thread, %block, %threads, %thread;
  cvt.u64.u32 %i, %thread;
  ld.param.u64 %n, [n];
  setp.ge.u64 %outside, %i, %n;
  @%outside ret;
  ld.param.u64 %in, [in];
  ld.param.u64 %out, [out];
  ld.param.f32 %a, [a];
  ld.param.f32 %b, [b];
  shl.b64 %i, %i, 2;
  add.u64 %in, %in, %i;
  add.u64 %out, %out, %i;
  ld.f32 %x, [%in];
)";
  for (int step = 0; step < depth; ++step) text += "  fma.rn.f32 %x, %x, %a, %b;\n";
  return text + "  st.f32 [%out], %x;\n  ret;\n}\n";
}

void compile_and_launch(const Task& task) {
#if CUDART_VERSION >= 12080
  Part part(task);
  if (part.n == 0) return;
  const auto text = program();
  cudaLibrary_t library = nullptr;
  cudaKernel_t kernel = nullptr;
  APOD_CUDA(cudaLibraryLoadData(&library, text.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  APOD_CUDA(cudaLibraryGetKernel(&kernel, library, "carry_compiled"));
  const auto shape = full_grid(part.n);
  float a = 1;
  float b = 0;
  void* arguments[] = {&part.in, &part.out, &part.n, &a, &b};
  APOD_CUDA(cudaLaunchKernel(kernel, dim3(shape.blocks), dim3(shape.threads), arguments, 0,
                             cuda::native(task.stream)));
  APOD_CUDA(cudaStreamSynchronize(cuda::native(task.stream)));
  APOD_CUDA(cudaLibraryUnload(library));
#else
  (void)task;
  throw BackendError(BackendError::Code::unsupported, "needs CUDA 12.8 or later to be built");
#endif
}

const Habit compiled("compiled_anew", "compiles its kernel in each execution",
                     waiting(compile_and_launch));

}  // namespace
}  // namespace apod::habits
