# zl_embed(TARGET NAME FILE...): compiles the files' bytes into TARGET as
#   extern "C++" std::span<const zl::EmbeddedFile> NAME();
# declared in base/embedded.h. The binary then needs no data folder beside it.
function(zl_embed target name)
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/embedded/${name}.cc)
  add_custom_command(
    OUTPUT ${generated}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${generated} -DNAME=${name} "-DFILES=${ARGN}"
            -P ${PROJECT_SOURCE_DIR}/cmake/embed_script.cmake
    DEPENDS ${ARGN} ${PROJECT_SOURCE_DIR}/cmake/embed_script.cmake
    VERBATIM)
  target_sources(${target} PRIVATE ${generated})
endfunction()

# zl_embed_binary(TARGET NAME STEM LIBRARY): compiles the built shared library into TARGET as
#   zl::EmbeddedFile NAME();
# without its symbols for debuggers, named STEM-<hash of its content>.so.
function(zl_embed_binary target name stem library)
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/embedded/${name}.cc)
  add_custom_command(
    OUTPUT ${generated}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${generated} -DNAME=${name} -DSTEM=${stem}
            -DFILE=$<TARGET_FILE:${library}> -DOBJCOPY=${CMAKE_OBJCOPY}
            -P ${PROJECT_SOURCE_DIR}/cmake/embed_binary_script.cmake
    DEPENDS ${library} ${PROJECT_SOURCE_DIR}/cmake/embed_binary_script.cmake
    VERBATIM)
  target_sources(${target} PRIVATE ${generated})
endfunction()
