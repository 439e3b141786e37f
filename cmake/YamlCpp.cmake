# Installed by its own build, yaml-cpp 0.8 has only the longer name; 0.7 has only the shorter one. Also
# a part of the installed package.
find_package(yaml-cpp QUIET)
if(TARGET yaml-cpp::yaml-cpp AND NOT TARGET yaml-cpp)
  add_library(yaml-cpp ALIAS yaml-cpp::yaml-cpp)
endif()
