#include "backend/yaml_tree.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <sstream>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include "base/text.h"

namespace zl::backend {

namespace {

// Thrown through yaml-cpp's parser and caught in read_yaml.
struct Refused {
  int line;
  std::string what;
};

int line_of(YAML::Mark const& mark) {
  return mark.line + 1;
}

class TreeBuilder : public YAML::EventHandler {
 public:
  YamlNode root;

  void OnDocumentStart(YAML::Mark const&) override {}
  void OnDocumentEnd() override {}

  void OnNull(YAML::Mark const& mark, YAML::anchor_t anchor) override {
    refuse_anchor(mark, anchor);
    add(mark, YamlNode::Kind::null, "");
  }
  void OnAlias(YAML::Mark const& mark, YAML::anchor_t) override {
    throw Refused{line_of(mark), "YAML aliases (*name) are not allowed; write the value out"};
  }
  void OnScalar(YAML::Mark const& mark, std::string const&, YAML::anchor_t anchor,
                std::string const& value) override {
    refuse_anchor(mark, anchor);
    add(mark, YamlNode::Kind::scalar, value);
  }
  void OnSequenceStart(YAML::Mark const& mark, std::string const&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    refuse_anchor(mark, anchor);
    open(mark, YamlNode::Kind::sequence);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(YAML::Mark const& mark, std::string const&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    refuse_anchor(mark, anchor);
    open(mark, YamlNode::Kind::map);
  }
  void OnMapEnd() override { close(); }

 private:
  static constexpr std::size_t kMaxDepth = 16;

  struct Open {
    YamlNode node;
    std::optional<YamlNode> key;  // of a map, between a key and its value
  };

  static void refuse_anchor(YAML::Mark const& mark, YAML::anchor_t anchor) {
    if (anchor != 0) throw Refused{line_of(mark), "YAML anchors (&name) are not allowed"};
  }

  void open(YAML::Mark const& mark, YamlNode::Kind kind) {
    if (open_.size() >= kMaxDepth) throw Refused{line_of(mark), "nested too deeply"};
    bool const is_key = !open_.empty() && open_.back().node.kind == YamlNode::Kind::map &&
                        !open_.back().key.has_value();
    if (is_key) throw Refused{line_of(mark), "a key must be a plain word"};
    open_.push_back({});
    open_.back().node.kind = kind;
    open_.back().node.line = line_of(mark);
  }

  void close() {
    YamlNode node = std::move(open_.back().node);
    open_.pop_back();
    attach(std::move(node));
  }

  void add(YAML::Mark const& mark, YamlNode::Kind kind, std::string text) {
    YamlNode node;
    node.kind = kind;
    node.line = line_of(mark);
    node.text = std::move(text);
    attach(std::move(node));
  }

  void attach(YamlNode node) {
    if (open_.empty()) {
      root = std::move(node);
      return;
    }
    Open& parent = open_.back();
    if (parent.node.kind == YamlNode::Kind::map && !parent.key) {
      take_key(parent, node);
      return;
    }
    if (parent.key) {
      node.key = parent.key->text;
      node.line = parent.key->line;
    }
    parent.key.reset();
    parent.node.items.push_back(std::move(node));
  }

  static void take_key(Open& map, YamlNode const& key) {
    if (key.kind != YamlNode::Kind::scalar) throw Refused{key.line, "a key must be a plain word"};
    auto const same = [&](YamlNode const& item) { return item.key == key.text; };
    auto const first = std::find_if(map.node.items.begin(), map.node.items.end(), same);
    if (first != map.node.items.end()) {
      throw Refused{key.line, fmt::format("field '{}': given twice, first in line {}",
                                          printable(key.text), first->line)};
    }
    map.key = key;
  }

  std::vector<Open> open_;
};

}  // namespace

std::string_view describe(YamlNode::Kind kind) {
  switch (kind) {
    case YamlNode::Kind::null:
      return "nothing";
    case YamlNode::Kind::scalar:
      return "a single value";
    case YamlNode::Kind::sequence:
      return "a list";
    case YamlNode::Kind::map:
      return "a group of fields";
  }
  return "nothing";
}

Result<YamlNode> read_yaml(std::string_view text, std::string const& origin) {
  TreeBuilder builder;
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    parser.HandleNextDocument(builder);
    TreeBuilder second;
    if (parser.HandleNextDocument(second)) {
      return fail(ErrorKind::usage, fmt::format("{}:{}: a second YAML document; one is allowed",
                                                origin, std::max(second.root.line, 1)));
    }
  } catch (Refused const& refused) {
    return fail(ErrorKind::usage, fmt::format("{}:{}: {}", origin, refused.line, refused.what));
  } catch (YAML::Exception const& error) {
    return fail(ErrorKind::usage,
                fmt::format("{}:{}: not valid YAML: {}", origin, line_of(error.mark), error.msg));
  }
  return builder.root;
}

}  // namespace zl::backend
