"""What is peculiar to single vendors inside the corpus. The only module here that may name one."""

# Variables that make FlagGems choose a vendor whatever the vendor variables say.
DECIDING_VARIABLES = {"PPU_SDK": "thead"}

# Vendors for which the corpus' loop calls another timer in its kernel mode, without arguments.
OWN_KERNEL_TIMERS = {"ascend": "do_bench_npu"}
