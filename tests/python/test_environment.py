"""Which environment variables are recorded, and that no secret is among them."""

import sys

import pytest

from parent import PLUGINS_FOLDER

sys.path.insert(0, str(PLUGINS_FOLDER))

from zlbench_plugins.environment_probe import recorded_environment  # noqa: E402

ABS = "test_abs.py::test_abs"


@pytest.mark.parametrize("name", [
    "SOME_VISIBLE_DEVICES", "SOME_DEVICE_ORDER", "SOME_LAUNCH_BLOCKING", "LD_LIBRARY_PATH", "LC_ALL",
    "LANG", "TRITON_DEBUG", "TRITON_PTXAS_PATH", "FLAGGEMS_CACHE_DIR", "USE_FLAGTUNE_X", "GEMS_VENDOR",
    "TRITON_KERNEL_DUMP", "TRITON_KEYBOARD"])
def test_these_are_recorded(name):
    assert recorded_environment(["GEMS_VENDOR"], {name: "1"}) == {name: "1"}


@pytest.mark.parametrize("name", [
    "HOME", "USER", "AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "MY_PASSWORD",
    # On the list by their beginning, and secrets by their names.
    "TRITON_API_TOKEN", "TRITON_API_KEY", "TRITON_APIKEY", "TRITON_SECRET", "TRITON_CLIENT_SECRET_ID",
    "FLAGGEMS_DB_PASSWORD", "FLAGGEMS_DB_PASSWD", "FLAGGEMS_CREDENTIALS", "FLAGGEMS_HTTP_AUTH",
    "USE_FLAGTUNE_KEY", "USE_FLAGTUNE_ACCESS_TOKEN", "triton_api_token", "GEMS_VENDOR_KEY"])
def test_these_never_are(name):
    assert recorded_environment(["GEMS_VENDOR*"], {name: "hidden"}) == {}


@pytest.mark.parametrize("value, kept", [
    ("postgresql://user:hidden@host/db?password=hidden", "postgresql://***@host/db?password=***"),
    ("https://hidden@host/x", "https://***@host/x"),
    ("redis://u:hid/den@host", "redis://***@host"),
    ("api_key=hidden&x=1", "api_key=***&x=1"),
    ("/usr/lib:/opt/lib", "/usr/lib:/opt/lib")])
def test_credentials_inside_a_value_are_blotted_out(value, kept):
    assert recorded_environment([], {"TRITON_X": value}) == {"TRITON_X": kept}


def test_long_values_are_cut():
    assert len(recorded_environment([], {"TRITON_X": "a" * 100000})["TRITON_X"]) == 4096


def test_a_child_says_no_secret_in_any_message(run):
    child = run(ABS, env={
        "TRITON_DEBUG": "1", "AWS_SECRET_ACCESS_KEY": "hidden", "TRITON_API_TOKEN": "hidden",
        "FLAGGEMS_DB_URL": "postgresql://user:hidden@host/db?password=hidden"})
    assert child.identity["env"]["TRITON_DEBUG"] == "1"
    assert "hidden" not in str(child.messages)
