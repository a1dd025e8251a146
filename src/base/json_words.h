// A list of words in JSON. Include in .cc files only, as base/json.h.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"

namespace zl {

// The texts of a list; what is no text in it is left out. Empty when there is no such list.
inline std::vector<std::string> words_field(Json const& object, char const* name) {
  Json const* const list = find_field(object, name);
  std::vector<std::string> words;
  if (list == nullptr || !list->is_array()) return words;
  for (Json const& word : *list) {
    if (word.is_string()) words.push_back(word.get<std::string>());
  }
  return words;
}

}  // namespace zl
