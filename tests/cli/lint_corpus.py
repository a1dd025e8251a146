"""A small corpus for the linter: three vendors that exist nowhere else, two of them with one device name."""

import json
import textwrap

ROOT = "src/flag_gems/"
BACKENDS = ROOT + "runtime/backend/"

BASE = """
    import flag_gems

    device = flag_gems.device
    vendor_name = flag_gems.vendor_name


    class Benchmark:
        DEFAULT_DTYPES = []

        def __init__(self, op_name, torch_op, dtypes=None, is_backward=False, is_inplace=False, **kwargs):
            self.op_name = op_name
            self.torch_op = torch_op
            self.gems_op = kwargs.get("gems_op", None)
            self.is_inplace = is_inplace
            for k in kwargs:
                if hasattr(self, k):
                    setattr(self, k, kwargs[k])

        def set_gems(self, gems_op):
            self.gems_op = gems_op

        def run(self):
            pass


    class GenericBenchmark(Benchmark):
        def __init__(self, *args, input_fn, **kwargs):
            super().__init__(*args, **kwargs)
            self.input_fn = input_fn
"""

FILES = {
    "conf/operators.yaml": """
        ops:
          - id: add
            for: [add.Tensor]
          - id: mul
            for: [mul.Tensor]
          - id: hypot_out
            for: [hypot.out]
          - id: einsum
            for: [einsum]
          - id: softmax_backward
            for: [softmax_backward]
    """,
    "benchmark/__init__.py": "",
    "benchmark/base.py": BASE,
    "benchmark/conftest.py": """
        class Config:
            mode = "kernel"
    """,
    "tests/__init__.py": "",
    "tests/conftest.py": """
        import flag_gems

        vendor_name = flag_gems.vendor_name
    """,
    ROOT + "__init__.py": """
        from flag_gems.ops import *  # noqa: F403

        _FULL_CONFIG = (
            ("add.Tensor", add),
            ("mul.Tensor", mul),
            ("hypot", hypot),
            ("softmax_backward", softmax_backward),
        )
    """,
    ROOT + "ops/__init__.py": """
        from flag_gems.ops.add import add
        from flag_gems.ops.mul import mul
        from flag_gems.ops.softmax import softmax_backward
    """,
    ROOT + "ops/add.py": "def add(a, b):\n    return a\n",
    ROOT + "ops/mul.py": "def mul(a, b):\n    return a\n",
    ROOT + "runtime/configs_loader.py": """
        class Loader:
            def get_default_tune_config(self):
                return backend.get_tune_config("alder")
    """,
    BACKENDS + "_alder/__init__.py": """
        vendor_info = VendorDescriptor(vendor_name="alder", device_name="gpu", device_query_cmd="")
        CUSTOMIZED_UNUSED_OPS = ()
    """,
    BACKENDS + "_alder/tune_configs.yaml": "common:\n- META:\n    BLOCK: 1\n",
    BACKENDS + "_alder/ops/__init__.py": "",
    BACKENDS + "_alder/ops/add.py": """
        import triton


        @libtuner(configs=runtime.get_tuned_config("own_add"))
        @triton.jit
        def add_kernel(BLOCK):
            pass


        def add(a, b):
            return a
    """,
    BACKENDS + "_alder/fast/tune_configs.yaml": "own_add:\n- META:\n    BLOCK: 1\n",
    BACKENDS + "_birch/__init__.py": """
        vendor_info = VendorDescriptor("birch", "gpu", "birch-smi")
        CUSTOMIZED_UNUSED_OPS = ()
    """,
    BACKENDS + "_birch/ops/__init__.py": "",
    BACKENDS + "_birch/ops/add.py": "def add(a, b):\n    return a\n",
    BACKENDS + "_cedar/__init__.py": """
        vendor_info = VendorDescriptor(
            vendor_name="cedar", device_name="npx", device_query_cmd="cedar-smi"
        )
        CUSTOMIZED_UNUSED_OPS = ()
    """,
}


def write(folder, files):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text).lstrip("\n"))


def make(folder, files=()):
    """The small corpus, with `files` added or put in place of its own."""
    write(folder, {**FILES, **dict(files)})
    return folder


class Linter:
    """Runs `zlbench lint` on a corpus of the test."""

    def __init__(self, machine):
        self.machine = machine
        self.root = make(machine.folder / "corpus")

    def add(self, **files):
        """benchmark_x="..." becomes benchmark/test_x.py, tests_x tests/test_x.py."""
        for name, text in files.items():
            folder, _, stem = name.partition("_")
            write(self.root, {"%s/test_%s.py" % (folder, stem): text})

    def write(self, name, text):
        write(self.root, {name: text})

    def run(self, *words, code=0):
        return self.machine.run("lint", self.root, *words, code=code)

    def report(self, *words):
        """The JSON report; --fail-on is put out of the way by reading either exit code."""
        import subprocess

        done = subprocess.run(self.machine.command("lint", self.root, "--format", "json", *words),
                              env=self.machine.environment, capture_output=True, text=True, timeout=120)
        assert done.returncode in (0, 1), done.stderr
        return json.loads(done.stdout)

    def findings(self, rule=None):
        return [entry for entry in self.report()["findings"] if rule in (None, entry["rule"])]
