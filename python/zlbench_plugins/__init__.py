"""zlbench's part inside a corpus' pytest process: thin plug-ins, one topic a module.

The parent names each with -p and starts pytest in the corpus' root with ZL_PLAN (the plan file)
and ZL_CHANNEL_FD (the socket of docs/child-protocol.md). At module level they import the standard
library and pytest alone; torch, triton and the corpus are only touched inside hooks.

Plug-ins: device_setup (always first), results, timing, kernels, shapes, graph_capture,
cluster_launch. The other modules support them and are no plug-ins; hooks.py lists the hooks through
which the plug-ins meet.
"""
