# Debian 12's own packages, linked statically where they come as archives: the program must run on
# vendor machines with nothing beside libc.
find_package(Threads REQUIRED)
find_package(nlohmann_json REQUIRED)
find_path(ZL_FMT_INCLUDE fmt/format.h REQUIRED)
find_package(tl-expected REQUIRED)
find_path(ZL_CLI11_INCLUDE CLI/CLI.hpp REQUIRED)
find_path(ZL_XXHASH_INCLUDE xxhash.h REQUIRED)
find_path(ZL_YAML_INCLUDE yaml-cpp/yaml.h REQUIRED)
find_library(ZL_YAML_ARCHIVE libyaml-cpp.a REQUIRED)
find_path(ZL_RE2_INCLUDE re2/set.h REQUIRED)
find_library(ZL_RE2_ARCHIVE libre2.a REQUIRED)

add_library(zl_yaml INTERFACE)
target_include_directories(zl_yaml SYSTEM INTERFACE ${ZL_YAML_INCLUDE})
target_link_libraries(zl_yaml INTERFACE ${ZL_YAML_ARCHIVE})

# Matches in time linear in the text, whatever the pattern.
add_library(zl_re2 INTERFACE)
target_include_directories(zl_re2 SYSTEM INTERFACE ${ZL_RE2_INCLUDE})
target_link_libraries(zl_re2 INTERFACE ${ZL_RE2_ARCHIVE} Threads::Threads)

add_library(zl_cli11 INTERFACE)
target_include_directories(zl_cli11 SYSTEM INTERFACE ${ZL_CLI11_INCLUDE})

add_library(zl_fmt STATIC ${PROJECT_SOURCE_DIR}/cmake/fmt_archive.cc)
target_include_directories(zl_fmt SYSTEM PUBLIC ${ZL_FMT_INCLUDE})

add_library(zl_third_party INTERFACE)
target_link_libraries(zl_third_party INTERFACE nlohmann_json::nlohmann_json zl_fmt tl::expected
                                               ${CMAKE_DL_LIBS})
target_include_directories(zl_third_party SYSTEM INTERFACE ${ZL_XXHASH_INCLUDE})
