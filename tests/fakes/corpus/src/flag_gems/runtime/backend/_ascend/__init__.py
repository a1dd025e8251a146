import types

vendor_info = types.SimpleNamespace(vendor_name="ascend", device_name="npu")
