# Run at build time: writes build_info.cpp, and touches it only when something in it changed.
set(APOD_COMMIT "")
find_program(GIT git)
if(GIT)
  # A checkout that is mounted into a container belongs to someone else; reading it is harmless.
  execute_process(COMMAND ${GIT} -c safe.directory=* -C ${SOURCE_DIR} describe --always --dirty --abbrev=12 --exclude=*
    OUTPUT_VARIABLE APOD_COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  # A kernel of one's own is a new file, which is built but no change to git.
  execute_process(COMMAND ${GIT} -c safe.directory=* -C ${SOURCE_DIR} ls-files --others --exclude-standard benchmarks kernels
    OUTPUT_VARIABLE new_files OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(APOD_COMMIT AND new_files AND NOT APOD_COMMIT MATCHES "-dirty$")
    string(APPEND APOD_COMMIT "-dirty")
  endif()
endif()
configure_file(${TEMPLATE} ${OUTPUT} @ONLY)
