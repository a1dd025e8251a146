import types

vendor_info = types.SimpleNamespace(vendor_name="nvidia", device_name="cuda")
