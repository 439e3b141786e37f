# Finds nvcc. Without it the same project builds the host backend alone, and says so.
set(APOD_HAVE_CUDA OFF)
if(APOD_CUDA)
  include(CudaCompiler)
  if(CMAKE_CUDA_COMPILER)
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
      # This machine's own GPU; where there is none, machine code for the common data-centre chips
      # and PTX that the driver compiles for every other one from Turing on.
      if(EXISTS /dev/nvidiactl)
        set(CMAKE_CUDA_ARCHITECTURES native CACHE STRING "")
      else()
        set(CMAKE_CUDA_ARCHITECTURES "75-virtual;80-real;90-real" CACHE STRING "")
      endif()
    endif()
    include(CudaLanguage)
    find_package(CUDAToolkit REQUIRED)
    set(APOD_HAVE_CUDA ON)
  endif()
endif()
