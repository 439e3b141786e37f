#include "kernels/backends/cuda/tracer/nvtx.hpp"

#include <atomic>

namespace apod::cuda {
namespace {

/// NVTX's own, as it hands it to a tool; null while NVTX has not looked for one, or where it has
/// found another one.
std::atomic<NvtxExportTable> export_table{nullptr};
/// Set while a session waits for NVTX to look for its tool.
std::atomic<const CuptiLibrary*> listener{nullptr};

/// NVTX calls this at its first call in the process, where the environment names no tool. Without a
/// session that wants the ranges there is no tool yet: all calls do nothing, but a tool that is
/// handed the table later is heard all the same, as it writes its functions into the same places.
int find_tool(NvtxExportTable table) {
  export_table = table;
  const CuptiLibrary* cupti = listener.exchange(nullptr);
  return cupti == nullptr ? 0 : cupti->initialize_nvtx(table);
}

}  // namespace

void show_nvtx_ranges(const CuptiLibrary& cupti) {
  static std::atomic<bool> done{false};
  if (cupti.initialize_nvtx == nullptr || done.exchange(true)) return;
  if (const auto table = export_table.load(); table != nullptr) {
    cupti.initialize_nvtx(table);
  } else {
    listener = &cupti;
  }
}

}  // namespace apod::cuda

// The name by which NVTX (load sequence 2) looks for a tool that is part of the program, after all
// the ways in which a tool comes from outside.
extern "C" {
extern int (*InitializeInjectionNvtx2_fnptr)(apod::NvtxExportTable);
int (*InitializeInjectionNvtx2_fnptr)(apod::NvtxExportTable) = apod::cuda::find_tool;
}
