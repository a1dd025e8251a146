#include "backend/visibility.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fmt/format.h>

#include "base/text.h"

namespace zl::backend {

namespace {

using Variable = VisibilityVariable;

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

bool is_all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

// The index that the runtime reads from a token; empty when it reads none.
std::optional<long long> read_index(std::string_view token, Variable::Indices rule) {
  bool const may_have_plus = rule == Variable::Indices::leading_digits;
  if (may_have_plus && starts_with(token, "+")) token.remove_prefix(1);
  if (token.empty() || !is_digit(token.front())) return std::nullopt;
  if (rule == Variable::Indices::any_base) {
    std::string const text(token);
    char* end = nullptr;
    long long const value = std::strtoll(text.c_str(), &end, 0);
    if (end != text.c_str() + text.size()) return std::nullopt;
    return value;
  }
  if (rule == Variable::Indices::leading_digits) {
    auto const end = std::find_if_not(token.begin(), token.end(), is_digit);
    token = token.substr(0, static_cast<std::size_t>(end - token.begin()));
  }
  if (!is_all_digits(token)) return std::nullopt;
  if (rule == Variable::Indices::strict_decimal && token.size() > 1 && token.front() == '0') {
    return std::nullopt;
  }
  return parse_integer(token);
}

// The case of uuid_prefix was looked at by is_uuid_token.
bool uuid_matches(std::string const& uuid, std::string_view token, Variable::UuidMatch rule) {
  if (rule == Variable::UuidMatch::substring) return uuid.find(token) != std::string::npos;
  return starts_with(to_lower(uuid), to_lower(token));
}

bool is_uuid_token(Variable const& variable, std::string const& token) {
  if (!variable.accepts_uuid) return false;
  bool const any_case = variable.uuid_match == Variable::UuidMatch::prefix_any_case;
  if (any_case && token.size() <= variable.uuid_prefix.size()) return false;
  std::string const text = any_case ? to_lower(token) : token;
  return starts_with(text, any_case ? to_lower(variable.uuid_prefix) : variable.uuid_prefix);
}

// One visibility variable being applied to the devices that those before it left.
class Mask {
 public:
  Mask(Variable const& variable, std::string value, std::vector<Device> const& devices)
      : variable_(variable), value_(std::move(value)), devices_(devices) {}

  Result<std::vector<Device>> apply(std::vector<std::string>& notes) {
    if (value_.empty()) {
      if (variable_.empty == Variable::Empty::no_filter) return devices_;
      notes.push_back(fmt::format("{} is set and empty: no device is visible", variable_.name));
      return std::vector<Device>{};
    }
    for (std::string const& raw : tokens()) {
      auto const goes_on = take(raw);
      if (!goes_on) return tl::unexpected(goes_on.error());
      if (!*goes_on) break;
    }
    if (!why_.empty()) notes.push_back(fmt::format("{}: {}", shown(), why_));
    return taken();
  }

  bool used_index() const { return used_index_; }

  std::string shown() const { return fmt::format("{}={}", variable_.name, printable(value_)); }

 private:
  std::vector<std::string> tokens() {
    if (variable_.indices != Variable::Indices::until_stray) return split(value_, ',');
    std::size_t const stray = value_.find_first_not_of("0123456789,");
    if (stray != std::string::npos) {
      why_ = fmt::format("the list ends before '{}'", printable(value_.substr(stray, 1)));
    }
    return split(std::string_view(value_).substr(0, stray), ',');
  }

  // False: the list ends at this token.
  Result<bool> take(std::string const& raw) {
    bool const trims_uuid = variable_.blanks == Variable::Blanks::trimmed;
    bool const trims_index = variable_.blanks != Variable::Blanks::invalid;
    std::string const token = trims_uuid ? trim(raw) : raw;
    std::string const& instance = variable_.instance_prefix;
    if (!instance.empty() && starts_with(token, instance)) {
      return fail(
          ErrorKind::environment,
          fmt::format("{} names a part of a device ('{}...'), which cannot be selected yet; "
                      "name whole devices or unset it",
                      shown(), instance));
    }
    auto const index = read_index(trims_index ? trim(raw) : raw, variable_.indices);
    bool const is_uuid = !index && !token.empty() && is_uuid_token(variable_, token);
    if (!index && !is_uuid) return end_at(token, "not a device");
    if (!variable_.mixes_kinds && !order_.empty() && used_index_ != index.has_value()) {
      return end_at(token, "a list holds either indices or UUIDs");
    }
    if (index) {
      used_index_ = true;
      if (*index < static_cast<long long>(devices_.size())) {
        return add(static_cast<std::size_t>(*index), token);
      }
      return end_at(token, "no such device");
    }
    return take_uuid(token);
  }

  Result<bool> take_uuid(std::string const& token) {
    std::vector<std::size_t> matches;
    bool is_known = true;
    for (std::size_t i = 0; i < devices_.size(); ++i) {
      is_known = is_known && devices_[i].uuid.has_value();
      if (devices_[i].uuid && uuid_matches(*devices_[i].uuid, token, variable_.uuid_match)) {
        matches.push_back(i);
      }
    }
    bool const takes_first = variable_.uuid_match == Variable::UuidMatch::substring;
    if (matches.size() == 1 || (takes_first && !matches.empty())) return add(matches[0], token);
    if (matches.empty() && !is_known) {
      return fail(
          ErrorKind::environment,
          fmt::format("{} names a device by UUID, and the UUIDs of the devices here are not "
                      "known; name it by index, or make the vendor's management library "
                      "available",
                      shown()));
    }
    return end_at(token, matches.empty() ? "no such device" : "several devices begin so");
  }

  bool add(std::size_t position, std::string const& token) {
    if (variable_.must_increase && !order_.empty() && position <= order_.back()) {
      return leave_none(token, "the indices must increase");
    }
    if (std::find(order_.begin(), order_.end(), position) != order_.end()) {
      if (variable_.duplicates == Variable::Duplicates::skip) return true;
      if (variable_.duplicates == Variable::Duplicates::cut) return end_at(token, "named twice");
      return leave_none(token, "named twice");
    }
    order_.push_back(position);
    return true;
  }

  bool end_at(std::string const& token, std::string_view what) {
    why_ = fmt::format("the list ends at '{}' ({})", printable(token), what);
    return false;
  }

  bool leave_none(std::string const& token, std::string_view what) {
    order_.clear();
    why_ = fmt::format("no device is visible, because of '{}' ({})", printable(token), what);
    return false;
  }

  std::vector<Device> taken() const {
    std::vector<Device> result;
    for (std::size_t const position : order_) result.push_back(devices_[position]);
    return result;
  }

  Variable const& variable_;
  std::string value_;
  std::vector<Device> const& devices_;
  std::vector<std::size_t> order_;
  std::string why_;
  bool used_index_ = false;
};

bool counts(Variable const& variable, Environment const& caller) {
  if (!variable.fallback_only_if) return true;
  return lookup(caller, *variable.fallback_only_if).value_or("").empty();
}

bool has_different_models(std::vector<Device> const& devices) {
  return std::any_of(devices.begin(), devices.end(), [&](Device const& device) {
    return device.name && devices.front().name && *device.name != *devices.front().name;
  });
}

// With one model all orders agree. With several, only the fixed order is the one we know.
Result<void> check_order(Descriptor const& descriptor, Variable const& variable, Mask const& mask,
                         std::vector<Device> const& devices, Environment const& caller) {
  if (!variable.index_order || !mask.used_index() || !has_different_models(devices)) return {};
  for (FixedVariable const& fixed : descriptor.fixed_variables) {
    if (fixed.name != *variable.index_order || lookup(caller, fixed.name) == fixed.value) continue;
    return fail(ErrorKind::usage,
                fmt::format("{}: with devices of several models its indices are only known when "
                            "{}={}; export that, or name UUIDs",
                            mask.shown(), fixed.name, fixed.value));
  }
  return {};
}

std::string list_of(std::vector<Device> const& devices) {
  constexpr std::size_t kShown = 16;
  std::vector<std::string> texts;
  for (Device const& device : devices) {
    if (texts.size() == kShown) {
      texts.push_back(fmt::format("... ({} in all)", devices.size()));
      break;
    }
    texts.push_back(device.uuid ? fmt::format("{} ({})", device.index, *device.uuid)
                                : fmt::format("{}", device.index));
  }
  return join(texts, ", ");
}

Result<Device> find_device(std::string const& token, std::vector<Device> const& visible) {
  std::vector<Device> matches;
  std::string const wanted = to_lower(token);
  auto const index = is_all_digits(token) ? parse_integer(token) : std::nullopt;
  for (Device const& device : visible) {
    bool const is_match = is_all_digits(token)
                              ? index == device.index
                              : device.uuid && starts_with(to_lower(*device.uuid), wanted);
    if (is_match) matches.push_back(device);
  }
  if (matches.size() == 1) return matches.front();
  return fail(
      ErrorKind::usage,
      fmt::format("--devices: '{}' {}; devices here: {}", printable(token),
                  matches.empty() ? "is not here" : "fits several devices", list_of(visible)));
}

}  // namespace

Result<VisibleDevices> visible_devices(Descriptor const& descriptor, std::vector<Device> const& all,
                                       Environment const& caller) {
  VisibleDevices result{all, {}};
  for (Variable const& variable : descriptor.visibility) {
    auto const value = lookup(caller, variable.name);
    if (!value || !counts(variable, caller)) continue;
    Mask mask(variable, *value, result.devices);
    auto left = mask.apply(result.notes);
    if (!left) return tl::unexpected(left.error());
    auto const checked = check_order(descriptor, variable, mask, result.devices, caller);
    if (!checked) return tl::unexpected(checked.error());
    if (left->size() != result.devices.size()) {
      result.notes.push_back(fmt::format("{} leaves {} of {} devices", mask.shown(), left->size(),
                                         result.devices.size()));
    }
    result.devices = std::move(*left);
  }
  return result;
}

Result<std::vector<Device>> select_devices(std::string_view spec,
                                           std::vector<Device> const& visible) {
  if (visible.empty()) return fail(ErrorKind::environment, "no device is visible here");
  if (to_lower(trim(spec)) == "all") return visible;
  std::vector<Device> result;
  for (std::string const& raw : split(spec, ',')) {
    std::string const token = trim(raw);
    if (token.empty()) {
      return fail(
          ErrorKind::usage,
          fmt::format("--devices '{}': an entry is empty; give all, indices or UUIDs of: {}",
                      printable(spec), list_of(visible)));
    }
    auto const device = find_device(token, visible);
    if (!device) return tl::unexpected(device.error());
    auto const same = [&](Device const& other) { return other.index == device->index; };
    if (std::any_of(result.begin(), result.end(), same)) {
      return fail(ErrorKind::usage, fmt::format("--devices '{}': device {} is named twice",
                                                printable(spec), device->index));
    }
    result.push_back(*device);
  }
  return result;
}

std::vector<VariableChange> pin(Descriptor const& descriptor, Device const& device,
                                Environment const& caller) {
  std::vector<VariableChange> changes;
  for (FixedVariable const& fixed : descriptor.fixed_variables) {
    changes.push_back({fixed.name, fixed.value, fixed.reason});
  }
  if (descriptor.visibility.empty()) return changes;
  Variable const& variable = descriptor.visibility.front();
  bool const by_uuid =
      variable.accepts_uuid && device.uuid && is_uuid_token(variable, *device.uuid);
  changes.push_back({variable.name, by_uuid ? *device.uuid : std::to_string(device.index),
                     fmt::format("pins device {}{}", device.index, by_uuid ? " by its UUID" : "")});
  for (Variable const& other : descriptor.visibility) {
    if (other.name == variable.name || !lookup(caller, other.name)) continue;
    changes.push_back({other.name, std::nullopt,
                       fmt::format("would filter once more what {} leaves", variable.name)});
  }
  return changes;
}

}  // namespace zl::backend
