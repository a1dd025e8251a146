"""The plan file that ZL_PLAN names (docs/child-protocol.md), read once."""

import json
import os

FORMAT = 1


class Plan:
    def __init__(self, fields, error=None):
        self.fields = fields
        self.error = error  # why there is no plan, or why it cannot be used
        self.backend = fields.get("backend") or {}

    @property
    def backend_name(self):
        return self.backend.get("name") or ""

    @property
    def vendor(self):
        return self.backend.get("vendor") or ""

    @property
    def torch_device(self):
        return self.backend.get("torch_device") or ""

    @property
    def vendor_variables(self):
        return list(self.backend.get("vendor_variables") or [])

    @property
    def override_variables(self):
        return list(self.backend.get("override_variables") or [])

    @property
    def known_vendors(self):
        return list(self.fields.get("known_vendors") or [])

    @property
    def timer(self):
        return self.fields.get("timer") or "upstream"

    @property
    def engine(self):
        """{"library", "family", "libraries"} of the timers graph and direct."""
        return self.fields.get("engine")

    @property
    def bytecode_folder(self):
        return self.fields.get("bytecode_folder") or ""

    @property
    def shapes(self):
        return self.fields.get("shapes") or {"mode": "upstream"}


def loaded(path):
    if not path:
        return Plan({}, "ZL_PLAN is not set: start this child through zlbench")
    try:
        with open(path, encoding="utf-8") as file:
            fields = json.load(file)
    except (OSError, ValueError) as error:
        return Plan({}, f"the plan {path} cannot be read: {error}")
    if not isinstance(fields, dict) or fields.get("format") != FORMAT:
        found = fields.get("format") if isinstance(fields, dict) else type(fields).__name__
        return Plan({}, f"the plan {path} has format {found}, these plug-ins read {FORMAT}: "
                        "use the plug-ins of the same zlbench")
    return Plan(fields)


plan = loaded(os.environ.get("ZL_PLAN"))
