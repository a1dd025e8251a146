# Run by zl_embed_binary at build time: strips the file, names it by its content, and writes one C++
# source that takes the bytes in through the assembler.
execute_process(COMMAND ${OBJCOPY} --strip-all ${FILE} ${OUTPUT}.bin COMMAND_ERROR_IS_FATAL ANY)
file(SHA256 ${OUTPUT}.bin hash)
string(SUBSTRING ${hash} 0 16 hash)
file(WRITE "${OUTPUT}"
"#include \"base/embedded.h\"
asm(\".section .rodata\\n.balign 16\\nzl_${NAME}_begin:\\n.incbin \\\"${OUTPUT}.bin\\\"\\nzl_${NAME}_end:\\n.previous\");
extern \"C\" const char zl_${NAME}_begin[];
extern \"C\" const char zl_${NAME}_end[];
namespace zl::embedded {
EmbeddedFile ${NAME}() {
  return {\"${STEM}-${hash}.so\", {zl_${NAME}_begin, static_cast<std::size_t>(zl_${NAME}_end - zl_${NAME}_begin)}};
}
}
")
