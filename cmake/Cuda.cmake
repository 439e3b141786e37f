# Finds nvcc. Without it the same project builds the host backend alone, and says so.
set(APOD_HAVE_CUDA OFF)
if(APOD_CUDA)
  include(CudaCompiler)
  if(CMAKE_CUDA_COMPILER)
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
      # This machine's own GPU. Where there is none, machine code for compute capability 8.x, and PTX of 8.0 and
      # of 7.5 that the driver compiles for later and for older chips: the tensor-core kernels work from 8.0 on.
      if(EXISTS /dev/nvidiactl)
        set(CMAKE_CUDA_ARCHITECTURES native CACHE STRING "")
      else()
        set(CMAKE_CUDA_ARCHITECTURES "75-virtual;80" CACHE STRING "")
      endif()
    endif()
    include(CudaLanguage)
    find_package(CUDAToolkit REQUIRED)
    set(APOD_HAVE_CUDA ON)
  endif()
endif()
