#include "backend/visibility.h"

#include <gmock/gmock.h>

#include "backend/registry.h"
#include "backend/support.h"

namespace zl::backend {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Descriptor descriptor_of(char const* name) {
  static auto const registry = Registry::load({});
  return **registry->find(name);
}

// Four devices with UUIDs GPU-aa0..., GPU-aa1..., GPU-bb2..., GPU-bb3...
std::vector<Device> four_devices() {
  std::vector<Device> devices(4);
  char const* const uuids[] = {"GPU-aa00000000000000", "GPU-aa11111111111111",
                               "GPU-bb22222222222222", "GPU-bb33333333333333"};
  for (int i = 0; i < 4; ++i) {
    devices[i].index = i;
    devices[i].uuid = uuids[i];
    devices[i].name = "Model";
  }
  return devices;
}

std::vector<int> indices(std::vector<Device> const& devices) {
  std::vector<int> result;
  for (Device const& device : devices) result.push_back(device.index);
  return result;
}

struct Row {
  char const* backend;
  Environment caller;
  std::vector<int> visible;
};

void PrintTo(Row const& row, std::ostream* out) {
  *out << row.backend;
  for (auto const& [name, value] : row.caller) *out << " " << name << "='" << value << "'";
}

class Grammar : public testing::TestWithParam<Row> {};

TEST_P(Grammar, LeavesWhatTheRuntimeLeaves) {
  Row const& row = GetParam();
  auto const result = visible_devices(descriptor_of(row.backend), four_devices(), row.caller);
  ASSERT_TRUE(result.has_value()) << result.error().text;
  EXPECT_EQ(indices(result->devices), row.visible);
  EXPECT_EQ(result->notes.empty(), result->devices.size() == 4) << "what is left out is said";
}

Row cuda(char const* mask, std::vector<int> visible) {
  return {"cuda", {{"CUDA_VISIBLE_DEVICES", mask}}, std::move(visible)};
}
Row rocr(char const* mask, std::vector<int> visible) {
  return {"rocm", {{"ROCR_VISIBLE_DEVICES", mask}}, std::move(visible)};
}
Row hip(char const* mask, std::vector<int> visible) {
  return {"rocm", {{"HIP_VISIBLE_DEVICES", mask}}, std::move(visible)};
}
Row ascend(char const* mask, std::vector<int> visible) {
  return {"ascend", {{"ASCEND_RT_VISIBLE_DEVICES", mask}}, std::move(visible)};
}

// What libcuda 580.159 does on two H200, tried form by form; not tried there: "2,0" (but "1,0"),
// the number that overflows, "GPU-aa" as a beginning that two share (but "GPU-"), and an unknown
// UUID.
INSTANTIATE_TEST_SUITE_P(
    Cuda, Grammar,
    testing::Values(Row{"cuda", {}, {0, 1, 2, 3}}, cuda("", {}), cuda(" ", {}), cuda("0,1", {0, 1}),
                    cuda("2,0", {2, 0}), cuda(" 0 , 1 ", {0, 1}), cuda("0,,1", {0}), cuda(",0", {}),
                    cuda("0,0", {}), cuda("1,0,1", {}), cuda("0,99,1", {0}), cuda("-1,0", {}),
                    cuda("0,-1,1", {0}), cuda("+1", {1}), cuda("01", {1}), cuda("0x1", {0}),
                    cuda("1gpu", {1}), cuda("0 1", {0}), cuda("1.5", {1}), cuda("1;0", {1}),
                    cuda("a,1", {}), cuda("all", {}), cuda("99999999999999999999", {}),
                    cuda("GPU-bb22222222222222", {2}), cuda("gpu-bb22222222222222", {}),
                    cuda("GPU-BB22222222222222", {2}), cuda("bb22222222222222", {}),
                    cuda("GPU-aa1", {1}), cuda("GPU-aa", {}), cuda("GPU-bb3,GPU-aa0", {3, 0}),
                    cuda("GPU-aa0,1", {0}), cuda("1,GPU-aa0", {1}), cuda("GPU-aa0, GPU-aa1", {0}),
                    cuda(" GPU-aa0", {}), cuda("GPU-aa0,GPU-aa0", {}), cuda("GPU-ff", {})));

INSTANTIATE_TEST_SUITE_P(Rocr, Grammar,
                         testing::Values(Row{"rocm", {}, {0, 1, 2, 3}}, rocr("", {}),
                                         rocr("2,0", {2, 0}), rocr(" 1 ,2", {1, 2}),
                                         rocr("0x1,02", {1, 2}), rocr("0,0,1", {0}),
                                         rocr("0,9,1", {0}), rocr("-1", {}), rocr("0,,1", {0}),
                                         rocr("1x", {}), rocr("gpu-AA1", {1}), rocr("GPU-bb", {}),
                                         rocr("GPU-aa0,3", {0, 3})));

INSTANTIATE_TEST_SUITE_P(
    Hip, Grammar,
    testing::Values(
        hip("", {0, 1, 2, 3}), hip("0,9,1", {0}), hip("0x1", {}), hip("1,x,2", {1}),
        hip("GPU-aa0,3", {0, 3}), hip("GPU-ff,1", {}), hip("2,0", {2, 0}), hip("0, 1", {0}),
        hip("01", {}), hip("0", {0}), hip("1,1,2", {1, 2}), hip("-1", {}), hip("0,,1", {0}),
        hip("GPU-bb", {2}), hip("GPU-BB", {}), Row{"rocm", {{"CUDA_VISIBLE_DEVICES", "1"}}, {1}},
        Row{"rocm", {{"HIP_VISIBLE_DEVICES", ""}, {"CUDA_VISIBLE_DEVICES", "1"}}, {1}},
        Row{"rocm", {{"HIP_VISIBLE_DEVICES", "2"}, {"CUDA_VISIBLE_DEVICES", "1"}}, {2}},
        Row{"rocm", {{"ROCR_VISIBLE_DEVICES", "2,3"}, {"HIP_VISIBLE_DEVICES", "1"}}, {3}},
        Row{"rocm", {{"ROCR_VISIBLE_DEVICES", "3,1"}, {"HIP_VISIBLE_DEVICES", "1"}}, {1}},
        Row{"rocm", {{"ROCR_VISIBLE_DEVICES", ""}, {"HIP_VISIBLE_DEVICES", "0"}}, {}},
        Row{"rocm", {{"ROCR_VISIBLE_DEVICES", "2,3"}, {"CUDA_VISIBLE_DEVICES", "1"}}, {3}},
        Row{"rocm", {{"ROCR_VISIBLE_DEVICES", "2,3"}, {"HIP_VISIBLE_DEVICES", "2,3"}}, {}}));

INSTANTIATE_TEST_SUITE_P(Ascend, Grammar,
                         testing::Values(Row{"ascend", {}, {0, 1, 2, 3}}, ascend("", {}),
                                         ascend("0,2", {0, 2}), ascend("2,0", {}),
                                         ascend("1,1", {}), ascend("0, 1", {0}),
                                         ascend("0 ,1", {0}), ascend("1x,2", {1}),
                                         ascend("0,,1", {0}), ascend("1,9", {1}),
                                         ascend("-1", {})));

INSTANTIATE_TEST_SUITE_P(
    Others, Grammar,
    testing::Values(
        Row{"musa", {}, {0, 1, 2, 3}}, Row{"musa", {{"MUSA_VISIBLE_DEVICES", "3,1"}}, {3, 1}},
        Row{"musa", {{"MUSA_VISIBLE_DEVICES", ""}}, {}},
        Row{"musa", {{"CUDA_VISIBLE_DEVICES", "1"}}, {0, 1, 2, 3}},
        Row{"cpu", {{"CUDA_VISIBLE_DEVICES", ""}}, {0, 1, 2, 3}},
        Row{"metax", {{"MACA_VISIBLE_DEVICES", "2"}, {"CUDA_VISIBLE_DEVICES", "1"}}, {2}},
        Row{"metax", {{"CUDA_VISIBLE_DEVICES", "1"}}, {1}},
        Row{"kunlunxin", {{"CUDA_VISIBLE_DEVICES", "1"}, {"XPU_VISIBLE_DEVICES", "2"}}, {1}},
        Row{"kunlunxin", {{"XPU_VISIBLE_DEVICES", "2"}}, {2}},
        Row{"hygon", {{"HIP_VISIBLE_DEVICES", "2"}, {"CUDA_VISIBLE_DEVICES", "1"}}, {2}},
        Row{"hygon", {{"HIP_VISIBLE_DEVICES", "2,3"}, {"ROCR_VISIBLE_DEVICES", "1"}}, {3}},
        Row{"cambricon", {{"MLU_VISIBLE_DEVICES", "1,1,2"}}, {1}},
        Row{"enflame", {{"TOPS_VISIBLE_DEVICES", "0,99"}}, {0}},
        Row{"sunrise", {{"TANG_VISIBLE_DEVICES", "3"}}, {3}},
        Row{"tsingmicro", {{"TXDA_VISIBLE_DEVICES", "3"}}, {3}},
        Row{"thead", {{"CUDA_VISIBLE_DEVICES", "1,0"}}, {1, 0}}));

// What a container's tool read before the container began filters nothing once more inside.
INSTANTIATE_TEST_SUITE_P(
    OfContainers, Grammar,
    testing::Values(Row{"cuda", {{"NVIDIA_VISIBLE_DEVICES", "1"}}, {0, 1, 2, 3}},
                    Row{"musa", {{"MTHREADS_VISIBLE_DEVICES", "1"}}, {0, 1, 2, 3}},
                    Row{"rocm", {{"AMD_VISIBLE_DEVICES", "1"}}, {0, 1, 2, 3}},
                    Row{"rocm", {{"GPU_DEVICE_ORDINAL", "1"}}, {0, 1, 2, 3}},
                    Row{"ascend", {{"ASCEND_VISIBLE_DEVICES", "1"}}, {0, 1, 2, 3}}));

// A beginning that every UUID has names no device, even where there is only one.
TEST(Visible, TheBarePrefixIsNoUuid) {
  std::vector<Device> const one(1, four_devices().front());
  for (auto const& [value, visible] :
       {std::pair{"GPU-", 0u}, {"gpu-", 0u}, {"GPU-a", 1u}, {"gpu-AA00000000000000", 1u}}) {
    auto const result =
        visible_devices(descriptor_of("rocm"), one, {{"ROCR_VISIBLE_DEVICES", value}});
    ASSERT_TRUE(result.has_value()) << result.error().text;
    EXPECT_EQ(result->devices.size(), visible) << value;
  }
}

TEST(Visible, NoteSaysWhereTheListWasCut) {
  auto const result =
      visible_devices(descriptor_of("cuda"), four_devices(), {{"CUDA_VISIBLE_DEVICES", "0,99,1"}});
  ASSERT_TRUE(result.has_value());
  EXPECT_THAT(result->notes,
              ElementsAre("CUDA_VISIBLE_DEVICES=0,99,1: the list ends at '99' (no such device)",
                          "CUDA_VISIBLE_DEVICES=0,99,1 leaves 1 of 4 devices"));
}

TEST(Visible, UuidMaskOverDevicesWithoutUuidIsNotGuessed) {
  std::vector<Device> devices = four_devices();
  for (Device& device : devices) device.uuid.reset();
  auto const result =
      visible_devices(descriptor_of("cuda"), devices, {{"CUDA_VISIBLE_DEVICES", "GPU-aa0"}});
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().kind, ErrorKind::environment);
  EXPECT_THAT(result.error().text, HasSubstr("CUDA_VISIBLE_DEVICES=GPU-aa0"));
}

TEST(Visible, PartOfADeviceIsAnError) {
  auto const result = visible_devices(descriptor_of("cuda"), four_devices(),
                                      {{"CUDA_VISIBLE_DEVICES", "MIG-12345678"}});
  ASSERT_FALSE(result.has_value());
  EXPECT_THAT(result.error().text, HasSubstr("part of a device"));
}

TEST(Visible, IndexMaskOverSeveralModelsNeedsTheKnownOrder) {
  std::vector<Device> devices = four_devices();
  devices[3].name = "Another";
  Environment caller = {{"CUDA_VISIBLE_DEVICES", "0"}};
  auto const unknown = visible_devices(descriptor_of("cuda"), devices, caller);
  ASSERT_FALSE(unknown.has_value());
  EXPECT_THAT(unknown.error().text, HasSubstr("CUDA_DEVICE_ORDER=PCI_BUS_ID"));
  caller["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID";
  EXPECT_TRUE(visible_devices(descriptor_of("cuda"), devices, caller).has_value());
  EXPECT_TRUE(visible_devices(descriptor_of("cuda"), devices, {{"CUDA_VISIBLE_DEVICES", "GPU-aa0"}})
                  .has_value());
}

TEST(Select, IndicesUuidsAndPrefixes) {
  std::vector<Device> visible = four_devices();
  visible.erase(visible.begin());  // physical 1, 2, 3 are left
  EXPECT_EQ(indices(*select_devices("all", visible)), (std::vector{1, 2, 3}));
  EXPECT_EQ(indices(*select_devices(" ALL ", visible)), (std::vector{1, 2, 3}));
  EXPECT_EQ(indices(*select_devices("3, 1", visible)), (std::vector{3, 1}));
  EXPECT_EQ(indices(*select_devices("gpu-bb2,1", visible)), (std::vector{2, 1}));
}

struct BadSelection {
  char const* spec;
  char const* text;
};

void PrintTo(BadSelection const& bad, std::ostream* out) {
  *out << "'" << bad.spec << "'";
}

class SelectErrors : public testing::TestWithParam<BadSelection> {};

TEST_P(SelectErrors, AreUsageErrorsThatListWhatIsHere) {
  auto const result = select_devices(GetParam().spec, four_devices());
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().kind, ErrorKind::usage);
  EXPECT_THAT(result.error().text, HasSubstr(GetParam().text));
}

INSTANTIATE_TEST_SUITE_P(
    Cases, SelectErrors,
    testing::Values(BadSelection{"99",
                                 "'99' is not here; devices here: 0 (GPU-aa00000000000000), 1"},
                    BadSelection{",", "an entry is empty; give all, indices or UUIDs of: 0 ("},
                    BadSelection{"", "an entry is empty"}, BadSelection{"0,", "an entry is empty"},
                    BadSelection{"-1", "'-1' is not here"}, BadSelection{"0,0", "named twice"},
                    BadSelection{"0,GPU-aa0", "device 0 is named twice"},
                    BadSelection{"GPU-aa", "fits several devices"},
                    BadSelection{"GPU-ff", "is not here"}, BadSelection{"1.5", "is not here"},
                    BadSelection{"99999999999999999999", "is not here"}));

TEST(Select, LongListsAreCut) {
  std::vector<Device> many(300);
  for (int i = 0; i < 300; ++i) many[i].index = i;
  auto const result = select_devices("300", many);
  ASSERT_FALSE(result.has_value());
  EXPECT_THAT(result.error().text, AllOf(HasSubstr("15, ... (300 in all)")));
  EXPECT_EQ(select_devices("299", many)->front().index, 299);
}

TEST(Select, NothingVisibleIsNotAUsageError) {
  auto const result = select_devices("all", {});
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().kind, ErrorKind::environment);
}

Environment pinned(char const* backend, Device const& device, Environment const& caller) {
  return with_changes(caller, pin(descriptor_of(backend), device, caller));
}

TEST(Pin, ByUuidWhereTheRuntimeTakesThem) {
  Device const device = four_devices()[2];
  EXPECT_EQ(pinned("cuda", device, {{"CUDA_VISIBLE_DEVICES", "2,3"}}),
            (Environment{{"CUDA_VISIBLE_DEVICES", "GPU-bb22222222222222"},
                         {"CUDA_DEVICE_ORDER", "PCI_BUS_ID"}}));
  EXPECT_EQ(pinned("musa", device, {}), (Environment{{"MUSA_VISIBLE_DEVICES", "2"}}));
  EXPECT_EQ(pinned("ascend", device, {}), (Environment{{"ASCEND_RT_VISIBLE_DEVICES", "2"}}));
}

TEST(Pin, ByIndexWhereThereIsNoUuid) {
  Device device;
  device.index = 3;
  EXPECT_EQ(pinned("cuda", device, {}),
            (Environment{{"CUDA_VISIBLE_DEVICES", "3"}, {"CUDA_DEVICE_ORDER", "PCI_BUS_ID"}}));
}

TEST(Pin, LeavesNoSecondFilter) {
  EXPECT_EQ(pinned("rocm", four_devices()[3],
                   {{"HIP_VISIBLE_DEVICES", "3"}, {"CUDA_VISIBLE_DEVICES", "3"}, {"OTHER", "x"}}),
            (Environment{{"ROCR_VISIBLE_DEVICES", "GPU-bb33333333333333"}, {"OTHER", "x"}}));
}

TEST(Pin, AChildSeesExactlyThatDevice) {
  for (char const* backend : {"cuda", "musa", "rocm", "ascend"}) {
    for (Device const& device : four_devices()) {
      Environment const child = pinned(backend, device, {{"CUDA_VISIBLE_DEVICES", "0"}});
      auto const seen = visible_devices(descriptor_of(backend), four_devices(), child);
      ASSERT_TRUE(seen.has_value()) << seen.error().text;
      EXPECT_THAT(indices(seen->devices), ElementsAre(device.index)) << backend;
    }
  }
}

TEST(Pin, TheHostNeedsNone) {
  EXPECT_THAT(pin(descriptor_of("cpu"), Device{}, {{"CUDA_VISIBLE_DEVICES", "1"}}), IsEmpty());
}

}  // namespace
}  // namespace zl::backend
