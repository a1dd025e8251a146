import pytest

from . import base

# A file of one vendor, imported on every vendor: that it is on disk proves nothing.
from flag_gems.runtime.backend._nvidia.ops import router_gemm  # isort: skip


@pytest.mark.router_gemm
def test_router_gemm():
    base.GenericBenchmark(op_name="router_gemm", torch_op=router_gemm, gems_op=router_gemm,
                          input_fn=lambda shape, dtype, device: iter(
                              [(base.torch.randn(shape, dtype=dtype, device=device),) * 2])).run()
