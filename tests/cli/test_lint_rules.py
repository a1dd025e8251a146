"""Every rule of the linter on a small corpus: what it finds, and the near miss that it must not find."""

import pytest

from lint_corpus import BACKENDS, ROOT, Linter

BENCH = """
    import pytest
    import torch
    import flag_gems
    from . import base
    from .conftest import Config


"""
HEAD = BENCH.count("\n")


@pytest.fixture
def linter(machine):
    return Linter(machine)


def found(linter, rule):
    return [(entry["file"], entry["line"]) for entry in linter.findings(rule)]


def only(linter, rule):
    (entry,) = linter.findings(rule)
    return entry


def test_the_small_corpus_has_no_findings(linter):
    assert linter.findings() == []
    linter.run()


# --- FV1


GUARDED = """
    import pytest
    import flag_gems
    from .base import vendor_name

    try:
        from flag_gems.runtime.backend._alder.ops.add import add as alder_add
        AVAILABLE = True
    except Exception:
        AVAILABLE = False


    @pytest.mark.add
    @pytest.mark.skipif({condition}, reason="only there")
    def test_add():
        alder_add(1, 2)
"""


def test_an_import_under_try_alone_reaches_every_other_vendor(linter):
    linter.add(benchmark_add=GUARDED.format(condition="not AVAILABLE"))
    entry = only(linter, "FV1")
    assert (entry["file"], entry["line"], entry["level"]) == ("benchmark/test_add.py", 6, "error")
    assert entry["vendors"] == ["birch", "cedar"]
    assert "own_add for alder only" in entry["message"]


@pytest.mark.parametrize("condition", [
    'vendor_name != "alder"', 'flag_gems.vendor_name in ("birch", "cedar")',
    'not (AVAILABLE and flag_gems.vendor_name == "alder")', 'not is_alder()', "NOT_ALDER",
    'flag_gems.runtime.device.vendor_name != "alder"', 'getattr(flag_gems, "vendor_name") != "alder"'])
def test_a_vendor_test_in_any_spelling_is_understood(linter, condition):
    text = GUARDED.format(condition=condition).replace("    try:", """    IS_ALDER = flag_gems.vendor_name == "alder"
    NOT_ALDER = not IS_ALDER

    def is_alder():
        if not IS_ALDER:
            return False
        return torch.something() or True

    try:""", 1)
    linter.add(benchmark_add=text)
    assert linter.findings("FV1") == []
    (site,) = linter.report()["foreign_imports"]
    assert site["verdict"] == "ok"


def test_a_device_test_leaves_the_vendors_that_share_the_device(linter):
    linter.add(benchmark_add=GUARDED.format(
        condition='flag_gems.device != "gpu" or torch.get_device_capability() < (9, 0)'))
    entry = only(linter, "FV1")
    assert (entry["level"], entry["vendors"]) == ("warning", ["birch"])


def test_a_later_import_under_the_vendors_own_test_rescues_it(linter):
    rebound = GUARDED.format(condition="not AVAILABLE").replace("""

    @pytest.mark.add""", """
    if vendor_name == "cedar":
        from flag_gems.ops.add import add as alder_add


    @pytest.mark.add""", 1)
    linter.add(benchmark_add=rebound)
    entry = only(linter, "FV1")
    assert entry["vendors"] == ["birch"]
    assert entry["rescued"] == ["cedar"]
    assert "cedar takes its own at line 12" in entry["message"]


@pytest.mark.parametrize("text", [
    # under an `if`, in a helper, after an early return, in a branch of the other vendor
    'if flag_gems.vendor_name == "alder":\n    from _alder.ops.add import add\n\n\ndef test_add():\n    add(1, 2)\n',
    'def test_add():\n    if flag_gems.vendor_name != "alder":\n        return\n    from _alder.ops.add import add\n    add()\n',
    'def test_add():\n    if flag_gems.vendor_name != "alder":\n        pytest.skip("no")\n    import _alder.ops.add\n',
    'if flag_gems.vendor_name != "alder":\n    pytest.skip("no", allow_module_level=True)\n'
    'from _alder.ops.add import add\n\n\ndef test_add():\n    add()\n',
    # what uses it is not got to
    'from _alder.ops.add import add\n\n\ndef test_add():\n    if flag_gems.vendor_name == "alder":\n        add()\n',
    'from _alder.ops.add import add\n\n\ndef test_add():\n    (add if flag_gems.vendor_name == "alder" else abs)(1)\n',
    'from _alder.ops.add import add\n\n\ndef test_add():\n    if flag_gems.vendor_name != "alder":\n        return\n'
    '    add()\n',
    'def load():\n    from _alder.ops.add import add\n    return add\n\n\n'
    'def test_add():\n    if flag_gems.vendor_name == "alder":\n        load()()\n',
    # nobody uses it
    'from flag_gems.runtime.backend._alder.ops.add import add\n\n\ndef test_add():\n    pass\n',
    # a text is no import
    'NAME = "flag_gems.runtime.backend._alder.ops.add"\n\n\ndef test_add():\n    print(NAME)\n',
    # another package's module of that name
    'from other._alder import add\n\n\ndef test_add():\n    add()\n',
])
def test_near_misses_of_a_foreign_import(linter, text):
    linter.write("tests/test_add.py", "import flag_gems\nimport pytest\n" + text)
    assert linter.findings("FV1") == []


@pytest.mark.parametrize("text", [
    'import importlib\n\n\ndef test_add():\n    importlib.import_module("_alder.ops.add").add(1, 2)\n',
    'import pytest\n\nMODULE = pytest.importorskip("flag_gems.runtime.backend._alder.ops.add")\n\n\n'
    'def helper():\n    return MODULE.add\n\n\ndef test_add():\n    helper()(1, 2)\n'])
def test_an_import_by_text_is_an_import(linter, text):
    linter.write("tests/test_add.py", text)
    assert only(linter, "FV1")["vendors"] == ["birch", "cedar"]


def test_a_module_that_tests_share_is_used_by_them(linter):
    linter.write("tests/shared.py", "from _alder.ops.add import add\n")
    assert only(linter, "FV1")["vendors"] == ["birch", "cedar"]


def test_the_package_itself_is_looked_at_too(linter):
    linter.write(ROOT + "ops/add.py", "from flag_gems.runtime.backend._alder.ops.add import add\n")
    assert found(linter, "FV1") == [(ROOT + "ops/add.py", 1)]
    linter.write(ROOT + "ops/add.py", "")
    linter.write(BACKENDS + "_birch/ops/add.py", """
        from flag_gems import runtime

        if runtime.device.vendor_name == "alder":
            from flag_gems.runtime.backend._alder.ops.add import add
    """)
    assert linter.findings("FV1") == []  # only birch loads that file


def test_a_module_that_is_not_there_is_dead_for_every_vendor(linter):
    linter.add(benchmark_add=GUARDED.format(condition="not AVAILABLE").replace("_alder.ops", "_alder.gone"))
    entry = only(linter, "FV1")
    assert (entry["verdict"], entry["vendors"]) == ("dead", ["alder", "birch", "cedar"])
    assert entry["fix"] == "import it from %s_alder/ops/add.py" % BACKENDS
    assert found(linter, "DI1") == [("benchmark/test_add.py", 6)]


def test_imports_that_exist_in_any_form_are_not_dead(linter):
    linter.write("tests/test_add.py", "import flag_gems.ops\nfrom flag_gems.ops import add\nimport flag_gems.runtime\n"
                 "from flag_gems.runtime.backend import nothing\nfrom flag_gems_other.x import y\n")
    assert linter.findings("DI1") == []


# --- conditions


CAPABILITY = """
    import pytest
    import torch
    import flag_gems


    def is_there():
        if flag_gems.device != "{device}":
            return False
        major, minor = torch.gpu.get_device_capability()
        sm_version_num = major * 10 + minor
        return {bound}


    THERE = is_there()


    @pytest.mark.add
    @pytest.mark.skipif(not THERE{more}, reason="x")
    def test_add():
        pass
"""


def test_a_capability_stands_for_a_vendor(linter):
    linter.add(benchmark_add=CAPABILITY.format(device="gpu", bound="sm_version_num >= 90", more=""))
    entry = only(linter, "CP1")
    assert (entry["line"], entry["vendors"]) == (19, ["alder", "birch"])
    assert "later architecture" not in entry["message"]
    linter.add(benchmark_add=CAPABILITY.format(
        device="gpu", bound="sm_version_num >= 90 and sm_version_num < 100", more=""))
    assert "sm_version_num < 100 (line 11)" in only(linter, "CP1")["message"]


@pytest.mark.parametrize("device,more", [
    ("gpu", ' or flag_gems.vendor_name != "alder"'), ("npx", "")])
def test_a_vendor_test_or_a_device_of_one_vendor_is_proof(linter, device, more):
    linter.add(benchmark_add=CAPABILITY.format(device=device, bound="sm_version_num >= 90", more=more))
    assert linter.findings("CP1") == []


@pytest.mark.parametrize("condition,outcome", [
    ('flag_gems.vendor_name == ["alder", "birch"]', "a text never equals a list"),
    ('flag_gems.device == "birch"', "'birch' is a vendor, and its device is called 'gpu'"),
    ('"cedar" in flag_gems.device.lower()', "its device is called 'npx'"),
    ('flag_gems.vendor_name == "aldre"', "no vendor and no device is called 'aldre'"),
    ('VENDOR in ("gpu", "npx")', ""), ('flag_gems.vendor_name != "nobody"', "is true on every vendor")])
def test_a_comparison_that_never_changes(linter, condition, outcome):
    linter.write("tests/test_add.py", "import flag_gems\n\nVENDOR = flag_gems.vendor_name\n\n\ndef test_add():\n"
                 "    if %s:\n        pass\n" % condition)
    entry = only(linter, "VL1")
    assert entry["line"] == 7
    assert outcome in entry["message"]


@pytest.mark.parametrize("condition", [
    'flag_gems.vendor_name in ["alder", "birch"]', 'flag_gems.device == "npx"', '"gp" in flag_gems.device',
    "flag_gems.vendor_name in []", 'tensor.device == "birch"', 'flag_gems.vendor_name == name',
    'device == "birch"', '"alder" != flag_gems.vendor_name'])
def test_comparisons_that_depend_on_the_vendor_or_on_something_else(linter, condition):
    linter.write("tests/test_add.py", "import flag_gems\n\n\ndef test_add(device, tensor, name):\n"
                 "    if %s:\n        pass\n" % condition)
    assert linter.findings("VL1") == []


def test_versions_compared_as_texts(linter):
    linter.write("tests/test_add.py", 'import torch\nimport triton\n\nA = triton.__version__ >= "3.6.0"\n'
                 'B = torch.__version__ >= "2.1"\nC = triton.__version__ == "3.6.0"\n'
                 'D = Version(triton.__version__) >= Version("3.6")\nE = "3.1" > triton.__version__\n')
    assert found(linter, "SV1") == [("tests/test_add.py", 4), ("tests/test_add.py", 8)]


# --- benchmarks


def bench(linter, call, more="", mark="add", head=""):
    linter.add(benchmark_add=BENCH + head + """
    @pytest.mark.%s
    def test_add():
        bench = %s
        %s
        bench.run()
""" % (mark, call, more or "pass"))


@pytest.mark.parametrize("call,more", [
    ('base.Benchmark(op_name="add", torch_op=flag_gems.add)', ""),
    ('base.Benchmark("add", flag_gems.add)', ""),
    ('base.Benchmark(op_name="add", torch_op=flag_gems.add)', "bench.set_gems(flag_gems.add)"),
    ('base.Benchmark(op_name="add", torch_op=add_of_ours)', "")])
def test_a_benchmark_of_the_same_function_twice(linter, call, more):
    bench(linter, call, more, head="    from flag_gems.ops import add as add_of_ours\n")
    assert only(linter, "SC1")["file"] == "benchmark/test_add.py"
    assert linter.findings("GS1") == []  # said once


@pytest.mark.parametrize("call,more", [
    ('base.Benchmark(op_name="add", torch_op=torch.add, gems_op=flag_gems.add)', ""),
    ('base.Benchmark(op_name="add", torch_op=flag_gems.add, gems_op=flag_gems.ops.faster_add)', ""),
    ('base.Benchmark(op_name="add", torch_op=flag_gems_add)', "")])
def test_two_functions_are_no_self_comparison(linter, call, more):
    bench(linter, call, more, head="    flag_gems_add = torch.add\n")
    assert linter.findings("SC1") == []


def test_a_keyword_that_nobody_reads(linter):
    bench(linter, 'base.GenericBenchmark(op_name="add", torch_op=torch.add, input_fn=None, inplace=True,\n'
                  '                gems_ops=flag_gems.add)')
    entries = linter.findings("GK1")
    assert [entry["fix"] for entry in entries] == ["write is_inplace=", "write gems_op="]
    assert "never timed" in entries[1]["message"]


def test_keywords_that_somebody_reads(linter):
    head = """
    class Own(base.GenericBenchmark):
        shapes = []

        def __init__(self, *args, extra=None, **kwargs):
            super().__init__(*args, **kwargs)

    class Strict(base.Benchmark):
        def __init__(self, op_name, torch_op):
            super().__init__(op_name, torch_op)
"""
    bench(linter, 'Own(op_name="add", torch_op=torch.add, input_fn=None, shapes=[], extra=1, gems_op=flag_gems.add,\n'
                  '            is_inplace=True, DEFAULT_DTYPES=[])', 'Strict("add", torch.add, wrong=1)', head=head)
    assert linter.findings("GK1") == []  # Strict raises a TypeError: nothing is swallowed


@pytest.mark.parametrize("mark,operator,level", [
    ("sub", "torch.sub", "warning"), ("hypot_out", "torch.hypot", "warning"), ("einsum", "torch.einsum", "note"),
    ("sub_", "lambda a: a.sub_()", "warning")])
def test_an_operator_that_is_not_registered(linter, mark, operator, level):
    bench(linter, 'base.Benchmark(op_name="%s", torch_op=%s)' % (mark, operator), mark=mark)
    entry = only(linter, "GS1")
    assert (entry["level"], entry["vendors"]) == (level, ["alder", "birch", "cedar"])


@pytest.mark.parametrize("mark,call", [
    ("add", 'base.Benchmark(op_name="add", torch_op=torch.add)'),
    ("sub", 'base.Benchmark(op_name="sub", torch_op=torch.sub, gems_op=flag_gems.sub)'),
    ("sub", 'base.Benchmark(op_name="sub", torch_op=torch.ops.aten.mul.Tensor)'),
    ("hypot", 'base.Benchmark(op_name="hypot", torch_op=torch.hypot)')])
def test_operators_that_are_reached(linter, mark, call):
    bench(linter, call, mark=mark)
    assert linter.findings("GS1") == []


def test_a_vendor_that_registers_the_operator_itself_is_left_out(linter):
    bench(linter, 'base.Benchmark(op_name="sub", torch_op=torch.sub)', mark="sub")
    linter.write(BACKENDS + "_cedar/__init__.py", """
        vendor_info = VendorDescriptor("cedar", "npx", "")
        CUSTOMIZED_UNUSED_OPS = ()
        OWN = (("sub", sub),)
    """)
    assert only(linter, "GS1")["vendors"] == ["alder", "birch"]


# --- tables of the package


def unused(linter, names):
    linter.write(BACKENDS + "_cedar/__init__.py", """
        vendor_info = VendorDescriptor("cedar", "npx", "")
        CUSTOMIZED_UNUSED_OPS = (%s)
    """ % names)


def test_operators_that_a_vendor_takes_out(linter):
    bench(linter, 'base.Benchmark(op_name="add", torch_op=torch.add)')
    unused(linter, '"add", "mul", "hypot",')
    entry = only(linter, "NR1")
    assert (entry["vendors"], entry["operators"], entry["line"]) == (["cedar"], ["add"], 2)
    bench(linter, 'base.Benchmark(op_name="add", torch_op=torch.add, gems_op=flag_gems.add)')
    assert linter.findings("NR1") == []  # timed whatever is registered


def test_two_names_without_a_comma(linter):
    unused(linter, '"add" "mul", "hypot",')
    entry = only(linter, "IC1")
    assert "'addmul'" in entry["message"] and entry["vendors"] == ["cedar"]
    unused(linter, '"add", "mul", "it\\\'s", "a long"\n    , "hypot",')
    assert linter.findings("IC1") == []


def test_a_tuned_configuration_that_a_vendor_lacks(linter):
    use = "CONFIGS = runtime.get_tuned_config(\"%s\")\n"
    linter.write(ROOT + "ops/add.py", use % "own_add")
    entry = only(linter, "TC1")
    assert (entry["file"], entry["line"], entry["vendors"]) == (ROOT + "ops/add.py", 1, ["birch", "cedar"])
    linter.write(ROOT + "ops/add.py", use % "common" + "# get_tuned_config('own_add')\n")
    linter.write(BACKENDS + "_alder/ops/mul.py", use % "own_add")
    assert linter.findings("TC1") == []


# --- collection


def test_imports_that_change_the_interpreter(linter):
    linter.add(tests_add="""
        import sys
        import flag_gems

        if flag_gems.vendor_name != "cedar":
            sys.path.insert(0, "/tmp/build/src")
            del sys.modules["x"]
    """)
    entry = only(linter, "SE1")
    assert (entry["line"], entry["vendors"]) == (5, ["alder", "birch"])
    assert "sys.modules, sys.path, the path /tmp/build/src (lines 5, 6)" in entry["message"]


def test_reading_the_interpreters_state_changes_nothing(linter):
    linter.add(tests_add="""
        import sys

        KNOWN = sys.modules.get("x")
        FIRST = sys.path[0]


        def test_add(tmp_path):
            sys.path.insert(0, "/tmp/x")
    """)
    assert linter.findings("SE1") == []


def test_two_modules_of_one_name(linter):
    text = "def test_it():\n    pass\n"
    linter.write("benchmark/deep/test_same.py", "import pytest\n\n\n@pytest.mark.add\n" + text)
    linter.write("tests/deep/test_same.py", text)
    assert found(linter, "DN1") == [("tests/deep/test_same.py", 1)]
    linter.write("tests/deep/__init__.py", "")
    assert linter.findings("DN1") == []


def test_a_benchmark_without_a_mark(linter):
    linter.add(benchmark_add="import pytest\n\n\n@pytest.mark.parametrize('x', [1])\ndef test_add(x):\n    pass\n")
    assert found(linter, "MK1") == [("benchmark/test_add.py", 5)]
    linter.add(benchmark_add="import pytest\n\npytestmark = pytest.mark.add\n\n\ndef test_add():\n    pass\n")
    assert linter.findings("MK1") == []


def test_name_and_mark_differ(linter):
    bench(linter, 'base.Benchmark(op_name="plus", torch_op=torch.add)')
    assert "op_name is plus and the mark is add" in only(linter, "OP1")["message"]
    bench(linter, 'base.Benchmark(op_name="softmax", torch_op=torch.softmax, is_backward=True)',
          mark="softmax_backward")
    assert linter.findings("OP1") == []  # the base class appends _backward


def test_the_shared_config_is_left_changed(linter):
    bench(linter, "None", more="Config.mode = 'wrapper'")
    assert "test_add sets Config.mode" in only(linter, "GM1")["message"]
    linter.add(benchmark_add=BENCH + """
    if flag_gems.vendor_name == "cedar":
        Config.mode = "wrapper"
""")
    entry = only(linter, "GM1")
    assert entry["vendors"] == ["cedar"] and "importing the file" in entry["message"]


def test_a_config_that_is_put_back(linter):
    linter.add(benchmark_add=BENCH + """
    @pytest.mark.add
    def test_add():
        before = Config.mode
        try:
            Config.mode = "wrapper"
        finally:
            Config.mode = before
""")
    assert linter.findings("GM1") == []


# --- operators


def test_host_code_that_a_capture_does_not_survive(linter):
    linter.write(ROOT + "ops/add.py", """
        import torch
        import triton


        @triton.jit
        def kernel(x):
            return x.item()


        def add(a):
            n = a.max().item()
            return torch.tensor([n]), a.shape.index(1), torch.zeros(1), a.items()
    """)
    assert found(linter, "CU1") == [(ROOT + "ops/add.py", 11), (ROOT + "ops/add.py", 12)]
