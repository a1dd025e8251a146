# The operators that come with zlbench: plug-in libraries like anybody's, built with nothing of this
# project but include/zlbench/operator.h.
find_path(ZL_OPENBLAS_INCLUDE cblas.h PATH_SUFFIXES openblas-pthread openblas)
find_library(ZL_OPENBLAS_ARCHIVE libopenblas.a PATH_SUFFIXES openblas-pthread openblas)
if(NOT ZL_OPENBLAS_INCLUDE OR NOT ZL_OPENBLAS_ARCHIVE)
  message(FATAL_ERROR "OpenBLAS is missing (libopenblas.a, cblas.h): "
                      "apt-get install libopenblas-pthread-dev")
endif()
find_path(ZL_DNNL_INCLUDE dnnl.hpp)
find_library(ZL_DNNL_LIBRARY dnnl)
if(NOT ZL_DNNL_INCLUDE OR NOT ZL_DNNL_LIBRARY)
  message(FATAL_ERROR "oneDNN is missing (libdnnl.so, dnnl.hpp): apt-get install libdnnl-dev")
endif()
# The runtime that Debian's libdnnl is linked with, whatever compiler builds this.
find_library(ZL_GOMP_LIBRARY libgomp.so.1)
if(NOT ZL_GOMP_LIBRARY)
  message(FATAL_ERROR "GNU OpenMP is missing (libgomp.so.1): apt-get install libgomp1")
endif()

# zl_corpus(NAME): corpus/NAME/*.cc as the plug-in NAME.so.
function(zl_corpus name)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/corpus/${name}/*.cc)
  add_library(${name} MODULE ${sources})
  set_target_properties(${name} PROPERTIES
    PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/zlbench/operators)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/corpus
                                             ${PROJECT_SOURCE_DIR}/include)
  target_compile_definitions(${name} PRIVATE CORPUS_VERSION="${PROJECT_VERSION}")
  # The baselines are plain loops at -O2 whatever the build type is; it comes after the type's own.
  target_compile_options(${name} PRIVATE -O2)
  target_link_libraries(${name} PRIVATE zl_warnings)
  # All else stays inside: two plug-ins may carry two versions of one library.
  set(exports ${PROJECT_SOURCE_DIR}/corpus/exports.map)
  # Never unloaded: OpenBLAS and OpenMP keep threads whose code must stay where it is.
  target_link_options(${name} PRIVATE -static-libgcc -static-libstdc++
                                      LINKER:--version-script=${exports} LINKER:-z,nodelete)
  set_target_properties(${name} PROPERTIES LINK_DEPENDS ${exports})
  install(TARGETS ${name} LIBRARY DESTINATION lib/zlbench/operators)
endfunction()

zl_corpus(cpu_blas)
target_include_directories(cpu_blas SYSTEM PRIVATE ${ZL_OPENBLAS_INCLUDE})
target_link_libraries(cpu_blas PRIVATE ${ZL_OPENBLAS_ARCHIVE} Threads::Threads m)

zl_corpus(cpu_dnn)
target_include_directories(cpu_dnn SYSTEM PRIVATE ${ZL_DNNL_INCLUDE})
target_link_libraries(cpu_dnn PRIVATE ${ZL_DNNL_LIBRARY} ${ZL_GOMP_LIBRARY})
