// report/: what people and programs read of a batch: tables, and the live progress. Knows events
// and records only.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace zl::report {

enum class Format { table, json, csv, md };
Result<Format> parse_format(std::string const& text);

// Rows of text under headers. Numbers go to the right: a column is one of numbers if `is_number`
// says so.
struct Table {
  struct Column {
    std::string header;
    bool is_number = false;
  };
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;
};

// Columns as wide as their widest cell; no trailing blanks.
std::string to_text(Table const& table);
std::string to_markdown(Table const& table);
std::string to_csv(Table const& table);  // RFC 4180

// 3 significant digits with a unit: "1.23 us", "456 ns", "7.89 ms".
std::string time_text(double ns);

}  // namespace zl::report
