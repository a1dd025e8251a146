import types

vendor_info = types.SimpleNamespace(vendor_name="thead", device_name="cuda")
