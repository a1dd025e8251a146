// The rows of the shared table, ROW(name, older, member, required): names of symbols without the
// family's prefix. The suffixed ones first: an unsuffixed symbol is the oldest ABI. `older` stands
// only where its signature is the same. A list of its own, so that tests can hold each row against
// a vendor's header.
#pragma once

// clang-format off
#define ZL_RUNTIME_ROWS(ROW) \
  ROW(Init, nullptr, init, true) \
  ROW(DriverGetVersion, nullptr, driver_version, false) \
  ROW(GetErrorName, nullptr, error_name, false) \
  ROW(GetErrorString, nullptr, error_text, false) \
  ROW(DeviceGet, nullptr, device_get, true) \
  ROW(DeviceGetAttribute, nullptr, device_attribute, true) \
  ROW(DeviceGetPCIBusId, nullptr, device_pci_address, false) \
  ROW(DevicePrimaryCtxRetain, nullptr, primary_retain, true) \
  ROW(DevicePrimaryCtxRelease_v2, "DevicePrimaryCtxRelease", primary_release, false) \
  ROW(CtxGetCurrent, nullptr, context_current, true) \
  ROW(CtxSetCurrent, nullptr, context_set, true) \
  ROW(CtxSynchronize, nullptr, context_synchronize, true) \
  ROW(CtxSetLimit, nullptr, context_set_limit, false) \
  ROW(CtxGetLimit, nullptr, context_limit, false) \
  ROW(CtxResetPersistingL2Cache, nullptr, reset_persisting_cache, false) \
  ROW(MemAlloc_v2, nullptr, memory_alloc, true) \
  ROW(MemFree_v2, nullptr, memory_free, true) \
  ROW(MemHostAlloc, nullptr, host_alloc, false) \
  ROW(MemFreeHost, nullptr, host_free, false) \
  ROW(MemHostGetDevicePointer_v2, nullptr, host_device_address, false) \
  ROW(MemsetD32Async, nullptr, memset_async, true) \
  ROW(MemcpyDtoHAsync_v2, nullptr, copy_to_host, false) \
  ROW(StreamCreate, nullptr, stream_create, false) \
  ROW(StreamDestroy_v2, "StreamDestroy", stream_destroy, false) \
  ROW(StreamSynchronize, nullptr, stream_synchronize, true) \
  ROW(StreamIsCapturing, nullptr, stream_is_capturing, false) \
  ROW(StreamEndCapture, nullptr, stream_end_capture, false) \
  ROW(StreamWaitValue32_v2, "StreamWaitValue32", stream_wait_value, false) \
  ROW(EventCreate, nullptr, event_create, true) \
  ROW(EventDestroy_v2, nullptr, event_destroy, true) \
  ROW(EventRecord, nullptr, event_record, true) \
  ROW(EventQuery, nullptr, event_query, true) \
  ROW(EventElapsedTime_v2, "EventElapsedTime", event_elapsed, true) \
  ROW(ModuleLoadData, nullptr, module_load, false) \
  ROW(ModuleUnload, nullptr, module_unload, false) \
  ROW(ModuleGetFunction, nullptr, module_function, false) \
  ROW(LaunchKernel, nullptr, launch, false) \
  ROW(FuncGetName, nullptr, function_name, false) \
  ROW(GraphCreate, nullptr, graph_create, false) \
  ROW(GraphDestroy, nullptr, graph_destroy, false) \
  ROW(GraphGetNodes, nullptr, graph_nodes, false) \
  ROW(GraphNodeGetType, nullptr, graph_node_type, false) \
  ROW(GraphKernelNodeGetParams_v2, "GraphKernelNodeGetParams", graph_kernel, false) \
  ROW(GraphChildGraphNodeGetGraph, nullptr, graph_child, false) \
  ROW(GraphAddEmptyNode, nullptr, graph_add_empty, false) \
  ROW(GraphAddKernelNode_v2, "GraphAddKernelNode", graph_add_kernel, false) \
  ROW(GraphAddMemsetNode, nullptr, graph_add_memset, false) \
  ROW(GraphAddEventRecordNode, nullptr, graph_add_event, false) \
  ROW(GraphAddChildGraphNode, nullptr, graph_add_child, false) \
  ROW(GraphInstantiateWithFlags, nullptr, graph_instantiate, false) \
  ROW(GraphInstantiate_v2, "GraphInstantiate", graph_instantiate_logged, false) \
  ROW(GraphUpload, nullptr, graph_upload, false) \
  ROW(GraphLaunch, nullptr, graph_launch, false) \
  ROW(GraphExecDestroy, nullptr, graph_exec_destroy, false)
// clang-format on
