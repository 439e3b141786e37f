# CUDA as C++20, with the runtime linked statically. Also a part of the installed package.
enable_language(CUDA)
# CMake 3.25 (Debian 12) does not know that nvcc has had C++20 since CUDA 12.0.
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION AND CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 12.0)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
endif()
# Who has chosen already knows why.
foreach(default CMAKE_CUDA_STANDARD=20 CMAKE_CUDA_STANDARD_REQUIRED=ON CMAKE_CUDA_RUNTIME_LIBRARY=Static)
  string(REPLACE "=" ";" pair ${default})
  list(GET pair 0 name)
  if(NOT DEFINED ${name})
    list(GET pair 1 ${name})
  endif()
endforeach()
