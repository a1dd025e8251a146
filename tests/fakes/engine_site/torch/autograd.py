def grad(outputs, inputs, grad_outputs=None, retain_graph=False):
    for tensor, version in outputs[0]._grad_of:
        if tensor.version[0] != version:
            raise RuntimeError("one of the variables needed for gradient computation has been "
                               "modified by an inplace operation")
    return tuple(tensor._made(lambda: [a * b for a, b in zip(tensor.values(),
                                                             grad_outputs[0].values())])
                 for tensor in inputs)
