import types

vendor_info = types.SimpleNamespace(vendor_name="arm", device_name="cpu")
