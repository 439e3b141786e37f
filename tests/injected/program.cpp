/// A program on a GPU that there is not: it loads what CUDA would load into it and does something
/// by the fake of CUPTI. `program HOW`; without the injection it does the same, and nobody sees it.

#include <dlfcn.h>
#include <nvtx3/nvToolsExtPayload.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "tests/injected/fake_cupti.hpp"

namespace {

void load_tool(const char* variable, const char* entry) {
  const char* file = std::getenv(variable);
  if (file == nullptr) return;
  void* library = ::dlopen(file, RTLD_NOW);
  if (library == nullptr) {
    std::fprintf(stderr, "%s\n", ::dlerror());
    std::exit(9);
  }
  void* function = ::dlsym(library, entry);
  if (std::string(entry) == "InitializeInjection") {
    reinterpret_cast<int (*)()>(function)();
  } else {
    reinterpret_cast<int (*)(void*)>(function)(nullptr);
  }
}

void use_cuda() {
  load_tool("CUDA_INJECTION64_PATH", "InitializeInjection");
}

void wait_for_a_write() {
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
}

/// What a child does, as a process of its own.
int in_child(void (*work)()) {
  const pid_t child = ::fork();
  if (child == 0) {
    work();
    std::exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

}  // namespace

/// y[i] = factor * x[i], by kernels that load and launch as CUDA's do.
int launch_kernels(const std::string& how) {
  constexpr std::size_t count = 4096;
  ::signal(SIGXFSZ, SIG_IGN);  // a limit of files' sizes takes the place of a full disk
  const bool is_pinned = how == "kernels_pinned";
  auto* x = static_cast<float*>(
      fake_allocate(4 * count, is_pinned ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE));
  const bool is_huge = how == "kernels_huge" || how == "kernels_junk";
  auto* y = static_cast<float*>(is_huge ? fake_huge(std::size_t{8} << 20, std::size_t{60} << 30)
                                : how == "kernels_elsewhere" ? fake_elsewhere(4 * count)
                                                             : fake_allocate(4 * count));
  for (std::size_t i = 0; i < count; ++i) x[i] = static_cast<float>(i + 1);
  if (how == "kernels_junk") {
    for (std::uint64_t i = 0; i < count / 2; ++i) {
      const auto word = reinterpret_cast<std::uint64_t>(y) + 8 * i;
      std::memcpy(x + 2 * i, &word, sizeof word);
    }
  }
  const auto kernel = [&](const char* name, float factor) {
    const bool is_copied = how == "kernels_copied";
    const bool waits = how == "kernels_wait";
    return FakeKernel{name, {8, 8, 4}, [factor, is_copied, waits](void** p) {
                        if (waits) fake_busy(factor == 2);  // until the other kernel runs
                        if (is_copied) std::thread(fake_copy).join();
                        auto* to = *static_cast<float**>(p[0]);
                        const auto* from = *static_cast<float**>(p[1]);
                        const int n = *static_cast<int*>(p[2]);
                        for (int i = 0; i < n; ++i) to[i] = factor * from[i];
                      }};
  };
  static auto& scale = *new FakeKernel(kernel("_Z11scale_arrayPfPKfi", 2));
  static auto& other = *new FakeKernel(kernel("shift", 3));  // records name them until the very end
  static constexpr char code[] =
      "\x7f"
      "ELF of a test\0.text._Z11scale_arrayPfPKfi\0.text.shift\0";
  fake_load(code, sizeof code);
  constexpr std::size_t few = 1024;
  auto* small_x = static_cast<float*>(fake_allocate(4 * few));
  auto* small_y = static_cast<float*>(fake_allocate(4 * few));
  std::memcpy(small_x, x, 4 * few);
  // "kernels_swapped" makes its launches in another order when it runs again.
  const bool is_second = ::access("ran.txt", F_OK) == 0;
  if (how == "kernels_swapped") std::fclose(std::fopen("ran.txt", "w"));
  if (how == "kernels_beside") fake_stream_capture(true);
  for (int i = 0; i < 4; ++i) {
    const bool is_small = i == (how == "kernels_swapped" && is_second ? 0 : 3);
    int n = static_cast<int>(is_small ? few : count);
    void* parameters[] = {is_small ? &small_y : &y, is_small ? &small_x : &x, &n};
    if (how == "kernels_beside" && i == 2) fake_stream_capture(false);
    fake_graph(how == "kernels_graph");
    fake_kernel(scale, static_cast<unsigned>(n) / 256, parameters, how == "kernels_buffer");
    fake_graph(false);
    fake_kernel(other, 1, parameters, false);
  }
  return how == "kernels_fails" ? 3 : 0;
}

/// Says with a range how many bytes it sends, as NCCL does by nvToolsExtPayload.h.
void call_nccl(const char* name, std::size_t bytes) {
  struct Message {
    std::uint64_t communicator;
    std::size_t bytes;
  };
  constexpr std::uint64_t id = (1U << 24U) + 5;
  static int domain = 0;
  const auto handle = reinterpret_cast<nvtxDomainHandle_t>(&domain);
  static const bool registered = [&] {
    nvtxPayloadSchemaEntry_t entries[2]{};
    entries[0].type = NVTX_PAYLOAD_ENTRY_TYPE_UINT64;
    entries[0].name = "NCCL communicator ID";
    entries[1].type = NVTX_PAYLOAD_ENTRY_TYPE_SIZE;
    entries[1].name = "Message size [bytes]";
    entries[1].offset = offsetof(Message, bytes);
    nvtxPayloadSchemaAttr_t schema{};
    constexpr std::uint64_t fields = 0x174;  // type, entries, their number, static size, id
    schema.fieldMask = fields;
    schema.type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC;
    schema.entries = entries;
    schema.numEntries = 2;
    schema.payloadStaticSize = sizeof(Message);
    schema.schemaId = id;
    return nvtxPayloadSchemaRegister(handle, &schema) == id;
  }();
  const Message message{77, bytes};
  const nvtxPayloadData_t payload{id, sizeof message, &message};
  nvtxEventAttributes_t attributes{};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = name;
  if (bytes > 0 && registered) {
    attributes.payloadType = NVTX_PAYLOAD_TYPE_EXT;
    attributes.reserved0 = 1;
    attributes.payload.ullValue = reinterpret_cast<std::uintptr_t>(&payload);
  }
  fake_push_in(handle, &attributes);
}

int main(int, char** words) {
  const std::string how = words[1];
  std::printf("output of %s\n", how.c_str());
  std::fflush(stdout);
  if (how == "nothing") return 0;
  load_tool("NVTX_INJECTION64_PATH", "InitializeInjectionNvtx2");
  if (how == "ranges") {
    use_cuda();
    fake_name_thread("captain");
    for (int i = 0; i < 3; ++i) {
      fake_launch("outside");
      fake_push("step");
      fake_launch("inside");
      fake_push("step");  // nested: not the one that is waited for
      fake_pop();
      fake_pop();
    }
    return 0;
  }
  if (how == "forks") {
    // Whoever uses CUDA after a fork begins to do so there.
    in_child([] {
      use_cuda();
      fake_launch("of_child");
    });
    use_cuda();
    fake_launch("of_parent");
    in_child([] {});  // knows CUDA from its parent, and must write nothing of it
    return 0;
  }
  if (how == "forks_while_recorded") {
    fake_push("of_parent");
    wait_for_a_write();
    for (int i = 0; i < 10; ++i) {
      in_child([] {
        use_cuda();
        fake_launch("of_child");
      });
    }
    fake_pop();
    return 0;
  }
  if (how == "daemon") {
    use_cuda();
    fake_launch("before");
    wait_for_a_write();
    for (int file = 3; file < 100; ++file) ::close(file);
    std::FILE* own = std::fopen("own.txt", "w");
    fake_launch("after");
    wait_for_a_write();
    std::fprintf(own, "own\n");
    return std::fclose(own);
  }
  if (how == "steps") {
    const auto holds = [](const char* variable, const char* value) {
      const char* held = std::getenv(variable);
      return held != nullptr && std::string(held) == value;
    };
    if (holds("OMP_NUM_THREADS", "1")) return 3;
    use_cuda();
    for (int i = 0; i < 6; ++i) {
      static const char* const names[]{"step 0", "step 1", "step 2", "step 3", "step 4", "step 5"};
      fake_push(names[i]);
      fake_launch("work");
      fake_wait(holds("CUDA_MODULE_LOADING", "EAGER") ? 500'000'000 : 1'000'000'000);
      fake_launch(holds("KERNEL", "other") ? "other" : "end");
      fake_pop();
    }
    return 0;
  }
  if (how == "collectives") {
    use_cuda();
    for (int i = 0; i < 6; ++i) {
      fake_push("step");
      for (int device = 0; device < 2; ++device) {
        call_nccl("ncclAllReduce", 1'000'000);
        fake_pop();
      }
      call_nccl("ncclGroupEnd", 0);
      for (const unsigned device : {0U, 1U}) {
        fake_device(device);
        fake_launch("ncclDevKernel_AllReduce_Sum_f32_RING_LL");
      }
      fake_pop();
      fake_pop();
      fake_wait(1'000'000);
    }
    return 0;
  }
  if (how == "time") {
    use_cuda();
    for (int i = 0; i < 40; ++i) {
      fake_launch(i < 20 ? "early" : "late");
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return 0;
  }
  use_cuda();
  if (how.starts_with("kernels")) return launch_kernels(how);
  fake_launch("first");
  if (how == "unfinished") fake_unfinished_launch();
  if (how == "crash" || how == "_exit" || how == "hang") wait_for_a_write();
  if (how == "crash") ::raise(SIGSEGV);
  if (how == "_exit") ::_exit(5);
  while (how == "hang") ::pause();
  return how == "three" ? 3 : 0;
}
