# What `cmake --install` puts into its prefix: bench with its configs, its manual page and what shells
# need to complete its flags; and the package apodbench, with which another project builds a bench of its own
# (docs/install.md). Nothing in it names a place of this machine, so the prefix may be moved.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS bench COMPONENT bench)
if(TARGET apod_inspect_library)
  # bench looks for it here, relative to itself.
  install(TARGETS apod_inspect_library LIBRARY DESTINATION libexec/apodbench COMPONENT bench)
endif()
install(DIRECTORY configs/ DESTINATION ${CMAKE_INSTALL_DATADIR}/apodbench/configs COMPONENT bench
  FILES_MATCHING PATTERN *.yaml PATTERN *.cu)

# bench writes these itself.
set(shell_help)
function(apod_install_printed arguments folder name)
  set(file ${CMAKE_CURRENT_BINARY_DIR}/shell_help/${name})
  add_custom_command(OUTPUT ${file}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_CURRENT_BINARY_DIR}/shell_help
    COMMAND bench ${arguments} > ${file} DEPENDS bench)
  list(APPEND shell_help ${file})
  set(shell_help ${shell_help} PARENT_SCOPE)
  install(FILES ${file} DESTINATION ${folder} COMPONENT bench OPTIONAL)  # not there where bench alone was built
endfunction()
apod_install_printed("man" ${CMAKE_INSTALL_MANDIR}/man1 bench.1)
apod_install_printed("completion;bash" ${CMAKE_INSTALL_DATADIR}/bash-completion/completions bench)
apod_install_printed("completion;zsh" ${CMAKE_INSTALL_DATADIR}/zsh/site-functions _bench)
apod_install_printed("schema" ${CMAKE_INSTALL_DATADIR}/apodbench experiment.schema.json)
apod_install_printed("completion;fish" ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d bench.fish)
add_custom_target(shell_help ALL DEPENDS ${shell_help})

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
  list(APPEND objects apod_kernels_cuda apod_kernels_one_architecture)
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
