import types

vendor_info = types.SimpleNamespace(vendor_name="mthreads", device_name="musa")
