"""Which rule looks at what."""

import benchmarks
import capture
import collection
import conditions
import foreign_findings
import registry
from corpus import PACKAGE_PARENT, TEST_FOLDERS
from facts import ROOT

BENCHMARK = ("benchmark/",)
TESTS = tuple(folder + "/" for folder in TEST_FOLDERS)
PACKAGE = (PACKAGE_PARENT + "/",)
OPERATORS = tuple("%s/%s/" % (ROOT, folder) for folder in ("ops", "fused"))

SUBJECT = rb"(?:vendor_name|device|[A-Z_]*DEVICE)\b"

# (rule, where it looks, what must stand in a file for it to be parsed at all: parsing is what costs).
# VENDOR stands for the name of any vendor. A function is asked with the file's bytes.
FILE_RULES = [
    (foreign_findings.check_foreign, TESTS + PACKAGE, rb"\b_VENDOR\b"),
    (foreign_findings.check_dead_imports, TESTS, rb"(?:from|import)\s+flag_gems\.|[\"']flag_gems\."),
    (conditions.check_capability, TESTS, rb"capability|device_properties|sm_version_num|FP8_DTYPE"),
    (conditions.check_never_true, TESTS, SUBJECT + rb"\W+(?:[=!]=|in\b|not\b)|=\s*[\w.]*\b" + SUBJECT
     + rb"\s*\n|[\"'\])]\s*(?:[=!]=|in\b)\s*[\w.]*" + SUBJECT),
    (conditions.check_version_text, TESTS + PACKAGE, rb"__version__\s*[<>]|[<>]=?\s*[\w.]+\.__version__"),
    (benchmarks.check_self_comparison, BENCHMARK, rb"torch_op|Benchmark"),
    (benchmarks.check_keywords, BENCHMARK, rb"Benchmark"),
    (benchmarks.check_gems_side, BENCHMARK, rb"Benchmark"),
    (collection.check_import_effects, TESTS, rb"\bsys\.|/(?:tmp|home|Users|mnt)/"),
    (collection.check_marks, BENCHMARK, rb"\bdef test"),
    (collection.check_global_mode, ("benchmark/test_",), rb"\bConfig\."),
    (registry.check_tuned_keys, PACKAGE, registry.may_lack_keys),
    (registry.note_reliance, BENCHMARK, rb"\bdef test"),
    (capture.check_capture, OPERATORS, rb"\.(?:item|tolist|cpu|nonzero|unique|synchronize)\(|torch\.tensor\("),
]
CORPUS_RULES = [collection.check_module_names, registry.check_lost_commas]
LAST_RULES = [registry.check_unused]  # with the answers of note_reliance
