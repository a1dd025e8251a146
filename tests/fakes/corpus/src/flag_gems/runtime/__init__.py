import torch

from .backend.finder import found_device

device = found_device()
torch_device_fn = getattr(torch, device.name)
torch_backend_device = None
