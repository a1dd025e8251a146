#include "backend/registry.h"

#include <gmock/gmock.h>
#include <set>

#include "backend/support.h"

namespace zl::backend {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Registry built_in() {
  auto registry = Registry::load({});
  EXPECT_TRUE(registry.has_value()) << registry.error().text;
  return registry ? *registry : Registry();
}

TEST(BuiltIn, WhichAreVerified) {
  Registry const registry = built_in();
  std::set<std::string> verified;
  for (Descriptor const& each : registry.all()) {
    if (each.verified) verified.insert(each.name);
  }
  EXPECT_THAT(registry.names(), testing::IsSupersetOf({"cuda", "musa", "rocm", "ascend", "cpu"}));
  EXPECT_THAT(verified, ElementsAre("cpu", "cuda"));
}

TEST(BuiltIn, EveryDescriptorIsComplete) {
  Registry const registry = built_in();
  for (Descriptor const& each : registry.all()) {
    SCOPED_TRACE(each.name);
    for (std::string_view const capability : kCapabilities) {
      EXPECT_TRUE(each.capabilities.count(std::string(capability)) == 1) << capability;
    }
    EXPECT_THAT(each.vendor_variables,
                ElementsAre("GEMS_VENDOR", "FLAGGEMS_VENDOR", "GEMS_BACKEND", "FLAGGEMS_BACKEND"));
    EXPECT_TRUE(!each.is_host() || each.visibility.empty());
    if (each.is_plain_host()) continue;
    EXPECT_THAT(each.module_roots, ElementsAre("_" + each.vendor));
  }
}

TEST(BuiltIn, CapabilitiesThatPlansDependOn) {
  Registry const registry = built_in();
  struct Row {
    char const* backend;
    bool graph_capture, cluster_launch;
  };
  for (Row const row : {Row{"cuda", true, true}, Row{"musa", true, false}, Row{"rocm", true, false},
                        Row{"ascend", false, false}, Row{"cpu", false, false}}) {
    SCOPED_TRACE(row.backend);
    Descriptor const* found = *registry.find(row.backend);
    EXPECT_EQ(found->can("graph_capture"), row.graph_capture);
    EXPECT_EQ(found->can("cluster_launch"), row.cluster_launch);
  }
}

TEST(Find, NamesAndAliasesInAnyCaseWithBlanks) {
  Registry const registry = built_in();
  struct Row {
    char const* given;
    char const* name;
  };
  for (Row const row :
       {Row{"cuda", "cuda"}, Row{" NVIDIA ", "cuda"}, Row{"nv", "cuda"}, Row{"MThreads", "musa"},
        Row{"moorethreads", "musa"}, Row{"moore", "musa"}, Row{"AMD", "rocm"}, Row{"hip\n", "rocm"},
        Row{"npu", "ascend"}, Row{"Huawei", "ascend"}, Row{"cann", "ascend"}, Row{"host", "cpu"}}) {
    auto const found = registry.find(row.given);
    ASSERT_TRUE(found.has_value()) << found.error().text;
    EXPECT_EQ((*found)->name, row.name);
  }
}

TEST(Find, UnknownNameListsTheKnownAndSuggests) {
  auto const found = built_in().find("nvidai");
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error().kind, ErrorKind::usage);
  EXPECT_THAT(found.error().text, AllOf(HasSubstr("unknown backend 'nvidai'"), HasSubstr("cuda"),
                                        HasSubstr("ascend"), HasSubstr("Did you mean 'nvidia'?")));
}

TEST(ExtraFolder, AddsAndReplacesByName) {
  TempFolder const folder;
  folder.write("new.yaml", small_descriptor("newone", "aliases: [n1]\n"));
  folder.write("mine.yaml", small_descriptor("musa", "aliases: [moore]\n"));
  folder.write("notes.txt", "not a descriptor");
  auto const registry = Registry::load({folder.path()});
  ASSERT_TRUE(registry.has_value()) << registry.error().text;
  EXPECT_EQ(registry->all().size(), built_in().all().size() + 1);
  EXPECT_EQ((*registry->find("N1"))->name, "newone");
  EXPECT_EQ((*registry->find("moore"))->origin, (folder.path() / "mine.yaml").string());
  EXPECT_FALSE(registry->find("mthreads").has_value()) << "the built-in file is replaced whole";
}

TEST(ExtraFolder, LaterFolderWins) {
  TempFolder const first;
  TempFolder const second;
  first.write("a.yaml", small_descriptor("a", "quirks: [{text: first, reason: r}]\n"));
  second.write("a.yaml", small_descriptor("a", "quirks: [{text: second, reason: r}]\n"));
  auto const registry = Registry::load({first.path(), second.path()});
  ASSERT_TRUE(registry.has_value()) << registry.error().text;
  EXPECT_EQ((*registry->find("a"))->quirks[0].text, "second");
}

TEST(ExtraFolder, DuplicateAliasNamesBothFiles) {
  TempFolder const folder;
  folder.write("a.yaml", small_descriptor("a", "aliases: [same]\n"));
  folder.write("b.yaml", small_descriptor("b", "aliases: [same]\n"));
  auto const registry = Registry::load({folder.path()});
  ASSERT_FALSE(registry.has_value());
  EXPECT_EQ(registry.error().kind, ErrorKind::usage);
  EXPECT_THAT(registry.error().text,
              AllOf(HasSubstr("'same'"), HasSubstr((folder.path() / "a.yaml").string()),
                    HasSubstr((folder.path() / "b.yaml").string())));
}

TEST(ExtraFolder, AliasThatIsAnothersNameIsRefused) {
  TempFolder const folder;
  folder.write("a.yaml", small_descriptor("a", "aliases: [cuda]\n"));
  auto const registry = Registry::load({folder.path()});
  ASSERT_FALSE(registry.has_value());
  EXPECT_THAT(registry.error().text, AllOf(HasSubstr("cuda.yaml"), HasSubstr("a.yaml")));
}

TEST(ExtraFolder, TwoFilesForOneNameAreRefused) {
  TempFolder const folder;
  folder.write("a.yaml", small_descriptor("x"));
  folder.write("b.yaml", small_descriptor("x"));
  auto const registry = Registry::load({folder.path()});
  ASSERT_FALSE(registry.has_value());
  EXPECT_THAT(registry.error().text, AllOf(HasSubstr("a.yaml"), HasSubstr("b.yaml")));
}

TEST(ExtraFolder, MissingFolderIsAnError) {
  auto const registry = Registry::load({"/nonexistent/descriptors"});
  ASSERT_FALSE(registry.has_value());
  EXPECT_THAT(registry.error().text,
              AllOf(HasSubstr("/nonexistent/descriptors"), HasSubstr("ZL_BACKEND_DIR")));
}

TEST(ExtraFolder, BrokenFileIsAnErrorWithItsPath) {
  TempFolder const folder;
  folder.write("bad.yaml", "name: bad\nverified: perhaps\n");
  auto const registry = Registry::load({folder.path()});
  ASSERT_FALSE(registry.has_value());
  EXPECT_THAT(registry.error().text,
              HasSubstr((folder.path() / "bad.yaml").string() + ":2: field 'verified'"));
}

}  // namespace
}  // namespace zl::backend
