#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "timing/record.h"

namespace zl::timing {

// One line of JSON; numbers survive to the last bit.
std::string to_json_line(Record const& record);
// Empty when the text is not a record.
std::optional<Record> parse_record(std::string_view text);
std::string to_json_line(Summary const& summary);

}  // namespace zl::timing
