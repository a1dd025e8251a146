"""Operators for this vendor alone."""


def router_gemm(left, right):
    return left.clone()
