calls = []  # how often a backward pass ran


def grad(outputs, inputs, grad_outputs=None, retain_graph=False):
    calls.append(len(inputs))
    return tuple(tensor.clone() for tensor in inputs)
