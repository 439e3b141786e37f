/// A profiler that hears only annotations; NVTX_INJECTION64_PATH names it. It writes the name of
/// each range that begins, and of each thread, as a line to the file that NVTX_HEARD names.

#include <nvtx3/nvToolsExt.h>

#include <cstdlib>
#include <fstream>
#include <mutex>
#include <string>

namespace {

void hear(const std::string& line) {
  static std::mutex mutex;
  static std::ofstream heard(std::getenv("NVTX_HEARD"), std::ios::app);
  const std::lock_guard lock(mutex);
  heard << line << std::endl;
}

nvtxDomainHandle_t NVTX_API create_domain(const char* name) {
  return reinterpret_cast<nvtxDomainHandle_t>(new std::string(name));
}

int NVTX_API push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) {
  hear(*reinterpret_cast<std::string*>(domain) + ':' + attributes->message.ascii);
  return 0;
}

void NVTX_API name_thread(std::uint32_t /*id*/, const char* name) {
  hear(std::string("thread:") + name);
}

}  // namespace

extern "C" int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t export_table) {
  const auto* callbacks =
      static_cast<const NvtxExportTableCallbacks*>(export_table(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable table = nullptr;
  unsigned size = 0;
  if (!callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size)) return 0;
  *table[NVTX_CBID_CORE2_DomainCreateA] = reinterpret_cast<NvtxFunctionPointer>(create_domain);
  *table[NVTX_CBID_CORE2_DomainRangePushEx] = reinterpret_cast<NvtxFunctionPointer>(push);
  if (!callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &size)) return 0;
  *table[NVTX_CBID_CORE_NameOsThreadA] = reinterpret_cast<NvtxFunctionPointer>(name_thread);
  return 1;
}
