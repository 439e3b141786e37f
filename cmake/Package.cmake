# What `cmake --install` puts into its prefix: bench with its configs, and the package apodbench, with
# which another project builds a bench of its own (docs/install.md). Nothing in it names a place of this
# machine, so the prefix may be moved.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS bench)
install(DIRECTORY configs/ DESTINATION ${CMAKE_INSTALL_DATADIR}/apodbench/configs FILES_MATCHING PATTERN *.yaml)

if(NOT APOD_PACKAGE)
  set(why "apod-bench: no package for other projects is installed, because ${APOD_FETCHED_LINKED} was fetched \
and not found. Install it, and configure anew")
  message(STATUS "${why}")
  install(CODE "message(WARNING \"${why}\")")
  return()
endif()

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/apodbench)
get_property(libraries GLOBAL PROPERTY APOD_LIBRARIES)
set(objects apod_kernels_host apod_main)
if(APOD_HAVE_CUDA)
  list(APPEND objects apod_kernels_cuda)
endif()
set_target_properties(apod_bench_main PROPERTIES EXPORT_NAME bench_main)
install(TARGETS ${libraries} ${objects} apod_api apod_bench_main apod_kernels apod_options EXPORT apodbench
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}/apodbench
  OBJECTS DESTINATION ${CMAKE_INSTALL_LIBDIR}/apodbench
  FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/apodbench)
install(EXPORT apodbench FILE apodbenchTargets.cmake NAMESPACE apod:: DESTINATION ${package_folder})

configure_file(${CMAKE_CURRENT_LIST_DIR}/apodbenchConfig.cmake.in apodbenchConfig.cmake @ONLY)
# Before 1.0 a minor version may break what the one before could do.
write_basic_package_version_file(apodbenchConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/apodbenchConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/apodbenchConfigVersion.cmake
  ${CMAKE_CURRENT_LIST_DIR}/CudaCompiler.cmake ${CMAKE_CURRENT_LIST_DIR}/CudaLanguage.cmake
  ${CMAKE_CURRENT_LIST_DIR}/YamlCpp.cmake DESTINATION ${package_folder})
