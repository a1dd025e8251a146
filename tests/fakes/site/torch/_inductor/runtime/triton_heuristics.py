"""Reads a kernel's cluster dimensions where it has them, as torch's inductor does by now."""


def launch_arguments(kernel):
    if not hasattr(kernel.metadata, "cluster_dims"):
        return ()
    return (kernel.metadata.num_ctas, *kernel.metadata.cluster_dims)
