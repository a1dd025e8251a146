# Whole-program: every target of this project and the tests are built with the same sanitizers.
if(ZL_SANITIZE)
  add_compile_options(-fsanitize=${ZL_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${ZL_SANITIZE})
endif()
