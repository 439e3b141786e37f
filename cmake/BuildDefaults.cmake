# C++20 everywhere, warnings as a matter of course, Release unless told otherwise.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

# Shared libraries that travel beside the binary are found there. Every binary is built with the path that it is
# installed with: CMake would pad another one with ':', and the loader takes an empty entry for the current
# directory.
set(CMAKE_INSTALL_RPATH "$ORIGIN;$ORIGIN/../lib")
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)

# Files from strangers are read: tests/scripts/binaries_test.py checks that every binary has these.
include(CheckPIESupported)
check_pie_supported(LANGUAGES CXX)
add_link_options(LINKER:-z,relro,-z,now)
add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fstack-protector-strong>)
# This one needs an optimising compiler, and the sanitizers see more without it.
if(NOT APOD_SANITIZE)
  add_compile_options("$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release,RelWithDebInfo,MinSizeRel>>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>")
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
  if(NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
    # Without this ccache keeps nothing that is compiled with precompiled headers.
    set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE_PROGRAM})
  endif()
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

# apod_precompile(GROUP TARGET HEADERS...): the headers are compiled once for all targets of a group, which must
# be compiled with the same options. Not in a Debug build: there each file is seen to include what it uses, and
# ccache finds more.
function(apod_precompile group target)
  if(CMAKE_BUILD_TYPE STREQUAL "Debug")
    return()
  endif()
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess>)  # for ccache
  get_property(owner GLOBAL PROPERTY APOD_PRECOMPILED_${group})
  if(owner)
    target_precompile_headers(${target} REUSE_FROM ${owner})
  else()
    target_precompile_headers(${target} PRIVATE ${ARGN})
    set_property(GLOBAL PROPERTY APOD_PRECOMPILED_${group} ${target})
  endif()
endfunction()
set(APOD_STD_HEADERS <algorithm> <array> <chrono> <cmath> <cstdint> <filesystem> <fstream> <functional> <iostream>
  <map> <memory> <optional> <set> <sstream> <stdexcept> <string> <string_view> <utility> <variant> <vector>)

# One interface target carries what every target of ours needs; another project gets all but the warnings.
add_library(apod_warnings INTERFACE)
target_compile_options(apod_warnings INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wconversion -Wno-sign-conversion -Wno-missing-field-initializers -Wshadow>
  # GCC 12 sees overlapping copies in std::string where there are none (GCC bug 105651).
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-Wno-missing-field-initializers -Wno-deprecated-gpu-targets>)
add_library(apod_options INTERFACE)
target_link_libraries(apod_options INTERFACE $<BUILD_INTERFACE:apod_warnings>)
target_include_directories(apod_options INTERFACE $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}>)
target_compile_features(apod_options INTERFACE cxx_std_20)
target_compile_options(apod_options INTERFACE
  $<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr --extended-lambda>
  # Another project whose build has no type would measure code that is not optimised.
  $<$<AND:$<CONFIG:>,$<COMPILE_LANGUAGE:CXX>>:-O3>)
# Without what takes a third of the compiler's time: the other sanitizer sees most uses of a null pointer too, and what
# casts raw memory are chiefly kernels, which ask for both again.
set(APOD_SANITIZERS -fsanitize=address,undefined,float-cast-overflow -fno-sanitize=null,alignment -fno-omit-frame-pointer
  -fno-sanitize-recover=undefined,float-cast-overflow)
set(APOD_SANITIZED_DEFINITIONS FMT_CONSTEVAL=)  # every other build checks format strings
if(APOD_SANITIZE)
  target_compile_options(apod_options INTERFACE ${APOD_SANITIZERS})
  target_link_options(apod_options INTERFACE -fsanitize=address,undefined)
  target_compile_definitions(apod_options INTERFACE ${APOD_SANITIZED_DEFINITIONS})
endif()
if(APOD_FUZZ)
  target_compile_options(apod_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

# apod_add_library(NAME DEPS...): a static library of the sources in the current folder.
function(apod_add_library name)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  add_library(${name} STATIC ${sources})
  target_link_libraries(${name} PUBLIC apod_options ${ARGN})
  set_property(GLOBAL APPEND PROPERTY APOD_LIBRARIES ${name})  # to be installed
endfunction()
