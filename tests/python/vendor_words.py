"""The vendors and devices that the tests' plans speak of, each a part of the stand-in corpus."""

VENDOR, OTHER_VENDOR = "nvidia", "amd"  # both on DEVICE
DEVICE = "cuda"
OTHER_DEVICE, OTHER_DEVICE_VENDOR = "musa", "mthreads"
FORCING_VARIABLE, FORCED_VENDOR = "PPU_SDK", "thead"
PROCESSOR_VENDOR = "arm"
GRAPH_MODE = "cudagraph"  # the corpus' name for its graph timer
# Runtime families with a stand-in library: name, and prefix of its symbols and of the file's name.
GRAPH_RUNTIME, DIRECT_RUNTIME = ("cuda", "cu"), ("musa", "mu")
