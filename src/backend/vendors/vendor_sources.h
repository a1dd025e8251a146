#pragma once

#include "backend/source.h"

namespace zl::backend {

SourceAnswer ask_nvml(Source const& source, ProbeOptions const& options);
SourceAnswer ask_mtml(Source const& source, ProbeOptions const& options);
SourceAnswer ask_dcmi(Source const& source, ProbeOptions const& options);
SourceAnswer ask_amdsmi(Source const& source, ProbeOptions const& options);
SourceAnswer ask_rocm_smi(Source const& source, ProbeOptions const& options);
SourceAnswer ask_kfd(Source const& source, ProbeOptions const& options);

}  // namespace zl::backend
