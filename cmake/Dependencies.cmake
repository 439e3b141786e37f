# Every third-party library: the system's where it has it, a pinned version from its home otherwise.
include(FetchContent)
set(FETCHCONTENT_QUIET OFF)

# What is fetched is built as a part of this project: static, no tests, tools or installation of its own, and
# no warnings that would count as ours (SYSTEM).
set(BUILD_SHARED_LIBS OFF)
set(apod_unity ${CMAKE_UNITY_BUILD})
set(CMAKE_UNITY_BUILD OFF)  # theirs may not be made for it
set(BENCHMARK_ENABLE_TESTING OFF CACHE BOOL "")
set(BENCHMARK_ENABLE_WERROR OFF CACHE BOOL "")
set(BENCHMARK_ENABLE_INSTALL OFF CACHE BOOL "")
set(BENCHMARK_INSTALL_DOCS OFF CACHE BOOL "")
set(YAML_CPP_BUILD_TOOLS OFF CACHE BOOL "")
set(YAML_CPP_FORMAT_SOURCE OFF CACHE BOOL "")
set(INSTALL_GTEST OFF CACHE BOOL "")
set(BUILD_GMOCK OFF CACHE BOOL "")
# yaml-cpp 0.8.0 asks for a CMake that CMake 4 no longer plays.
set(CMAKE_POLICY_VERSION_MINIMUM 3.10)

# apod_dependency(NAME TARGET REPOSITORY TAG): find_package, else FetchContent. An own copy of the sources
# is taken with -DFETCHCONTENT_SOURCE_DIR_<NAME>=..., which needs no network.
macro(apod_dependency name target repository tag)
  find_package(${name} QUIET)
  if(NOT TARGET ${target})
    message(STATUS "${name}: not installed, fetching ${tag} of ${repository}")
    FetchContent_Declare(${name} GIT_REPOSITORY ${repository} GIT_TAG ${tag} GIT_SHALLOW ON SYSTEM)
    FetchContent_MakeAvailable(${name})
    list(APPEND APOD_FETCHED ${name})
  endif()
endmacro()

find_package(Threads REQUIRED)
apod_dependency(fmt fmt::fmt https://github.com/fmtlib/fmt.git 9.1.0)
apod_dependency(nlohmann_json nlohmann_json::nlohmann_json https://github.com/nlohmann/json.git v3.11.2)
apod_dependency(CLI11 CLI11::CLI11 https://github.com/CLIUtils/CLI11.git v2.4.1)
apod_dependency(benchmark benchmark::benchmark https://github.com/google/benchmark.git v1.8.3)
include(YamlCpp)
apod_dependency(yaml-cpp yaml-cpp https://github.com/jbeder/yaml-cpp.git 0.8.0)
if(APOD_TESTS)
  apod_dependency(GTest GTest::gtest https://github.com/google/googletest.git v1.14.0)
endif()

# Boost.Math is header-only: a folder that has its headers is enough (a system Boost of 1.74 or later has all that is used).
find_path(Boost_INCLUDE_DIR boost/math/distributions/students_t.hpp)
add_library(apod_boost_math INTERFACE)
if(Boost_INCLUDE_DIR)
  target_include_directories(apod_boost_math SYSTEM INTERFACE ${Boost_INCLUDE_DIR})
else()
  message(STATUS "Boost: not installed, fetching boost-1.83.0 of Boost.Math (standalone)")
  # Only the headers are used: a folder without a CMakeLists.txt keeps its own build out.
  FetchContent_Declare(boost_math GIT_REPOSITORY https://github.com/boostorg/math.git
    GIT_TAG boost-1.83.0 GIT_SHALLOW ON SOURCE_SUBDIR include)
  FetchContent_MakeAvailable(boost_math)
  target_include_directories(apod_boost_math SYSTEM INTERFACE ${boost_math_SOURCE_DIR}/include)
  target_compile_definitions(apod_boost_math INTERFACE BOOST_MATH_STANDALONE)
endif()

# NVTX is header-only. It comes with the CUDA Toolkit; a build without it has no annotations, and
# says so.
add_library(apod_nvtx INTERFACE)
set(APOD_HAVE_NVTX OFF)
if(APOD_NVTX)
  find_path(APOD_NVTX_INCLUDE nvtx3/nvToolsExt.h HINTS ${CUDAToolkit_INCLUDE_DIRS} /usr/local/cuda/include)
endif()
if(APOD_NVTX AND APOD_NVTX_INCLUDE)
  set(APOD_HAVE_NVTX ON)
  target_include_directories(apod_nvtx SYSTEM INTERFACE ${APOD_NVTX_INCLUDE})
  target_link_libraries(apod_nvtx INTERFACE ${CMAKE_DL_LIBS})
endif()

# SQLite has no build of its own for CMake that could be fetched.
find_package(SQLite3 3.31 QUIET)
if(TARGET SQLite::SQLite3 AND NOT TARGET SQLite3::SQLite3)  # its name before CMake 4.3
  add_library(SQLite3::SQLite3 ALIAS SQLite::SQLite3)
endif()
if(NOT TARGET SQLite3::SQLite3)
  message(FATAL_ERROR "SQLite 3.31 or later is not installed: apt install libsqlite3-dev, or give "
    "-DSQLite3_INCLUDE_DIR=<folder of sqlite3.h> -DSQLite3_LIBRARY=<libsqlite3.so or .a>")
endif()

# The package that is installed (cmake/Package.cmake) names libraries by their own packages. What was
# fetched has none; of header-only libraries it needs none.
set(APOD_FETCHED_LINKED ${APOD_FETCHED})
list(FILTER APOD_FETCHED_LINKED INCLUDE REGEX "^(fmt|benchmark|yaml-cpp)$")
if(APOD_FETCHED_LINKED)
  set(APOD_PACKAGE OFF)
else()
  set(APOD_PACKAGE ON)
endif()
set(CMAKE_UNITY_BUILD ${apod_unity})
