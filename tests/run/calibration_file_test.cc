#include "run/calibration_file.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace zl::run {
namespace {

using Json = nlohmann::json;

backend::Descriptor accelerator() {
  backend::Descriptor descriptor;
  descriptor.name = "chip";
  backend::Source source;
  source.kind = "device_nodes";
  descriptor.sources = {source};
  return descriptor;
}

TEST(CalibrationFile, IsNamedByTheDeviceAndNothingOfItsNameIsAFolder) {
  backend::Device device;
  device.index = 3;
  EXPECT_EQ(calibration_file("runs", accelerator(), device), "runs/calibration-chip-3.json");
  device.uuid = "GPU-1/../2 x";
  EXPECT_EQ(calibration_file("runs", accelerator(), device), "runs/calibration-GPU-1----2-x.json");
}

class CalibrationDigest : public testing::Test {
 protected:
  Json digest_of(std::string const& text) {
    fs::path const file = fs::path(testing::TempDir()) / "calibration-digest.json";
    EXPECT_TRUE(write_file_atomic(file, text));
    return calibration_digest(file);
  }
};

TEST_F(CalibrationDigest, TellsTheWorstOfTheLengths) {
  Json const digest = digest_of(R"({"date_utc": "2026-11-30T22:00:00Z", "tick_ns": 32,
    "driver_version": 13000, "timers": [
      {"timer": "graph", "null_ns": 1312, "slope": 1.0002, "offset_ns": 640, "lengths": [
        {"truth_ns": 2000, "residual_ns": -8, "repeatability": 0.001},
        {"truth_ns": 100000, "residual_ns": 100, "repeatability": 0.003}]},
      {"timer": "host", "null_ns": 1.5, "lengths": []}]})");
  EXPECT_EQ(digest, Json::parse(R"({"date_utc": "2026-11-30T22:00:00Z", "tick_ns": 32.0,
    "driver_version": 13000, "timers": {
      "graph": {"null_ns": 1312.0, "slope": 1.0002, "offset_ns": 640.0, "worst_residual": 0.004,
                "worst_repeatability": 0.003},
      "host": {"null_ns": 1.5}}})"));
}

TEST_F(CalibrationDigest, IsNullWithoutAFileThatCanBeRead) {
  EXPECT_TRUE(calibration_digest("no/such/file.json").is_null());
  EXPECT_TRUE(digest_of("{\"date_utc\": ").is_null());
  EXPECT_TRUE(digest_of(R"({"date_utc": 1, "tick_ns": 32, "timers": []})").is_null());
  EXPECT_TRUE(digest_of(R"({"date_utc": "x", "tick_ns": 32, "timers": {}})").is_null());
  EXPECT_TRUE(digest_of("[]").is_null());
}

}  // namespace
}  // namespace zl::run
