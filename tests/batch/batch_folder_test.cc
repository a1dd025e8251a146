#include "batch/batch_folder.h"

#include <gmock/gmock.h>

#include "temp_folder.h"

namespace zl::batch {
namespace {

using testing::HasSubstr;

BatchRequest request_of(std::vector<std::string> const& names) {
  BatchRequest request;
  request.name = "b";
  request.backend = "cpu";
  request.provider = "native";
  for (std::string const& name : names) {
    provider::ProviderCase operation;
    operation.op = name;
    operation.provider = "native";
    operation.nodes = {"lib::" + name};
    operation.library = "/l.so";
    request.operations.push_back(operation);
  }
  return request;
}

std::vector<std::string> names(std::vector<provider::ProviderCase> const& operations) {
  std::vector<std::string> result;
  for (auto const& operation : operations) result.push_back(operation.op);
  return result;
}

results::RunEnded ended(std::string const& op, results::Status status) {
  results::OpResult result;
  result.op = op;
  result.status = status;
  return {result};
}

TEST(BatchRequest, SurvivesItsFile) {
  BatchRequest request = request_of({"a", "b"});
  request.backend_dirs = {"/d"};
  request.devices = "0,1";
  request.corpus = "/c";
  request.python = "/py";
  request.options.level = "comprehensive";
  request.options.dtypes = {"float16"};
  request.options.shapes = {run::ShapeChoice::Mode::small, 77, ""};
  request.options.time_limit_s = 12.5;
  request.options.corpus_arguments = {"--metrics", "latency"};
  Result<BatchRequest> const again = parse_batch_request(to_json_text(request), "batch.json");
  ASSERT_TRUE(again);
  EXPECT_EQ(to_json_text(*again), to_json_text(request));
  EXPECT_EQ(again->operations[1].library, "/l.so");
  EXPECT_EQ(again->options.shapes.max_elements, 77);
}

TEST(BatchRequest, BrokenFilesNameTheFieldAndTheFile) {
  EXPECT_THAT(parse_batch_request("{", "x/batch.json").error().text,
              HasSubstr("x/batch.json: not a JSON object"));
  EXPECT_THAT(parse_batch_request("{\"format\":9}", "f").error().text,
              HasSubstr("field 'format' is 9"));
  EXPECT_THAT(parse_batch_request("{\"format\":1}", "f").error().text,
              HasSubstr("field 'operators'"));
  EXPECT_THAT(parse_batch_request("{\"format\":1,\"operators\":[{}]}", "f").error().text,
              HasSubstr("without 'op'"));
}

TEST(Outstanding, IsWhatHasNoResultOrWasInterruptedInTheRequestsOrder) {
  BatchRequest const request = request_of({"a", "b", "c", "d", "e"});
  results::BatchState state;
  state.apply(ended("b", results::Status::passed));
  state.apply(ended("d", results::Status::failed));  // a result, though a bad one
  state.apply(ended("a", results::Status::interrupted));
  state.apply(results::RunBegun{"c", 1, "", "", "", "", "", "", 0});  // killed with its scheduler
  EXPECT_THAT(names(outstanding(request, state)), testing::ElementsAre("a", "c", "e"));
  EXPECT_EQ(outstanding(request, {}).size(), 5u);
}

TEST(BatchFolder, IsMadeOnceAndOpenedFromItsRunsToo) {
  TempFolder folder;
  Result<BatchPaths> const paths = create_batch(folder / "runs", request_of({"a"}));
  ASSERT_TRUE(paths);
  EXPECT_FALSE(create_batch(folder / "runs", request_of({"a"})));
  ASSERT_TRUE(make_folder(paths->run_dir("a")));
  EXPECT_EQ(open_batch(paths->run_dir("a"))->paths.folder, fs::canonical(paths->folder));
  Result<StoredBatch> const nothing = open_batch(folder.path());
  ASSERT_FALSE(nothing);
  EXPECT_THAT(nothing.error().text, HasSubstr("is not a batch folder"));
}

TEST(BatchFolder, ARunsFolderThatCannotBeMadeSaysWhatToSet) {
  TempFolder folder;
  ASSERT_TRUE(write_file_atomic(folder / "file", ""));
  Result<BatchPaths> const paths = create_batch(folder / "file", request_of({"a"}));
  ASSERT_FALSE(paths);
  EXPECT_THAT(paths.error().text, HasSubstr("ZL_RUNS"));
}

}  // namespace
}  // namespace zl::batch
