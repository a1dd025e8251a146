"""The linter on FlagGems ed2508b itself, where ZL_TEST_FLAGGEMS names a checkout of it."""

import collections
import json
import os
import subprocess

import pytest

from conftest import Machine

CHECKOUT = os.environ.get("ZL_TEST_FLAGGEMS")
pytestmark = pytest.mark.skipif(not CHECKOUT, reason="ZL_TEST_FLAGGEMS names no FlagGems checkout")

BACKENDS = "src/flag_gems/runtime/backend/"
SHARED = ["amd", "hygon", "iluvatar", "kunlunxin", "metax", "thead"]  # with NVIDIA's device name


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    machine = Machine(tmp_path_factory.mktemp("lint"))
    done = subprocess.run(machine.command("lint", CHECKOUT, "--format", "json"), env=machine.environment,
                          capture_output=True, text=True, timeout=300)
    assert done.returncode == 1, done.stderr
    assert done.stderr == ""
    return json.loads(done.stdout)


def places(report, rule, **wanted):
    return {"%s:%d" % (entry["file"], entry["line"]) for entry in report["findings"]
            if entry["rule"] == rule and all(entry.get(name) == value for name, value in wanted.items())}


def stems(report, rule, folder="benchmark/test_"):
    files = {entry["file"] for entry in report["findings"] if entry["rule"] == rule}
    return {path[len(folder):-len(".py")] for path in files if path.startswith(folder)}


def at(report, rule, place):
    (entry,) = [entry for entry in report["findings"]
                if entry["rule"] == rule and "%s:%d" % (entry["file"], entry["line"]) == place]
    return entry


def test_the_vendors_are_read_from_the_corpus(report):
    assert len(report["vendors"]) == 16 and report["files"] > 3900


def test_the_twelve_sites_in_the_tests_and_their_verdicts(report):
    verdicts = {"%s:%d" % (site["file"], site["line"]): site["verdict"] for site in report["foreign_imports"]
                if not site["file"].startswith("src/")}
    assert verdicts == {
        "benchmark/test_router_gemm.py:41": "error", "benchmark/test_router_gemm.py:50": "ok",
        "benchmark/test_fp8_einsum.py:29": "warning", "tests/test_fp8_einsum.py:29": "warning",
        "benchmark/test_blas_perf_parallel.py:57": "dead", "benchmark/test_cholesky_solve.py:17": "ok",
        "tests/test_cumsum.py:69": "ok", "tests/test_cummin.py:54": "ok", "tests/test_cummin.py:90": "ok",
        "tests/test_mm.py:155": "ok", "tests/test_libentry.py:1647": "ok", "tests/test_pointwise_dynamic.py:26": "ok"}


def test_foreign_imports_and_nothing_beside(report):
    assert places(report, "FV1", level="error") == {
        "benchmark/test_router_gemm.py:41", "benchmark/test_blas_perf_parallel.py:57",
        "src/flag_gems/ops/_nested_view_from_buffer_copy.py:32"}
    assert places(report, "FV1", level="warning") == {
        "benchmark/test_fp8_einsum.py:29", "tests/test_fp8_einsum.py:29"}
    assert places(report, "FV1", level="note") == {
        BACKENDS + "_kunlunxin/ops/baddbmm.py:27", BACKENDS + "_enflame/gcu300/ops/baddbmm.py:26"}


def test_router_gemm_reaches_fourteen_vendors_and_cambricon_is_rescued(report):
    entry = at(report, "FV1", "benchmark/test_router_gemm.py:41")
    assert set(entry["vendors"]) == set(report["vendors"]) - {"nvidia", "cambricon"}
    assert entry["rescued"] == ["cambricon"]
    assert "flag_gems.router_gemm" in entry["fix"] and "_sunrise/ops/mm.py" in entry["fix"]
    assert "mm_splitk for metax, nvidia only" in entry["message"]


def test_fp8_einsum_reaches_those_with_the_same_device_name(report):
    for folder in ("benchmark", "tests"):
        assert at(report, "FV1", folder + "/test_fp8_einsum.py:29")["vendors"] == SHARED


def test_capabilities_taken_for_vendors(report):
    assert stems(report, "CP1") == set(
        "cutlass_scaled_mm fp8_einsum fp8_mqa_logits fp8_paged_mqa_logits_perf fused_indexer_q_rope_quant "
        "fused_marlin_moe_w4a16_int4 fused_marlin_moe_w4a16_mxfp4 fused_marlin_moe_w8a16_int8 fused_moe_fp8 "
        "fused_moe_fp8_blockwise fused_moe_int4_w4a16 fused_moe_int8_w8a16 fused_moe_w8a16".split()
        + ["pack_seq", "unpack_seq", "scaled_grouped_mm"])
    bounded = {entry["file"] for entry in report["findings"]
               if entry["rule"] == "CP1" and "later architecture" in entry["message"]}
    assert sum(path.startswith("benchmark/") for path in bounded) == 12


def test_comparisons(report):
    assert places(report, "VL1") == {"tests/test_mse_loss.py:40", "tests/test_diagonal_backward.py:50",
                                     "benchmark/test_conj_physical.py:57"}
    assert places(report, "SV1") == {
        "benchmark/test_fp8_einsum.py:27", "benchmark/test_fp8_einsum.py:45", "tests/test_fp8_einsum.py:27",
        "tests/test_fp8_einsum.py:45", "tests/test_flash_attention.py:736",
        BACKENDS + "_nvidia/hopper/ops/__init__.py:17", BACKENDS + "_nvidia/hopper/ops/__init__.py:31"}


def test_both_sides_the_same(report):
    assert stems(report, "SC1") == set(
        "FLA/test_chunk_gated_delta_rule_fwd functional_assert_async gather_block_quantized linear_backward "
        "nested_view_from_buffer_copy scaled_dot_product_efficient_attention sparse_semi_structured_mm "
        "sparse_mla_fwd_interface".split())
    assert {entry["file"][len("benchmark/test_"):-3] for entry in report["findings"]
            if entry["rule"] == "GS1" and entry["certainty"] == "definite"} == {
        "concat_and_cache_mla", "atanh_", "empty", "hypot"}
    inferred = collections.Counter(entry["file"] for entry in report["findings"]
                                   if entry["rule"] == "GS1" and entry["certainty"] == "inferred")
    assert inferred == {"benchmark/test_einsum.py": 10, **{"benchmark/test_%s.py" % name: 1 for name in (
        "contiguous", "copy", "layer_norm", "outer", "alias_copy", "pixel_shuffle")}}
    assert "sunrise" not in at(report, "GS1", "benchmark/test_atanh_.py:29")["vendors"]


def test_swallowed_keywords(report):
    found = collections.Counter((entry["file"], entry["fix"]) for entry in report["findings"]
                                if entry["rule"] == "GK1")
    assert found == {("benchmark/test_concat_and_cache_mla.py", "write gems_op="): 1,
                     ("benchmark/test_fmod.py", "write is_inplace="): 2,
                     ("benchmark/test_index_copy.py", "write is_inplace="): 1,
                     ("benchmark/test_scatter_reduce_two.py", "write is_inplace="): 4}


def test_collection(report):
    copies = ["benchmark/test_nested_view_from_buffer_copy.py:8", "tests/test_nested_view_from_buffer_copy.py:8"]
    assert places(report, "SE1") == set(copies)
    for place in copies:
        assert set(report["vendors"]) - set(at(report, "SE1", place)["vendors"]) == {"cambricon"}
    assert places(report, "DI1") == {"benchmark/test_blas_perf_parallel.py:57"}
    assert places(report, "DN1") == {"tests/test_FLA/test_chunk_gated_delta_rule_fwd.py:1"}
    assert len(places(report, "MK1")) == 3
    assert all("deepseek_v4_attention_" in place for place in places(report, "MK1"))
    assert len(places(report, "OP1")) == 29
    assert {"flatten", "scatter_reduce"} <= stems(report, "OP1")
    assert {"conj_physical", "linalg_det"} <= stems(report, "GM1")


def test_registration(report):
    counts = {}
    for entry in report["findings"]:
        if entry["rule"] == "NR1":
            counts.setdefault(entry["vendors"][0], []).append(entry["operators"])
    assert set(counts["ascend"][0]) == set("cat copy_ exponential_ sort sort_stable to_copy topk".split())
    assert set(counts["kunlunxin"][0]) == {"cummin", "cumsum", "randperm", "sort", "topk"}
    assert set(counts["amd"][0]) == {"add", "cos", "cumsum"}
    assert {vendor: [len(one) for one in lists] for vendor, lists in counts.items()} == {
        "arm": [366], "enflame": [102, 2], "tsingmicro": [30], "ascend": [7], "kunlunxin": [5], "amd": [3]}


def test_rules_that_find_nothing_here(report):
    rules = {entry["rule"] for entry in report["findings"]}
    assert not rules & {"TC1", "IC1", "PY1", "SU1"}


def test_host_code_in_operators(report):
    found = [entry for entry in report["findings"] if entry["rule"] == "CU1"]
    assert len({entry["file"] for entry in found}) == 94
    assert len({entry["file"] for entry in found if ".item()" in entry["message"]}) == 45
