"""A device module that counts what would create a context, so that a test can ask."""

import os
import types

_PROPERTIES = types.SimpleNamespace(
    name="Stand-in 9000", total_memory=8 << 30, multi_processor_count=4,
    uuid=os.environ.get("FAKE_DEVICE_UUID", "FAKE-0000"), gcnArchName="fake90",
    shared_memory_per_block=48 << 10, shared_memory_per_block_optin=227 << 10,
    L2_cache_size=50 << 20)


def make_device_module(word):
    module = types.ModuleType(f"torch.{word}")
    module.contexts = 0

    def touch(value):
        def call(*_args):
            module.contexts += 1
            return value

        return call

    module.device_count = lambda: int(os.environ.get("FAKE_DEVICE_COUNT", "1"))
    module.is_available = lambda: True
    module.synchronize = touch(None)
    module.empty_cache = lambda: None
    module.current_device = touch(0)
    if word != "cpu":
        module.get_device_properties = touch(_PROPERTIES)
        module.get_device_capability = touch((9, 0))
        module.mem_get_info = touch((6 << 30, 8 << 30))
        module.Stream = type("Stream", (), {})
        module.stream = touch(None)
        if "FAKE_NO_GRAPH" not in os.environ:
            module.FakeGraph = type("FakeGraph", (), {
                name: touch(None) for name in ("capture_begin", "capture_end", "replay")})
    return module
