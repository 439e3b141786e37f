#pragma once

/// \file
/// Which metric of the profiler is behind each counter. Plain C++: no toolkit.

#include <array>
#include <string_view>

namespace apod::cuda {

/// Source of the names: `ncu --query-metrics`, and the profiler's own list
/// (cuptiProfilerHostGetBaseMetrics) for every chip from Turing to Blackwell.
struct Metric {
  std::string_view counter;  ///< CounterInfo::name
  std::string_view name;     ///< with its roll-up
  std::string_view newer;    ///< its name on chips that do not know the other one; may be empty
  double scale;              ///< counter = metric * scale
};

/// Chosen so that the whole set fits into four passes (five on TU102, GA100 and GB202). So there is
/// no sm__throughput: it takes eight by itself, and issue_active, the instruction counts and
/// tensor_active say as much. A fourth stall reason would take another pass.
inline constexpr std::array<Metric, 30> kMetrics{{
    {"duration", "gpu__time_duration.sum", "", 1e-9},
    {"dram_bytes_read", "dram__bytes_read.sum", "dram__bytes_op_read.sum", 1},
    {"dram_bytes_written", "dram__bytes_write.sum", "dram__bytes_op_write.sum", 1},
    {"dram_throughput", "dram__throughput.avg.pct_of_peak_sustained_elapsed", "", 0.01},
    {"l2_throughput", "lts__t_sectors.avg.pct_of_peak_sustained_elapsed", "", 0.01},
    {"l1_throughput", "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed", "",
     0.01},
    {"l2_hit_rate", "lts__t_sector_hit_rate.pct", "", 0.01},
    {"global_load_bytes", "smsp__sass_data_bytes_mem_global_op_ld.sum", "", 1},
    {"global_load_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "", 1},
    {"global_load_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "", 1},
    {"global_store_bytes", "smsp__sass_data_bytes_mem_global_op_st.sum", "", 1},
    {"global_store_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "", 1},
    {"achieved_occupancy", "sm__warps_active.avg.pct_of_peak_sustained_active", "", 0.01},
    {"issue_active", "sm__issue_active.avg.pct_of_peak_sustained_elapsed", "", 0.01},
    {"fadd", "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", "", 1},
    {"fmul", "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", "", 1},
    {"ffma", "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", "", 1},
    {"dadd", "smsp__sass_thread_inst_executed_op_dadd_pred_on.sum", "", 1},
    {"dmul", "smsp__sass_thread_inst_executed_op_dmul_pred_on.sum", "", 1},
    {"dfma", "smsp__sass_thread_inst_executed_op_dfma_pred_on.sum", "", 1},
    {"tensor_instructions", "sm__inst_executed_pipe_tensor.sum", "", 1},
    {"tensor_active", "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed", "", 0.01},
    {"active_threads", "smsp__thread_inst_executed_per_inst_executed.ratio", "", 1},
    {"l1_wavefronts", "l1tex__data_pipe_lsu_wavefronts.sum", "", 1},
    {"shared_conflicts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", "", 1},
    {"atomics_active", "lts__d_atomic_input_cycles_active.avg.pct_of_peak_sustained_elapsed", "",
     0.01},
    {"atomics_busiest", "lts__d_atomic_input_cycles_active.max.pct_of_peak_sustained_elapsed", "",
     0.01},
    {"memory_stall", "smsp__warp_issue_stalled_long_scoreboard_per_warp_active.pct", "", 0.01},
    {"shared_stall", "smsp__warp_issue_stalled_short_scoreboard_per_warp_active.pct", "", 0.01},
    {"barrier_stall", "smsp__warp_issue_stalled_barrier_per_warp_active.pct", "", 0.01},
}};

}  // namespace apod::cuda
