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
