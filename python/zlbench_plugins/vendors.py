"""What is peculiar to single vendors inside the corpus. The only module here that may name one."""

# Variables that make FlagGems choose a vendor whatever the vendor variables say.
DECIDING_VARIABLES = {"PPU_SDK": "thead"}

# Vendors for which the corpus' loop calls another timer in its kernel mode, without arguments.
OWN_KERNEL_TIMERS = {"ascend": "do_bench_npu"}

# The `backend` of Triton's target on this vendor's devices. A vendor that is not here has not been
# looked up: what Triton answers there is recorded and not judged.
TRITON_TARGETS = {"nvidia": "cuda", "amd": "hip", "mthreads": "musa", "ascend": "npu"}

# Vendors that share a torch device word: which of torch.version's runtimes tells them apart.
TORCH_RUNTIMES = {"nvidia": "cuda", "amd": "hip"}

# Where the kernel module says its version.
DRIVER_VERSION_FILES = {
    "nvidia": "/proc/driver/nvidia/version",
    "amd": "/sys/module/amdgpu/version",
    "ascend": "/usr/local/Ascend/driver/version.info",
}
