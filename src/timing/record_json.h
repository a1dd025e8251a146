#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "timing/record.h"

namespace zl::timing {

// One line of JSON (docs/timing-record.md). Of a normalised record (record_form.h) nothing is lost
// that a summary needs; of another one as little as normalising it would lose.
std::string to_json_line(Record const& record);
// Empty when the text is not a record, or claims what its samples cannot be.
std::optional<Record> parse_record(std::string_view text);
// Numbers survive to the last bit; what is not known is null.
std::string to_json_line(Summary const& summary);

}  // namespace zl::timing
