# Finds nvcc. Without it the same project builds the host backend alone, and says so.
set(APOD_HAVE_CUDA OFF)
if(APOD_CUDA)
  include(CudaCompiler)
  if(CMAKE_CUDA_COMPILER)
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
      # This machine's own GPU. Where there is none, machine code for compute capability 8.x, and PTX of 8.0;
      # kernels/CMakeLists.txt adds PTX of 7.5. The driver compiles PTX for later chips.
      set(APOD_PTX_75 "")
      if(EXISTS /dev/nvidiactl)
        set(CMAKE_CUDA_ARCHITECTURES native)
      else()
        set(CMAKE_CUDA_ARCHITECTURES 80)
        set(APOD_PTX_75 --generate-code=arch=compute_75,code=[compute_75])
      endif()
    endif()
    include(CudaLanguage)
    if(CMAKE_CUDA_ARCHITECTURES STREQUAL native AND CMAKE_CUDA_ARCHITECTURES_NATIVE MATCHES "^[0-9]+-real$")
      # "90-real" is machine code alone; "90" keeps the PTX that it is made from.
      string(REPLACE -real "" CMAKE_CUDA_ARCHITECTURES ${CMAKE_CUDA_ARCHITECTURES_NATIVE})
    endif()
    find_package(CUDAToolkit REQUIRED)
    set(APOD_HAVE_CUDA ON)
    # Two checkouts of the same sources make the same host code, whatever a kernel's size.
    set(shorter_names -fmacro-prefix-map=${CMAKE_SOURCE_DIR}/=)
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:${shorter_names}> $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${shorter_names}>)
    # nvcc puts a number into the names of what has no external linkage, by default that of its process.
    execute_process(COMMAND ${CMAKE_CUDA_COMPILER} --help OUTPUT_VARIABLE nvcc_help)
    string(FIND "${nvcc_help}" "--frandom-seed" APOD_CUDA_SEED)  # -1: none
    include(CheckLinkerFlag)
    set(gpu_code_last LINKER:-T,${CMAKE_CURRENT_LIST_DIR}/gpu_code_last.ld)
    check_linker_flag(CXX ${gpu_code_last} APOD_GPU_CODE_LAST)
    if(APOD_GPU_CODE_LAST)
      add_link_options(${gpu_code_last})
    endif()
  endif()
endif()
