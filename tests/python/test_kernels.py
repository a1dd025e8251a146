"""What was compiled, loaded and launched, by case and side."""

from parent import make_plan


def by_side(case, side):
    return [kernel for kernel in case["kernels"] if kernel["side"] == side]


def test_compiled_once_and_launched_for_every_shape(run):
    child = run("test_softmax.py")
    first, *others = child.cases().values()
    (kernel,) = by_side(first, "candidate")
    assert kernel["name"] == "softmax_kernel" and len(kernel["hash"]) == 64
    assert (kernel["compiled"], kernel["launched"]) == (True, True)
    assert (kernel["num_warps"], kernel["num_stages"], kernel["num_ctas"]) == (8, 3, 1)
    assert (kernel["shared_bytes"], kernel["registers"], kernel["spills"]) == (1024, 32, 2)
    assert kernel["convert_layouts"] == 2
    for case in others:
        (again,) = by_side(case, "candidate")
        assert (again["hash"], again["launched"]) == (kernel["hash"], True)
        assert "compiled" not in again
        assert by_side(case, "baseline") == []


def test_loaded_from_a_cache_is_not_compiled(run):
    run("test_softmax.py")
    child = run("test_softmax.py")
    first, *_ = child.cases().values()
    (kernel,) = by_side(first, "candidate")
    assert (kernel["compiled"], kernel["launched"]) == (False, True)


def test_tuned_operator_tells_what_it_tried_and_what_it_took(run):
    child = run("test_cumsum.py")
    first, *_ = child.cases().values()
    kernels = by_side(first, "candidate")
    assert sorted(kernel["convert_layouts"] for kernel in kernels) == [1, 2]
    assert sorted(kernel["launched"] for kernel in kernels) == [False, True]


def test_nothing_hangs_in_the_launch_path_while_it_is_timed(run):
    child = run("test_softmax.py", "test_cumsum.py")
    assert child.all("kernel") != [] and "TIMED_WITH_A_HOOK" not in child.log


def test_kernels_come_inside_their_case_and_after_the_number(run):
    child = run("test_abs.py::test_abs")
    for name, case in child.cases().items():
        kinds = [m["type"] for m in child.messages if m.get("case") == name]
        assert kinds == ["case_begin", "measurement", "measurement", "kernel", "case_end"]


def test_backward_operator_calls_its_backward_once_more(run):
    child = run("test_gelu_backward.py", arguments=["-s"])
    # 3 calls by the timer and 1 extra for each of two sides of 6 cases.
    assert "BACKWARD_CALLS 48" in child.log


def test_failed_measurement_gets_no_extra_call(run):
    child = run("test_exp.py")
    assert child.notes("KERNELS_CALL") == [] and child.bye["failed"] == 1


def test_corpus_without_kernels_says_nothing(run):
    child = run("test_add.py::test_add_tensor")
    assert child.all("kernel") == [] and child.status == 0


def test_without_the_plugin_no_kernel_is_told(run):
    child = run("test_softmax.py", plugins=("device_setup", "results", "timing"))
    assert child.all("kernel") == [] and child.bye["passed"] == 1


def test_timing_alone_needs_no_listener(run):
    child = run("test_softmax.py", plugins=("device_setup", "timing"), plan=make_plan())
    assert child.status == 0
