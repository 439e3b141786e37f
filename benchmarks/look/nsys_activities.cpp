// What ran on devices: kernels, graphs, copies and memsets.

#include <array>

#include "benchmarks/look/nsys_reader.hpp"
#include "benchmarks/look/residency.hpp"

namespace apod::look {
namespace {

/// ENUM_CUDA_MEMCPY_OPER in the words of our own tracer.
std::string copy_name(std::int64_t kind) {
  static constexpr std::array names{"unknown copy", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA", "AtoD",
                                    "DtoA",         "DtoD", "HtoH", "PtoP", "HtoD", "DtoH", "DtoD"};
  return names.at(kind > 0 && kind < std::ssize(names) ? static_cast<std::size_t>(kind) : 0);
}

/// ENUM_CUDA_MEM_KIND; arrays, managed and static memory are the device's.
MemoryKind memory_kind(std::int64_t kind) {
  return kind == 0 ? MemoryKind::pageable : kind == 1 ? MemoryKind::pinned : MemoryKind::device;
}

}  // namespace

void NsysReader::read_kernels() {
  Rows rows = file_.rows(
      "CUPTI_ACTIVITY_KIND_KERNEL",
      {"start", "end", "deviceId", "contextId", "streamId", "correlationId", "globalPid",
       "demangledName", "shortName", "gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ",
       "registersPerThread", "staticSharedMemory", "dynamicSharedMemory", "localMemoryPerThread"});
  while (rows.next()) {
    Activity kernel;
    if (!take_times(rows, kernel)) continue;
    take_place(rows, kernel);
    auto name = string(rows.number(7));
    if (name.empty()) name = string(rows.number(8));
    unnamed_ += name.empty() ? 1 : 0;
    kernel.name = name.empty() ? "unnamed kernel" : name;
    for (int axis = 0; axis < 3; ++axis) {
      kernel.grid[axis] = rows.small_number(9 + axis);
      kernel.block[axis] = rows.small_number(12 + axis);
    }
    kernel.registers_per_thread = rows.small_number(15);
    kernel.static_shared_bytes = rows.small_number(16);
    kernel.dynamic_shared_bytes = rows.small_number(17);
    kernel.local_bytes = rows.small_number(18);
    if (const auto limits = limits_.find(kernel.device); limits != limits_.end())
      set_residency(limits->second, kernel);
    recording_.trace.activities.push_back(std::move(kernel));
  }
}

void NsysReader::read_graphs() {
  Rows rows = file_.rows("CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
                         {"start", "end", "deviceId", "contextId", "streamId", "correlationId",
                          "globalPid", "graphId"});
  std::uint64_t graphs = 0;
  while (rows.next()) {
    Activity graph;
    if (!take_times(rows, graph)) continue;
    take_place(rows, graph);
    graph.name = "[CUDA graph " + std::to_string(rows.number(7)) + "]";
    recording_.trace.activities.push_back(std::move(graph));
    ++graphs;
  }
  if (graphs == 0) return;
  note(std::to_string(graphs) +
       " launches of CUDA graphs were recorded without their kernels (to record the kernels: nsys "
       "profile --cuda-graph-trace=node)");
}

void NsysReader::read_copies() {
  Rows rows = file_.rows("CUPTI_ACTIVITY_KIND_MEMCPY",
                         {"start", "end", "deviceId", "contextId", "streamId", "correlationId",
                          "globalPid", "bytes", "copyKind", "srcKind", "dstKind"});
  std::uint64_t unknown = 0;
  while (rows.next()) {
    Activity copy;
    copy.kind = Activity::Kind::copy;
    if (!take_times(rows, copy)) continue;
    take_place(rows, copy);
    copy.bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(0, rows.number(7)));
    copy.name = copy_name(rows.number(8));
    // No finding blames device memory, so an unknown kind counts as that.
    copy.source = rows.has_number(9) ? memory_kind(rows.number(9)) : MemoryKind::device;
    copy.target = rows.has_number(10) ? memory_kind(rows.number(10)) : MemoryKind::device;
    if (!rows.has_number(9) || !rows.has_number(10)) ++unknown;
    recording_.trace.activities.push_back(std::move(copy));
  }
  if (unknown > 0)
    note(std::to_string(unknown) + " copies were recorded without their memory kinds");
}

void NsysReader::read_memsets() {
  Rows rows =
      file_.rows("CUPTI_ACTIVITY_KIND_MEMSET", {"start", "end", "deviceId", "contextId", "streamId",
                                                "correlationId", "globalPid", "bytes", "memKind"});
  while (rows.next()) {
    Activity memset;
    memset.kind = Activity::Kind::memset;
    memset.name = "memset";
    if (!take_times(rows, memset)) continue;
    take_place(rows, memset);
    memset.bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(0, rows.number(7)));
    memset.target = rows.has_number(8) ? memory_kind(rows.number(8)) : MemoryKind::device;
    recording_.trace.activities.push_back(std::move(memset));
  }
}

}  // namespace apod::look
