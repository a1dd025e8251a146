// The entry points of fake_runtime.cc under the prefix base_, for a library that shows the same
// device under another vendor's names and signatures.
#pragma once

#include "backend/runtime.h"

extern "C" {
int base_Init(unsigned);
int base_DriverGetVersion(int*);
int base_DeviceGet(int*, int);
int base_CtxSynchronize();
int base_MemAlloc_v2(zl::backend::DeviceAddress*, std::size_t);
int base_MemFree_v2(zl::backend::DeviceAddress);
int base_MemHostAlloc(void**, std::size_t, unsigned);
int base_MemFreeHost(void*);
int base_MemsetD32Async(zl::backend::DeviceAddress, unsigned, std::size_t, void*);
int base_StreamSynchronize(void*);
int base_StreamIsCapturing(void*, int*);
int base_StreamEndCapture(void*, void**);
int base_StreamWaitValue32_v2(void*, zl::backend::DeviceAddress, std::uint32_t, unsigned);
int base_EventCreate(void**, unsigned);
int base_EventDestroy_v2(void*);
int base_EventRecord(void*, void*);
int base_EventQuery(void*);
int base_EventElapsedTime(float*, void*, void*);
int base_EventElapsedTime_v2(float*, void*, void*);
int base_GraphCreate(void**, unsigned);
int base_GraphDestroy(void*);
int base_GraphGetNodes(void*, void**, std::size_t*);
int base_GraphNodeGetType(void*, int*);
int base_GraphKernelNodeGetParams_v2(void*, zl::backend::KernelNode*);
int base_GraphAddEmptyNode(void**, void*, void* const*, std::size_t);
int base_GraphAddMemsetNode(void**, void*, void* const*, std::size_t,
                            zl::backend::MemsetNode const*, void*);
int base_GraphAddChildGraphNode(void**, void*, void* const*, std::size_t, void*);
int base_GraphInstantiateWithFlags(void**, void*, unsigned long long);
int base_GraphInstantiate_v2(void**, void*, void**, char*, std::size_t);
int base_GraphLaunch(void*, void*);
int base_GraphExecDestroy(void*);
}
