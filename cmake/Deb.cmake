# `cpack` in the build folder: a Debian package of bench, its configs, manual page and completions. The package
# for other projects (Package.cmake) is no part of it.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME apod-bench)
set(CPACK_PACKAGE_CONTACT "APOD Bench <apod-bench@localhost>")
set(CPACK_PACKAGE_VENDOR "APOD Bench")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)  # by dpkg-shlibdeps, of dpkg-dev
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL bench)
set(CPACK_DEBIAN_BENCH_PACKAGE_NAME apod-bench)
include(CPack)
