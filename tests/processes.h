#pragma once

#include <chrono>
#include <fstream>
#include <string>
#include <sys/types.h>
#include <thread>

namespace zl {

// Does it still run? A zombie that nobody has reaped yet does not.
inline bool is_alive(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(file, text);
  std::size_t const end_of_name = text.rfind(')');
  return end_of_name != std::string::npos && text.at(end_of_name + 2) != 'Z';
}

// Waits for its end, at most some seconds; true when it ended.
inline bool ends_soon(pid_t pid) {
  for (int i = 0; i < 1000 && is_alive(pid); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return !is_alive(pid);
}

}  // namespace zl
