import types

vendor_info = types.SimpleNamespace(vendor_name="amd", device_name="cuda")
