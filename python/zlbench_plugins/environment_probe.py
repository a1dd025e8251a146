"""Which environment variables the identity records, and how. Nothing but what is listed here: an
environment holds secrets."""

import fnmatch
import os
import re

_VARIABLES = ("*_VISIBLE_DEVICES", "*_DEVICE_ORDER", "*_LAUNCH_BLOCKING", "LD_LIBRARY_PATH",
              "LC_ALL", "LANG", "OMP_NUM_THREADS", "TRITON_*", "FLAGGEMS_*", "USE_FLAGTUNE*")
# A name with one of these words is left out whatever list it is on.
_SECRET_NAME = re.compile(
    r"TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|APIKEY|(?:^|_)(?:KEYS?|AUTH|PWD|PAT)(?:_|$)",
    re.IGNORECASE)
_SECRET_PART = re.compile(
    r"(?i)((?:password|passwd|pwd|token|secret|api_?key|access_?key)\s*[=:]\s*)[^&;,\s]*")
_MAX_BYTES = 4096


def recorded_environment(more_names, environment=None):
    """`more_names`: what the plan says the corpus reads for its choice of the vendor."""
    wanted = [*more_names, *_VARIABLES]
    variables = os.environ if environment is None else environment
    return {name: _without_credentials(value)[:_MAX_BYTES]
            for name, value in sorted(variables.items())
            if not _SECRET_NAME.search(name)
            and any(fnmatch.fnmatchcase(name, pattern) for pattern in wanted)}


def named_variables(*patterns):
    """"A=1, B=2": the recorded variables that match, for the text of an error."""
    found = recorded_environment([])
    return ", ".join(f"{name}={value}" for name, value in found.items()
                     if any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns))


def _without_credentials(value):
    value = re.sub(r"://\S*@", "://***@", value)
    return _SECRET_PART.sub(r"\1***", value)
