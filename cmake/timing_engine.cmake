# The timing engine as one shared library for other languages (src/timing/engine_c.h): it needs
# nothing beside libc and exports its C functions only.
add_library(zl_timing_engine SHARED ${PROJECT_SOURCE_DIR}/src/timing/engine_c.cc)
set(exports ${PROJECT_SOURCE_DIR}/src/timing/engine.map)
set_target_properties(zl_timing_engine PROPERTIES OUTPUT_NAME zl_timing LINK_DEPENDS ${exports}
                                                  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/zlbench)
target_link_libraries(zl_timing_engine PRIVATE zl_timing zl_warnings Threads::Threads)
target_link_options(zl_timing_engine PRIVATE -static-libgcc -static-libstdc++
                                             LINKER:--version-script=${exports})
install(TARGETS zl_timing_engine LIBRARY DESTINATION lib/zlbench)
zl_embed_binary(zl_run engine_library libzl_timing zl_timing_engine)
