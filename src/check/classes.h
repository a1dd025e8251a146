#pragma once

#include <span>
#include <string_view>

namespace zl::check {

// A kind of cause. The order is the order of precedence: an explanation of an earlier class is
// taken before one of a later class.
struct Class {
  int rank;
  std::string_view word;
  std::string_view title;
  bool is_of_the_operator;  // else it would hit other operators too
};

std::span<Class const> classes();
Class const* find_class(std::string_view word);

}  // namespace zl::check
