# Run at build time: writes build_info.cpp, and touches it only when something in it changed.
set(APOD_COMMIT "")
find_program(GIT git)
if(GIT)
  # A checkout that is mounted into a container belongs to someone else; reading it is harmless.
  execute_process(COMMAND ${GIT} -c safe.directory=* -C ${SOURCE_DIR} describe --always --dirty --abbrev=12 --exclude=*
    OUTPUT_VARIABLE APOD_COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
configure_file(${TEMPLATE} ${OUTPUT} @ONLY)
