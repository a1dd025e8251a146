# Run by zl_embed at build time: writes one C++ source with the files' bytes.
set(table "")
set(arrays "")
set(index 0)
foreach(path IN LISTS FILES)
  file(READ "${path}" hex HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
  get_filename_component(name "${path}" NAME)
  string(APPEND arrays "const unsigned char data_${index}[] = {${bytes}0};\n")
  string(APPEND table
         "    {\"${name}\", {reinterpret_cast<const char*>(data_${index}), sizeof(data_${index}) - 1}},\n")
  math(EXPR index "${index} + 1")
endforeach()
file(WRITE "${OUTPUT}"
"#include \"base/embedded.h\"\nnamespace {\n${arrays}const zl::EmbeddedFile kFiles[] = {\n${table}};\n}\nnamespace zl::embedded {\nstd::span<const EmbeddedFile> ${NAME}() { return kFiles; }\n}\n")
