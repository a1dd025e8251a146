#include "backend/descriptor.h"

#include <gmock/gmock.h>

#include "backend/support.h"

namespace zl::backend {
namespace {

using ::testing::ElementsAre;
using ::testing::StartsWith;

TEST(Descriptor, ReadsEveryField) {
  Descriptor const read = parsed(R"(
name: x1
aliases: [ex, x-one]
vendor_name: maker
verified: yes
device_name: xpu
torch_module: torch_x
vendor_variables: [GEMS_VENDOR, GEMS_BACKEND]
override_variables: [{name: X_SDK, reason: wins}]
visibility:
  - {name: X_VISIBLE, empty: no_filter, accepts_uuid: yes, uuid_prefix: X-, uuid_match: substring,
     instance_prefix: I-, indices: any_base, blanks: invalid, duplicates: skip, mixes_kinds: no,
     must_increase: yes, index_order: X_ORDER}
  - {name: Y_VISIBLE, empty: none, accepts_uuid: no, fallback_only_if: X_VISIBLE}
fixed_variables: [{name: X_ORDER, value: PCI, reason: order}]
sources:
  - {kind: device_nodes, patterns: ["/dev/x{N}"]}
  - {kind: pci, pci_vendor_id: "0x12ab", pci_classes: ["0x12"]}
runtime: {family: fam, libraries: [libx.so.1]}
capabilities: {graph_capture: yes, cluster_launch: no}
quirks: [{text: odd, reason: because}]
module_roots: [_maker, _maker2]
)");
  EXPECT_EQ(read.name, "x1");
  EXPECT_THAT(read.aliases, ElementsAre("ex", "x-one"));
  EXPECT_EQ(read.vendor, "maker");
  EXPECT_TRUE(read.verified);
  EXPECT_EQ(read.torch_device, "xpu");
  EXPECT_EQ(read.torch_module, "torch_x");
  EXPECT_THAT(read.vendor_variables, ElementsAre("GEMS_VENDOR", "GEMS_BACKEND"));
  ASSERT_EQ(read.override_variables.size(), 1u);
  EXPECT_EQ(read.override_variables[0].reason, "wins");
  ASSERT_EQ(read.visibility.size(), 2u);
  VisibilityVariable const& x = read.visibility[0];
  EXPECT_EQ(x.empty, VisibilityVariable::Empty::no_filter);
  EXPECT_TRUE(x.accepts_uuid);
  EXPECT_EQ(x.uuid_prefix, "X-");
  EXPECT_EQ(x.uuid_match, VisibilityVariable::UuidMatch::substring);
  EXPECT_EQ(x.instance_prefix, "I-");
  EXPECT_EQ(x.indices, VisibilityVariable::Indices::any_base);
  EXPECT_EQ(x.blanks, VisibilityVariable::Blanks::invalid);
  EXPECT_EQ(x.duplicates, VisibilityVariable::Duplicates::skip);
  EXPECT_FALSE(x.mixes_kinds);
  EXPECT_TRUE(x.must_increase);
  EXPECT_EQ(x.index_order, "X_ORDER");
  EXPECT_EQ(read.visibility[1].fallback_only_if, "X_VISIBLE");
  EXPECT_TRUE(read.visibility[1].mixes_kinds);
  EXPECT_EQ(read.fixed_variables[0].value, "PCI");
  EXPECT_THAT(read.sources[0].patterns, ElementsAre("/dev/x{N}"));
  EXPECT_EQ(read.sources[1].pci_vendor_id, "0x12ab");
  EXPECT_EQ(read.runtime.family, "fam");
  EXPECT_TRUE(read.can("graph_capture"));
  EXPECT_FALSE(read.can("device_events")) << "a capability that is not named is off";
  EXPECT_EQ(read.quirks[0].reason, "because");
  EXPECT_THAT(read.module_roots, ElementsAre("_maker", "_maker2"));
  EXPECT_EQ(read.origin, "test.yaml");
}

TEST(Descriptor, ModuleRootsFollowTheVendor) {
  EXPECT_THAT(parsed(small_descriptor("a", "vendor_name: v\nvendor_variables: [V]\n")).module_roots,
              ElementsAre("_v"));
  EXPECT_TRUE(parsed(small_descriptor("a")).module_roots.empty());
}

struct Broken {
  char const* yaml;
  char const* error;  // the whole text, or its beginning when it ends with "..."
};

void PrintTo(Broken const& broken, std::ostream* out) {
  *out << broken.error;
}

class BrokenDescriptor : public testing::TestWithParam<Broken> {};

TEST_P(BrokenDescriptor, IsRefusedWithFileLineAndField) {
  auto const result = parse_descriptor(GetParam().yaml, "b.yaml");
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().kind, ErrorKind::usage);
  std::string expected = GetParam().error;
  if (expected.size() > 3 && expected.substr(expected.size() - 3) == "...") {
    expected.resize(expected.size() - 3);
    EXPECT_THAT(result.error().text, StartsWith(expected));
  } else {
    EXPECT_EQ(result.error().text, expected);
  }
}

#define REST "\nsources: [{kind: host}]\nruntime: {family: f}\ncapabilities: {}\n"
#define HEAD "name: a\nverified: no\ndevice_name: a"

INSTANTIATE_TEST_SUITE_P(
    Cases, BrokenDescriptor,
    testing::Values(
        Broken{"", "b.yaml:0: field '(file)': is nothing; needs a group of fields: name, ..."},
        Broken{"- a\n", "b.yaml:1: field '(file)': is a list; needs a group of fields: name, ..."},
        Broken{"name: [a", "b.yaml:1: not valid YAML: ..."},
        Broken{"name: a\n\tverified: no\n", "b.yaml:2: not valid YAML: ..."},
        Broken{"verified: no\ndevice_name: a" REST,
               "b.yaml:1: field 'name': missing; needs a text"},
        Broken{"name: a\ndevice_name: a" REST,
               "b.yaml:1: field 'verified': missing; needs yes or no"},
        Broken{HEAD "\nalias: [x]" REST,
               "b.yaml:4: field 'alias': unknown field; allowed here: ..."},
        Broken{"name: a\nverified: no\nname: b\n",
               "b.yaml:3: field 'name': given twice, first in line 1"},
        Broken{"name: A B\nverified: no\ndevice_name: a" REST,
               "b.yaml:1: field 'name': 'A B' is no backend name; allowed: lower-case letters, "
               "digits, _ and -"},
        Broken{"name:\nverified: no\ndevice_name: a" REST,
               "b.yaml:1: field 'name': is nothing; needs a text"},
        Broken{"name: a\nverified: maybe\ndevice_name: a" REST,
               "b.yaml:2: field 'verified': 'maybe' is not a truth value; allowed: yes, no"},
        Broken{HEAD "\naliases: x" REST,
               "b.yaml:4: field 'aliases': is a single value; needs a list of texts"},
        Broken{HEAD "\naliases: [x, [y]]" REST,
               "b.yaml:4: field 'aliases[1]': is a list; needs a text"},
        Broken{HEAD "\nvendor_name: v" REST,
               "b.yaml:1: field 'vendor_variables': missing; a backend with a vendor_name ..."},
        Broken{HEAD "\nvendor_variables: [A=B]" REST,
               "b.yaml:4: field 'vendor_variables': 'A=B' is not a variable's name; ..."},
        Broken{HEAD "\nsources: [{kind: host}]\nruntime: {family: f}\n"
                    "capabilities: {graph_captures: yes}\n",
               "b.yaml:6: field 'capabilities.graph_captures': unknown field; allowed here: "
               "graph_capture, graph_event_times, cluster_launch, stream_wait_value, "
               "device_events. Did you mean 'graph_capture'?..."}));

INSTANTIATE_TEST_SUITE_P(
    Nested, BrokenDescriptor,
    testing::Values(
        Broken{HEAD "\nvisibility:\n  - {name: V, accepts_uuid: no}" REST,
               "b.yaml:5: field 'visibility[0].empty': missing; needs none or no_filter"},
        Broken{HEAD "\nvisibility:\n  - name: V\n    empty: nil\n    accepts_uuid: no" REST,
               "b.yaml:6: field 'visibility[0].empty': 'nil' is not known; allowed: none, ..."},
        Broken{HEAD
               "\nvisibility:\n  - {name: V, empty: none, accepts_uuid: no, uuid_prefix: G}" REST,
               "b.yaml:5: field 'visibility[0].uuid_prefix': has no effect without "
               "'accepts_uuid: yes'"},
        Broken{HEAD "\nvisibility:\n  - {name: V, empty: none, accepts_uuid: no}\n"
                    "  - {name: V, empty: none, accepts_uuid: no}" REST,
               "b.yaml:6: field 'visibility[1].name': 'V' is listed twice"},
        Broken{HEAD "\nvisibility:\n"
                    "  - {name: V, empty: none, accepts_uuid: no, fallback_only_if: W}" REST,
               "b.yaml:5: field 'visibility[0].fallback_only_if': must name another variable of "
               "this list"},
        Broken{HEAD "\nvisibility:\n"
                    "  - {name: V, empty: none, accepts_uuid: no, index_order: W}" REST,
               "b.yaml:5: field 'visibility[0].index_order': must name one of fixed_variables"},
        Broken{HEAD "\nsources: []\nruntime: {family: f}\ncapabilities: {}\n",
               "b.yaml:4: field 'sources': empty; needs at least one source"},
        Broken{HEAD "\nsources: [{kind: device_node}]\n",
               "b.yaml:4: field 'sources[0].kind': 'device_node' is not known; allowed: nvml, ..."},
        Broken{
            HEAD "\nsources: [{kind: device_nodes}]\n",
            "b.yaml:4: field 'sources[0].patterns': missing; a source of kind device_nodes needs "
            "it"},
        Broken{HEAD "\nsources: [{kind: host, libraries: [x]}]\n",
               "b.yaml:4: field 'sources[0].libraries': has no effect on a source of kind host"},
        Broken{HEAD "\nsources: [{kind: device_nodes, patterns: ['/dev/x*']}]\n",
               "b.yaml:4: field 'sources[0].patterns': '/dev/x*': needs an absolute path with {N} "
               "for the number in its last part"},
        Broken{HEAD "\nsources: [{kind: pci, pci_vendor_id: '10de', pci_classes: ['0x03']}]\n",
               "b.yaml:4: field 'sources[0].pci_vendor_id': needs 0x and four lower-case hex "
               "digits"},
        Broken{HEAD "\nquirks: [{text: t}]" REST,
               "b.yaml:4: field 'quirks[0].reason': missing; needs a text"},
        Broken{HEAD "\nquirks: [&q {text: t, reason: r}, *q]" REST,
               "b.yaml:4: YAML anchors (&name) are not allowed"},
        Broken{HEAD "\nquirks: [[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]\n",
               "b.yaml:4: nested too deeply"},
        Broken{HEAD "\n? [a]\n: b\n", "b.yaml:4: a key must be a plain word"},
        Broken{HEAD REST "---\nname: b\n", "b.yaml:8: a second YAML document; one is allowed"}));

}  // namespace
}  // namespace zl::backend
